#include "http/epoll/callback_thread.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/allocation_count.hpp"

namespace callback_thread_test {

using fw::http::CallbackThread;
using fw::http::DisconnectCallback;

TEST_CASE("callback thread: a callback runs although there is no memory") {
  CallbackThread callbacks;
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

TEST_CASE("callback thread: callbacks of the protected thread run on another one") {
  CallbackThread callbacks;
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

}  // namespace callback_thread_test
