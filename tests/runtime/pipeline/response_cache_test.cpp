#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "pipeline/stored_responses.hpp"
#include "support/failing_store.hpp"
#include "support/table_builder.hpp"

namespace response_cache_test {

namespace {

using fw::Json;
using fw::detail::StoredResponse;
using fw::support::FailingStore;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::testing::TestApp;
using fw::testing::TestResponse;

/// Counts how often entries are looked up.
class CountingStore : public FailingStore {
 public:
  std::atomic<int> lookups = 0;

  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    auto object = FailingStore::get_object(key, convert);
    if (key.starts_with("cache:entry:")) ++lookups;
    return object;
  }
};

/// "MISS 1": the X-Cache field and the number of times that the handler has run.
std::string outcome(const TestResponse& response) {
  return std::string(response.header("x-cache").value_or("-")) + " " +
         std::to_string(response.json().at("data").at("hits").get<int>());
}

std::ptrdiff_t count(const TestResponse& response, std::string_view name) {
  return std::count_if(response.headers.begin(), response.headers.end(),
                       [&](const auto& field) { return field.first == name; });
}

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
  TestResponse send(const std::string& path,
                    const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    auto request = app.request("GET", path);
    for (const auto& [name, value] : headers) request.header(name, value);
    return request.send();
  }
};

}  // namespace

TEST_CASE("cache: a stored response is read back as it was, and nothing else is") {
  const auto parse = [](std::string bytes) {
    return StoredResponse::parse(std::make_shared<const std::string>(std::move(bytes)));
  };
  StoredResponse response{.expires = std::chrono::system_clock::time_point(std::chrono::seconds(5)),
                          .stale_for = std::chrono::seconds(3),
                          .status = 201,
                          .fields = {{"etag", "\"1\""}},
                          .body_fields = {{"content-type", "application/json"}},
                          .replacements = {{"x-empty", ""}},
                          .body = std::string("{\"code\":0,\"data\":\"1 2\""),
                          .form = StoredResponse::Form::without_id,
                          .nonce = "n",
                          .pages_version = "v1",
                          .encodings = {{fw::compression::Coding::zstd, std::string("1 2")}}};
  const std::string bytes = response.serialize();
  const auto read = parse(bytes);
  REQUIRE(read);
  CHECK(read->serialize() == bytes);
  CHECK(read->status == 201);
  CHECK(read->stale_for == std::chrono::seconds(3));
  CHECK(read->fields.find("etag") == "\"1\"");
  CHECK(read->body_fields.find("content-type") == "application/json");
  CHECK(read->replacements.find("x-empty") == "");
  CHECK(read->nonce == "n");
  CHECK(read->pages_version == "v1");
  REQUIRE(read->encoded(fw::compression::Coding::zstd));
  CHECK(read->encoded(fw::compression::Coding::zstd)->beginning.view() == "1 2");
  CHECK_FALSE(read->encoded(fw::compression::Coding::gzip));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(parse(bytes.substr(0, size)));
  }
  CHECK_FALSE(parse(bytes + "x"));
  // Numbers of eight bytes: expires, stale_for, status, form, fields, those of the body,
  // replacements, the sizes of the nonce, the version of the pages and the body, encodings.
  const auto entry = [](std::initializer_list<int> numbers) {
    std::string text = "fw6 ";
    for (const int number : numbers) {
      const auto fill = number < 0 ? '\xFF' : '\0';
      text += static_cast<char>(number);
      text.append(7, fill);
    }
    return text;
  };
  CHECK_FALSE(parse(entry({1, 0, 200, 9, 0, 0, 0, 0, 0, 0, 0})));
  CHECK_FALSE(parse(entry({1, 0, 200, 0, 0, 0, 0, 0, 0, -5, 0})));
  CHECK_FALSE(parse(entry({1, 0, 200, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0})));
  CHECK(parse(entry({1, 0, 200, 0, 0, 0, 0, 0, 0, 0, 0})));
}

