#include <doctest/doctest.h>

#include "support/table_builder.hpp"

namespace csrf_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::TableBuilder;
using fw::testing::TestApp;
using fw::testing::TestResponse;

using Headers = std::vector<std::pair<std::string, std::string>>;

const std::string kSecret(32, 's');

fw::Config session_mode() {
  fw::Config config = TestApp::test_config();
  config.session.enabled = true;
  config.csrf.enabled = true;
  return config;
}

fw::Config cookie_mode() {
  fw::Config config = TestApp::test_config();
  config.csrf.enabled = true;
  config.csrf.secret = kSecret;
  return config;
}

void csrf_routes(fw::Router& app) {
  const auto ok = [](fw::Request&, fw::Response& res) { res.json("ok"); };
  app.get("/token", [](fw::Request& req, fw::Response& res) {
    res.json({{"token", req.csrf_token()}, {"again", req.csrf_token()}});
  });
  app.get("/plain", ok);
  app.post("/act", ok);
  app.put("/act", ok);
  app.patch("/act", ok);
  app.del("/act", ok);
  app.post("/skip", {.csrf = false}, ok);
  app.post("/sign-in", [](fw::Request& req, fw::Response& res) {
    req.session().regenerate();
    res.json("ok");
  });
}

std::string cookies_of(const TestResponse& response) {
  std::string cookies;
  for (const auto& [name, value] : response.headers) {
    if (name == "set-cookie") cookies += value.substr(0, value.find(';')) + "; ";
  }
  return cookies;
}

struct Visit {
  std::string cookies;
  std::string token;
};

Visit visit(TestApp& app) {
  const TestResponse response = app.request("GET", "/token").send();
  return {cookies_of(response), response.json()["data"]["token"]};
}

/// The status, or the code of the error.
std::string outcome(TestApp& app, const Headers& headers, const std::string& method = "POST",
                    const std::string& target = "/act", const std::optional<Json>& body = {}) {
  auto request = app.request(method, target);
  for (const auto& [name, value] : headers) request.header(name, value);
  if (body) request.json(*body);
  const TestResponse response = request.send();
  if (response.status == 200) return "ok";
  const Json code = response.json()["code"];
  const bool is_of_guard = code == "AUTH_INVALID" || code == "AUTH_REQUIRED";
  CHECK(response.status == (code == "CSRF_CONFIGURATION_ERROR" ? 500 : is_of_guard ? 401 : 403));
  return code;
}

std::vector<std::string> start_errors(const fw::Config& config) {
  try {
    const OneFileApp app(csrf_routes, config);
  } catch (const fw::StartupError& error) {
    return error.errors();
  }
  return {};
}

}  // namespace

TEST_CASE("csrf: unsafe methods need a token of the session") {
  OneFileApp app(csrf_routes, session_mode());
  const Visit page = visit(app);
  CHECK(page.cookies.starts_with("fw.sid="));
  const auto with = [&](const std::string& token) {
    return Headers{{"Cookie", page.cookies}, {"X-CSRF-Token", token}};
  };
  CHECK(outcome(app, {}, "GET", "/plain") == "ok");
  CHECK(outcome(app, {}, "HEAD", "/plain") == "ok");
  CHECK(outcome(app, {}, "POST", "/skip") == "ok");
  for (const std::string method : {"POST", "PUT", "PATCH", "DELETE"}) {
    CAPTURE(method);
    CHECK(outcome(app, {{"Cookie", page.cookies}}, method) == "CSRF_TOKEN_MISSING");
    CHECK(outcome(app, with("wrong"), method) == "CSRF_TOKEN_INVALID");
    CHECK(outcome(app, with(page.token), method) == "ok");
  }
  CHECK(outcome(app, {{"X-CSRF-Token", page.token}}) == "CSRF_TOKEN_INVALID");
  CHECK(outcome(app, {{"Cookie", visit(app).cookies}, {"X-CSRF-Token", page.token}}) ==
        "CSRF_TOKEN_INVALID");
  CHECK(outcome(app, {{"Cookie", page.cookies}, {"X-XSRF-Token", page.token}}) == "ok");
}

