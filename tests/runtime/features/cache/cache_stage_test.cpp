#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "features/cache/stored_response.hpp"
#include "support/cached_responses.hpp"
#include "support/failing_store.hpp"
#include "support/table_builder.hpp"

namespace cache_stage_test {

namespace {

using fw::Json;
using fw::detail::StoredResponse;
using fw::support::count;
using fw::support::FailingStore;
using fw::support::OneFileApp;
using fw::support::outcome;
using fw::support::RecordingSink;
using fw::testing::TestApp;
using fw::testing::TestResponse;

/// An application with one route, GET /c, that counts the calls of its handler.
struct CountingApp {
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  OneFileApp app;

  explicit CountingApp(fw::Cache cache, const std::function<void(fw::App&)>& set_up = {})
      : app(
            [this, cache](fw::Router& router) {
              router.get("/c", {.cache = cache}, [this](fw::Request& req, fw::Response& res) {
                ++*calls;
                if (const auto type = req.query("cc")) res.set_header("cache-control", *type);
                if (req.query("cookie")) res.set_cookie("a", "1");
                if (req.query("link"))
                  res.append_header("link", "</a>").append_header("link", "</b>");
                res.json({{"hits", *calls}});
              });
            },
            TestApp::test_config(), set_up) {}

  std::string get(const std::string& path = "/c",
                  const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    return outcome(send(path, headers));
  }
  TestResponse send(const std::string& path = "/c",
                    const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    auto request = app.request("GET", path);
    for (const auto& [name, value] : headers) request.header(name, value);
    return request.send();
  }
};

}  // namespace

TEST_CASE("cache: a stored response is read back unchanged, and malformed entries are rejected") {
  const auto parse = [](std::string bytes) {
    return StoredResponse::parse(std::make_shared<const std::string>(std::move(bytes)));
  };
  StoredResponse response{.expires = std::chrono::system_clock::time_point(std::chrono::seconds(5)),
                          .version = 7,
                          .stale_for = std::chrono::seconds(3),
                          .status = 201,
                          .fields = {{"etag", "\"1\""}},
                          .body_fields = {{"content-type", "application/json"}},
                          .replacements = {{"x-empty", ""}},
                          .body = std::string("{\"code\":0,\"data\":\"1 2\""),
                          .form = StoredResponse::Form::without_id,
                          .nonce = "n",
                          .encodings = {{fw::compression::Coding::zstd, std::string("1 2")}}};
  const std::string bytes = response.serialize();
  const auto read = parse(bytes);
  REQUIRE(read);
  CHECK(read->serialize() == bytes);
  CHECK(read->version == 7);
  CHECK(read->status == 201);
  CHECK(read->stale_for == std::chrono::seconds(3));
  CHECK(read->fields.find("etag") == "\"1\"");
  CHECK(read->body_fields.find("content-type") == "application/json");
  CHECK(read->replacements.find("x-empty") == "");
  CHECK(read->nonce == "n");
  REQUIRE(read->encoded(fw::compression::Coding::zstd));
  CHECK(read->encoded(fw::compression::Coding::zstd)->beginning.view() == "1 2");
  CHECK_FALSE(read->encoded(fw::compression::Coding::gzip));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(parse(bytes.substr(0, size)));
  }
  CHECK_FALSE(parse(bytes + "x"));
  // Numbers of eight bytes: expires, version, stale_for, status, form, fields, fields of the body,
  // replacements, the sizes of the nonce and the body, encodings.
  const auto entry = [](std::initializer_list<int> numbers) {
    std::string text = "fw9 ";
    for (const int number : numbers) {
      const auto fill = number < 0 ? '\xFF' : '\0';
      text += static_cast<char>(number);
      text.append(7, fill);
    }
    return text;
  };
  CHECK_FALSE(parse(entry({1, 0, 0, 200, 9, 0, 0, 0, 0, 0, 0})));
  CHECK_FALSE(parse(entry({1, 0, 0, 200, 0, 0, 0, 0, 0, -5, 0})));
  CHECK_FALSE(parse(entry({1, 0, 0, 200, 0, 0, 0, 0, 0, 0, 1, 3, 0})));
  CHECK(parse(entry({1, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0})));
}

