#include "http/epoll/callback_threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>

#include "eventually.hpp"
#include "http/loopback.hpp"
#include "support/allocation_count.hpp"

namespace callback_threads_test {

using fairway::test::eventually;
using fw::http::CallbackThreads;
using fw::http::DisconnectCallback;

TEST_CASE("callback threads: a callback runs although there is no memory") {
  CallbackThreads callbacks;
  bool has_run = false;
  DisconnectCallback callback([&] { has_run = true; }, std::make_shared<std::atomic<bool>>());
  SUBCASE("of any thread") {}
  SUBCASE("of the thread that must not be delayed") { callbacks.protect_this_thread(); }
  {
    const fw::support::AtAllocation failing(1, [] { return false; });
    callbacks.run(std::move(callback));
  }
  CHECK(has_run);
}

TEST_CASE("callback threads: callbacks of the protected thread run on another one") {
  CallbackThreads callbacks;
  callbacks.protect_this_thread();
  std::atomic<int> count{0};
  std::atomic<bool> is_other{true};
  for (int i = 0; i < 100; ++i) {
    callbacks.run([&, own = std::this_thread::get_id()] {
      if (std::this_thread::get_id() == own) is_other = false;
      ++count;
      count.notify_one();
    });
  }
  for (int seen = count; seen < 100; seen = count) count.wait(seen);
  CHECK(is_other);
}

TEST_CASE("callback threads: callbacks run at once after the end of the protection") {
  CallbackThreads callbacks;
  const auto runs_here = [&] {
    std::atomic<bool> has_run{false};
    std::thread::id runner;
    callbacks.run([&] {
      runner = std::this_thread::get_id();
      has_run = true;
      has_run.notify_one();
    });
    has_run.wait(false);
    return runner == std::this_thread::get_id();
  };
  callbacks.protect_this_thread();
  CHECK_FALSE(runs_here());
  callbacks.end_protection();
  CHECK(runs_here());
  std::thread([&] { callbacks.protect_this_thread(); }).join();
  callbacks.end_protection();  // of another thread: nothing
  CHECK(runs_here());
}

TEST_CASE("callback threads: slow callbacks do not delay the others, up to a number of threads") {
  std::atomic<std::size_t> slow{0};
  std::atomic<std::size_t> quick{0};
  fw::http::test::Gate gate;
  CallbackThreads callbacks;
  const fw::http::test::OpensAtEnd opens(gate);
  callbacks.protect_this_thread();
  const auto run_slow = [&] {
    callbacks.run([&] {
      ++slow;
      gate.wait();
    });
  };
  const auto run_quick = [&] { callbacks.run([&] { ++quick; }); };
  for (std::size_t i = 1; i < CallbackThreads::kMaxThreads; ++i) {
    run_slow();
    run_quick();
    CHECK(eventually([&] { return slow == i && quick == i; }));
  }
  for (int i = 0; i < 100; ++i) run_slow();
  CHECK(eventually([&] { return slow == CallbackThreads::kMaxThreads; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(slow == CallbackThreads::kMaxThreads);
  gate.open();
  run_quick();
  CHECK(eventually([&] {
    return quick == CallbackThreads::kMaxThreads && slow == CallbackThreads::kMaxThreads - 1 + 100;
  }));
}

}  // namespace callback_threads_test