TEST_CASE("csrf: each token is different, and all stay valid") {
  OneFileApp app(csrf_routes, session_mode());
  const TestResponse response = app.request("GET", "/token").send();
  const Json data = response.json()["data"];
  CHECK(data["token"] != data["again"]);
  for (const Json& token : {data["token"], data["again"]}) {
    CHECK(outcome(app, {{"Cookie", cookies_of(response)}, {"X-CSRF-Token", token}}) == "ok");
  }
  std::string changed = data["token"];
  changed.back() = changed.back() == 'A' ? 'Q' : 'A';
  CHECK(outcome(app, {{"Cookie", cookies_of(response)}, {"X-CSRF-Token", changed}}) ==
        "CSRF_TOKEN_INVALID");
}

TEST_CASE("csrf: a token in the body is accepted if no header has one") {
  OneFileApp app(csrf_routes, session_mode());
  const Visit page = visit(app);
  const Headers cookie = {{"Cookie", page.cookies}};
  CHECK(outcome(app, cookie, "POST", "/act", Json{{"_csrf", page.token}}) == "ok");
  CHECK(outcome(app, cookie, "POST", "/act", Json{{"_csrf", 1}}) == "CSRF_TOKEN_MISSING");
  CHECK(outcome(app, cookie, "POST", "/act", Json{{"_csrf", ""}}) == "CSRF_TOKEN_MISSING");
  CHECK(outcome(app, cookie, "POST", "/act", Json::array()) == "CSRF_TOKEN_MISSING");
  CHECK(outcome(app, {{"Cookie", page.cookies}, {"X-CSRF-Token", "wrong"}}, "POST", "/act",
                Json{{"_csrf", page.token}}) == "CSRF_TOKEN_INVALID");
  auto form = app.request("POST", "/act")
                  .header("Cookie", page.cookies)
                  .header("Content-Type", "application/x-www-form-urlencoded")
                  .body("a=1&_csrf=" + page.token);
  CHECK(form.send().status == 200);
}

TEST_CASE("csrf: signing in invalidates earlier tokens") {
  OneFileApp app(csrf_routes, session_mode());
  const Visit page = visit(app);
  const TestResponse response = app.request("POST", "/sign-in")
                                    .header("Cookie", page.cookies)
                                    .header("X-CSRF-Token", page.token)
                                    .send();
  CHECK(response.status == 200);
  const std::string cookies = cookies_of(response);
  CHECK(cookies != page.cookies);
  CHECK(outcome(app, {{"Cookie", cookies}, {"X-CSRF-Token", page.token}}) == "CSRF_TOKEN_INVALID");
  const TestResponse next = app.request("GET", "/token").header("Cookie", cookies).send();
  CHECK(outcome(app, {{"Cookie", cookies}, {"X-CSRF-Token", next.json()["data"]["token"]}}) ==
        "ok");
}

TEST_CASE("csrf: without a session the token is bound to a signed cookie") {
  OneFileApp app(csrf_routes, cookie_mode());
  const TestResponse response = app.request("GET", "/token").send();
  const Visit page{cookies_of(response), response.json()["data"]["token"]};
  CHECK(page.cookies.starts_with("fw.csrf="));
  CHECK(response.header("set-cookie")->ends_with("; Path=/; HttpOnly; SameSite=Lax"));
  const auto with = [&](const std::string& cookies, const std::string& token) {
    return outcome(app, {{"Cookie", cookies}, {"X-CSRF-Token", token}});
  };
  CHECK(with(page.cookies, page.token) == "ok");
  CHECK(with(page.cookies, response.json()["data"]["again"]) == "ok");
  CHECK(with(page.cookies, "wrong") == "CSRF_TOKEN_INVALID");
  CHECK(with(page.cookies, visit(app).token) == "CSRF_TOKEN_INVALID");
  CHECK(with("a=b", page.token) == "CSRF_COOKIE_INVALID");
  CHECK(with("fw.csrf=" + page.cookies.substr(9), page.token) == "CSRF_COOKIE_INVALID");
  CHECK(with("fw.csrf=abc", page.token) == "CSRF_COOKIE_INVALID");
  CHECK(with("fw.csrf=.", page.token) == "CSRF_COOKIE_INVALID");
  CHECK(outcome(app, {}) == "CSRF_TOKEN_MISSING");

  // The cookie serves as long as it is valid.
  const TestResponse next = app.request("GET", "/token").header("Cookie", page.cookies).send();
  CHECK(cookies_of(next).empty());
  CHECK(with(page.cookies, next.json()["data"]["token"]) == "ok");

  fw::Config other = cookie_mode();
  other.csrf.secret = std::string(32, 't');
  OneFileApp foreign(csrf_routes, other);
  CHECK(outcome(foreign, {{"Cookie", page.cookies}, {"X-CSRF-Token", page.token}}) ==
        "CSRF_COOKIE_INVALID");
}

