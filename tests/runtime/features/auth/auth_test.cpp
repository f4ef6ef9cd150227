#include <doctest/doctest.h>

#include "support/table_builder.hpp"

namespace auth_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::testing::TestApp;
using fw::testing::TestResponse;

void who(fw::Request& req, fw::Response& res) {
  const fw::AuthContext& auth = req.auth();
  Json data = {{"authenticated", auth.is_authenticated}, {"userId", auth.user_id}};
  if (auth.error) data["error"] = *auth.error;
  res.json(data);
}

std::optional<fw::AuthIdentity> verify(std::string_view credential, fw::Request&) {
  if (credential == "boom") throw std::runtime_error("provider is down");
  if (credential == "admin") {
    return fw::AuthIdentity{.user_id = "1",
                            .roles = {"admin", "user"},
                            .scopes = {"read", "write"},
                            .can = [](std::string_view action, const Json& resource, const Json&) {
                              if (action == "explode") throw std::runtime_error("can failed");
                              return action == "doc.read" &&
                                     (resource.is_null() || resource == "d1");
                            }};
  }
  if (credential == "user")
    return fw::AuthIdentity{.user_id = "2", .roles = {"user"}, .scopes = {"read"}};
  if (credential == "asserter") {
    return fw::AuthIdentity{
        .user_id = "3", .assert_permission = [](std::string_view action, const Json&, const Json&) {
          if (action != "doc.read") throw std::runtime_error("no");
        }};
  }
  return std::nullopt;
}

void guarded_routes(fw::Router& app) {
  app.get("/who", who);
  app.get("/true", {.auth = true}, who);
  app.get("/opt", {.auth = fw::AuthRequirement{.required = false}}, who);
  app.get("/false", {.auth = false}, who);
  app.get("/roleAny", {.auth = fw::AuthRequirement{.roles = {"admin", "root"}}}, who);
  app.get("/roleAll", {.auth = fw::AuthRequirement{.roles = {"admin", "root"}, .mode = "all"}},
          who);
  app.get("/roleAll2", {.auth = fw::AuthRequirement{.roles = {"admin", "user"}, .mode = "all"}},
          who);
  app.get("/both", {.auth = fw::AuthRequirement{.roles = {"user"}, .scopes = {"write"}}}, who);
  app.get("/perm", {.auth = fw::AuthRequirement{.permissions = {"doc.read"}}}, who);
  app.get("/permWrite", {.auth = fw::AuthRequirement{.permissions = {"doc.write"}}}, who);
  app.get("/permAny", {.auth = fw::AuthRequirement{.permissions = {"doc.write", "doc.read"}}}, who);
  app.get("/permObj",
          {.auth = fw::AuthRequirement{.permissions = {{"doc.read",
                                                        [](fw::Request& req) {
                                                          return Json(req.query("r").value_or(""));
                                                        },
                                                        {{"c", 1}}}}}},
          who);
  app.get("/explode", {.auth = fw::AuthRequirement{.permissions = {"explode"}}}, who);
  app.get("/optRole", {.auth = fw::AuthRequirement{.required = false, .roles = {"admin"}}}, who);
  app.get("/check",
          {.auth = fw::AuthRequirement{.check =
                                           [](fw::Request&, fw::AuthContext& auth) {
                                             return auth.user_id == "1";
                                           }}},
          who);
  app.get("/checkThrow",
          {.auth = fw::AuthRequirement{.check = [](fw::Request&, fw::AuthContext&) -> bool {
             throw std::runtime_error("check failed");
           }}},
          who);
  app.get("/validated", {.validate = {.query = {{"a", "integer!"}}}, .auth = true}, who);
}

class BearerApp : public OneFileApp {
 public:
  BearerApp()
      : OneFileApp(guarded_routes, TestApp::test_config(),
                   [](fw::App& a) { a.use(fw::auth({.source = "bearer", .verify = verify})); }) {}

