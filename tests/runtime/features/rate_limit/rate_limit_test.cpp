#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/failing_store.hpp"
#include "support/table_builder.hpp"

namespace rate_limit_test {

namespace {

using namespace std::chrono_literals;
using fw::Config;
using fw::Json;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::testing::TestApp;
using fw::testing::TestResponse;

Config config_with(Json rate_limit) {
  Config config = TestApp::test_config();
  rate_limit["enabled"] = true;
  fw::apply_config_layer(config, {{"rateLimit", std::move(rate_limit)}}, "test");
  return config;
}

void respond(fw::Request&, fw::Response& res) { res.json({{"ok", true}}); }

void one_route(fw::Router& router) { router.get("/x", respond); }

/// A store whose time the test sets.
class Clock {
 public:
  void install(fw::App& app) {
    app.set_store("rate-limit", fw::memory_store({.clock = [this] { return now_; }}));
  }
  void advance(std::chrono::milliseconds duration) { now_ += duration; }

 private:
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
};

int status_from(TestApp& app, const char* address) {
  return app.request("GET", "/x").remote_address(address).send().status;
}

class FailingLimiter : public fw::RateLimiter {
 public:
  Result take(std::string_view, std::int64_t, std::chrono::milliseconds) override {
    throw fw::StoreError("no connection");
  }
};

class RecordingLimiter : public fw::RateLimiter {
 public:
  Result take(std::string_view key, std::int64_t max, std::chrono::milliseconds window) override {
    calls.push_back(std::string(key) + " " + std::to_string(max) + " " +
                    std::to_string(window.count()));
    return {.allowed = true, .remaining = -5, .reset = 1500ms};
  }
  std::vector<std::string> calls;
};

}  // namespace

TEST_CASE("rate limit: requests above the limit are rejected until the window has moved") {
  Clock clock;
  OneFileApp app(one_route, config_with({{"max", 2}, {"window", 10}}),
                 [&](fw::App& a) { clock.install(a); });
  const auto send = [&] { return app.request("GET", "/x").header("x-request-id", "r").send(); };
  const TestResponse first = send();
  CHECK(first.status == 200);
  CHECK(first.header("ratelimit-limit") == "2");
  CHECK(first.header("ratelimit-remaining") == "1");
  CHECK(first.header("ratelimit-reset") == "10");
  CHECK(!first.header("retry-after"));
  clock.advance(4s);
  const TestResponse second = send();
  CHECK(second.header("ratelimit-remaining") == "0");
  CHECK(second.header("ratelimit-reset") == "6");
  clock.advance(500ms);
  const TestResponse third = send();
  CHECK(third.status == 429);
  CHECK(third.json() == Json{{"code", 429}, {"message", "Too Many Requests"}, {"requestId", "r"}});
  CHECK(third.header("ratelimit-remaining") == "0");
  CHECK(third.header("ratelimit-reset") == "6");  // 5.5 s
  CHECK(third.header("retry-after") == "6");
  clock.advance(5500ms);  // the first one leaves the window, the rejected one was not counted
  CHECK(send().status == 200);
  CHECK(send().status == 429);
  clock.advance(4s);
  CHECK(send().status == 200);
}

TEST_CASE("rate limit: routes share a window unless they have their own limit or none") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/x", respond);
        router.get("/y", respond);
        router.get("/own",
                   {.override_ = {.rate_limit = fw::RateLimitOptions{.max = 2, .window = 30}}},
                   respond);
        router.get("/free", {.override_ = {.rate_limit = false}}, respond);
      },
      config_with({{"max", 1}, {"message", "Slow down"}}));
  const auto status = [&](const char* path) { return app.request("GET", path).send().status; };
  CHECK(status("/x") == 200);
  CHECK(app.request("GET", "/y").send().json()["message"] == "Slow down");
  CHECK(status("/nowhere") == 429);
  const TestResponse own = app.request("GET", "/own").send();
  CHECK(own.header("ratelimit-limit") == "2");
  CHECK(own.header("ratelimit-reset") == "30");
  CHECK(status("/own") == 200);
  CHECK(status("/own") == 429);
  const TestResponse free = app.request("GET", "/free").send();
  CHECK(free.status == 200);
  CHECK(!free.header("ratelimit-limit"));
  const TestResponse preflight = app.request("OPTIONS", "/x")
                                     .header("Origin", "https://a.example")
                                     .header("Access-Control-Request-Method", "GET")
                                     .send();
  CHECK(preflight.status == 204);
}

