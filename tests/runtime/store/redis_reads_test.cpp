// Reads of the Redis store for which no thread waits.
#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "eventually.hpp"
#include "redis_server.hpp"
#include "store/async_reader.hpp"
#include "store/redis/redis_client.hpp"
#include "store/redis_probes.hpp"

namespace redis_reads_test {

namespace {

using fairway::test::eventually;
using fairway::test::RedisServer;
using fw::Store;
using fw::store::AsyncReader;
using fw::store::RedisClient;
using fw::store::test::contains;
using fw::store::test::error_of;
using fw::store::test::url_of;
using fw::store::test::wait_until_it_works;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// The result of a read for which no thread waits.
class Result : public AsyncReader::Receiver {
 public:
  void receive(AsyncReader::Result result) noexcept override { result_.set_value(result); }
  AsyncReader::Result get() { return result_.get_future().get(); }

 private:
  std::promise<AsyncReader::Result> result_;
};

/// Begins a read; null while the store's connection is idle.
std::shared_ptr<Result> begin_get(Store& store, std::string_view key) {
  auto result = std::make_shared<Result>();
  return dynamic_cast<AsyncReader&>(store).begin_get(key, result) ? result : nullptr;
}

/// Begins it as soon as the connection is in use.
std::shared_ptr<Result> await_begin_get(Store& store, std::string_view key) {
  while (true) {
    if (auto result = begin_get(store, key)) return result;
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace

TEST_CASE("redis store: asynchronous reads") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000, .connections = 1});
  CHECK_FALSE(begin_get(*store, "a"));  // there is no connection
  store->set("a", "1", 1min);
  direct.execute({"RPUSH", "fw:list", "1"});
  CHECK_FALSE(begin_get(*store, "a"));  // it is idle
  server.pause();
  auto waiting = std::async(std::launch::async, [&] { return store->get("a"); });
  const auto value = await_begin_get(*store, "a");
  const auto missing = begin_get(*store, "b");
  const auto list = begin_get(*store, "list");
  REQUIRE(missing);
  REQUIRE(list);
  server.resume();
  CHECK(waiting.get() == "1");
  CHECK(value->get().value == "1");
  const auto nothing = missing->get();
  CHECK_FALSE(nothing.value);
  CHECK(nothing.error.empty());
  CHECK(contains(list->get().error, "WRONGTYPE"));
}

TEST_CASE("redis store: asynchronous reads end when the server is paused or stopped") {
  RedisServer server;
  const auto store = fw::redis_store({.url = server.url(), .timeout = 300, .connections = 1});
  std::future<std::string> waiting;
  // Pauses the server while a thread waits for a reply, and begins another read. On a busy machine,
  // the thread may not wait so long.
  const auto begin_on_pause = [&] {
    std::shared_ptr<Result> result;
    CHECK(eventually([&] {
      server.resume();
      wait_until_it_works(*store);
      server.pause();
      waiting = std::async(std::launch::async, [&] { return error_of([&] { store->get("a"); }); });
      while (!result && waiting.wait_for(1ms) != std::future_status::ready) {
        result = begin_get(*store, "a");
      }
      return result != nullptr;
    }));
    return result;
  };
  auto result = begin_on_pause();
  REQUIRE(result);
  CHECK(contains(result->get().error, "no reply in time"));
  CHECK(contains(waiting.get(), "no reply in time"));
  result = begin_on_pause();
  REQUIRE(result);
  server.stop();
  CHECK(contains(result->get().error, "Redis: "));
  waiting.get();
}

TEST_CASE("redis store: asynchronous reads end on time and with their store") {
  // The error of a read to which the server never replies. Nothing if the one before it, which
  // waits for its reply, was not in time.
  const auto error_after = [](std::int64_t timeout, bool ends_on_time) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const std::string url = url_of(listener);
    std::promise<void> may_reply;
    std::future<void> reply_allowed = may_reply.get_future();
    std::thread peer([&] {
      const int client = ::accept(listener, nullptr, nullptr);
      char bytes[4096];
      for (int commands = 0; ::recv(client, bytes, sizeof bytes, 0) > 0; ++commands) {
        if (commands == 1) reply_allowed.wait();
        if (commands < 2) ::send(client, "+OK\r\n", 5, MSG_NOSIGNAL);
      }
      ::close(client);
    });
    std::shared_ptr<Result> result;
    std::optional<std::string> error;
    {
      const auto store = fw::redis_store({.url = url, .timeout = timeout, .connections = 1});
      std::string value;
      auto waiting = std::async(std::launch::async, [&] {
        return error_of([&] { value = store->get("a").value_or(""); });
      });
      while (!result && waiting.wait_for(1ms) != std::future_status::ready) {
        result = begin_get(*store, "a");
      }
      may_reply.set_value();
      if (!waiting.get().empty()) result = nullptr;
      if (result) CHECK(value == "OK");
      if (result && ends_on_time) error = result->get().error;
    }
    if (result && !ends_on_time) error = result->get().error;
    peer.join();
    ::close(listener);
    return error;
  };
  std::optional<std::string> error;
  CHECK(eventually([&] {
    error = error_after(200, true);
    return error.has_value();
  }));
  CHECK(contains(error.value_or(""), "no reply in time"));
  CHECK(contains(error_after(60'000, false).value_or(""), "the connection was closed"));
}

TEST_CASE("redis store: asynchronous reads can renew the time to live") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000, .connections = 1});
  store->set("a", "1", 1min);
  const auto begin = [&](std::string_view key) {
    auto result = std::make_shared<Result>();
    auto& reader = dynamic_cast<AsyncReader&>(*store);
    return reader.begin_get_and_renew(key, 1h, result) ? result : nullptr;
  };
  CHECK_FALSE(begin("a"));  // the connection is idle
  server.pause();
  auto waiting = std::async(std::launch::async, [&] { return store->get("a"); });
  std::shared_ptr<Result> value;
  while (!(value = begin("a"))) std::this_thread::sleep_for(1ms);
  const auto missing = begin("b");
  REQUIRE(missing);
  server.resume();
  CHECK(waiting.get() == "1");
  CHECK(value->get().value == "1");  // although the server has never seen the script
  const auto nothing = missing->get();
  CHECK_FALSE(nothing.value);
  CHECK(nothing.error.empty());
  CHECK(direct.execute({"PTTL", "fw:a"}).integer > milliseconds(2min).count());
}

TEST_CASE("redis store: concurrent synchronous and asynchronous reads get their own replies") {
  const RedisServer server;
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  for (int i = 0; i < 8; ++i) store->set("k" + std::to_string(i), std::to_string(i), 1min);
  std::atomic<int> begun = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const std::string key = "k" + std::to_string(i);
      for (int n = 0; n < 500; ++n) {
        if (const auto result = begin_get(*store, key)) {
          ++begun;
          CHECK(result->get().value == std::to_string(i));
        } else {
          CHECK(store->get(key) == std::to_string(i));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(begun > 0);
}

}  // namespace redis_reads_test