  TestResponse get(const std::string& path, const std::string& credential = "") {
    auto r = request("GET", path);
    if (!credential.empty()) r.header("Authorization", "Bearer " + credential);
    return r.send();
  }
  /// The business code of the error; 0 if the handler responded.
  Json code(const std::string& path, const std::string& credential = "") {
    return get(path, credential).json()["code"];
  }
};

}  // namespace

TEST_CASE("auth: bearer credentials are parsed and verified") {
  BearerApp app;
  const auto data = [&](const std::string& header) {
    return app.request("GET", "/who").header("Authorization", header).send().json()["data"];
  };
  CHECK(data("bearer   admin ") == Json{{"authenticated", true}, {"userId", "1"}});
  const Json anonymous = {{"authenticated", false}, {"userId", ""}};
  CHECK(data("Basic abc") == anonymous);
  CHECK(data("Bearer") == anonymous);
  CHECK(data("Bearerx") == anonymous);
  CHECK(app.get("/who").json()["data"] == anonymous);
  CHECK(data("Bearer zzz")["error"] == "AUTH_INVALID");
  const TestResponse failed = app.get("/who", "boom");
  CHECK(failed.status == 500);
  CHECK(failed.json()["code"] == "AUTH_PROVIDER_ERROR");
}

TEST_CASE("auth: order and error codes of the guard") {
  BearerApp app;
  const TestResponse required = app.get("/true");
  CHECK(required.status == 401);
  CHECK(required.json()["code"] == "AUTH_REQUIRED");
  CHECK(required.json()["message"] == "Authentication required");
  const TestResponse invalid = app.get("/opt", "zzz");
  CHECK(invalid.status == 401);
  CHECK(invalid.json()["code"] == "AUTH_INVALID");
  CHECK(invalid.json()["message"] == "Invalid authentication credential");
  const TestResponse forbidden = app.get("/roleAny", "user");
  CHECK(forbidden.status == 403);
  CHECK(forbidden.json()["message"] == "Forbidden");
  CHECK(app.code("/true", "user") == 0);
  CHECK(app.code("/opt") == 0);
  CHECK(app.code("/false", "zzz") == 0);
  CHECK(app.code("/roleAny", "admin") == 0);
  CHECK(app.code("/roleAll", "admin") == "AUTH_FORBIDDEN");
  CHECK(app.code("/roleAll2", "admin") == 0);
  CHECK(app.code("/both", "user") == "AUTH_FORBIDDEN");
  CHECK(app.code("/both", "admin") == 0);
  CHECK(app.code("/optRole") == "AUTH_REQUIRED");
  CHECK(app.code("/optRole", "user") == "AUTH_FORBIDDEN");
  CHECK(app.code("/check", "admin") == 0);
  CHECK(app.code("/check", "user") == "AUTH_FORBIDDEN");
  CHECK(app.code("/checkThrow", "admin") == "AUTH_PROVIDER_ERROR");
  // The guard comes before validation.
  CHECK(app.get("/validated").status == 401);
  CHECK(app.get("/validated", "user").status == 422);
}

TEST_CASE("auth: permissions and roles are checked") {
  BearerApp app;
  CHECK(app.code("/perm", "admin") == 0);
  CHECK(app.code("/permWrite", "admin") == "AUTH_FORBIDDEN");
  CHECK(app.code("/permAny", "admin") == 0);
  CHECK(app.code("/permObj?r=d1", "admin") == 0);
  CHECK(app.code("/permObj?r=d2", "admin") == "AUTH_FORBIDDEN");
  CHECK(app.code("/perm", "user") == "AUTH_CONFIG_ERROR");
  CHECK(app.code("/explode", "admin") == "AUTH_PROVIDER_ERROR");
  CHECK(app.code("/perm", "asserter") == 0);
  CHECK(app.code("/permWrite", "asserter") == "AUTH_FORBIDDEN");
}