TEST_CASE("cache: hits have the handler's fields and their own request id") {
  CountingApp app(60'000);
  CHECK(app.send("/c?link=1", {{"x-request-id", "one"}}).json()["requestId"] == "one");
  const auto hit = app.send("/c?link=1", {{"x-request-id", "two"}});
  CHECK(hit.json() == Json{{"code", 0}, {"data", {{"hits", 1}}}, {"requestId", "two"}});
  CHECK(count(hit, "link") == 2);
  CHECK(count(hit, "x-request-id") == 1);
  CHECK(hit.header("x-request-id") == "two");
  CHECK(hit.header("content-type") == "application/json; charset=utf-8");
}

TEST_CASE("cache: responses that must not be stored are not stored") {
  CountingApp app(60'000);
  CHECK(app.get("/c?cookie=1") == "- 1");
  CHECK(app.get("/c?cookie=1") == "- 2");
  for (const std::string directive : {"no-store", "private", "max-age=5, No-Cache"}) {
    CAPTURE(directive);
    const std::string path =
        "/c?cc=" +
        (directive == "max-age=5, No-Cache" ? std::string("max-age=5,%20No-Cache") : directive);
    const auto first = app.send(path);
    CHECK(count(first, "x-cache") == 0);
    CHECK(first.header("cache-control") == directive);
    CHECK(count(app.send(path), "x-cache") == 0);
  }
  CHECK(app.get("/c?cc=max-age=7").starts_with("MISS"));
  const auto hit = app.send("/c?cc=max-age=7");
  CHECK(hit.header("x-cache") == "HIT");
  CHECK(hit.header("cache-control") == "max-age=7");
}

TEST_CASE("cache: an X-Cache header of a handler is replaced") {
  OneFileApp app([](fw::Router& router) {
    router.get("/c", {.cache = 60'000}, [](fw::Request&, fw::Response& res) {
      res.set_header("x-cache", "own").set_header("x-other", "1").json("x");
    });
  });
  for (const char* expected : {"MISS", "HIT", "HIT"}) {
    const TestResponse response = app.request("GET", "/c").send();
    CHECK(response.header("x-cache") == expected);
    CHECK(count(response, "x-cache") == 1);
    CHECK(count(response, "x-other") == 1);
    CHECK(count(response, "cache-control") == 1);
  }
}

TEST_CASE("cache: a response with a CSRF token is never stored") {
  fw::Config config = TestApp::test_config();
  config.csrf.enabled = true;
  config.csrf.secret = std::string(32, 's');
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/c", {.cache = {{.ttl = 60'000, .allow_cookie_cache = true}}},
                   [](fw::Request& req, fw::Response& res) { res.json(req.csrf_token()); });
      },
      config);
  const TestResponse first = app.request("GET", "/c").send();
  const std::string cookie(*first.header("set-cookie"));
  const std::string pair = cookie.substr(0, cookie.find(';'));
  const auto token = [&] { return app.request("GET", "/c").header("Cookie", pair).send(); };
  CHECK(token().json()["data"] != token().json()["data"]);
  CHECK_FALSE(token().header("x-cache"));
}