TEST_CASE("csrf: requests marked as cross-site by the browser are rejected first") {
  fw::Config config = session_mode();
  config.csrf.origin = {.enabled = true, .trusted_origins = {"https://ok.test"}};
  OneFileApp app(csrf_routes, config);
  const Visit page = visit(app);
  const auto from = [&](const std::string& site, const std::string& origin, bool has_token) {
    Headers headers = {{"Cookie", page.cookies}, {"Host", "shop.test"}, {"Sec-Fetch-Site", site}};
    if (!origin.empty()) headers.emplace_back("Origin", origin);
    if (has_token) headers.emplace_back("X-CSRF-Token", page.token);
    return outcome(app, headers);
  };
  CHECK(from("cross-site", "http://evil.test", false) == "CSRF_FETCH_METADATA_REJECTED");
  CHECK(from("cross-site", "", true) == "CSRF_FETCH_METADATA_REJECTED");
  CHECK(from("cross-site", "https://ok.test", true) == "ok");
  CHECK(from("same-origin", "http://evil.test", false) == "CSRF_ORIGIN_REJECTED");
  CHECK(from("same-site", "", true) == "ok");
  CHECK(from("same-origin", "", true) == "ok");
  CHECK(from("none", "", true) == "ok");
  config.csrf.fetch_metadata = false;
  OneFileApp lax(csrf_routes, config);
  CHECK(outcome(lax, {{"Sec-Fetch-Site", "cross-site"}}) == "CSRF_TOKEN_MISSING");
}

TEST_CASE("csrf: the origin must be the application's own or a trusted one") {
  fw::Config config = cookie_mode();
  config.trust_proxy = true;
  config.csrf.origin = {.enabled = true, .trusted_origins = {"https://OK.test:443"}};
  OneFileApp app(csrf_routes, config);
  const auto from = [&](const std::string& name, const std::string& origin,
                        const std::string& host = "shop.test",
                        const std::string& protocol = "http") {
    return outcome(app, {{"Host", host}, {"X-Forwarded-Proto", protocol}, {name, origin}});
  };
  const std::string passed = "CSRF_TOKEN_MISSING";
  const std::string rejected = "CSRF_ORIGIN_REJECTED";
  CHECK(from("Origin", "http://shop.test") == passed);
  CHECK(from("Origin", "http://shop.test", "Shop.Test:80") == passed);
  CHECK(from("Origin", "https://shop.test") == rejected);
  CHECK(from("Origin", "https://shop.test", "shop.test", "https") == passed);
  CHECK(from("Origin", "http://shop.test:8080") == rejected);
  CHECK(from("Origin", "https://ok.test") == passed);
  CHECK(from("Origin", "http://ok.test") == rejected);
  CHECK(from("Origin", "null") == rejected);
  CHECK(from("Referer", "http://shop.test/a/page?x=http://evil.test") == passed);
  CHECK(from("Referer", "http://evil.test/http://shop.test") == rejected);
  CHECK(from("X-Other", "1") == passed);
}

TEST_CASE("csrf: credentials in a header need no token, credentials sent by browsers do") {
  const auto identity = [](std::string_view credential,
                           fw::Request&) -> std::optional<fw::AuthIdentity> {
    if (credential != "good") return std::nullopt;
    return fw::AuthIdentity{.user_id = "1"};
  };
  const auto app_with = [&](std::vector<fw::AuthOptions> all) {
    return OneFileApp(csrf_routes, session_mode(), [&](fw::App& app) {
      for (fw::AuthOptions& options : all) {
        options.verify = identity;
        app.use(fw::auth(options));
      }
    });
  };
  OneFileApp tokens = app_with({{.source = "session"}, {.source = "bearer"}});
  CHECK(outcome(tokens, {{"Authorization", "Bearer good"}}) == "ok");
  CHECK(outcome(tokens, {{"Authorization", "Bearer good"}, {"Sec-Fetch-Site", "cross-site"}}) ==
        "ok");
  CHECK(outcome(tokens, {{"Authorization", "Bearer bad"}}) == "CSRF_TOKEN_MISSING");
  CHECK(outcome(tokens, {{"Authorization", "Basic good"}}) == "CSRF_TOKEN_MISSING");
  CHECK(outcome(tokens, {}) == "CSRF_TOKEN_MISSING");

  OneFileApp keys = app_with({{.source = "apiKey", .cookie = "key"}});
  CHECK(outcome(keys, {{"X-Api-Key", "good"}}) == "ok");
  CHECK(outcome(keys, {{"Cookie", "key=good"}}) == "CSRF_TOKEN_MISSING");
  CHECK(outcome(keys, {{"Cookie", "key=good"}, {"X-Api-Key", ""}}) == "CSRF_TOKEN_MISSING");

  // A browser repeats Authorization with a password by itself.
  OneFileApp basic = app_with({{.source = "apiKey", .header = "Authorization"}});
  CHECK(outcome(basic, {{"Authorization", "good"}}) == "CSRF_TOKEN_MISSING");
}

