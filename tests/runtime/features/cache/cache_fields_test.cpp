// What the header fields of cached routes allow caches in front of the application, whose response
// may reach whom, and what a stored response repeats.
#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/cached_app.hpp"
#include "support/cached_responses.hpp"

namespace cache_fields_test {

namespace {

using fw::Json;
using fw::RouteCacheOptions;
using fw::support::Cached;
using fw::support::cached;
using fw::support::Headers;
using fw::support::Languages;
using fw::support::OneFileApp;
using fw::support::outcome;
using fw::support::RollingSessions;
using fw::support::tenant_of;
using fw::testing::TestApp;
using fw::testing::TestResponse;

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

TEST_CASE("cache combinations: Vary names the fields of an identity that a response depends on") {
  const auto none = [](std::string_view, fw::Request&) {
    return std::optional<fw::AuthIdentity>();
  };
  const auto user_of = [](fw::Request& req, fw::Response&) { return req.auth().user_id; };
  RouteCacheOptions options = cached();
  options.allow_cookie_cache = true;
  const auto vary = [&](fw::AuthOptions auth, const Cached::Respond& respond,
                        const fw::Middleware& middleware = {}) {
    auth.verify = none;
    fw::Config config = TestApp::test_config();
    config.session.enabled = true;
    Cached app({.cache = options}, respond, config, [&](fw::App& application) {
      application.use(fw::auth(auth));
      if (middleware) application.use(middleware);
    });
    const TestResponse miss = app.get();
    const TestResponse hit = app.get({{"Cookie", "other=1"}});
    CHECK(hit.header("x-cache") == "HIT");
    CHECK(hit.header("vary") == miss.header("vary"));
    CHECK(app.app.request("HEAD", "/c?head").send().header("vary") == miss.header("vary"));
    CHECK(fw::support::count(hit, "vary") == 1);
    return std::string(miss.header("vary").value_or(""));
  };
  const fw::AuthOptions key = {.source = "apiKey", .cookie = "key"};
  CHECK(vary(key, user_of) == "Authorization, Cookie, Origin, x-api-key");
  CHECK(vary({}, user_of) == "Authorization, Cookie, Origin");
  CHECK(vary({.source = "session"}, user_of) == "Authorization, Cookie, Origin");
  CHECK(vary(key, {}) == "Origin, x-api-key");
  CHECK(vary(key, {}, [](fw::Request& req, fw::Response& res, const fw::Next& next) {
          if (req.auth().is_authenticated) res.set_header("x-user", req.auth().user_id);
          next();
        }) == "Origin, x-api-key, Authorization, Cookie");
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

TEST_CASE("cache combinations: Vary names the header fields that the condition reads") {
  const auto vary = [](RouteCacheOptions options, const Headers& headers = {}) {
    Cached app({.cache = std::move(options)});
    const TestResponse first = app.get(headers);
    CHECK(app.get(headers).header("vary").value_or("") == first.header("vary").value_or(""));
    return std::string(first.header("vary").value_or(""));
  };
  RouteCacheOptions options = cached();
  options.condition = [](fw::Request& req) { return !req.header("x-preview"); };
  CHECK(vary(options) == "Origin, x-preview");
  CHECK(vary(options, {{"X-Preview", "1"}}) == "Origin, x-preview");
  options.headers = {"X-Preview"};
  CHECK(vary(options) == "Origin, X-Preview");
  options.partition_key = tenant_of;
  CHECK(vary(options) == "Origin, X-Preview, x-tenant");
  options = cached();
  options.condition = [](fw::Request& req) { return !req.cookie("plan"); };
  CHECK(vary(options) == "Origin, Cookie");
}

TEST_CASE("cache combinations: what the condition reads is no part of the key") {
  RouteCacheOptions options = cached();
  options.condition = [](fw::Request& req) { return req.header("x-plan") != "none"; };
  Cached app({.cache = options}, [](fw::Request& req, fw::Response&) {
    return Json(req.header("x-plan").value_or("-"));
  });
  CHECK(outcome(app.get({{"X-Plan", "a"}})) == "- 1");
  CHECK(outcome(app.get({{"X-Plan", "b"}})) == "- 2");
}

TEST_CASE("cache combinations: a stored response is as old as its upstream says, and more") {
  Cached app({.cache = cached()}, [](fw::Request& req, fw::Response& res) {
    if (const auto age = req.query("age")) res.set_header("age", *age);
    if (const auto own = req.query("own")) res.set_header("cache-control", *own);
    if (const auto cdn = req.query("cdn")) res.set_header("cdn-cache-control", *cdn);
    return 0;
  });
  const auto get = [&](const char* target) {
    const TestResponse response = app.get({}, target);
    return std::pair(std::string(response.header("age").value_or("none")),
                     std::string(response.header("cache-control").value_or("none")));
  };
  const auto seconds = [](const std::string& text) {
    return text == "none" ? -1 : std::stoi(text);
  };
  const auto max_age = [&](const std::string& text) {
    const auto at = text.find("max-age=");
    return at == std::string::npos ? -1 : std::stoi(text.substr(at + 8));
  };
  CHECK(get("/c?age=30&own=max-age%3D90").first == "30");
  CHECK(get("/c?age=30") == std::pair<std::string, std::string>("30", "public, max-age=90"));
  CHECK(get("/c?age=x").first == "0");
  CHECK(get("/c?cdn=max-age%3D600") ==
        std::pair<std::string, std::string>("none", "public, max-age=60"));
  app.app.advance(std::chrono::seconds(40));
  const auto sum = get("/c?age=30&own=max-age%3D90");
  CHECK(seconds(sum.first) >= 69);
  CHECK(seconds(sum.first) < 90);
  CHECK(sum.second == "max-age=90");
  // With an age, the time that is left is the difference.
  for (const char* target : {"/c?age=30", "/c?cdn=max-age%3D600"}) {
    CAPTURE(target);
    const auto [age, own] = get(target);
    CHECK(seconds(age) >= 39);
    CHECK(max_age(own) - seconds(age) <= 20 + 1);
    CHECK(max_age(own) - seconds(age) > 0);
  }
  CHECK(get("/c?age=99999999999999999999").first == "2147483647");
}

TEST_CASE("cache combinations: the age counts for a max-age of a middleware or a hook, too") {
  const auto age_of_hit = [](const std::function<void(fw::App&)>& set_up) {
    Cached app({.cache = cached()}, {}, TestApp::test_config(), set_up);
    CHECK(!app.get().header("age"));
    app.app.advance(std::chrono::seconds(40));
    return std::stoi(std::string(app.get().header("age").value_or("-1")));
  };
  CHECK(age_of_hit([](fw::App& app) {
          app.use([](fw::Request&, fw::Response& res, fw::Next next) {
            res.set_header("cache-control", "max-age=90");
            next();
          });
        }) >= 39);
  CHECK(age_of_hit([](fw::App& app) {
          app.hooks().on<fw::hooks::ResponseBefore>([](fw::hooks::ResponseBefore& event) {
            event.res.set_header("cache-control", "max-age=90");
          });
        }) >= 39);
}

}  // namespace cache_fields_test
