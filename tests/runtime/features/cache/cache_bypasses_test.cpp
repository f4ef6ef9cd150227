// Which responses of cached routes are stored, and which requests wait for each other.
#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "eventually.hpp"
#include "support/cached_app.hpp"
#include "support/cached_responses.hpp"
#include "support/failing_store.hpp"

namespace cache_bypasses_test {

namespace {

using fairway::test::eventually;
using fw::Json;
using fw::RouteCacheOptions;
using fw::support::Cached;
using fw::support::cached;
using fw::support::FailingStore;
using fw::support::Headers;
using fw::support::outcome;
using fw::support::RecordingSink;
using fw::support::tenant_of;
using fw::testing::TestApp;
using fw::testing::TestResponse;

}  // namespace

TEST_CASE("cache combinations: concurrent misses of a failing handler do not run in sequence") {
  constexpr int kRequests = 8;
  std::atomic<int> begun = 0;
  RouteCacheOptions options = cached();
  options.condition = [&](fw::Request&) {
    ++begun;
    return true;
  };
  Cached app({.cache = options}, [&](fw::Request&, fw::Response&) -> Json {
    while (begun < kRequests) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until they wait
    fw::raise(500, "failed");
  });
  std::atomic<int> failed = 0;
  std::atomic<int> rejected = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < kRequests; ++i) {
    clients.emplace_back([&] {
      const TestResponse response = app.get();
      if (response.status == 500) ++failed;
      if (response.status == 503 && response.header("retry-after") == "1") ++rejected;
    });
  }
  for (std::thread& client : clients) client.join();
  CHECK(failed == *app.calls);
  CHECK(*app.calls < kRequests);
  CHECK(failed + rejected == kRequests);
  CHECK(app.get().status == 500);  // later requests run it again
}

TEST_CASE("cache combinations: a response with an undeclared dependency is not stored") {
  const auto check = [](const Cached::Respond& respond, std::string_view what,
                        RouteCacheOptions options = cached()) {
    CAPTURE(what);
    Cached app({.cache = options}, respond);
    for (int i = 1; i <= 3; ++i) {
      const TestResponse response = app.get({{"X-Color", std::to_string(i)}}, "/c?page=1");
      CHECK(response.json()["data"]["hits"] == i);
      CHECK_FALSE(response.header("x-cache"));
      CHECK(response.header("cache-control") == "no-store");
    }
    const auto warnings = app.sink->messages(fw::LogLevel::warn);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings.front().find("a response is not cached, because it depends on " +
                                std::string(what)) != std::string::npos);
    CHECK(warnings.front().starts_with("src/routes/index.cpp:"));
  };
  check([](fw::Request& req, fw::Response&) { return req.header("X-Color").value_or(""); },
        "the header field 'x-color'");
  check([](fw::Request& req, fw::Response&) { return req.headers().find("x-color").value_or(""); },
        "all header fields");
  check([](fw::Request& req, fw::Response&) { return req.cookie("color").value_or(""); },
        "the cookie 'color'");
  check([](fw::Request& req, fw::Response&) { return req.ip(); }, "the address of the client");
  check([](fw::Request& req, fw::Response&) { return req.client_certificate() ? "a" : "b"; },
        "the certificate of the client");
  check([](fw::Request& req, fw::Response&) { return req.request_id(); }, "the request id");
  check([](fw::Request& req, fw::Response&) { return req.http_version(); }, "the version of HTTP");
  check(
      [](fw::Request&, fw::Response& res) {
        res.set_header("vary", "X-Color");
        return "";
      },
      "the header field 'x-color'");
  RouteCacheOptions by_size = cached();
  by_size.query = {"size"};
  check([](fw::Request& req, fw::Response&) { return req.query("page").value_or(""); },
        "the query parameter 'page'", by_size);
  check([](fw::Request& req, fw::Response&) { return req.query().find("page").value_or(""); },
        "all query parameters", by_size);
  check([](fw::Request& req, fw::Response&) { return req.url(); }, "all query parameters", by_size);
  RouteCacheOptions fixed = cached();
  fixed.key = "all";
  check([](fw::Request& req, fw::Response&) { return req.query("page").value_or(""); },
        "the query parameter 'page'", fixed);
}

