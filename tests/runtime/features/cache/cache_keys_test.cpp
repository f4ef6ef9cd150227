// Which requests share an entry of a cached route, and which must not.
#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/ascii.hpp"
#include "eventually.hpp"
#include "support/cached_app.hpp"
#include "support/cached_responses.hpp"
#include "support/failing_store.hpp"

namespace cache_keys_test {

namespace {

using fairway::test::eventually;
using fw::Json;
using fw::RouteCacheOptions;
using fw::support::Cached;
using fw::support::cached;
using fw::support::Languages;
using fw::support::OneFileApp;
using fw::support::outcome;
using fw::testing::TestApp;
using fw::testing::TestResponse;

}  // namespace

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

namespace {

/// Holds the second request after its first look-up, or the first one while it stores its response.
class HoldingStore : public fw::support::FailingStore {
 public:
  explicit HoldingStore(bool holds_lookup) : holds_lookup_(holds_lookup) {}
  /// A request looks for an entry at first, before it runs the handler, and before it stores a
  /// response with another key.
  std::atomic<int> lookups = 0;
  std::atomic<bool> is_storing = false;
  std::atomic<bool> is_open = false;

  bool is_shared() const override { return false; }
  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    auto object = FailingStore::get_object(key, convert);
    const int lookup = ++lookups;
    while (holds_lookup_ && lookup == 3 && !is_open) std::this_thread::yield();
    return object;
  }
  void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) override {
    is_storing = true;
    while (!holds_lookup_ && !is_open) std::this_thread::yield();
    FailingStore::set(key, value, ttl);
  }

 private:
  const bool holds_lookup_;
};

}  // namespace

TEST_CASE("cache combinations: the response that the language is learned from is made once") {
  const Languages languages;
  for (const bool holds_lookup : {true, false}) {
    CAPTURE(holds_lookup);
    const auto store = std::make_shared<HoldingStore>(holds_lookup);
    Cached app(
        {.cache = cached()},
        [&](fw::Request& req, fw::Response&) {
          if (holds_lookup) CHECK(eventually([&] { return store->lookups == 3; }));
          return req.t("hello");
        },
        languages.config(), [&](fw::App& application) { application.set_store("cache", store); });
    std::string first;
    std::thread leader([&] { first = outcome(app.get()); });
    if (holds_lookup) {
      CHECK(eventually([&] { return store->lookups == 2; }));
    } else {
      CHECK(eventually([&] { return store->is_storing.load(); }));
    }
    std::string second;
    std::thread other([&] { second = outcome(app.get()); });
    if (holds_lookup) {
      leader.join();
    } else {
      CHECK(eventually([&] { return store->lookups == 4; }));
      // Time in which it would run the handler.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    store->is_open = true;
    if (leader.joinable()) leader.join();
    other.join();
    CHECK(first == "MISS 1");
    CHECK(second == "HIT 1");
  }
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

TEST_CASE("cache combinations: what middlewares set before the handler is part of the key") {
  // The handler sends the status and the media type that it finds.
  const Languages languages;
  Cached app(
      {.cache = cached()},
      [](fw::Request& req, fw::Response&) { return req.query("t") ? req.t("hello") : "all"; },
      languages.config(),
      [](fw::App& application) {
        application.use([](fw::Request& req, fw::Response& res, fw::Next next) {
          if (req.header("x-beta")) res.status(203);
          if (req.header("accept") == "application/hal+json") {
            res.set_header("content-type", "application/hal+json");
          }
          next();
        });
      });
  const fw::support::Headers hal = {{"Accept", "application/hal+json"}};
  const fw::support::Headers beta = {{"X-Beta", "1"}};
  for (const char* target : {"/c", "/c?t"}) {
    for (const char* expected : {"MISS", "HIT"}) {
      const auto get = [&](const fw::support::Headers& headers) {
        const TestResponse response = app.get(headers, target);
        CHECK(response.header("x-cache") == expected);
        return std::to_string(response.status) + ' ' +
               std::string(response.header("content-type").value_or("none"));
      };
      CHECK(get(hal) == "200 application/hal+json");
      CHECK(get(beta) == "203 application/json; charset=utf-8");
      CHECK(get({}) == "200 application/json; charset=utf-8");
    }
  }
  CHECK(*app.calls == 6);
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
      {"/c/a%40b", "GET /c/a@b"},
      {"/c/a@c", "GET /c/a%40c"},
      {"/c/x%20y", "GET /c/x y"},
      {"/c/%C3%A9", "GET /c/\u00e9"},
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

}  // namespace cache_keys_test