TEST_CASE("auth: errors with their own response pass through the guard and verify") {
  const auto fail = [](fw::Request& req) {
    const auto what = req.query("throw").value_or("");
    if (what == "http") fw::raise(404, "no such document");
    if (what == "validation") throw fw::ValidationError({{"id", "is unknown"}});
    if (what == "store") throw fw::StoreError("the store is down");
    if (what == "other") throw std::runtime_error("failed");
  };
  const auto resource = [fail](fw::Request& req) {
    fail(req);
    return Json("d1");
  };
  const auto decide = [](std::string_view, const Json& what, const Json&) {
    if (what == "http") fw::raise(410, "gone");
    if (what == "store") throw fw::StoreError("the store is down");
    return true;
  };
  auto sink = std::make_shared<RecordingSink>();
  OneFileApp app(
      [&](fw::Router& router) {
        const auto query = [](fw::Request& req) { return Json(req.query("throw").value_or("")); };
        router.get("/resource",
                   {.auth = fw::AuthRequirement{.permissions = {{"doc.read", resource}}}}, who);
        router.get("/context",
                   {.auth = fw::AuthRequirement{.permissions = {{"doc.read", "d1", resource}}}},
                   who);
        router.get("/check",
                   {.auth = fw::AuthRequirement{.check =
                                                    [fail](fw::Request& req, fw::AuthContext&) {
                                                      fail(req);
                                                      return true;
                                                    }}},
                   who);
        router.get("/verify", {.auth = true}, who);
        router.get("/can", {.auth = fw::AuthRequirement{.permissions = {{"doc.read", query}}}},
                   who);
        router.get("/assert", {.auth = fw::AuthRequirement{.permissions = {{"doc.read", query}}}},
                   who);
      },
      TestApp::test_config(),
      [&](fw::App& a) {
        a.set_logger(fw::Logger(sink, fw::LogLevel::error));
        a.use(fw::auth({.source = "custom", .verify = [&](std::string_view, fw::Request& req) {
                          if (req.path() == "/verify") fail(req);
                          fw::AuthIdentity identity{.user_id = "1"};
                          if (req.path() == "/assert") {
                            identity.assert_permission = decide;
                          } else {
                            identity.can = decide;
                          }
                          return std::optional(identity);
                        }}));
      });
  const auto get = [&](const std::string& target) { return app.request("GET", target).send(); };
  for (const std::string path : {"/resource", "/context", "/check", "/verify"}) {
    CAPTURE(path);
    CHECK(get(path).status == 200);
    CHECK(get(path + "?throw=http").status == 404);
    CHECK(get(path + "?throw=http").json()["message"] == "no such document");
    CHECK(get(path + "?throw=validation").status == 422);
    CHECK(get(path + "?throw=store").status == 503);
    CHECK(get(path + "?throw=other").json()["code"] == "AUTH_PROVIDER_ERROR");
  }
  CHECK(get("/can?throw=http").status == 410);
  CHECK(get("/can?throw=store").status == 503);
  CHECK(get("/assert?throw=http").json()["code"] == "AUTH_FORBIDDEN");
  CHECK(get("/assert?throw=store").status == 503);
}

TEST_CASE("auth: an exception of a provider is logged") {
  auto sink = std::make_shared<RecordingSink>();
  OneFileApp app(guarded_routes, TestApp::test_config(), [&](fw::App& a) {
    a.set_logger(fw::Logger(sink));
    a.use(fw::auth({.verify = verify}));
  });
  app.request("GET", "/who").header("Authorization", "Bearer boom").send();
  const auto records = sink->records();
  REQUIRE(!records.empty());
  CHECK(records[0].fields["err"]["stack"] ==
        "fw::HttpError: Authentication provider failed\ncaused by std::runtime_error: provider is "
        "down");
}