TEST_CASE("cache: HEAD uses the entry of GET and stores none") {
  CountingApp app(60'000);
  CHECK(app.app.request("HEAD", "/c").send().header("x-cache") == "MISS");
  CHECK(app.get() == "MISS 2");
  CHECK(app.app.request("HEAD", "/c").send().header("x-cache") == "HIT");
  CHECK(*app.calls == 2);
}

TEST_CASE("cache: only declared methods are cached, and only safe ones have preconditions") {
  const auto respond = [](fw::Request&, fw::Response& res) {
    res.set_header("etag", "\"1\"").json("x");
  };
  const auto cached_by = [](fw::TextList methods) {
    return fw::Cache(fw::RouteCacheOptions{.ttl = 60'000, .methods = std::move(methods)});
  };
  OneFileApp app([&](fw::Router& router) {
    router.get("/get", {.cache = cached_by({"GET"})}, respond);
    router.get("/head", {.cache = cached_by({"HEAD"})}, respond);
    router.post("/post", {.cache = cached_by({"GET", "POST"})}, respond);
    router.put("/put", {.cache = cached_by({"GET", "POST"})}, respond);
  });
  const auto outcomes = [&](const std::string& method, const std::string& path) {
    std::string all;
    for (int i = 0; i < 2; ++i) {
      const auto response = app.request(method, path).header("If-None-Match", "\"1\"").send();
      all += std::to_string(response.status) + " ";
      all += std::string(response.header("x-cache").value_or("-")) + " ";
    }
    return all;
  };
  CHECK(outcomes("GET", "/get") == "304 MISS 304 HIT ");
  CHECK(outcomes("HEAD", "/get") == "304 - 304 - ");
  CHECK(outcomes("GET", "/head") == "304 - 304 - ");
  CHECK(outcomes("HEAD", "/head") == "304 MISS 304 MISS ");
  CHECK(outcomes("POST", "/post") == "200 MISS 200 HIT ");
  CHECK(outcomes("PUT", "/put") == "200 - 200 - ");
}

TEST_CASE("cache: request headers in the key are delimited") {
  CountingApp app(fw::RouteCacheOptions{.ttl = 60'000, .headers = {"X-A", "X-B"}});
  CHECK(app.get("/c", {{"x-a", "1"}}) == "MISS 1");
  CHECK(app.get("/c", {{"x-b", "1"}}) == "MISS 2");
  CHECK(app.get("/c", {{"x-a", ""}}) == "MISS 3");
  CHECK(app.get("/c") == "MISS 4");
  CHECK(app.get("/c", {{"x-b", "1"}, {"x-a", "1"}}) == "MISS 5");
  CHECK(app.get("/c", {{"x-a", "1"}, {"x-b", "1"}}) == "HIT 5");
  CHECK(app.send("/c").header("vary") == "Origin, X-A, X-B");
}

TEST_CASE("cache: an authorized request neither gets nor stores a public entry") {
  CountingApp app(60'000, [](fw::App& application) {
    application.use([](fw::Request& req, fw::Response&, fw::Next next) {
      req.auth().is_authenticated = req.header("x-user").has_value();
      next();
    });
  });
  CHECK(app.get() == "MISS 1");
  const auto response = app.send("/c", {{"x-user", "ann"}});
  CHECK(outcome(response) == "- 2");
  CHECK(response.header("cache-control") == "no-store");
  CHECK(app.get() == "HIT 1");
}

TEST_CASE("cache: keys of any length are distinguished") {
  CountingApp app(fw::RouteCacheOptions{.ttl = 60'000, .headers = {"X-A"}});
  int calls = 0;
  for (const std::size_t size : {10U, 200U, 220U, 230U, 240U, 250U, 1'000U, 3'000U}) {
    CAPTURE(size);
    const std::string path = "/c?" + std::string(size, 'q');
    const std::string value(size, 'v');
    const std::string first = std::to_string(++calls);
    CHECK(app.get(path) == "MISS " + first);
    CHECK(app.get(path, {{"x-a", value}}) == "MISS " + std::to_string(++calls));
    CHECK(app.get(path, {{"x-a", value}}) == "HIT " + std::to_string(calls));
    CHECK(app.get(path) == "HIT " + first);
    app.app.app().cache().erase("GET " + path);
    CHECK(app.get(path) == "MISS " + std::to_string(++calls));
  }
}

TEST_CASE("cache: invalidation by tag, by key, and of everything") {
  CountingApp tagged(fw::RouteCacheOptions{.ttl = 60'000, .tags = {"products"}});
  fw::ResponseCache& cache = tagged.app.app().cache();
  CHECK(tagged.get("/c?p=1") == "MISS 1");
  CHECK(tagged.get("/c?p=2") == "MISS 2");
  cache.invalidate("orders");
  CHECK(tagged.get("/c?p=1") == "HIT 1");
  cache.invalidate("products");
  CHECK(tagged.get("/c?p=1") == "MISS 3");
  CHECK(tagged.get("/c?p=2") == "MISS 4");
  cache.erase("GET /c?p=1");
  CHECK(tagged.get("/c?p=1") == "MISS 5");
  CHECK(tagged.get("/c?p=2") == "HIT 4");
  cache.clear();
  CHECK(tagged.get("/c?p=2") == "MISS 6");
  const fw::CacheStats stats = cache.stats();
  CHECK(stats.hits == 2);
  CHECK(stats.misses == 6);
  CHECK(stats.writes == 6);
  CHECK(stats.errors == 0);
}

TEST_CASE("cache: invalidating a custom key erases its partitions") {
  int calls = 0;
  OneFileApp counting([&](fw::Router& router) {
    router.get("/c",
               {.cache = {{.ttl = 60'000,
                           .key = "list",
                           .partition_key =
                               [](fw::Request& req) {
                                 return std::string(req.query("t").value_or(""));
                               }}}},
               [&](fw::Request&, fw::Response& res) { res.json({{"hits", ++calls}}); });
  });
  const auto get = [&](const std::string& path) {
    return outcome(counting.request("GET", path).send());
  };
  CHECK(get("/c?t=1") == "MISS 1");
  CHECK(get("/c?t=2&other=1") == "MISS 2");
  CHECK(get("/c?t=2") == "HIT 2");
  counting.app().cache().erase("list");
  CHECK(get("/c?t=1") == "MISS 3");
  CHECK(get("/c?t=2") == "MISS 4");
}

TEST_CASE("cache: a response rendered during an invalidation is not stored") {
  int calls = 0;
  OneFileApp app([&](fw::Router& router) {
    router.get("/c", {.cache = fw::RouteCacheOptions{.ttl = 60'000, .tags = {"t"}}},
               [&](fw::Request&, fw::Response& res) {
                 if (++calls == 1) router.cache().invalidate("t");
                 res.json({{"hits", calls}});
               });
  });
  CHECK(outcome(app.request("GET", "/c").send()) == "MISS 1");
  CHECK(outcome(app.request("GET", "/c").send()) == "MISS 2");
  CHECK(outcome(app.request("GET", "/c").send()) == "HIT 2");
}

TEST_CASE("cache: a hit does not replace the response of a middleware") {
  CountingApp app(60'000, [](fw::App& application) {
    application.use([](fw::Request& req, fw::Response& res, fw::Next next) {
      if (req.header("x-early")) res.json({{"hits", -1}});
      next();
    });
  });
  CHECK(app.get() == "MISS 1");
  const TestResponse early = app.send("/c", {{"x-early", "1"}});
  CHECK(early.json()["data"] == Json{{"hits", -1}});
  CHECK(count(early, "content-type") == 1);
  CHECK(app.get() == "HIT 1");
}

TEST_CASE("cache: a failing store is a miss, an event and, once a second, a log line") {
  const auto store = std::make_shared<FailingStore>();
  const auto sink = std::make_shared<RecordingSink>();
  int events = 0;
  CountingApp app(60'000, [&](fw::App& application) {
    application.set_store("cache", store);
    application.set_logger(fw::Logger(sink));
    application.hooks().on<fw::hooks::CacheError>([&](fw::hooks::CacheError& event) {
      ++events;
      CHECK(event.key == "GET /c");
      CHECK_THROWS_AS(std::rethrow_exception(event.error), fw::StoreError);
    });
  });
  CHECK(app.get() == "MISS 1");
  CHECK(app.get() == "HIT 1");
  store->failing = true;
  CHECK(app.get() == "MISS 2");
  CHECK(app.get() == "MISS 3");
  CHECK(events >= 2);
  const auto messages = sink->messages(fw::LogLevel::error);
  CHECK(messages.size() < static_cast<std::size_t>(events));
  REQUIRE(!messages.empty());
  CHECK(messages.front() == "the response cache cannot use its store");
  CHECK(app.app.app().cache().stats().errors == static_cast<std::uint64_t>(events));
  CHECK_THROWS_AS(app.app.app().cache().clear(), fw::StoreError);
  store->failing = false;
  CHECK(app.get() == "HIT 1");
}

TEST_CASE("cache: hooks see the handler's data, also of a hit") {
  CountingApp app(60'000, [](fw::App& application) {
    application.hooks().on<fw::hooks::ResponseBefore>([](fw::hooks::ResponseBefore& event) {
      event.data["seen"] = event.data.value("seen", 0) + 1;
      event.status = 203;
    });
  });
  for (const std::string expected : {"MISS", "HIT", "HIT"}) {
    const auto response = app.send("/c");
    CHECK(response.status == 203);
    CHECK(response.header("x-cache") == expected);
    CHECK(response.json().at("data") == Json{{"hits", 1}, {"seen", 1}});
  }
}

TEST_CASE("cache: a route without a time to live is reported at the start and not cached") {
  const auto sink = std::make_shared<RecordingSink>();
  CountingApp app(fw::RouteCacheOptions{},
                  [&](fw::App& application) { application.set_logger(fw::Logger(sink)); });
  CHECK(app.get() == "- 1");
  CHECK(app.get() == "- 2");
  CHECK(sink->messages(fw::LogLevel::warn) ==
        std::vector<std::string>{
            "src/routes/index.cpp:10: GET /c declares a cache without a 'ttl', and "
            "'cache.defaultTtl' is not configured, so nothing is cached"});
}

TEST_CASE("cache: large entries of a shared store are compressed") {
  // FailingStore counts as shared.
  struct SizingStore : FailingStore {
    std::atomic<std::size_t> largest = 0;
    void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) override {
      if (value.size() > largest) largest = value.size();
      FailingStore::set(key, value, ttl);
    }
  };
  const auto store = std::make_shared<SizingStore>();
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/c", {.cache = 60'000}, [](fw::Request& req, fw::Response& res) {
          res.json(std::string(std::stoul(std::string(*req.query("size"))), 'x'));
        });
      },
      TestApp::test_config(), [&](fw::App& application) { application.set_store("cache", store); });
  const auto size_of = [&](const std::string& path) {
    const TestResponse response = app.request("GET", path).send();
    CHECK(app.request("GET", path).send().header("x-cache") == "HIT");
    CHECK(app.request("GET", path).send().json()["data"] == response.json()["data"]);
    return response.json()["data"].get<std::string>().size();
  };
  CHECK(size_of("/c?size=3000") == 3'000);
  CHECK(store->largest > 3'000);
  store->largest = 0;
  CHECK(size_of("/c?size=100000") == 100'000);
  if (fw::compression::is_available(fw::compression::Coding::zstd)) CHECK(store->largest < 1'000);
}

TEST_CASE("cache: responses with the longest lives that can be declared are stored") {
  constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t life : {std::int64_t{9'000'000'000'000}, kForever}) {
    CAPTURE(life);
    CountingApp fresh(fw::RouteCacheOptions{.ttl = life});
    const TestResponse miss = fresh.send();
    CHECK(outcome(miss) == "MISS 1");
    CHECK(miss.header("cache-control") == "public, max-age=2147483647");
    CHECK(fresh.get() == "HIT 1");
    CountingApp stale(fw::RouteCacheOptions{.ttl = 60'000, .stale_while_revalidate = life});
    CHECK(stale.get() == "MISS 1");
    CHECK(stale.get() == "HIT 1");
  }
}

TEST_CASE(
    "cache: an entry of a shared store does not live longer with another coding of its body") {
  struct LivesStore : FailingStore {
    std::chrono::milliseconds longest{0};
    int replaced = 0;

    void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) override {
      note(key, ttl);
      FailingStore::set(key, value, ttl);
    }
    bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                      std::chrono::milliseconds ttl) override {
      const bool is_entry = note(key, ttl);
      const bool is_set = FailingStore::set_if_equal(key, expected, value, ttl);
      if (is_entry && is_set) ++replaced;
      return is_set;
    }
    bool note(std::string_view key, std::chrono::milliseconds ttl) {
      const bool is_entry = key.starts_with("cache:entry:");
      if (is_entry) longest = std::max(longest, ttl);
      return is_entry;
    }
  };
  const auto store = std::make_shared<LivesStore>();
  constexpr std::chrono::milliseconds kYear = std::chrono::hours(24 * 365);
  fw::Config config = TestApp::test_config();
  config.compression.enabled = true;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/c", {.cache = kYear.count()},
                   [](fw::Request&, fw::Response& res) { res.json(std::string(3'000, 'x')); });
      },
      config, [&](fw::App& application) { application.set_store("cache", store); });
  app.request("GET", "/c").send();
  const auto hit = app.request("GET", "/c").header("accept-encoding", "gzip").send();
  CHECK(hit.header("x-cache") == "HIT");
  const bool compresses = fw::compression::is_available(fw::compression::Coding::gzip);
  CHECK(store->replaced == (compresses ? 1 : 0));
  CHECK(store->longest <= std::chrono::hours(24 * 30));
}

}  // namespace cache_stage_test
