// Cached routes together with what tells clients apart: whose response may reach whom, and what
// Cache-Control allows caches in front of the application.
#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/ascii.hpp"
#include "eventually.hpp"
#include "support/cached_responses.hpp"
#include "support/failing_store.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace cache_combinations_test {

namespace {

using fairway::test::eventually;
using fw::Json;
using fw::RouteCacheOptions;
using fw::support::FailingStore;
using fw::support::OneFileApp;
using fw::support::outcome;
using fw::support::RecordingSink;
using fw::testing::TestApp;
using fw::testing::TestResponse;
using Headers = std::vector<std::pair<std::string, std::string>>;

/// The responses of a route GET /c with these options, whose handler sends what `respond` returns
/// together with the number of its calls.
struct Cached {
  using Respond = std::function<Json(fw::Request&, fw::Response&)>;

  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  OneFileApp app;

  explicit Cached(fw::RouteOptions options, Respond respond = {},
                  fw::Config config = TestApp::test_config(),
                  const std::function<void(fw::App&)>& set_up = {})
      : app(
            [this, options, respond](fw::Router& router) {
              const auto handler = [this, respond](fw::Request& req, fw::Response& res) {
                const int call = ++*calls;
                Json data = {{"hits", call}};
                if (respond) data["value"] = respond(req, res);
                res.json(data);
              };
              router.get("/c", options, handler);
            },
            std::move(config),
            [this, set_up](fw::App& application) {
              application.set_logger(fw::Logger(sink));
              if (set_up) set_up(application);
            }) {}

  TestResponse get(const Headers& headers = {}, const std::string& target = "/c") {
    auto request = app.request("GET", target);
    for (const auto& [name, value] : headers) request.header(name, value);
    return request.send();
  }
};

/// An application in which each response to a client that has signed in sends its cookie again.
class RollingSessions : public OneFileApp {
 public:
  explicit RollingSessions(const std::function<void(fw::Router&)>& routes)
      : OneFileApp(
            [routes](fw::Router& router) {
              router.post("/sign-in", [](fw::Request& req, fw::Response& res) {
                req.session().set("user", "ada");
                res.end();
              });
              routes(router);
            },
            config()) {}

  fw::testing::TestClient sign_in() {
    auto signed_in = client();
    signed_in.request("POST", "/sign-in").send();
    return signed_in;
  }

 private:
  static fw::Config config() {
    fw::Config config = TestApp::test_config();
    config.session.enabled = true;
    config.session.rolling = true;
    return config;
  }
};

/// Locale files in English and German.
class Languages {
 public:
  Languages() {
    folder_.write("en.json", R"({"hello": "Hello"})");
    folder_.write("de.json", R"({"hello": "Guten Tag"})");
  }

  fw::Config config() const {
    fw::Config config = TestApp::test_config();
    config.locale.directory = folder_.path();
    config.locale.default_language = "en";
    return config;
  }

