// How many commands the features need with Redis, and which keys stay there.
#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "eventually.hpp"
#include "redis_server.hpp"
#include "store/cache_commands.hpp"
#include "store/redis/redis_client.hpp"
#include "store/redis_probes.hpp"
#include "support/table_builder.hpp"

namespace redis_keys_test {

namespace {

using fairway::test::eventually;
using fairway::test::RedisServer;
using fw::Store;
using fw::store::CacheCommands;
using fw::store::RedisClient;
using fw::store::test::contains;
using fw::store::test::error_of;
using fw::store::test::wait_until_it_works;
using fw::support::OneFileApp;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// The calls of each command since CONFIG RESETSTAT, including calls by scripts:
/// "cmdstat_get:calls=20,…".
std::map<std::string, int> calls_of(RedisClient& server) {
  std::istringstream statistics(server.execute({"INFO", "commandstats"}).text);
  std::map<std::string, int> calls;
  for (std::string line; std::getline(statistics, line);) {
    const auto end = line.find(":calls=");
    if (line.starts_with("cmdstat_") && !line.starts_with("cmdstat_config")) {
      calls[line.substr(8, end - 8)] = std::stoi(line.substr(end + 7));
    }
  }
  return calls;
}

/// A cached route GET /c/:id with its entries in a Redis of its own.
struct CachedInRedis {
  RedisServer server;
  RedisClient direct{{.url = server.url(), .timeout = 60'000, .connections = 1}};
  OneFileApp app;

  explicit CachedInRedis(int max_entries)
      : app(
            [](fw::Router& router) {
              router.get("/c/:id", {.cache = 60'000}, [](fw::Request& req, fw::Response& res) {
                res.json(std::string(req.param("id").value()));
              });
            },
            [&] {
              fw::Config config = fw::testing::TestApp::test_config();
              config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
              config.cache.max_entries = max_entries;
              return config;
            }()) {}

  void request(int begin, int end) {
    for (int i = begin; i < end; ++i) app.request("GET", "/c/" + std::to_string(i)).send();
  }
  /// The key of the list of the route's entries.
  std::string list() {
    const auto keys = direct.execute({"KEYS", "fw:cache:entry:GET*"}).items;
    REQUIRE(keys.size() == 1);
    return keys[0].text;
  }
  std::size_t listed() {
    return static_cast<std::size_t>(direct.execute({"ZCARD", list()}).integer);
  }
  /// Without the list.
  std::size_t stored() { return direct.execute({"KEYS", "fw:cache:entry:*"}).items.size() - 1; }
};

}  // namespace

TEST_CASE("redis store: a cached response needs one command, and at most three without an entry") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000, .connections = 1});
  fw::Config config = fw::testing::TestApp::test_config();
  config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
  OneFileApp app(
      [](fw::Router& router) {
        const auto respond = [](fw::Request&, fw::Response& res) { res.json(1); };
        router.get("/c", {.cache = {{.ttl = 60'000, .tags = {"a", "b"}}}}, respond);
        router.get("/short", {.cache = 50}, respond);
      },
      config);
  const auto outcome_of = [&](const std::string& target) {
    return std::string(app.request("GET", target).send().header("x-cache").value_or(""));
  };
  outcome_of("/c");  // the server knows the scripts from now on
  constexpr int kRequests = 10;
  const auto request_all = [&](std::string_view expected) {
    direct.execute({"CONFIG", "RESETSTAT"});
    for (int i = 0; i < kRequests; ++i) CHECK(outcome_of("/c?" + std::to_string(i)) == expected);
    return calls_of(direct);
  };
  auto without = request_all("MISS");
  CHECK(without["mget"] == kRequests);
  CHECK(without["evalsha"] == 2 * kRequests);
  CHECK(request_all("HIT") == std::map<std::string, int>{{"mget", kRequests}});

  // Entries leave nothing behind.
  for (int i = 0; i < 100; ++i) outcome_of("/short?" + std::to_string(i));
  const auto left = [&] { return direct.execute({"KEYS", "*/short*"}).items.size(); };
  // The list of the route's entries may still be there.
  CHECK(eventually([&] { return left() <= 1; }));
}

TEST_CASE("redis store: a claim ends with a failed handler and with a stored response") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000, .connections = 1});
  fw::Config config = fw::testing::TestApp::test_config();
  config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
  std::size_t running = 0;
  const auto claims = [&] { return direct.execute({"KEYS", "fw:cache:claim:*"}).items.size(); };
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/c", {.cache = 60'000}, [&](fw::Request& req, fw::Response& res) {
          running = claims();
          if (req.query("fail")) fw::raise(500, "failed");
          res.json(1);
        });
      },
      config);
  for (const char* const target : {"/c?fail=1", "/c"}) {
    CAPTURE(target);
    app.request("GET", target).send();
    CHECK(running == 1);
    CHECK(eventually([&] { return claims() == 0; }));
  }
}