TEST_CASE("cache combinations: what keeps a response from being stored is logged once") {
  const auto check = [](std::string_view reason, const std::function<void(fw::App&)>& set_up,
                        const std::function<void(fw::Response&)>& respond) {
    CAPTURE(reason);
    const auto sink = std::make_shared<RecordingSink>();
    fw::support::OneFileApp app(
        [&](fw::Router& router) {
          router.get("/c", {.cache = cached()},
                     [&](fw::Request&, fw::Response& res) { respond(res); });
        },
        TestApp::test_config(),
        [&](fw::App& application) {
          application.set_logger(fw::Logger(sink));
          if (set_up) set_up(application);
        });
    for (int i = 0; i < 2; ++i) CHECK_FALSE(app.request("GET", "/c").send().header("x-cache"));
    const auto warnings = sink->messages(fw::LogLevel::warn);
    if (reason.empty()) {
      CHECK(warnings.empty());
    } else {
      REQUIRE(warnings.size() == 1);
      CHECK(warnings.front().ends_with(": GET /c: a response is not cached, because " +
                                       std::string(reason)));
    }
  };
  const std::string cookie = "it sets a cookie (the handler, a middleware or a hook does)";
  check(cookie, {}, [](fw::Response& res) { res.set_cookie("a", "b").json({{"a", 1}}); });
  check(
      cookie,
      [](fw::App& app) {
        app.hooks().on<fw::hooks::ResponseBefore>(
            [](fw::hooks::ResponseBefore& event) { event.res.set_cookie("a", "b"); });
      },
      [](fw::Response& res) { res.json({{"a", 1}}); });
  check("it is a stream", {},
        [](fw::Response& res) { res.stream(fw::Readable("a"), "text/plain"); });
  check("it is neither JSON nor a page", {}, [](fw::Response& res) { res.text("a"); });
  // What the application has chosen needs no explanation.
  check("", {},
        [](fw::Response& res) { res.set_header("cache-control", "no-store").json({{"a", 1}}); });
  check("", {}, [](fw::Response& res) { res.json({{"a", 1}}, 404); });
}

TEST_CASE("cache combinations: declared dependencies are stored") {
  RouteCacheOptions by_header = cached();
  by_header.headers = {"X-Color"};
  RouteCacheOptions by_partition = cached();
  by_partition.partition_key = [](fw::Request& req) {
    return std::string(req.header("x-color").value_or(""));
  };
  for (const RouteCacheOptions& options : {by_header, by_partition}) {
    Cached app({.cache = options},
               [](fw::Request& req, fw::Response&) { return req.header("x-color").value_or(""); });
    CHECK(outcome(app.get({{"X-Color", "red"}})) == "MISS 1");
    CHECK(outcome(app.get({{"X-Color", "blue"}})) == "MISS 2");
    CHECK(outcome(app.get({{"X-Color", "red"}})) == "HIT 1");
  }
}

TEST_CASE("cache combinations: a response whose Vary names what the key tells apart is stored") {
  const auto second = [](RouteCacheOptions options, const std::string& vary) {
    options.allow_cookie_cache = true;
    Cached app({.cache = std::move(options)}, [vary](fw::Request&, fw::Response& res) {
      res.append_header("vary", vary);
      return 0;
    });
    const Headers headers = {{"X-Tenant", "a"}, {"Cookie", "plan=b; id=1"}};
    app.get(headers);
    return outcome(app.get(headers));
  };
  RouteCacheOptions by_tenant = cached();
  by_tenant.partition_key = tenant_of;
  CHECK(second(by_tenant, "X-Tenant") == "HIT 1");
  RouteCacheOptions by_cookies = cached();
  by_cookies.partition_key = [](fw::Request& req) {
    return std::string(req.header("cookie").value_or(""));
  };
  CHECK(second(by_cookies, "Cookie") == "HIT 1");
  // The key contains less.
  RouteCacheOptions by_plan = cached();
  by_plan.partition_key = [](fw::Request& req) {
    return std::string(req.cookie("plan").value_or(""));
  };
  CHECK(second(by_plan, "Cookie") == "- 2");
  RouteCacheOptions conditional = cached();
  conditional.condition = [](fw::Request& req) { return req.header("x-tenant").has_value(); };
  CHECK(second(conditional, "X-Tenant") == "- 2");
}

TEST_CASE("cache combinations: a response with Vary: * is never stored") {
  Cached app({.cache = 60'000}, [](fw::Request&, fw::Response& res) {
    res.set_header("vary", "*");
    return 0;
  });
  CHECK(outcome(app.get()) == "- 1");
  CHECK(outcome(app.get()) == "- 2");
}

TEST_CASE("cache combinations: no-store is found in every Cache-Control line") {
  Cached app({.cache = cached()}, [](fw::Request&, fw::Response& res) {
    res.set_header("cache-control", "max-age=5").append_header("cache-control", "no-store");
    return 0;
  });
  app.get();
  CHECK(app.get().json()["data"]["hits"] == 2);
}

TEST_CASE("cache combinations: partial responses are not stored") {
  Cached app({.cache = 60'000}, [](fw::Request&, fw::Response& res) {
    res.status(206).set_header("content-range", "items 0-1/100");
    return 0;
  });
  const auto partial = [&] {
    return app.app.request("GET", "/c").send().header("x-cache").value_or("-");
  };
  CHECK(partial() == "-");
  CHECK(partial() == "-");
}