TEST_CASE("csrf: an invalid credential is rejected by the guard, not for a missing token") {
  TableBuilder table;
  table.middleware("signs-in", fw::define_middleware([](const Json&) -> fw::Middleware {
                     return [](fw::Request& req, fw::Response&, fw::Next next) {
                       req.auth() = fw::AuthContext{.is_authenticated = true};
                       next();
                     };
                   }));
  table.routes([](fw::Router& routes) {
    const auto ok = [](fw::Request&, fw::Response& res) { res.json("ok"); };
    routes.post("/act", ok);
    routes.post("/guarded", {.auth = true}, ok);
    routes.post("/guarded-later", {.auth = true, .middlewares = {"signs-in"}}, ok);
  });
  fw::Config config = session_mode();
  config.middlewares = {{.name = "signs-in"}};
  TestApp app(table.table(), config, [](fw::App& a) {
    a.use(fw::auth({.source = "bearer",
                    .verify = [](std::string_view credential,
                                 fw::Request&) -> std::optional<fw::AuthIdentity> {
                      if (credential != "good") return std::nullopt;
                      return fw::AuthIdentity{.user_id = "1"};
                    }}));
  });
  const auto of = [&](const std::string& target, const std::string& credential) {
    return outcome(app, {{"Authorization", credential}}, "POST", target);
  };
  CHECK(of("/guarded", "Bearer good") == "ok");
  CHECK(of("/guarded", "Bearer bad") == "AUTH_INVALID");
  CHECK(of("/guarded", "Basic bad") == "CSRF_TOKEN_MISSING");  // no credential of the application
  CHECK(of("/act", "Bearer bad") == "CSRF_TOKEN_MISSING");     // no guard
  // The middleware of the route could authenticate a request that a browser sends by itself.
  CHECK(of("/guarded-later", "Bearer bad") == "CSRF_TOKEN_MISSING");
}

TEST_CASE("csrf: the application can skip the check for requests") {
  OneFileApp app(csrf_routes, session_mode(), [](fw::App& a) {
    a.skip_csrf([](fw::Request& req) { return req.header("x-signature") == "right"; });
  });
  CHECK(outcome(app, {{"X-Signature", "right"}}) == "ok");
  CHECK(outcome(app, {{"X-Signature", "wrong"}}) == "CSRF_TOKEN_MISSING");
}