TEST_CASE("redis store: a claim that a stopped server takes later does not last") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000, .connections = 1});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 500, .connections = 1});
  const auto commands = fw::store::releasing_commands(fw::store::cache_commands_of(*store));
  const auto convert = [](const std::shared_ptr<const std::string>& bytes) {
    return Store::Object{.value = bytes, .bytes = bytes->size()};
  };
  const auto claim = [&](const std::string& name) {
    return error_of([&] { commands->claim(name, "1", 10min, "entry", convert); });
  };
  const auto exists = [&](const std::string& name) {
    return direct.execute({"EXISTS", "fw:" + name}).integer == 1;
  };
  wait_until_it_works(*store);
  // The server knows the script from now on.
  CHECK(eventually([&] { return claim("first").empty(); }));
  server.pause();
  CHECK(contains(claim("late"), "no reply in time"));
  server.resume();
  CHECK(eventually([&] { return exists("late"); }));

  // The end of this one does not reach the server.
  CHECK(eventually([&] { return claim("known").empty(); }));
  server.pause();
  CHECK(contains(error_of([&] { store->get("entry"); }), "no reply in time"));
  const CacheCommands::OwnClaim known{.claim = "known", .id = "1"};
  CHECK_FALSE(error_of([&] { commands->release({&known, 1}); }).empty());
  server.resume();
  CHECK(exists("known"));

  CHECK(eventually(
      [&] { return error_of([&] { commands->read("entry", {}, {}, convert); }).empty(); }));
  CHECK_FALSE(exists("late"));
  CHECK_FALSE(exists("known"));
}