TEST_CASE("cache combinations: a partial response is not stored, although a hook completes it") {
  Cached app(
      {.cache = 60'000},
      [](fw::Request&, fw::Response& res) {
        res.status(206);
        return 0;
      },
      TestApp::test_config(),
      [](fw::App& application) {
        namespace hooks = fw::hooks;
        application.hooks().on<hooks::ResponseBefore>([](hooks::ResponseBefore& event) {
          if (event.req.header("x-whole")) event.status = 200;
        });
      });
  CHECK(app.get({{"X-Whole", "1"}}).status == 200);
  const TestResponse second = app.get();
  CHECK(second.status == 206);
  CHECK_FALSE(second.header("x-cache"));
  CHECK(*app.calls == 2);
}

TEST_CASE("cache combinations: followers of a miss do not run the handler after their timeout") {
  constexpr int kRequests = 20;
  std::atomic<bool> is_open = false;
  Cached app({.cache = 60'000, .timeout = 200}, [&](fw::Request&, fw::Response&) {
    while (!is_open) std::this_thread::yield();
    return 0;
  });
  std::atomic<int> timed_out = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < kRequests; ++i) {
    clients.emplace_back([&] {
      if (app.get().status == 504) ++timed_out;
    });
  }
  while (timed_out < kRequests - 1) std::this_thread::yield();
  is_open = true;
  for (std::thread& client : clients) client.join();
  CHECK(timed_out == kRequests);
  CHECK(*app.calls == 1);
}

TEST_CASE("cache combinations: a request after an invalidation does not join an earlier run") {
  std::atomic<bool> is_open = false;
  RouteCacheOptions options = cached();
  options.tags = {"t"};
  Cached app({.cache = options}, [&](fw::Request&, fw::Response&) {
    while (!is_open) std::this_thread::yield();
    return 0;
  });
  std::string first;
  std::thread before([&] { first = outcome(app.get()); });
  while (*app.calls < 1) std::this_thread::yield();
  app.app.app().cache().invalidate("t");
  std::string second;
  std::thread after([&] { second = outcome(app.get()); });
  while (*app.calls < 2) std::this_thread::yield();
  is_open = true;
  before.join();
  after.join();
  CHECK(first == "MISS 1");
  CHECK(second == "MISS 2");
  CHECK(outcome(app.get()) == "HIT 2");
}

TEST_CASE("cache combinations: an unrelated invalidation does not prevent storing") {
  RouteCacheOptions options = cached();
  options.tags = {"t"};
  Cached app({.cache = options}, [&](fw::Request& req, fw::Response&) {
    req.app().cache().invalidate("other");
    return 0;
  });
  CHECK(outcome(app.get()) == "MISS 1");
  CHECK(outcome(app.get()) == "HIT 1");
}

TEST_CASE("cache combinations: if the leader fails, the next request leads") {
  constexpr int kRequests = 8;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> begun = 0;
  RouteCacheOptions options = cached();
  options.condition = [&](fw::Request&) {
    ++begun;
    return true;
  };
  Cached* all = nullptr;
  Cached app({.cache = options}, [&](fw::Request&, fw::Response&) {
    most = std::max(most.load(), ++running);
    if (*all->calls == 1) {
      while (begun < kRequests) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until they wait
    }
    --running;
    if (*all->calls < 3) fw::raise(500, "failed");
    return 0;
  });
  all = &app;
  std::atomic<int> failed = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < kRequests; ++i) {
    clients.emplace_back([&] {
      if (app.get().status == 500) ++failed;
    });
  }
  for (std::thread& client : clients) client.join();
  CHECK(failed == 2);
  CHECK(*app.calls == 3);
  CHECK(most == 1);
}

TEST_CASE("cache combinations: requests do not wait for responses that cannot be shared") {
  constexpr int kRequests = 4;
  std::atomic<int> running = 0;
  std::atomic<int> wanted = kRequests - 1;
  std::atomic<bool> run_together = true;
  std::atomic<int> begun = 0;
  RouteCacheOptions options = cached();
  options.condition = [&](fw::Request&) {
    ++begun;
    return true;
  };
  Cached* all = nullptr;
  Cached app({.cache = options}, [&](fw::Request&, fw::Response& res) {
    res.set_cookie("a", "1");
    if (*all->calls == 1) {
      while (begun < kRequests) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until another one waits
      return 0;
    }
    // All later ones run at the same time.
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    ++running;
    while (running < wanted && run_together) {
      if (std::chrono::steady_clock::now() > end) run_together = false;
      std::this_thread::yield();
    }
    return 0;
  });
  all = &app;
  const auto request_all = [&] {
    std::vector<std::thread> clients;
    for (int i = 0; i < kRequests; ++i) clients.emplace_back([&] { app.get(); });
    for (std::thread& client : clients) client.join();
  };
  request_all();
  CHECK(*app.calls == kRequests);
  CHECK(run_together);
  // They know without another first one.
  wanted = kRequests - 1 + kRequests;
  request_all();
  CHECK(*app.calls == 2 * kRequests);
  CHECK(run_together);
}