TEST_CASE("rate limit: a route cannot enable it if the configuration does not") {
  const auto warnings = [](const fw::RateLimitOverride& limit, const Config& config) {
    const auto sink = std::make_shared<RecordingSink>();
    OneFileApp app(
        [&](fw::Router& router) {
          router.get("/x", {.override_ = {.rate_limit = limit}}, respond);
        },
        config, [&](fw::App& a) { a.set_logger(fw::Logger(sink, fw::LogLevel::warn)); });
    CHECK(app.request("GET", "/x").send().status == 200);
    const TestResponse second = app.request("GET", "/x").send();
    CHECK(second.status == (config.rate_limit.enabled && limit.enabled() ? 429 : 200));
    CHECK(second.header("ratelimit-limit").has_value() == (second.status == 429));
    return sink->messages();
  };
  const fw::RateLimitOptions own = {.max = 1};
  CHECK(warnings(own, TestApp::test_config()) ==
        std::vector<std::string>{
            "src/routes/index.cpp:10: GET /x declares a rate limit, but 'rateLimit.enabled' is not "
            "configured, so its requests are not limited"});
  CHECK(warnings(false, TestApp::test_config()).empty());
  CHECK(warnings({}, TestApp::test_config()).empty());
  CHECK(warnings(own, config_with({{"max", 9}})).empty());
}