TEST_CASE("cache: hits carry the fields of the handler and the id of their own request") {
  CountingApp app(60'000);
  CHECK(app.send("/c?link=1", {{"x-request-id", "one"}}).json()["requestId"] == "one");
  const auto hit = app.send("/c?link=1", {{"x-request-id", "two"}});
  CHECK(hit.json() == Json{{"code", 0}, {"data", {{"hits", 1}}}, {"requestId", "two"}});
  CHECK(count(hit, "link") == 2);
  CHECK(count(hit, "x-request-id") == 1);
  CHECK(hit.header("x-request-id") == "two");
  CHECK(hit.header("content-type") == "application/json; charset=utf-8");
}

TEST_CASE("cache: what must not be stored is not") {
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

TEST_CASE("cache: the X-Cache field of a handler is replaced") {
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

TEST_CASE("cache: a response with a CSRF token is not stored, whatever the route allows") {
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

TEST_CASE("cache: HEAD gets the entry of GET, and makes none") {
  CountingApp app(60'000);
  CHECK(app.app.request("HEAD", "/c").send().header("x-cache") == "MISS");
  CHECK(app.get() == "MISS 2");
  CHECK(app.app.request("HEAD", "/c").send().header("x-cache") == "HIT");
  CHECK(*app.calls == 2);
}

TEST_CASE("cache: values of the request headers of a key are told apart") {
  CountingApp app(fw::RouteCacheOptions{.ttl = 60'000, .headers = {"X-A", "X-B"}});
  CHECK(app.get("/c", {{"x-a", "1"}}) == "MISS 1");
  CHECK(app.get("/c", {{"x-b", "1"}}) == "MISS 2");
  CHECK(app.get("/c", {{"x-a", ""}}) == "MISS 3");
  CHECK(app.get("/c") == "MISS 4");
  CHECK(app.get("/c", {{"x-b", "1"}, {"x-a", "1"}}) == "MISS 5");
  CHECK(app.get("/c", {{"x-a", "1"}, {"x-b", "1"}}) == "HIT 5");
  CHECK(app.send("/c").header("vary") == "X-A, X-B, Origin");
}

TEST_CASE("cache: an authorized request neither gets a public entry nor stores one") {
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

TEST_CASE("cache: keys of any length are told apart") {
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
    CHECK(app.app.app().cache().erase("GET " + path));
    CHECK(app.get(path) == "MISS " + std::to_string(++calls));
  }
}

TEST_CASE("cache: invalidation by tag, by key, of everything") {
  CountingApp tagged(fw::RouteCacheOptions{.ttl = 60'000, .tags = {"products"}});
  fw::ResponseCache& cache = tagged.app.app().cache();
  CHECK(tagged.get("/c?p=1") == "MISS 1");
  CHECK(tagged.get("/c?p=2") == "MISS 2");
  CHECK(cache.invalidate("orders") == 0);
  CHECK(tagged.get("/c?p=1") == "HIT 1");
  CHECK(cache.invalidate("products") == 2);
  CHECK(tagged.get("/c?p=1") == "MISS 3");
  CHECK(tagged.get("/c?p=2") == "MISS 4");
  CHECK(cache.erase("GET /c?p=1"));
  CHECK_FALSE(cache.erase("GET /c?p=1"));
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

TEST_CASE("cache: a key of one's own covers its partitions") {
  CountingApp app(
      fw::RouteCacheOptions{.ttl = 60'000, .key = "list", .partition_key = [](fw::Request& req) {
                              return std::string(req.query("t").value_or(""));
                            }});
  CHECK(app.get("/c?t=1") == "MISS 1");
  CHECK(app.get("/c?t=2&other=1") == "MISS 2");
  CHECK(app.get("/c?t=2") == "HIT 2");
  CHECK(app.app.app().cache().erase("list"));
  CHECK(app.get("/c?t=1") == "MISS 3");
  CHECK(app.get("/c?t=2") == "MISS 4");
}

TEST_CASE("cache: what was being made during an invalidation is not stored") {
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

TEST_CASE("cache: concurrent misses run the handler once, and each again when it fails") {
  constexpr int kRequests = 8;
  std::atomic<int> calls = 0;
  const auto run = [&](const std::string& path) {
    calls = 0;
    const auto store = std::make_shared<CountingStore>();
    const auto routes = [&, store](fw::Router& router) {
      router.get("/c", {.cache = 60'000}, [&, store](fw::Request& req, fw::Response& res) {
        const int call = ++calls;
        // The first one waits until all the others have found that there is no entry. It looks for
        // it a second time itself.
        while (call == 1 && store->lookups <= kRequests) std::this_thread::yield();
        if (call == 1 && req.query("fail")) fw::raise(500, "failed");
        res.json({{"hits", call}});
      });
    };
    OneFileApp app(routes, TestApp::test_config(),
                   [&](fw::App& application) { application.set_store("cache", store); });
    std::vector<TestResponse> responses(kRequests);
    std::vector<std::thread> threads;
    for (TestResponse& response : responses) {
      threads.emplace_back([&] { response = app.request("GET", path).send(); });
    }
    for (std::thread& thread : threads) thread.join();
    return responses;
  };
  for (const TestResponse& response : run("/c")) {
    CHECK(response.json().at("data").at("hits") == 1);
  }
  CHECK(calls == 1);
  const auto after_failure = run("/c?fail=1");
  CHECK(std::count_if(after_failure.begin(), after_failure.end(),
                      [](const auto& response) { return response.status == 500; }) == 1);
  CHECK(std::count_if(after_failure.begin(), after_failure.end(), [](const auto& response) {
          return response.status == 200;
        }) == kRequests - 1);
}

TEST_CASE("cache: requests that missed an entry while it was stored do not run the handler") {
  // The second and the third request look for the entry before it is stored, and go on after that.
  // One of them then leads the other one.
  struct LateStore : FailingStore {
    std::atomic<int> lookups = 0;
    std::atomic<bool> is_stored = false;

    std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
      auto object = FailingStore::get_object(key, convert);
      const int lookup = ++lookups;
      while ((lookup == 3 || lookup == 4) && !is_stored) std::this_thread::yield();
      // The lead looks again. The other request waits by now.
      if (lookup == 5) std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return object;
    }
  };
  const auto store = std::make_shared<LateStore>();
  std::atomic<int> calls = 0;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/c", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
          ++calls;
          while (store->lookups < 4) std::this_thread::yield();
          res.json("x");
        });
      },
      TestApp::test_config(), [&](fw::App& application) { application.set_store("cache", store); });
  const auto get = [&] { CHECK(app.request("GET", "/c").send().status == 200); };
  std::thread first(get);
  while (store->lookups < 2) std::this_thread::yield();
  std::thread second(get);
  std::thread third(get);
  first.join();
  store->is_stored = true;
  second.join();
  third.join();
  CHECK(calls == 1);
}

namespace {

/// Two applications that share a store, as two processes would, with the route GET /c. Its handler
/// waits for `open`, and fails in the first application if `fails`.
struct TwoProcesses {
  struct ClaimStore : FailingStore {
    std::atomic<int> claims = 0;
    std::atomic<int> looks = 0;

    bool set_if_absent(std::string_view key, std::string_view value,
                       std::chrono::milliseconds ttl) override {
      const bool is_set = FailingStore::set_if_absent(key, value, ttl);
      if (key.starts_with("cache:claim:")) ++claims;
      return is_set;
    }
    std::optional<std::string> get(std::string_view key) override {
      if (key.starts_with("cache:claim:")) ++looks;
      return FailingStore::get(key);
    }
  };

  std::shared_ptr<ClaimStore> store = std::make_shared<ClaimStore>();
  std::atomic<int> calls = 0;
  std::atomic<bool> is_open = false;
  bool fails = false;
  fw::RouteCacheOptions options{.ttl = 60'000};
  std::unique_ptr<OneFileApp> first = application(true);
  std::unique_ptr<OneFileApp> second = application(false);

  std::unique_ptr<OneFileApp> application(bool is_first) {
    return std::make_unique<OneFileApp>(
        [this, is_first](fw::Router& router) {
          router.get("/c", {.cache = options}, [this, is_first](fw::Request&, fw::Response& res) {
            const int call = ++calls;
            while (!is_open) std::this_thread::yield();
            if (is_first && fails) fw::raise(500, "failed");
            res.json({{"hits", call}});
          });
        },
        TestApp::test_config(), [this](fw::App& app) { app.set_store("cache", store); });
  }

  /// The responses of both: the second one waits for the first one, whose handler then goes on.
  std::pair<TestResponse, TestResponse> get() {
    std::pair<TestResponse, TestResponse> responses;
    std::thread one([&] { responses.first = first->request("GET", "/c").send(); });
    while (calls < 1) std::this_thread::yield();
    std::thread other([&] { responses.second = second->request("GET", "/c").send(); });
    while (store->looks < 2) std::this_thread::yield();
    is_open = true;
    one.join();
    other.join();
    return responses;
  }
};

}  // namespace

TEST_CASE("cache: processes that share a store run the handler once") {
  TwoProcesses processes;
  const auto [one, other] = processes.get();
  CHECK(outcome(one) == "MISS 1");
  CHECK(outcome(other) == "HIT 1");
  CHECK(processes.calls == 1);
  // The claim has ended: another miss is not late.
  processes.first->app().cache().clear();
  CHECK(outcome(processes.second->request("GET", "/c").send()) == "MISS 2");
}

TEST_CASE("cache: a process whose handler fails leaves the key to another one") {
  TwoProcesses processes;
  processes.fails = true;
  const auto [one, other] = processes.get();
  CHECK(one.status == 500);
  CHECK(outcome(other) == "MISS 2");
}

TEST_CASE("cache: a process that ends without a response is replaced when its claim expires") {
  TwoProcesses processes;
  processes.is_open = true;
  processes.store->set("cache:claim:cache:entry:6 GET /c-", "x", std::chrono::milliseconds(150));
  const auto begin = std::chrono::steady_clock::now();
  CHECK(outcome(processes.first->request("GET", "/c").send()) == "MISS 1");
  CHECK(std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(100));
  CHECK(processes.store->claims == 1);
}

TEST_CASE("cache: a hit does not touch the response of a middleware") {
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

TEST_CASE("cache: a store that fails is a miss, an event and, once a second, a line in the log") {
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

TEST_CASE("cache: hooks see the data that the handler gave, also of a hit") {
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

TEST_CASE("cache: a route without a time to live is reported at the start and caches nothing") {
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

namespace {

/// The status and the entity tag of GET /c with these header fields.
std::pair<int, std::string> tagged(
    OneFileApp& app, const std::vector<std::pair<std::string, std::string>>& headers) {
  auto request = app.request("GET", "/c");
  for (const auto& [name, value] : headers) request.header(name, value);
  const TestResponse response = request.send();
  CHECK((response.status != 304 || (response.body.empty() && !response.header("content-type"))));
  return {response.status, std::string(response.header("etag").value_or(""))};
}

OneFileApp tagging_app(fw::EntityTags mode, bool wraps, const std::string& own_tag = {},
                       fw::Cache cache = {}) {
  fw::Config config = TestApp::test_config();
  config.etag = mode;
  config.response.wrap = wraps;
  return OneFileApp(
      [own_tag, cache](fw::Router& app) {
        app.get("/c", {.cache = cache}, [own_tag](fw::Request& req, fw::Response& res) {
          if (!own_tag.empty()) res.set_header("etag", own_tag);
          res.json({{"value", req.query("value").value_or("1")}});
        });
        app.get("/gone", [](fw::Request&, fw::Response& res) { res.json("gone", 410); });
      },
      config);
}

}  // namespace

TEST_CASE("conditional: a known tag is a 304, whatever the request id") {
  for (const auto mode : {fw::EntityTags::weak, fw::EntityTags::strong}) {
    OneFileApp app = tagging_app(mode, true);
    const auto [status, tag] = tagged(app, {});
    CHECK(status == 200);
    CHECK(tag.starts_with("W/\""));
    CHECK(tagged(app, {{"if-none-match", tag}}) == std::pair(304, tag));
    CHECK(tagged(app, {{"if-none-match", "\"x\", " + tag.substr(2)}}) == std::pair(304, tag));
    CHECK(tagged(app, {{"if-none-match", "*"}}) == std::pair(304, tag));
    CHECK(tagged(app, {{"if-none-match", "\"x\""}}) == std::pair(200, tag));
    CHECK(tagged(app, {{"if-match", tag}}).first == 412);
    CHECK(tagged(app, {{"if-match", "*"}}).first == 200);
  }
}

TEST_CASE("conditional: bytes without a request id have a strong tag") {
  OneFileApp app = tagging_app(fw::EntityTags::strong, false);
  const auto [status, tag] = tagged(app, {});
  CHECK(tag.starts_with("\""));
  CHECK(tagged(app, {{"if-match", tag}}) == std::pair(200, tag));
  CHECK(tagged(app, {{"if-match", "\"x\""}}).first == 412);
  CHECK(tagged(app, {{"if-none-match", "W/" + tag}}) == std::pair(304, tag));
  OneFileApp other = tagging_app(fw::EntityTags::weak, false);
  CHECK(tagged(other, {}).second == "W/" + tag);
}

TEST_CASE("conditional: tags of handlers, of other responses, and none when off") {
  OneFileApp own = tagging_app(fw::EntityTags::weak, true, "\"v1\"");
  CHECK(tagged(own, {{"if-none-match", "\"v1\""}}) == std::pair(304, std::string("\"v1\"")));
  CHECK(own.request("GET", "/gone").send().header("etag") == std::nullopt);
  OneFileApp off = tagging_app(fw::EntityTags::off, true);
  CHECK(tagged(off, {{"if-none-match", "*"}}) == std::pair(200, std::string()));
}

TEST_CASE("conditional: a cached response keeps its tag") {
  OneFileApp app = tagging_app(fw::EntityTags::weak, true, {}, 60'000);
  const auto [status, tag] = tagged(app, {});
  CHECK(tagged(app, {}) == std::pair(200, tag));
  CHECK(tagged(app, {{"if-none-match", tag}}) == std::pair(304, tag));
  CHECK(tagged(app, {{"if-none-match", "\"x\""}}) == std::pair(200, tag));
  CHECK(tagged(app, {{"if-match", "\"x\""}}).first == 412);
  CHECK(tagged(app, {}) == std::pair(200, tag));
  auto request = app.request("GET", "/c");
  const TestResponse response = request.header("if-none-match", tag).send();
  CHECK(response.header("x-cache") == "HIT");
  CHECK(response.header("cache-control").value_or("").starts_with("public, max-age="));
}

TEST_CASE("conditional: a 304 from the cache has the fields of the 200, except those of the body") {
  const auto fields_of = [](const TestResponse& response) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : response.headers) {
      const bool differs = name == "x-request-id" || name == "cache-control";
      lines.push_back(name + ": " + (differs ? std::string("...") : value));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  for (const bool compresses : {false, true}) {
    CAPTURE(compresses);
    OneFileApp app([compresses](fw::Router& router) {
      router.get("/c", {.cache = {{.ttl = 60'000, .headers = {"X-A"}}}, .compression = compresses},
                 [](fw::Request&, fw::Response& res) {
                   res.set_header("etag", "\"v 1, 2\"").set_header("x-own", "1");
                   res.set_header("content-disposition", "inline").set_header("link", "</a>");
                   res.json("x");
                 });
    });
    const auto get = [&](const std::string& tags) {
      auto request = app.request("GET", "/c");
      if (!tags.empty()) request.header("If-None-Match", tags);
      return request.send();
    };
    get("");
    const TestResponse hit = get("");
    REQUIRE(hit.header("x-cache") == "HIT");
    CHECK(hit.header("content-type") == "application/json; charset=utf-8");
    CHECK(hit.header("content-disposition") == "inline");
    auto expected = fields_of(hit);
    std::erase_if(expected, [](const std::string& line) { return line.starts_with("content-"); });
    for (const char* tags : {"\"v 1, 2\"", " \"v 1, 2\"", "\"x\", W/\"v 1, 2\"", "*"}) {
      CAPTURE(tags);
      const TestResponse known = get(tags);
      CHECK(known.status == 304);
      CHECK(known.body.empty());
      CHECK(fields_of(known) == expected);
    }
    for (const char* tags : {"\"v 1\"", "v 1, 2", "\"v 1, 2", "W/"}) {
      CAPTURE(tags);
      CHECK(fields_of(get(tags)) == fields_of(hit));
    }
  }
}

TEST_CASE("conditional: a 304 from the cache has the age of its entry, whatever was sent before") {
  OneFileApp app([](fw::Router& router) {
    const auto handler = [](fw::Request&, fw::Response& res) {
      res.set_header("etag", "\"1\"").json("x");
    };
    router.get("/long", {.cache = {{.ttl = 8'999'000}}}, handler);
    router.get("/short", {.cache = {{.ttl = 49'000}}}, handler);
    router.get("/none", {.cache = {{.ttl = 8'999'000, .cache_control = false}}}, handler);
  });
  const auto get = [&](const std::string& path) {
    return app.request("GET", path).header("If-None-Match", "\"1\"").send();
  };
  for (const char* path : {"/long", "/short", "/none"}) get(path);
  for (const char* path : {"/long", "/short", "/none", "/none", "/short", "/long", "/none"}) {
    CAPTURE(path);
    const TestResponse response = get(path);
    CHECK(response.status == 304);
    CHECK(count(response, "x-cache") == 1);
    CHECK(response.header("x-cache") == "HIT");
    const std::string age(response.header("cache-control").value_or("-"));
    if (path == std::string_view("/none")) {
      CHECK(age == "-");
    } else {
      CHECK(count(response, "cache-control") == 1);
      const bool is_long = path == std::string_view("/long");
      CHECK(age.starts_with(is_long ? "public, max-age=89" : "public, max-age=4"));
    }
  }
}

TEST_CASE("conditional: a malformed tag of a handler is never known") {
  for (const std::string tag : {"v1", "\"", "\"a\"b\"", "W/v1"}) {
    CAPTURE(tag);
    OneFileApp app = tagging_app(fw::EntityTags::off, true, tag, 60'000);
    CHECK(tagged(app, {}).first == 200);
    CHECK(tagged(app, {{"if-none-match", tag}}) == std::pair(200, tag));
  }
}

TEST_CASE("conditional: the tag of a cached response is computed once") {
  class StoreOfTags : public FailingStore {
   public:
    std::string entry;
    void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) override {
      if (key.starts_with("cache:entry:")) entry = value;
      FailingStore::set(key, value, ttl);
    }
  };
  const auto store = std::make_shared<StoreOfTags>();
  fw::Config config = TestApp::test_config();
  config.etag = fw::EntityTags::weak;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/c", {.cache = 60'000},
                   [](fw::Request&, fw::Response& res) { res.json("data"); });
      },
      config, [&](fw::App& application) { application.set_store("cache", store); });
  const auto [status, tag] = tagged(app, {});
  CHECK(store->entry.find(tag) != std::string::npos);
}

TEST_CASE("cache: a stale response is sent while another request runs the handler") {
  std::promise<void> gate;
  const std::shared_future<void> opened = gate.get_future().share();
  std::atomic<int> calls = 0;
  OneFileApp app([&](fw::Router& router) {
    router.get("/c", {.cache = fw::RouteCacheOptions{.ttl = 1, .stale_while_revalidate = 60'000}},
               [&](fw::Request&, fw::Response& res) {
                 const int call = ++calls;
                 if (call > 1) opened.wait();
                 res.json({{"hits", call}});
               });
  });
  const auto get = [&] { return outcome(app.request("GET", "/c").send()); };
  CHECK(get() == "MISS 1");
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::string renewed;
  std::thread lead([&] { renewed = get(); });
  while (calls < 2) std::this_thread::yield();
  const TestResponse stale = app.request("GET", "/c").send();
  CHECK(outcome(stale) == "STALE 1");
  CHECK(stale.header("cache-control") == "public, max-age=0");
  gate.set_value();
  lead.join();
  CHECK(renewed == "MISS 2");
}

TEST_CASE("cache: large entries of a store that processes share are compressed") {
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

TEST_CASE("conditional: a date that the handler gives a cached response counts") {
  int calls = 0;
  OneFileApp app([&](fw::Router& router) {
    router.get("/c", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
      ++calls;
      res.set_header("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT").json("x");
    });
  });
  const auto status = [&](const std::string& name, const std::string& value) {
    return app.request("GET", "/c").header(name, value).send().status;
  };
  CHECK(status("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT") == 304);
  CHECK(status("if-modified-since", "Sun, 06 Nov 1994 08:49:36 GMT") == 200);
  CHECK(status("if-unmodified-since", "Sun, 06 Nov 1994 08:49:36 GMT") == 412);
  CHECK(status("if-none-match", "\"x\"") == 200);
  CHECK(calls == 1);
}

}  // namespace response_cache_test