TEST_CASE("auth: a client certificate suffices, unless something else is required") {
  using fw::AuthRequirement;
  OneFileApp app([](fw::Router& router) {
    const auto route = [&](const std::string& path, const AuthRequirement& requirement) {
      router.get(path, {.auth = requirement}, who);
    };
    route("/certificate", {.client_certificate = true});
    route("/role", {.roles = {"admin"}, .client_certificate = true});
    route("/name", {.check =
                        [](fw::Request& req, fw::AuthContext&) {
                          return req.client_certificate()->subject == "CN=billing";
                        },
                    .client_certificate = true});
  });
  const auto get = [&](const std::string& path, const std::string& subject) {
    auto request = app.request("GET", path);
    if (!subject.empty()) request.client_certificate({.subject = subject});
    return request.send();
  };
  CHECK(get("/certificate", "CN=billing").status == 200);
  const auto refused = get("/certificate", "");
  CHECK(refused.status == 401);
  CHECK(refused.json()["code"] == "AUTH_REQUIRED");
  CHECK(get("/role", "CN=billing").status == 401);
  CHECK(get("/name", "CN=billing").status == 200);
  CHECK(get("/name", "CN=other").status == 403);
  CHECK(get("/name", "").status == 401);
}

TEST_CASE("auth: a route that no caller can reach is reported at the start") {
  const auto warnings = [](const fw::RouteOptions& options, bool uses_middleware) {
    auto sink = std::make_shared<fw::support::RecordingSink>();
    OneFileApp app(
        [&](fw::Router& router) {
          router.get("/x", options, [](fw::Request&, fw::Response& res) { res.json(1); });
        },
        TestApp::test_config(),
        [&](fw::App& a) {
          a.set_logger(fw::Logger(sink));
          if (uses_middleware) a.use([](fw::Request&, fw::Response&, fw::Next next) { next(); });
        });
    return sink->messages(fw::LogLevel::warn);
  };
  REQUIRE(warnings({.auth = true}, false).size() == 1);
  CHECK(warnings({.auth = true}, false)[0].find(
            "GET /x declares auth, but no middleware can authenticate") != std::string::npos);
  CHECK(warnings({.auth = true}, true).empty());
  const auto certificate =
      warnings({.auth = fw::AuthRequirement{.client_certificate = true}}, false);
  REQUIRE(certificate.size() == 1);
  CHECK(certificate[0].find("GET /x requires a client certificate, but the server asks for none") !=
        std::string::npos);
  CHECK(warnings({.auth = fw::AuthRequirement{.required = false}}, false).empty());
  CHECK(warnings({}, false).empty());
}

TEST_CASE("auth: API keys, custom sources and missing configuration") {
  const auto data = [](fw::AuthOptions options,
                       const std::vector<std::pair<std::string, std::string>>& headers) {
    OneFileApp app([](fw::Router& router) { router.get("/who", who); }, TestApp::test_config(),
                   [&](fw::App& a) { a.use(fw::auth(options)); });
    auto request = app.request("GET", "/who");
    for (const auto& [name, value] : headers) request.header(name, value);
    const Json json = request.send().json();
    return json.contains("data") ? json["data"] : json["code"];
  };
  const fw::AuthOptions key{.source = "apiKey", .cookie = "key", .verify = verify};
  CHECK(data(key, {})["authenticated"] == false);
  CHECK(data(key, {{"X-Api-Key", "user"}})["userId"] == "2");
  CHECK(data(key, {{"Cookie", "a=b; key=admin"}})["userId"] == "1");
  CHECK(data(key, {{"X-Api-Key", "user"}, {"Cookie", "key=admin"}})["userId"] == "2");
  CHECK(data(key, {{"X-Api-Key", "zzz"}})["error"] == "AUTH_INVALID");
  std::string many = "key=admin";
  for (int i = 0; i < 256; ++i) many += "; a=b";
  CHECK(data(key, {{"Cookie", many}}) == 400);
  const auto nobody = [](std::string_view, fw::Request&) {
    return std::optional<fw::AuthIdentity>();
  };
  CHECK(data({.source = "custom", .verify = nobody}, {})["error"] == "AUTH_INVALID");
  CHECK(!data({.source = "custom", .optional = true, .verify = nobody}, {}).contains("error"));
  CHECK(data({.source = "bearer"}, {}) == "AUTH_CONFIG_ERROR");
  CHECK(data({.source = "session", .verify = verify}, {}) == "AUTH_CONFIG_ERROR");
  CHECK_THROWS_AS(fw::auth({.source = "beerer", .verify = verify}), std::invalid_argument);
}

}  // namespace auth_test