TEST_CASE("rate limit: the store contains digests of the keys") {
  class KeyStore : public fw::support::FailingStore {
   public:
    std::vector<std::string> keys;
    Window increment(std::string_view key, std::chrono::milliseconds window,
                     std::int64_t most) override {
      keys.emplace_back(key);
      return FailingStore::increment(key, window, most);
    }
  };
  const auto store = std::make_shared<KeyStore>();
  Config config = config_with({{"max", 1}});
  config.rate_limit.key_by = [](fw::Request& req) {
    return std::string(req.header("x-api-key").value_or(""));
  };
  OneFileApp app(one_route, config, [&](fw::App& a) { a.set_store("rate-limit", store); });
  const auto send = [&](const std::string& key) {
    return app.request("GET", "/x").header("x-api-key", key).send().status;
  };
  CHECK(send("secret") == 200);
  CHECK(send("secret") == 429);
  CHECK(send(std::string(5'000, 'x')) == 200);
  REQUIRE(store->keys.size() == 3);
  for (const std::string& key : store->keys) {
    CHECK(key.starts_with("rate-limit:"));
    CHECK(key.size() == 54);
    CHECK(key.find("secret") == std::string::npos);
  }
  CHECK(store->keys[0] == store->keys[1]);
  CHECK(store->keys[0] != store->keys[2]);
}

TEST_CASE("rate limit: a key function can fall back to the client's address") {
  Config config = config_with({{"max", 1}});
  config.rate_limit.key_by = [](fw::Request& req) {
    return req.header("x-api-key") == "known" ? "customer" : fw::RateLimitKey::address(req);
  };
  OneFileApp app(one_route, config);
  const auto status = [&](const char* address, const char* key) {
    auto request = app.request("GET", "/x").remote_address(address);
    if (key != nullptr) request.header("x-api-key", key);
    return request.send().status;
  };
  CHECK(status("192.0.2.1", nullptr) == 200);
  CHECK(status("192.0.2.1", nullptr) == 429);
  CHECK(status("192.0.2.1", "guess-1") == 429);
  CHECK(status("192.0.2.1", "guess-2") == 429);
  CHECK(status("2001:db8:1:2::3", "guess") == 200);
  CHECK(status("2001:db8:1:2::4", nullptr) == 429);
  CHECK(status("192.0.2.1", "known") == 200);
  CHECK(status("192.0.2.2", "known") == 429);
}

TEST_CASE("rate limit: an IPv6 client is its /64 network") {
  OneFileApp app(one_route, config_with({{"max", 1}}));
  CHECK(status_from(app, "192.0.2.1") == 200);
  CHECK(status_from(app, "192.0.2.2") == 200);
  CHECK(status_from(app, "192.0.2.1") == 429);
  CHECK(status_from(app, "::ffff:192.0.2.1") == 429);
  CHECK(status_from(app, "::ffff:192.0.2.3") == 200);
  CHECK(status_from(app, "2001:db8:1:2::3") == 200);
  CHECK(status_from(app, "2001:db8:1:2:ffff::4") == 429);
  CHECK(status_from(app, "2001:db8:1:3::3") == 200);
  CHECK(status_from(app, "fe80::1%eth0") == 200);
  CHECK(status_from(app, "fe80::2%eth1") == 429);
  CHECK(status_from(app, "unix") == 200);
  CHECK(status_from(app, "unix") == 429);
}

TEST_CASE("rate limit: behind trusted proxies a client is limited and cannot choose its address") {
  Config config = config_with({{"max", 1}});
  config.trust_proxy = 1;
  OneFileApp app(one_route, config);
  const auto status = [&](const char* forwarded_for) {
    return app.request("GET", "/x").header("X-Forwarded-For", forwarded_for).send().status;
  };
  CHECK(status("192.0.2.1") == 200);
  CHECK(status("192.0.2.2:4711") == 200);
  CHECK(status("192.0.2.2:4712") == 429);
  CHECK(status("198.51.100.7, 192.0.2.1") == 429);  // only the proxy's entry is believed
  CHECK(status("[2001:db8::1]:80") == 200);
  CHECK(status("2001:db8::2") == 429);
  CHECK(status("anything") == 200);  // values that are not addresses are one client
  CHECK(status("anything else") == 429);
}

TEST_CASE("rate limit: by user, after the middlewares have authenticated it") {
  OneFileApp app(one_route, config_with({{"max", 1}, {"keyBy", "user"}}), [](fw::App& a) {
    a.use(fw::auth({.source = "bearer", .verify = [](std::string_view token, fw::Request&) {
                      return std::optional(fw::AuthIdentity{.user_id = std::string(token)});
                    }}));
  });
  const auto status = [&](const char* user, const char* address) {
    return app.request("GET", "/x")
        .header("Authorization", std::string("Bearer ") + user)
        .remote_address(address)
        .send()
        .status;
  };
  CHECK(status("ada", "192.0.2.1") == 200);
  CHECK(status("ada", "192.0.2.2") == 429);
  CHECK(status("bob", "192.0.2.1") == 200);
  CHECK(status_from(app, "192.0.2.1") == 200);  // anonymous: by address
  CHECK(status_from(app, "192.0.2.1") == 429);
  CHECK(app.request("GET", "/nowhere").remote_address("192.0.2.1").send().status == 429);
}

TEST_CASE("rate limit: by a key function, where an empty key is not limited") {
  Config config = config_with({{"max", 1}});
  config.rate_limit.key_by = [](fw::Request& req) {
    return std::string(req.header("x-k").value_or(""));
  };
  OneFileApp app(one_route, config);
  const auto status = [&](const char* key) {
    return app.request("GET", "/x").header("x-k", key).send().status;
  };
  CHECK(status("a") == 200);
  CHECK(status("b") == 200);
  CHECK(status("a") == 429);
  CHECK(status_from(app, "192.0.2.1") == 200);
  CHECK(status_from(app, "192.0.2.1") == 200);
}

TEST_CASE("rate limit: a custom limiter") {
  const auto limiter = std::make_shared<RecordingLimiter>();
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/x", respond);
        router.get("/own", {.override_ = {.rate_limit = fw::RateLimitOptions{.window = 5}}},
                   respond);
      },
      config_with({{"max", 7}}), [&](fw::App& a) { a.set_rate_limiter(limiter); });
  const TestResponse r = app.request("GET", "/x").send();
  CHECK(r.header("ratelimit-remaining") == "0");
  CHECK(r.header("ratelimit-reset") == "2");
  app.request("GET", "/own").send();
  CHECK(limiter->calls == std::vector<std::string>{"rate-limit::ip:127.0.0.1 7 60000",
                                                   "rate-limit:GET /own:ip:127.0.0.1 7 5000"});
}

TEST_CASE("rate limit: a failing limiter admits or rejects, and logs it once a second") {
  for (const bool admits : {true, false}) {
    const auto sink = std::make_shared<RecordingSink>();
    OneFileApp app(one_route, config_with({{"onStoreError", admits ? "allow" : "deny"}}),
                   [&](fw::App& a) {
                     a.set_logger(fw::Logger(sink, fw::LogLevel::error));
                     a.set_rate_limiter(std::make_shared<FailingLimiter>());
                   });
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) {
      const TestResponse r = app.request("GET", "/x").send();
      CHECK(r.status == (admits ? 200 : 503));
      CHECK(!r.header("ratelimit-limit"));
      CHECK(r.header("retry-after").has_value() == !admits);
    }
    const auto lines = sink->messages();
    const auto seconds = (std::chrono::steady_clock::now() - begin) / 1s;
    REQUIRE(!lines.empty());
    CHECK(lines.size() <= static_cast<std::size_t>(seconds) + 1);
    CHECK(lines.front() == std::string("the rate limiter cannot count, so that requests are ") +
                               (admits ? "admitted" : "rejected") + ": no connection");
  }
}

TEST_CASE("rate limit: a key other than ip and user fails the start") {
  Config config = config_with({});
  config.rate_limit.key_by = "address";
  CHECK_THROWS_WITH_AS(OneFileApp(one_route, config),
                       doctest::Contains("configuration: /rateLimit/keyBy: expected ip or user"),
                       fw::StartupError);
}

}  // namespace rate_limit_test
