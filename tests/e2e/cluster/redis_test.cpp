// Processes that share a redis-server: what one remembers, all of them know, and what happens to
// them when something happens to it.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "redis_server.hpp"
#include "server_under_test.hpp"

namespace redis_test {

using namespace e2e;
using fairway::test::RedisServer;
using fw::Json;

namespace {

Json sharing(const RedisServer& redis, int timeout = 60'000) {
  return {{"server", {{"reusePort", true}}},
          {"store", {{"type", "redis"}, {"url", redis.url()}, {"timeout", timeout}}},
          {"session", {{"enabled", true}}},
          {"rateLimit", {{"enabled", true}, {"max", 1'000'000}, {"window", 3600}}}};
}

void wait_until_ready(const ServerUnderTest& server) { REQUIRE(server.wait_for_log("listening")); }

/// Runs a command of redis-cli, which must succeed.
void command(const RedisServer& redis, const std::string& words) {
  const std::string line =
      "redis-cli -p " + std::to_string(redis.port()) + ' ' + words + " >/dev/null";
  REQUIRE(std::system(line.c_str()) == 0);
}

/// "Cookie: …" for the cookie that a response sets.
std::string cookie_of(const std::string& response) {
  const auto begin = response.find("fw.sid=");
  REQUIRE(begin != std::string::npos);
  return "Cookie: " + response.substr(begin, response.find(';', begin) - begin) + "\r\n";
}

/// Clients that ask for a path without pause, each with a session of its own, and count statuses.
class StatusLoad {
 public:
  StatusLoad(int port, std::string target, int clients) {
    for (int i = 0; i < clients; ++i) {
      threads_.emplace_back([this, port, target] {
        while (!ends_) {
          const int status = status_of(ask(port, "GET", target));
          const std::lock_guard lock(mutex_);
          ++counts_[status];
        }
      });
    }
  }
  ~StatusLoad() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  StatusLoad(const StatusLoad&) = delete;
  StatusLoad& operator=(const StatusLoad&) = delete;

  int count(int status) {
    const std::lock_guard lock(mutex_);
    return counts_[status];
  }
  /// Waits for so many more responses with this status.
  bool sees(int status, int more = 20) {
    const int before = count(status);
    return eventually([&] { return count(status) >= before + more; });
  }
  /// Those that were seen: "200 503 ".
  std::string statuses() {
    const std::lock_guard lock(mutex_);
    std::string seen;
    for (const auto& [status, times] : counts_) {
      if (times > 0) seen += std::to_string(status) + ' ';
    }
    return seen;
  }

 private:
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::map<int, int> counts_;
  std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("redis: two processes on one port share sessions") {
  const RedisServer redis;
  const ServerUnderTest one(sharing(redis));
  const ServerUnderTest two(sharing(redis), one.port());
  wait_until_ready(one);
  wait_until_ready(two);
  const auto first = ask(one.port(), "GET", "/visit");
  REQUIRE(status_of(first) == 200);
  const std::string cookie = cookie_of(*first);
  std::set<int> pids = {data_of(*first)["pid"].get<int>()};
  int visits = 1;
  CHECK(eventually([&] {
    const auto response = ask(one.port(), "GET", "/visit", nullptr, cookie);
    if (status_of(response) != 200 || data_of(*response)["visits"] != ++visits) return true;
    pids.insert(data_of(*response)["pid"].get<int>());
    return pids.size() == 2;
  }));
  CHECK(pids.size() == 2);
}

TEST_CASE("redis: a process waits for a response that another process renders for the cache") {
  const RedisServer redis;
  const ServerUnderTest one(sharing(redis));
  const ServerUnderTest two(sharing(redis));
  wait_until_ready(one);
  wait_until_ready(two);
  std::vector<std::optional<std::string>> responses(6);
  std::vector<std::thread> clients;
  const auto start = [&](const ServerUnderTest& server, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      clients.emplace_back([&, i] { responses[i] = ask(server.port(), "GET", "/cached-held"); });
    }
  };
  start(one, 0, 3);
  REQUIRE(one.wait_for_log("a cached request is held"));
  start(two, 3, 6);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  one.directory().write("go", "");
  for (std::thread& client : clients) client.join();
  std::set<int> pids;
  for (const auto& response : responses) {
    REQUIRE(status_of(response) == 200);
    pids.insert(data_of(*response)["pid"].get<int>());
  }
  CHECK(pids.size() == 1);
  CHECK(one.count_in_log("a cached request is held") == 1);
  CHECK(two.count_in_log("a cached request is held") == 0);
}

TEST_CASE("redis: two processes on one port admit exactly the rate limit together") {
  const RedisServer redis;
  const ServerUnderTest one(sharing(redis));
  const ServerUnderTest two(sharing(redis), one.port());
  wait_until_ready(one);
  wait_until_ready(two);
  std::mutex mutex;
  std::map<int, int> statuses;
  std::set<int> pids;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      for (int n = 0; n < 50; ++n) {
        const auto response = ask(one.port(), "GET", "/limited");
        const std::lock_guard lock(mutex);
        ++statuses[status_of(response)];
        if (status_of(response) == 200) pids.insert(data_of(*response)["pid"].get<int>());
      }
    });
  }
  for (std::thread& client : clients) client.join();
  CHECK(statuses == std::map<int, int>{{200, 100}, {429, 300}});
  CHECK(pids.size() == 2);
}

TEST_CASE("redis: a process under load survives restarts and pauses of the server") {
  RedisServer redis({"--maxmemory-policy", "noeviction"});
  ServerUnderTest server(sharing(redis, 300));
  wait_until_ready(server);
  // Needs the store: 503 while there is none. Is only counted: continues without it.
  StatusLoad sessions(server.port(), "/visit", 4);
  StatusLoad counted(server.port(), "/who", 2);
  const auto goes_through = [&](const char* what, const auto& begin, const auto& end) {
    CAPTURE(what);
    CHECK(sessions.sees(200));
    begin();
    CHECK(sessions.sees(503));
    CHECK(counted.sees(200));
    end();
    CHECK(sessions.sees(200));
    CHECK(counted.sees(200));
  };
  goes_through("stopped and started", [&] { redis.stop(); }, [&] { redis.start(); });
  goes_through("paused", [&] { redis.pause(); }, [&] { redis.resume(); });
  goes_through(
      "full", [&] { command(redis, "config set maxmemory 1"); },
      [&] { command(redis, "config set maxmemory 0"); });
  goes_through(
      "replying with errors", [&] { command(redis, "acl setuser default -@all +acl"); },
      [&] { command(redis, "acl setuser default +@all"); });
  CHECK(server.process().running());
  CHECK(sessions.statuses() == "200 503 ");
  CHECK(counted.statuses() == "200 ");
}

}  // namespace redis_test