 private:
  fairway::test::TemporaryDirectory folder_;
};

std::string tenant_of(fw::Request& req) { return std::string(req.header("x-tenant").value_or("")); }

RouteCacheOptions cached() { return {.ttl = 60'000}; }

}  // namespace

TEST_CASE("cache combinations: responses that depend on the caller are private") {
  RouteCacheOptions options = cached();
  options.partition_key = tenant_of;
  Cached partitioned({.cache = options});
  for (const char* expected : {"MISS 1", "HIT 1"}) {
    const TestResponse response =
        partitioned.get({{"Authorization", "Bearer a"}, {"X-Tenant", "a"}});
    CHECK(outcome(response) == expected);
    CHECK(response.header("cache-control")->starts_with("private, max-age="));
    CHECK(response.header("vary")->find("x-tenant") != std::string_view::npos);
  }
  CHECK(outcome(partitioned.get({{"X-Tenant", "b"}})) == "MISS 2");
  CHECK(partitioned.get().header("cache-control") == "public, max-age=60");

  options.allow_shared_caches = true;
  Cached shared({.cache = options});
  CHECK(shared.get({{"X-Tenant", "a"}}).header("cache-control") == "public, max-age=60");

  RouteCacheOptions for_all = cached();
  for_all.allow_authorization_cache = true;
  Cached authorized({.cache = for_all});
  CHECK(authorized.get({{"Authorization", "x"}}).header("cache-control") == "private, max-age=60");
  CHECK(authorized.get().header("cache-control")->starts_with("public, max-age="));
}

TEST_CASE("cache combinations: clients with a certificate are authorized") {
  const auto outcomes = [](const RouteCacheOptions& options) {
    Cached cached({.auth = fw::AuthRequirement{.client_certificate = true}, .cache = options});
    std::vector<std::string> found;
    for (const char* subject : {"CN=a", "CN=b"}) {
      auto request = cached.app.request("GET", "/c");
      found.push_back(outcome(request.client_certificate({.subject = subject}).send()));
    }
    return found;
  };
  RouteCacheOptions options = cached();
  CHECK(outcomes(options) == std::vector<std::string>{"- 1", "- 2"});
  options.allow_authorization_cache = true;
  CHECK(outcomes(options) == std::vector<std::string>{"MISS 1", "HIT 1"});
}

TEST_CASE("cache combinations: 'public' is never sent with Set-Cookie") {
  RollingSessions app([](fw::Router& router) {
    router.get("/c", {.cache = 60'000}, [](fw::Request&, fw::Response& res) { res.json("all"); });
    router.get("/own", [](fw::Request&, fw::Response& res) {
      res.set_header("cache-control", "public, s-maxage=60, max-age=9").json("all");
    });
  });
  CHECK(app.request("GET", "/c").send().header("cache-control") == "public, max-age=60");
  auto client = app.sign_in();
  const TestResponse hit = client.request("GET", "/c").send();
  CHECK(hit.header("x-cache") == "HIT");
  REQUIRE(hit.header("set-cookie"));
  CHECK(hit.header("cache-control")->starts_with("private, max-age="));
  CHECK(client.request("GET", "/own").send().header("cache-control") == "private, max-age=9");
  CHECK(app.request("GET", "/own").send().header("cache-control") ==
        "public, s-maxage=60, max-age=9");
}

TEST_CASE("cache combinations: Cache-Control of a response with a cookie is made private") {
  RollingSessions app([](fw::Router& router) {
    router.get("/own", [](fw::Request& req, fw::Response& res) {
      if (req.query("expires")) {
        res.set_header("expires", "Fri, 01 Jan 2100 00:00:00 GMT");
      } else {
        res.set_header("cache-control", *req.query("first"));
      }
      if (const auto second = req.query("second")) {
        res.append_header("cache-control", *second);
      }
      res.json(1, req.query("error") ? 404 : 200);
    });
  });
  auto client = app.sign_in();
  const auto sent = [&](const std::string& query) {
    const TestResponse response = client.request("GET", "/own?" + query).send();
    CHECK(response.header("set-cookie"));
    return std::string(response.header("cache-control").value_or("none"));
  };
  CHECK(sent("first=public,+no-cache,+s-maxage%3D60") == "private, no-cache");
  CHECK(sent("first=public,+max-age%3D9,+private%3D%22x-a%22") ==
        "private, max-age=9, private=\"x-a\"");
  CHECK(sent("first=no-cache&second=public,+max-age%3D9") == "private, no-cache, max-age=9");
  CHECK(sent("first=no-store") == "no-store");
  CHECK(sent("first=private,+max-age%3D9") == "private, max-age=9");
  CHECK(sent("expires") == "private");
  CHECK(sent("error&first=public,+max-age%3D60") == "private, max-age=60");
  CHECK(
      app.request("GET", "/own?error&first=public,+max-age%3D60").send().header("cache-control") ==
      "public, max-age=60");
}

TEST_CASE("cache combinations: errors of a partitioned route are private") {
  RouteCacheOptions options = cached();
  options.partition_key = tenant_of;
  Cached app({.cache = options}, [](fw::Request&, fw::Response& res) {
    res.status(404).set_header("cache-control", "public, max-age=60");
    return 0;
  });
  const TestResponse response = app.get({{"X-Tenant", "a"}});
  CHECK(response.status == 404);
  CHECK(response.header("cache-control") == "private, max-age=60");
}

TEST_CASE("cache combinations: a header read by a middleware makes a response private") {
  const auto set_up = [](fw::App& app) {
    app.use([](fw::Request& req, fw::Response&, fw::Next next) {
      if (req.header("x-api-key") != "right") fw::raise(403, "no");
      next();
    });
  };
  const Headers key = {{"X-Api-Key", "right"}};
  Cached guarded({.cache = cached()}, {}, TestApp::test_config(), set_up);
  for (const char* expected : {"MISS 1", "HIT 1"}) {
    const TestResponse response = guarded.get(key);
    CHECK(outcome(response) == expected);
    CHECK(response.header("cache-control")->starts_with("private, max-age="));
  }
  CHECK(guarded.get().status == 403);

  // Shared caches know what belongs to the key.
  RouteCacheOptions by_header = cached();
  by_header.headers = {"X-Api-Key"};
  Cached keyed({.cache = by_header}, {}, TestApp::test_config(), set_up);
  CHECK(keyed.get(key).header("cache-control") == "public, max-age=60");
  RouteCacheOptions shared = cached();
  shared.allow_shared_caches = true;
  Cached allowed({.cache = shared}, {}, TestApp::test_config(), set_up);
  CHECK(allowed.get(key).header("cache-control") == "public, max-age=60");

  // The same for the version of HTTP, which Vary cannot name.
  Cached by_version({.cache = cached()}, {}, TestApp::test_config(), [](fw::App& app) {
    app.use([](fw::Request& req, fw::Response&, fw::Next next) {
      if (req.http_version() == "1.0") fw::raise(426, "too old");
      next();
    });
  });
  CHECK(by_version.get().header("cache-control")->starts_with("private, max-age="));

  RouteCacheOptions version_key = cached();
  version_key.key = [](fw::Request& req) { return std::string(req.http_version()); };
  Cached keyed_by_version({.cache = version_key});
  CHECK(keyed_by_version.get().header("cache-control") == "private, max-age=60");

  // How an identity is found does not count: without one, the response is everybody's.
  Cached identified({.cache = cached()}, {}, TestApp::test_config(), [](fw::App& app) {
    app.use(fw::auth({.verify = [](std::string_view, fw::Request&) {
      return fw::AuthIdentity{.user_id = "1"};
    }}));
  });
  CHECK(identified.get().header("cache-control") == "public, max-age=60");
}

TEST_CASE("cache combinations: concurrent misses that read the language are stored apart") {
  const Languages languages;
  std::atomic<int> begun = 0;
  std::atomic<bool> may_end = false;
  Cached app(
      {.cache = cached()},
      [&](fw::Request& req, fw::Response&) {
        ++begun;
        while (begun < 2) std::this_thread::yield();
        while (req.query("late") && !may_end) std::this_thread::yield();
        return req.t("hello");
      },
      languages.config());
  std::string late;
  std::thread german(
      [&] { late = app.get({{"Accept-Language", "de"}}, "/c?late").json()["data"]["value"]; });
  CHECK(app.get({{"Accept-Language", "en"}}).json()["data"]["value"] == "Hello");
  may_end = true;
  german.join();
  CHECK(late == "Guten Tag");
  const TestResponse english = app.get({{"Accept-Language", "en"}}, "/c?late");
  CHECK(english.json()["data"]["value"] == "Hello");
  CHECK(english.header("vary")->find("Accept-Language") != std::string_view::npos);
  CHECK(app.get({{"Accept-Language", "de"}}, "/c?late").header("x-cache") == "HIT");

  // The response that the language was learned from has it in Vary, and so has each hit.
  const TestResponse hit = app.get({{"Accept-Language", "en"}});
  CHECK(hit.header("x-cache") == "HIT");
  CHECK(std::count_if(hit.headers.begin(), hit.headers.end(), [](const auto& field) {
          return fw::base::equal_ignoring_case(field.first, "vary");
        }) == 1);
}

TEST_CASE("cache combinations: an entry made by a HEAD also varies by language") {
  const Languages languages;
  Cached app(
      {.cache = cached()}, [](fw::Request& req, fw::Response&) { return req.t("hello"); },
      languages.config());
  const TestResponse head = app.app.request("HEAD", "/c").send();
  CHECK(head.header("x-cache") == "MISS");
  CHECK(head.header("vary")->find("Accept-Language") != std::string_view::npos);
}

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
  std::atomic<int> told = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < kRequests; ++i) {
    clients.emplace_back([&] {
      const TestResponse response = app.get();
      if (response.status == 500) ++failed;
      if (response.status == 503 && response.header("retry-after") == "1") ++told;
    });
  }
  for (std::thread& client : clients) client.join();
  CHECK(failed == *app.calls);
  CHECK(*app.calls < kRequests);
  CHECK(failed + told == kRequests);
  CHECK(app.get().status == 500);  // later requests run it again
}

TEST_CASE("cache combinations: a custom key cannot reach the entry of another route") {
  int runs = 0;
  OneFileApp app([&](fw::Router& router) {
    router.get("/secret", {.cache = 60'000},
               [&](fw::Request&, fw::Response& res) { res.json("secret"); });
    RouteCacheOptions options = cached();
    options.key = [](fw::Request& req) { return std::string(req.query("q").value_or("")); };
    router.get("/search", {.cache = options}, [&](fw::Request& req, fw::Response& res) {
      ++runs;
      res.json(*req.query("q"));
    });
  });
  app.request("GET", "/secret").send();
  for (const char* key : {"GET%20%2Fsecret", "%2Fsecret", "8%20%2Fsecret"}) {
    const TestResponse response = app.request("GET", std::string("/search?q=") + key).send();
    CHECK(response.header("x-cache") == "MISS");
    CHECK(response.json()["data"] != "secret");
  }
  CHECK(runs == 3);
}

TEST_CASE("cache combinations: routes with the same custom key do not share responses") {
  OneFileApp app([](fw::Router& router) {
    RouteCacheOptions options = cached();
    options.key = "all";
    for (const char* path : {"/first", "/second"}) {
      router.get(path, {.cache = options},
                 [path](fw::Request&, fw::Response& res) { res.json(path); });
    }
  });
  for (const char* path : {"/first", "/second"}) {
    CHECK(app.request("GET", path).send().json()["data"] == std::string(path));
    const TestResponse hit = app.request("GET", path).send();
    CHECK(hit.header("x-cache") == "HIT");
    CHECK(hit.json()["data"] == std::string(path));
  }
}

TEST_CASE("cache combinations: hosts do not share responses") {
  Cached app({.cache = 60'000},
             [](fw::Request& req, fw::Response&) { return *req.header("host"); });
  CHECK(app.get({{"Host", "shop.example"}}).json()["data"]["value"] == "shop.example");
  CHECK(app.get({{"Host", "evil.example"}}).json()["data"]["value"] == "evil.example");
  const TestResponse hit = app.get({{"Host", "SHOP.example:80"}});
  CHECK(outcome(hit) == "HIT 1");
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

TEST_CASE("cache combinations: freshness uses the test clock") {
  RouteCacheOptions options = cached();
  options.stale_while_revalidate = 60'000;
  Cached app({.cache = options});
  CHECK(outcome(app.get()) == "MISS 1");
  app.app.advance(std::chrono::seconds(40));
  const TestResponse hit = app.get();
  CHECK(outcome(hit) == "HIT 1");
  constexpr std::string_view kFresh = "public, max-age=";
  REQUIRE(hit.header("cache-control")->starts_with(kFresh));
  const int left = std::stoi(std::string(hit.header("cache-control")->substr(kFresh.size())));
  CHECK(left > 0);
  CHECK(left <= 20);
  app.app.advance(std::chrono::seconds(30));
  CHECK(outcome(app.get()) == "MISS 2");  // the first request after the time to live renews it
  CHECK(outcome(app.get()) == "HIT 2");
  app.app.advance(std::chrono::seconds(121));
  CHECK(outcome(app.get()) == "MISS 3");
}

TEST_CASE("cache combinations: only declared query parameters are part of the key") {
  RouteCacheOptions options = cached();
  options.query = {"page"};
  Cached app({.cache = options},
             [](fw::Request& req, fw::Response&) { return req.query("page").value_or(""); });
  CHECK(outcome(app.get({}, "/c?page=1&utm=a")) == "MISS 1");
  CHECK(outcome(app.get({}, "/c?utm=b&page=1")) == "HIT 1");
  CHECK(outcome(app.get({}, "/c/?page=1")) == "HIT 1");
  CHECK(outcome(app.get({}, "/c?page=2")) == "MISS 2");
  app.app.app().cache().erase("GET /c?page=1");
  CHECK(outcome(app.get({}, "/c?page=1&x=1")) == "MISS 3");
  CHECK(outcome(app.get({}, "/c?page=2")) == "HIT 2");
}

TEST_CASE("cache combinations: erasing a key erases it in all spellings of its path") {
  Cached app({.cache = 60'000});
  const auto is_stored = [&](const char* target) {
    return app.get({}, target).header("x-cache") == "HIT";
  };
  const auto erase = [&](const char* key) { app.app.app().cache().erase(key); };
  for (const char* const target : {"/c?p=1", "/C?p=1", "/c/?p=1"}) {
    for (const char* const key : {"GET /c?p=1", "GET /c/?p=1", "GET /C?p=1", "GET /C//?p=1"}) {
      CAPTURE(target);
      CAPTURE(key);
      is_stored(target);
      CHECK(is_stored(target));
      erase(key);
      CHECK_FALSE(is_stored(target));
    }
  }
  is_stored("/c?p=a");
  erase("GET /c?p=A");  // another value
  CHECK(is_stored("/c?p=a"));
  CHECK(is_stored("/c/?p=a"));  // a slash at the end does not make another key
}

TEST_CASE("cache combinations: erasing a key erases it in all percent-encodings") {
  OneFileApp app([](fw::Router& router) {
    router.get("/c/:id", {.cache = cached()},
               [](fw::Request& req, fw::Response& res) { res.json(*req.param("id")); });
  });
  const auto is_stored = [&](const char* target) {
    return app.request("GET", target).send().header("x-cache") == "HIT";
  };
  const std::vector<std::pair<const char*, const char*>> spellings = {
      {"/c/%31?p=1", "GET /c/1?p=1"},
      {"/c/1", "GET /c/%31"},
      {"/c/%c3%bc", "GET /c/%C3%BC"},
      {"/c/1?p=%61b", "GET /c/1?p=ab"},
      {"/c/1?p=%c3%bc+x&q", "GET /c/1?p=%C3%BC%20x&q"}};
  for (const auto& [target, key] : spellings) {
    CAPTURE(target);
    is_stored(target);
    REQUIRE(is_stored(target));
    app.app().cache().erase(key);
    CHECK_FALSE(is_stored(target));
  }
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

TEST_CASE("cache combinations: request bodies are part of the key") {
  int calls = 0;
  OneFileApp app([&](fw::Router& router) {
    RouteCacheOptions options = cached();
    options.methods = {"POST"};
    router.post("/search", {.cache = options}, [&](fw::Request& req, fw::Response& res) {
      res.json({{"hits", ++calls}, {"q", req.body()["q"]}});
    });
  });
  const auto post = [&](const char* q) {
    return app.request("POST", "/search").json({{"q", q}}).send();
  };
  CHECK(outcome(post("a")) == "MISS 1");
  CHECK(outcome(post("b")) == "MISS 2");
  CHECK(outcome(post("a")) == "HIT 1");
  CHECK(post("b").json()["data"]["q"] == "b");
}

TEST_CASE("cache combinations: error responses have no cache headers") {
  OneFileApp app([](fw::Router& router) {
    router.get("/c", {.cache = 60'000}, [](fw::Request&, fw::Response& res) {
      res.set_header("etag", "\"1\"").set_header("last-modified", "Tue, 24 Nov 2026 00:00:00 GMT");
      res.json("x");
    });
    router.get("/raises", {.cache = 60'000}, [](fw::Request&, fw::Response& res) {
      res.set_header("cache-control", "public, max-age=86400").set_header("expires", "later");
      fw::raise(404, "gone");
    });
    router.get("/says", [](fw::Request&, fw::Response& res) {
      res.set_header("cache-control", "max-age=5").status(404).json("nothing");
    });
  });
  for (int i = 0; i < 2; ++i) {
    const TestResponse failed = app.request("GET", "/c").header("If-Match", "\"2\"").send();
    CHECK(failed.status == 412);
    CHECK(failed.header("cache-control") == "no-store");
    CHECK_FALSE(failed.header("x-cache"));
    CHECK_FALSE(failed.header("last-modified"));
  }
  const TestResponse raised = app.request("GET", "/raises").send();
  CHECK(raised.header("cache-control") == "no-store");
  CHECK_FALSE(raised.header("expires"));
  CHECK(app.request("GET", "/says").send().header("cache-control") == "max-age=5");
  CHECK(app.request("GET", "/missing").send().header("cache-control") == "no-store");
}

TEST_CASE("cache combinations: fields for some caches do not allow what Cache-Control forbids") {
  using Fields = std::vector<std::string>;
  const Fields targeted = {"CDN-Cache-Control", "Example-CDN-Cache-Control", "Surrogate-Control",
                           "X-Accel-Expires"};
  const auto allow = [targeted](fw::Response& res) {
    for (const std::string& name : targeted) res.set_header(name, "max-age=86400");
  };
  fw::RouteOptions partitioned{.cache = {{.ttl = 60'000, .partition_key = [](fw::Request& req) {
                                            return std::string(req.header("x-tenant").value_or(""));
                                          }}}};
  OneFileApp app([&](fw::Router& router) {
    router.get("/c", partitioned, [allow](fw::Request&, fw::Response& res) {
      allow(res);
      res.json("all");
    });
    router.get("/depends", {.cache = 60'000}, [allow](fw::Request& req, fw::Response& res) {
      allow(res);
      res.json(std::string(req.header("x-region").value_or("none")));
    });
    router.get("/cookie", [allow](fw::Request&, fw::Response& res) {
      allow(res);
      res.set_cookie("a", "b").json("own");
    });
    router.get("/raises", [allow](fw::Request&, fw::Response& res) {
      allow(res);
      fw::raise(404, "gone");
    });
    router.get("/says", [allow](fw::Request&, fw::Response& res) {
      allow(res);
      res.status(404).json("nothing");
    });
  });
  const auto sent = [&](const std::string& path, const std::string& tenant = "") {
    const TestResponse response = app.request("GET", path).header("X-Tenant", tenant).send();
    return std::ranges::count_if(targeted, [&](const std::string& name) {
      return response.header(name) == "max-age=86400";
    });
  };
  for (int i = 0; i < 2; ++i) {
    CHECK(sent("/c") == 4);
    CHECK(sent("/c", "a") == 0);
  }
  CHECK(sent("/depends") == 0);
  CHECK(sent("/cookie") == 0);
  CHECK(sent("/raises") == 0);
  CHECK(sent("/says") == 0);
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
      {.cache = 60'000, .timeout = 200},
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

TEST_CASE("cache combinations: the same bytes in another media type have another key") {
  OneFileApp app([](fw::Router& router) {
    RouteCacheOptions options = cached();
    options.methods = {"POST"};
    router.post("/search", {.cache = options}, [](fw::Request& req, fw::Response& res) {
      res.json({{"q", req.body().is_object() ? req.body().value("q", "") : "(no object)"}});
    });
  });
  const auto search = [&](const std::string& type) {
    return app.request("POST", "/search")
        .header("Content-Type", type)
        .body(R"({"q":"a"})")
        .send()
        .json()["data"]["q"];
  };
  CHECK(search("text/plain") == "(no object)");
  CHECK(search("application/json") == "a");
  CHECK(search("text/plain") == "(no object)");
}

TEST_CASE("cache combinations: what hooks read of each request makes a response private") {
  namespace hooks = fw::hooks;
  const auto check = [](const std::function<void(fw::App&)>& set_up, const char* expected) {
    Cached app({.cache = cached()}, {}, TestApp::test_config(), set_up);
    for (const char* each : {"MISS 1", "HIT 1"}) {
      const TestResponse response = app.get({{"X-Api-Key", "right"}});
      CHECK(outcome(response) == each);
      CHECK(response.header("cache-control")->starts_with(expected));
    }
  };
  check(
      [](fw::App& app) {
        app.hooks().on<hooks::ResponseBefore>([](hooks::ResponseBefore& event) {
          event.data["visitor"] = event.req.cookie("visitor").value_or("nobody");
        });
      },
      "private, max-age=");
  check(
      [](fw::App& app) {
        app.hooks().on<hooks::ResponseBefore>(
            [](hooks::ResponseBefore& event) { event.data["method"] = event.req.method(); });
      },
      "public, max-age=");
  const auto require_key = [](fw::Request& req) {
    if (req.header("x-api-key") != "right") fw::raise(403, "no");
  };
  check(
      [&](fw::App& app) {
        app.hooks().on<hooks::RouteMatched>(
            [&](hooks::RouteMatched& event) { require_key(event.req); });
      },
      "private, max-age=");
  check(
      [&](fw::App& app) {
        app.hooks().on<hooks::RequestStart>(
            [&](hooks::RequestStart& event) { require_key(event.req); });
      },
      "private, max-age=");
}

TEST_CASE(
    "cache combinations: what a middleware reads after the handler makes a response private") {
  Cached app({.cache = cached()}, {}, TestApp::test_config(), [](fw::App& application) {
    application.use([](fw::Request& req, fw::Response& res, fw::Next next) {
      next();
      res.set_header("x-visitor", req.cookie("visitor").value_or("nobody"));
    });
  });
  for (const char* expected : {"MISS 1", "HIT 1"}) {
    const TestResponse response = app.get();
    CHECK(outcome(response) == expected);
    CHECK(response.header("cache-control")->starts_with("private, max-age="));
  }
}

TEST_CASE("cache combinations: required header fields and cookies make a response private") {
  const auto cache_control = [](fw::RouteOptions options, const Headers& headers) {
    Cached app(std::move(options));
    app.get(headers);
    return std::string(app.get(headers).header("cache-control").value_or(""));
  };
  const Headers key = {{"X-Key", "1"}, {"Cookie", "key=1"}};
  RouteCacheOptions options = cached();
  options.allow_cookie_cache = true;
  CHECK(cache_control({.validate = {.header = {{"X-Key", "string"}}}, .cache = options}, key)
            .starts_with("private"));
  CHECK(cache_control({.validate = {.header = {{"X-Key", "string?"}}}, .cache = options}, key)
            .starts_with("public"));
  CHECK(cache_control({.validate = {.cookie = {{"key", "string"}}}, .cache = options}, key)
            .starts_with("private"));
  options.headers = {"X-Key"};
  CHECK(cache_control({.validate = {.header = {{"X-Key", "string"}}}, .cache = options}, key)
            .starts_with("public"));
}

TEST_CASE("cache combinations: a handler sees the host and the path as they are in the key") {
  OneFileApp app([](fw::Router& router) {
    router.get("/w/:id", {.cache = cached()}, [](fw::Request& req, fw::Response& res) {
      res.json({{"host", req.header("Host").value_or("")},
                {"path", req.path()},
                {"url", req.url()},
                {"id", *req.param("id")}});
    });
    router.get("/rest/*", {.cache = cached()},
               [](fw::Request& req, fw::Response& res) { res.json(*req.param("*")); });
  });
  const auto get = [&](const char* target, const char* host) {
    return app.request("GET", target).header("Host", host).send();
  };
  const Json plain = {{"host", "shop.test"}, {"path", "/w/a"}, {"url", "/w/a?q=%41"}, {"id", "a"}};
  const TestResponse first = get("/w/%61//?q=%41", "Shop.Test:80");
  CHECK(first.header("x-cache") == "MISS");
  CHECK(first.json()["data"] == plain);
  const TestResponse second = get("/w/a?q=%41", "shop.test");
  CHECK(second.header("x-cache") == "HIT");
  CHECK(second.json()["data"] == plain);
  // What would be another path stays encoded.
  CHECK(get("/w/a%2fb%3f%c3%bc%20", "shop.test").json()["data"]["path"] == "/w/a%2Fb%3F%C3%BC%20");
  CHECK(get("/w/a%2Fb%3F%C3%BC%20", "shop.test").header("x-cache") == "HIT");
  CHECK(get("/rest/b///", "shop.test").json()["data"] == "b");
  CHECK(get("/rest/b", "shop.test").header("x-cache") == "HIT");
}

TEST_CASE("cache combinations: paths that are divided differently do not share responses") {
  OneFileApp app([](fw::Router& router) {
    router.get("/p/:name.:format", {.cache = cached()}, [](fw::Request& req, fw::Response& res) {
      res.json(std::string(*req.param("name")) + " " + std::string(*req.param("format")));
    });
  });
  const auto data = [&](const char* target) {
    return app.request("GET", target).send().json()["data"];
  };
  CHECK(data("/p/a.b.c") == "a b.c");
  CHECK(data("/p/a%2Eb.c") == "a.b c");
  CHECK(data("/p/a.b.c") == "a b.c");
}

TEST_CASE("cache combinations: validated queries have no parameters that the key lacks") {
  struct Case {
    const char* path;
    fw::RouteCacheOptions cache;
    bool has_other;
  };
  fw::RouteCacheOptions by_page = cached();
  by_page.query = {"page"};
  fw::RouteCacheOptions by_both = cached();
  by_both.query = {"page", "other"};
  fw::RouteCacheOptions by_function = cached();
  by_function.key = [](fw::Request& req) { return std::string(req.query("page").value_or("-")); };
  const std::vector<Case> cases = {{"/page", by_page, false},
                                   {"/both", by_both, true},
                                   {"/function", by_function, false},
                                   {"/all", cached(), true}};
  OneFileApp app([&](fw::Router& router) {
    for (const Case& each : cases) {
      router.get(
          each.path, {.validate = {.query = {{"page", "number?"}}}, .cache = each.cache},
          [](fw::Request& req, fw::Response& res) { res.json(req.valid(fw::Location::query)); });
    }
  });
  for (const Case& each : cases) {
    CAPTURE(each.path);
    const std::string target = std::string(each.path) + "?page=1&other=2";
    const TestResponse first = app.request("GET", target).send();
    CHECK(first.header("x-cache") == "MISS");
    const Json expected = each.has_other ? Json{{"page", 1}, {"other", "2"}} : Json{{"page", 1}};
    CHECK(first.json()["data"] == expected);
    CHECK(app.request("GET", target).send().header("x-cache") == "HIT");
  }
  CHECK(app.request("GET", "/page?page=1").send().header("x-cache") == "HIT");
}

TEST_CASE("cache combinations: a handler cannot remove the names of the key from Vary") {
  RouteCacheOptions options = cached();
  options.headers = {"X-Tenant", "X-Plan"};
  options.partition_key = [](fw::Request& req) {
    return std::string(req.header("x-part").value_or(""));
  };
  const Languages languages;
  Cached app(
      {.cache = options},
      [](fw::Request& req, fw::Response& res) {
        res.set_header("Vary", "X-Tenant");
        return req.t("hello");
      },
      languages.config(),
      [](fw::App& application) {
        application.use([](fw::Request& req, fw::Response& res, fw::Next next) {
          if (req.method() == "POST") return next();
          res.set_header("vary", "X-Middleware");
          next();
        });
      });
  for (int i = 0; i < 3; ++i) {
    const TestResponse response = app.get({{"X-Tenant", "a"}});
    CHECK(response.header("x-cache") == (i == 0 ? "MISS" : "HIT"));
    const std::string vary(response.header("vary").value_or(""));
    for (const char* name : {"X-Tenant", "X-Plan", "x-part", "Accept-Language"}) {
      CAPTURE(vary);
      CHECK(vary.find(name) != std::string::npos);
    }
    CHECK(fw::support::count(response, "vary") == 1);
  }
}

TEST_CASE("cache combinations: header fields that hooks set for one request reach no other one") {
  Cached app(
      {.cache = cached()},
      [](fw::Request&, fw::Response& res) {
        res.set_header("x-own", "before").append_header("x-list", "handler");
        return 0;
      },
      TestApp::test_config(),
      [](fw::App& application) {
        namespace hooks = fw::hooks;
        application.hooks().on<hooks::ResponseBefore>([](hooks::ResponseBefore& event) {
          const auto tenant = event.req.header("x-tenant");
          if (tenant) event.res.set_header("x-echo", *tenant);
          if (tenant) event.res.set_header("x-own", *tenant);
          event.res.append_header("x-list", "hook");
        });
        application.hooks().on<hooks::HandlerAfter>(
            [](hooks::HandlerAfter& event) { event.res.set_header("x-after", "1"); });
      });
  const auto check = [&](const char* tenant, const char* expected) {
    CAPTURE(tenant);
    const bool is_known = *tenant != 0;
    const TestResponse response = app.get(is_known ? Headers{{"X-Tenant", tenant}} : Headers{});
    CHECK(outcome(response) == expected);
    CHECK(response.header("x-echo").value_or("") == tenant);
    CHECK(response.header("x-own") == (is_known ? tenant : "before"));
    CHECK(response.header("x-after") == "1");
    CHECK(fw::support::count(response, "x-list") == 2);
  };
  check("a", "MISS 1");
  check("b", "HIT 1");
  check("", "HIT 1");
}

TEST_CASE("cache combinations: hooks make HEAD as private as GET") {
  const auto cache_control = [](const char* method) {
    Cached app({.cache = cached()}, {}, TestApp::test_config(), [](fw::App& application) {
      application.hooks().on<fw::hooks::ResponseBefore>([](fw::hooks::ResponseBefore& event) {
        event.data["visitor"] = event.req.cookie("visitor").value_or("nobody");
      });
    });
    return std::string(
        app.app.request(method, "/c").send().header("cache-control").value_or("none"));
  };
  CHECK(cache_control("HEAD") == cache_control("GET"));
}

TEST_CASE("cache combinations: Vary names the field with the API key of clients") {
  const auto vary = [](RouteCacheOptions options, fw::AuthOptions auth, const Headers& headers) {
    auth.verify = [](std::string_view key, fw::Request&) {
      return fw::AuthIdentity{.user_id = std::string(key)};
    };
    Cached app({.cache = std::move(options)}, {}, TestApp::test_config(),
               [auth](fw::App& application) { application.use(fw::auth(auth)); });
    std::string first(app.get(headers).header("vary").value_or(""));
    CHECK(app.get(headers).header("x-cache") == "HIT");
    CHECK(app.get(headers).header("vary").value_or("") == first);
    return first;
  };
  RouteCacheOptions by_user = cached();
  by_user.partition_key = [](fw::Request& req) { return req.auth().user_id; };
  by_user.allow_shared_caches = true;
  CHECK(vary(by_user, {.source = "apiKey"}, {{"X-Api-Key", "a"}}) ==
        "Origin, x-api-key, Authorization, Cookie");
  CHECK(vary(by_user, {.source = "bearer", .header = "X-Token"}, {{"X-Token", "Bearer a"}}) ==
        "Origin, X-Token, Authorization, Cookie");
  CHECK(vary(by_user, {}, {{"Authorization", "Bearer a"}}) == "Origin, Authorization, Cookie");
  // Other caches must not send the response for all to a client with a key.
  CHECK(vary(cached(), {.source = "apiKey"}, {}) == "Origin, x-api-key");
  CHECK(vary(cached(), {}, {}) == "Origin");
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

TEST_CASE("cache combinations: a hook sees the path as the client has sent it") {
  std::vector<std::string> paths;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/w/:id", {.cache = cached()},
                   [](fw::Request& req, fw::Response& res) { res.json(req.path()); });
      },
      TestApp::test_config(),
      [&](fw::App& application) {
        application.hooks().on<fw::hooks::ResponseBefore>(
            [&](fw::hooks::ResponseBefore& event) { paths.emplace_back(event.req.path()); });
      });
  for (int i = 0; i < 2; ++i) {
    CHECK(app.request("GET", "/w/%61").send().json()["data"] == "/w/a");
  }
  CHECK(paths == std::vector<std::string>{"/w/%61", "/w/%61"});
}

TEST_CASE("cache combinations: other caches do not store what the condition rejects") {
  const auto set_public = [](fw::Request& req, fw::Response& res) {
    if (req.query("own")) res.set_header("cache-control", "public, max-age=9");
    return 0;
  };
  const auto sent = [&](RouteCacheOptions options, const Headers& headers, const char* target) {
    Cached app({.cache = std::move(options)}, set_public);
    const TestResponse response = app.get(headers, target);
    return std::string(response.header("x-cache").value_or("-")) + " " +
           std::string(response.header("cache-control").value_or("none"));
  };
  RouteCacheOptions options = cached();
  options.condition = [](fw::Request& req) { return !req.header("x-preview"); };
  const Headers preview = {{"X-Preview", "1"}};
  CHECK(sent(options, {}, "/c") == "MISS public, max-age=60");
  CHECK(sent(options, preview, "/c") == "- no-store");
  CHECK(sent(options, preview, "/c?own") == "- public, max-age=9");

  RouteCacheOptions keyed = cached();
  keyed.key = [](fw::Request& req) {
    return req.cookie("plan") ? std::string() : std::string(req.url());
  };
  const Headers plan = {{"Cookie", "plan=a"}};
  CHECK(sent(keyed, plan, "/c") == "- no-store");
  CHECK(sent(keyed, plan, "/c?own") == "- private, max-age=9");
}

TEST_CASE("cache combinations: a response that bypasses the cache is as private as a stored one") {
  Cached app({.cache = cached()}, [](fw::Request&, fw::Response& res) {
    res.set_header("cache-control", "public, max-age=9");
    return 0;
  });
  CHECK(app.get({{"Authorization", "x"}}).header("cache-control") == "private, max-age=9");
  CHECK(app.get().header("cache-control") == "public, max-age=9");
  RouteCacheOptions options = cached();
  options.condition = [](fw::Request&) { return false; };
  Cached unwanted({.cache = options}, [](fw::Request&, fw::Response& res) {
    res.set_header("cache-control", "public, max-age=9");
    return 0;
  });
  CHECK(unwanted.get({{"Authorization", "x"}}).header("cache-control") == "private, max-age=9");
  CHECK(unwanted.get().header("cache-control") == "public, max-age=9");
}

TEST_CASE("cache combinations: a response stays private if the handler replaces it") {
  RouteCacheOptions options = cached();
  options.partition_key = tenant_of;
  OneFileApp app([&](fw::Router& router) {
    const fw::Responses responses = {{"200", {{"count", "integer"}}}};
    router.get("/c", {.cache = options, .responses = responses},
               [](fw::Request&, fw::Response& res) {
                 try {
                   res.json({{"count", "many"}});
                 } catch (const std::exception&) {
                   res.json({{"count", 1}});
                 }
               });
  });
  const TestResponse response = app.request("GET", "/c").header("X-Tenant", "a").send();
  CHECK(response.json()["data"]["count"] == 1);
  CHECK(response.header("cache-control") == "private, max-age=60");
}

TEST_CASE("cache combinations: a hook that reads the language adds it to Vary") {
  const Languages languages;
  const auto vary = [&](const std::function<void(fw::App&)>& set_up) {
    Cached app({.cache = cached()}, {}, languages.config(), set_up);
    app.get({{"Accept-Language", "en"}});
    const TestResponse hit = app.get({{"Accept-Language", "de"}});
    CHECK(outcome(hit) == "HIT 1");
    CHECK(hit.header("cache-control")->starts_with("public, "));
    if (hit.json()["data"].contains("hello")) CHECK(hit.json()["data"]["hello"] == "Guten Tag");
    return std::string(hit.header("vary").value_or(""));
  };
  CHECK(vary([](fw::App& app) {
          app.hooks().on<fw::hooks::ResponseBefore>(
              [](fw::hooks::ResponseBefore& event) { event.data["hello"] = event.req.t("hello"); });
        }) == "Origin, Accept-Language");
  CHECK(vary([](fw::App& app) {
          app.use([](fw::Request& req, fw::Response& res, fw::Next next) {
            next();
            res.set_header("x-hello", req.t("hello"));
          });
        }) == "Origin, Accept-Language");
  CHECK(vary({}) == "Origin");
}

TEST_CASE("cache combinations: the id of fw::current_request is not part of a key") {
  const auto id = [] { return fw::current_request()->id; };
  const std::vector<Cached::Respond> handlers = {
      [&](fw::Request&, fw::Response&) { return id(); },
      [&](fw::Request&, fw::Response&) { return fw::Future<std::string>(id).get(); },
      [&](fw::Request&, fw::Response&) {
        std::string found;
        {
          const fw::Future<int> dropped([&] {
            std::this_thread::sleep_for(
                std::chrono::milliseconds(20));  // it is dropped before its work is over
            found = id();
            return 0;
          });
        }
        return found;
      },
      [&](fw::Request&, fw::Response&) {
        std::string found;
        fw::all([&] { found = id(); }, [] {});
        return found;
      }};
  for (const auto& handler : handlers) {
    Cached app({.cache = cached()}, handler);
    for (const char* each : {"a", "b"}) {
      const TestResponse response = app.get({{"X-Request-Id", each}});
      CHECK_FALSE(response.header("x-cache"));
      CHECK(response.json()["data"]["value"] == each);
    }
    const auto warnings = app.sink->messages(fw::LogLevel::warn);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings.front().find("the request id") != std::string::npos);
  }
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

TEST_CASE("cache combinations: a field that an earlier stage sets for some requests is sent once") {
  Cached app(
      {.cache = cached()},
      [](fw::Request&, fw::Response& res) {
        res.set_header("access-control-allow-origin", "*").append_header("link", "</a>");
        return 0;
      },
      TestApp::test_config(),
      [](fw::App& application) {
        application.use([](fw::Request& req, fw::Response& res, fw::Next next) {
          if (req.query("all") || !req.header("origin")) return next();
          res.set_header("access-control-allow-origin", *req.header("origin"));
          res.append_header("link", "</b>");
          next();
        });
      });
  const Headers origin = {{"Origin", "https://a.example"}};
  for (const bool begins_with_origin : {false, true}) {
    const std::string target = begins_with_origin ? "/c?1" : "/c?2";
    for (int i = 0; i < 4; ++i) {
      const bool has_origin = (i % 2 == 0) == begins_with_origin;
      const TestResponse response = app.get(has_origin ? origin : Headers{}, target);
      CHECK(response.header("x-cache") == (i == 0 ? "MISS" : "HIT"));
      CHECK(fw::support::count(response, "access-control-allow-origin") == 1);
      CHECK(response.header("access-control-allow-origin") == "*");
      CHECK(fw::support::count(response, "link") == (has_origin ? 2 : 1));
    }
  }
}

TEST_CASE("cache combinations: a handler that sets what an earlier stage has set is repeated") {
  // The stage sets the field for the first request only.
  Cached app(
      {.cache = cached()},
      [](fw::Request&, fw::Response& res) {
        res.set_header("access-control-allow-origin", "*");
        return 0;
      },
      TestApp::test_config(),
      [](fw::App& application) {
        application.use([](fw::Request& req, fw::Response& res, fw::Next next) {
          if (req.header("origin")) res.set_header("access-control-allow-origin", "*");
          next();
        });
      });
  app.get({{"Origin", "https://a.example"}});
  const TestResponse hit = app.get();
  CHECK(outcome(hit) == "HIT 1");
  CHECK(hit.header("access-control-allow-origin") == "*");
}

TEST_CASE("cache combinations: a stored response with a max-age of its handler has an age") {
  RouteCacheOptions options = cached();
  options.stale_while_revalidate = 60'000;
  Cached app({.cache = options}, [](fw::Request& req, fw::Response& res) {
    if (const auto own = req.query("own")) res.set_header("cache-control", *own);
    res.set_header("etag", "\"1\"");
    return 0;
  });
  const auto age = [&](const char* target, const Headers& headers = {}) {
    return std::string(app.get(headers, target).header("age").value_or("none"));
  };
  for (const char* target :
       {"/c?own=max-age%3D90", "/c?own=public,s-maxage%3D90", "/c?own=public", "/c"}) {
    CHECK(age(target) == "none");
  }
  app.app.advance(std::chrono::seconds(40));
  const auto is_forty = [](const std::string& text) {  // or almost: entries know milliseconds
    return text != "none" && std::stoi(text) >= 39 && std::stoi(text) < 60;
  };
  CHECK(is_forty(age("/c?own=max-age%3D90")));
  CHECK(is_forty(age("/c?own=public,s-maxage%3D90")));
  CHECK(age("/c?own=public") == "none");
  CHECK(age("/c") == "none");  // its max-age is the remaining time
  const auto known = [&](const char* target) {
    return app.app.request("GET", target).header("If-None-Match", "\"1\"").send();
  };
  CHECK(known("/c?own=max-age%3D90").status == 304);
  CHECK(is_forty(std::string(known("/c?own=max-age%3D90").header("age").value_or("none"))));
}

}  // namespace cache_combinations_test