TEST_CASE("csrf: origins that may send cookies are trusted and can send the token") {
  fw::Config config = session_mode();
  config.cors.origins = {"https://app.example"};
  const Headers cross = {{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://app.example"}};
  OneFileApp without(csrf_routes, config);
  CHECK(outcome(without, cross) == "CSRF_FETCH_METADATA_REJECTED");
  config.cors.credentials = true;
  OneFileApp with(csrf_routes, config);
  CHECK(outcome(with, cross) == "CSRF_TOKEN_MISSING");
  const auto allowed = [](OneFileApp& app) {
    return std::string(*app.request("OPTIONS", "/act")
                            .header("Origin", "https://app.example")
                            .header("Access-Control-Request-Method", "POST")
                            .send()
                            .header("access-control-allow-headers"));
  };
  CHECK(allowed(with) == "Content-Type, Authorization, X-Request-Id, x-csrf-token");
  config.cors.headers = {"X-Own"};
  OneFileApp own(csrf_routes, config);
  CHECK(allowed(own) == "X-Own");
}

TEST_CASE("csrf: methods, header names and body fields are configurable") {
  fw::Config config = cookie_mode();
  config.csrf.methods = {"PUT"};
  config.csrf.headers = {"x-proof"};
  config.csrf.body_field = "proof";
  config.csrf.name = "proof";
  config.csrf.cookie = {.http_only = false, .max_age = 60};
  OneFileApp app(csrf_routes, config);
  const TestResponse response = app.request("GET", "/token").send();
  CHECK(response.header("set-cookie")->starts_with("proof="));
  CHECK(response.header("set-cookie")->ends_with("; Max-Age=60; Path=/; SameSite=Lax"));
  const std::string token = response.json()["data"]["token"];
  const std::string cookies = cookies_of(response);
  CHECK(outcome(app, {}) == "ok");
  CHECK(outcome(app, {{"Cookie", cookies}, {"X-Proof", token}}, "PUT") == "ok");
  CHECK(outcome(app, {{"Cookie", cookies}, {"X-CSRF-Token", token}}, "PUT") ==
        "CSRF_TOKEN_MISSING");
  CHECK(outcome(app, {{"Cookie", cookies}}, "PUT", "/act", Json{{"proof", token}}) == "ok");
}

TEST_CASE("csrf: contradictory settings fail the start") {
  using Errors = std::vector<std::string>;
  fw::Config config = TestApp::test_config();
  config.csrf.enabled = true;
  const auto errors = start_errors(config);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].starts_with(
      "configuration: /csrf/enabled: the check needs a session, or csrf.secret: set "
      "session.enabled or csrf.secret, or the option .csrf = false of the routes that it would "
      "protect: 5 routes, the first is POST /act ("));
  config.csrf.secret = "short";
  CHECK(start_errors(config) ==
        Errors{"configuration: /csrf/secret: it must have 32 bytes or more"});
  config.csrf.secret = "";
  config.csrf.mode = fw::CsrfMode::signed_cookie;
  CHECK(start_errors(config)[0] ==
        "configuration: /csrf/secret: the mode \"signed-cookie\" needs it");
  config = cookie_mode();
  config.csrf.headers = {"x y"};
  config.csrf.origin.trusted_origins = {"ok.test"};
  CHECK(start_errors(config) ==
        Errors{"configuration: /csrf/headers/0: 'x y' is not a valid header name",
               "configuration: /csrf/origin/trustedOrigins/0: 'ok.test' is not an origin: write a "
               "scheme and a host, for "
               "example \"https://shop.example.com\""});
}

TEST_CASE("csrf: methods that protect nothing fail the start or are reported") {
  fw::Config config = cookie_mode();
  config.csrf.methods = {"post"};
  CHECK(start_errors(config) ==
        std::vector<std::string>{"configuration: /csrf/methods/0: 'post' never matches, because "
                                 "methods are case-sensitive: write \"POST\""});
  config.csrf.methods = {};
  for (const bool is_enabled : {true, false}) {
    config.csrf.enabled = is_enabled;
    const auto sink = std::make_shared<fw::support::RecordingSink>();
    OneFileApp app(csrf_routes, config,
                   [&](fw::App& a) { a.set_logger(fw::Logger(sink, fw::LogLevel::warn)); });
    CHECK(app.request("POST", "/act").send().status == 200);
    using Messages = std::vector<std::string>;
    CHECK(sink->messages() ==
          (is_enabled ? Messages{"csrf is enabled, but csrf.methods is empty, so that no request "
                                 "needs a token"}
                      : Messages{}));
  }
}

TEST_CASE("csrf: a token for a route with neither session nor secret is an error") {
  fw::Config config = TestApp::test_config();
  const auto code = [&] {
    OneFileApp app(
        [](fw::Router& router) {
          router.get("/token",
                     [](fw::Request& req, fw::Response& res) { res.json(req.csrf_token()); });
        },
        config);
    return outcome(app, {}, "GET", "/token");
  };
  CHECK(code() == "CSRF_CONFIGURATION_ERROR");
  config.csrf.enabled = true;
  CHECK(code() == "CSRF_CONFIGURATION_ERROR");
  config.csrf.secret = kSecret;
  CHECK(code() == "ok");
  config.csrf.mode = fw::CsrfMode::session;
  CHECK(code() == "CSRF_CONFIGURATION_ERROR");
}

TEST_CASE("csrf: a response with a token is private, also without a new cookie") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/form", [](fw::Request& req, fw::Response& res) {
          res.set_header("cache-control", "public, max-age=60").json(req.csrf_token());
        });
      },
      cookie_mode());
  const TestResponse first = app.request("GET", "/form").send();
  const TestResponse second =
      app.request("GET", "/form").header("Cookie", cookies_of(first)).send();
  CHECK_FALSE(second.header("set-cookie"));
  CHECK(second.header("cache-control") == "private, max-age=60");
}

}  // namespace csrf_test