TEST_CASE("redis store: the marker of a late run replaces no response") {
  const RedisServer server;
  for (const auto& store :
       {fw::redis_store({.url = server.url(), .timeout = 60'000}), fw::memory_store()}) {
    const auto commands = fw::store::cache_commands_of(*store);
    const auto put = [&](std::string_view key, std::string_view value, bool only_if_absent) {
      store->set("claim", "1", 1min);
      commands->put({.key = key,
                     .value = value,
                     .ttl = 1min,
                     .group = "group",
                     .most = 10,
                     .claim = "claim",
                     .id = "1",
                     .only_if_absent = only_if_absent});
      // Its claim ends in any case.
      CHECK(eventually([&] { return !store->get("claim"); }));
    };
    put("a", "response", false);
    put("a", "marker", true);
    CHECK(store->get("a") == "response");
    put("b", "marker", true);
    CHECK(store->get("b") == "marker");
    put("b", "response", false);
    CHECK(store->get("b") == "response");
  }
}

TEST_CASE("redis store: the list of a route keeps few expired entries") {
  CachedInRedis route(1'000);
  route.request(0, 20);
  // As if they had been stored long ago.
  for (const auto& key : route.direct.execute({"ZRANGE", route.list(), "0", "-1"}).items) {
    route.direct.execute({"ZADD", route.list(), "1", key.text});
  }
  route.request(20, 31);
  CHECK(route.listed() == 11);
  CHECK(route.stored() == 11);
}

TEST_CASE("redis store: the number of entries of a route is bounded") {
  CachedInRedis route(10);
  route.request(0, 40);
  CHECK(route.listed() <= 10);
  CHECK(route.listed() >= 8);
  CHECK(route.stored() == route.listed());
}

TEST_CASE("redis store: tags keep few expired values, and are erased in steps") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000, .connections = 1});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  const std::vector<std::string> tags = {"t"};
  const auto add = [&](int begin, int end, milliseconds ttl) {
    for (int i = begin; i < end; ++i) {
      const std::string key = "k" + std::to_string(i);
      store->set(key, "v", ttl);
      store->tag(key, tags);
    }
  };
  add(0, 1, 10min);
  add(1, 20, 1ms);
  while (direct.execute({"DBSIZE"}).integer > 2) std::this_thread::sleep_for(10ms);
  add(20, 40, 10min);
  CHECK(direct.execute({"ZCARD", "fw:tagged:t"}).integer == 21);

  // A value that lives longer now keeps its tag.
  direct.execute({"ZADD", "fw:tagged:t", "1", "fw:k0"});
  add(40, 1240, 10min);
  CHECK(direct.execute({"ZCARD", "fw:tagged:t"}).integer == 1221);
  direct.execute({"CONFIG", "RESETSTAT"});
  CHECK(store->erase_tagged("t") == 1221);
  CHECK(calls_of(direct)["unlink"] == 3);
  CHECK(direct.execute({"DBSIZE"}).integer == 0);
  CHECK(store->erase_tagged("t") == 0);
}

TEST_CASE("redis store: a request of a rolling session needs one command") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000, .connections = 1});
  fw::Config config = fw::testing::TestApp::test_config();
  config.session.enabled = true;
  config.session.rolling = true;
  config.session.ttl = 7'200;
  config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/set", [](fw::Request& req, fw::Response& res) {
          req.session().set("user", "ada");
          res.json(nullptr);
        });
        router.get("/get",
                   [](fw::Request& req, fw::Response& res) { res.json(req.session().data()); });
        router.get("/unused", [](fw::Request&, fw::Response& res) { res.json(nullptr); });
      },
      config);
  auto client = app.client();
  client.request("GET", "/set").send();
  client.request("GET", "/get").send();  // the server knows the script from now on
  direct.execute({"CONFIG", "RESETSTAT"});
  constexpr int kRequests = 20;
  for (int i = 0; i < kRequests / 2; ++i) {
    const auto response = client.request("GET", "/get").send();
    CHECK(response.json()["data"] == fw::Json{{"user", "ada"}});
    CHECK(response.header("set-cookie"));
    CHECK(client.request("GET", "/unused").send().header("set-cookie"));
  }
  CHECK(calls_of(direct) == std::map<std::string, int>{{"evalsha", kRequests},
                                                       {"get", kRequests},
                                                       {"pexpire", kRequests}});
  const auto keys = direct.execute({"KEYS", "fw:session:*"}).items;
  REQUIRE(keys.size() == 1);
  CHECK(direct.execute({"PTTL", keys[0].text}).integer > milliseconds(110min).count());
}

TEST_CASE("redis store: a window has constant size, however many events it counts") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  for (int i = 0; i < 500; ++i) CHECK(store->increment("k", 300ms, 1'000'000).count > 0);
  for (int round = 0; round < 50; ++round) {
    store->increment("k", 300ms, 1'000'000);
    std::this_thread::sleep_for(10ms);
    CHECK(direct.execute({"LLEN", "fw:k"}).integer <= 31);
  }
}

TEST_CASE("redis store: the events of a window expire with the last one of their slot") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  const auto now = [&] {
    const auto time = direct.execute({"TIME"}).items;
    return std::stoll(time[0].text) * 1000 + std::stoll(time[1].text) / 1000;
  };
  const auto push = [&](std::int64_t time, int count) {
    direct.execute({"RPUSH", "fw:k", std::to_string(time) + ":" + std::to_string(count)});
  };
  push(now() - 3'600'000, 70);
  push(now() - 1'800'000, 20);
  push(now() - 900'000, 9);
  const auto window = store->increment("k", 1h, 30);
  CHECK(window.count == 29 + 1);
  CHECK(window.counted);
  CHECK(window.reset <= 30min);
  CHECK(window.reset > 29min);
  const auto full = store->increment("k", 1h, 30);
  CHECK_FALSE(full.counted);
  CHECK(full.count == 30);
  CHECK(store->increment("k", 1h, 100).count == 31);
}

}  // namespace redis_keys_test