TEST_CASE("cache combinations: entries expire after at most the time to live") {
  struct LifeStore : FailingStore {
    std::atomic<std::int64_t> longest = 0;
    void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) override {
      if (key.starts_with("cache:entry:")) longest = std::max(longest.load(), ttl.count());
      FailingStore::set(key, value, ttl);
    }
  };
  const auto store = std::make_shared<LifeStore>();
  Cached app({.cache = 60'000}, {}, TestApp::test_config(),
             [&](fw::App& application) { application.set_store("cache", store); });
  app.get();
  CHECK(store->longest > 0);
  CHECK(store->longest <= 60'000);
}

TEST_CASE("cache combinations: a response that was cut short by a cancellation is not stored") {
  // The first run ends when its time is over, with a part of its data.
  std::atomic<int> calls = 0;
  const auto is_complete = [&](const std::stop_token& signal) {
    const bool is_first = ++calls == 1;
    while (is_first && !signal.stop_requested()) std::this_thread::yield();
    return !is_first;
  };
  CHECK(eventually([&] {
    calls = 0;
    Cached app({.cache = 60'000, .timeout = 300},
               [&](fw::Request& req, fw::Response&) { return is_complete(req.signal()); });
    CHECK(app.get().status == 504);
    const TestResponse second = app.get();
    const TestResponse third = app.get();
    // On a busy machine, these may take too long, too.
    if (second.status == 504 || third.status == 504) return false;
    CHECK(outcome(second) == "MISS 2");
    CHECK(second.json()["data"]["value"] == true);
    CHECK(outcome(third) == "HIT 2");
    return true;
  }));

  // A handler that cannot notice it sends all its data.
  const auto sink = std::make_shared<RecordingSink>();
  std::atomic<bool> is_open = false;
  Cached unaware(
      {.cache = 60'000, .timeout = 2'000},
      [&](fw::Request&, fw::Response&) {
        while (!is_open) std::this_thread::yield();
        return "all";
      },
      TestApp::test_config(),
      [&](fw::App& application) { application.set_logger(fw::Logger(sink)); });
  std::thread late([&] { CHECK(unaware.get().status == 504); });
  // The 504 is logged at the deadline.
  CHECK(eventually([&] { return !sink->messages(fw::LogLevel::error).empty(); }));
  is_open = true;
  late.join();
  TestResponse stored;
  CHECK(eventually([&] {
    stored = unaware.get();
    return stored.status != 504;
  }));
  CHECK(outcome(stored) == "HIT 1");
}

TEST_CASE("cache combinations: a response that hooks make storable is not stored") {
  const auto second_outcome = [](const Cached::Respond& respond,
                                 const std::function<void(fw::hooks::ResponseBefore&)>& hook) {
    Cached app({.cache = cached()}, respond, TestApp::test_config(), [&](fw::App& application) {
      application.hooks().on<fw::hooks::ResponseBefore>(hook);
    });
    app.get();
    return outcome(app.get());
  };
  const auto nothing = [](fw::hooks::ResponseBefore&) {};
  const auto handler = [](fw::Request&, fw::Response& res) {
    res.set_header("cache-control", "no-store");
    return 0;
  };
  const auto replace = [](fw::hooks::ResponseBefore& event) {
    event.res.set_header("cache-control", "max-age=60");
  };
  CHECK(second_outcome({}, nothing) == "HIT 1");
  CHECK(second_outcome({}, replace) == "HIT 1");
  CHECK(second_outcome(handler, replace).find("HIT") == std::string::npos);
}

TEST_CASE("cache combinations: what a sink of the log reads does not count") {
  struct ReadingSink : fw::LogSink {
    std::atomic<int> lines = 0;
    void write(const fw::LogRecord&) override {
      if (fw::current_request()) ++lines;
    }
  };
  const auto sink = std::make_shared<ReadingSink>();
  Cached app(
      {.cache = cached()},
      [](fw::Request& req, fw::Response&) {
        req.app().logger().error("a line");
        return 0;
      },
      TestApp::test_config(),
      [&](fw::App& application) { application.set_logger(fw::Logger(sink)); });
  CHECK(outcome(app.get()) == "MISS 1");
  CHECK(outcome(app.get()) == "HIT 1");
  CHECK(sink->lines > 0);
}

}  // namespace cache_bypasses_test
