#include "rules/lints.hpp"

#include <doctest/doctest.h>

#include "support/builders.hpp"

namespace lints_test {

using namespace fairway;
using namespace fairway::testing;
using model::Value;

namespace {

/// The findings of one lint. The application must be without errors.
model::Diagnostics found(const std::string& id, const std::vector<model::ParsedFile>& files,
                         const model::AppSettings& settings = {}) {
  const auto resolution = checked(files);
  REQUIRE(summary(resolution.diagnostics).empty());
  model::Diagnostics result;
  for (const auto& diagnostic : rules::lint(resolution.application, files, settings)) {
    CHECK(diagnostic.severity == model::Severity::warning);
    CHECK_FALSE(diagnostic.help.empty());
    if (diagnostic.id == id) result.push_back(diagnostic);
  }
  return result;
}

/// The findings about one file with these routes.
std::string texts(const std::string& id, std::vector<model::Registration> routes,
                  const std::string& path = "routes/index.cpp") {
  std::string lines;
  for (const auto& each : found(id, {route_file(path, std::move(routes))})) {
    lines += each.method + ' ' + each.route + ": " + each.message + '\n';
  }
  return lines;
}

Value docs(Named members) { return options({{"docs", record("Docs", std::move(members))}}); }

Value documented_response(const std::string& selector, Named config) {
  return docs({{"responses", entries({{selector, record("ResponseDocs", std::move(config))}})}});
}

const Value kGuarded = options({{"auth", flag(true)}});

}  // namespace

TEST_CASE("[missing-docs-summary] a documented route without a summary is reported") {
  CHECK(texts("missing-docs-summary", {route("GET", "/")}) ==
        "GET /: the route has no 'docs.summary'\n");
  CHECK(texts("missing-docs-summary", {route("GET", "/", docs({{"deprecated", flag(true)}}))}) !=
        "");
  CHECK(texts("missing-docs-summary", {route("GET", "/", docs({{"summary", text("List")}})),
                                       route("POST", "/", docs({{"hidden", flag(true)}}))}) == "");
}

TEST_CASE("lints: the range is the incomplete option in the registration, or else the method") {
  auto inline_docs = route("GET", "/", docs({{"deprecated", flag(true)}}));
  auto file = route_file("routes/index.cpp", {inline_docs, route("POST", "/")});
  file.registrations[0].options->members[0].name_range = {file.display_path, 2, 20, 2, 24};
  auto lints = found("missing-docs-summary", {file});
  REQUIRE(lints.size() == 2);
  CHECK(lints[0].range.column == 20);
  CHECK(lints[1].range == file.registrations[1].method_range);
  // Two routes may share options that are declared elsewhere.
  file.registrations[0].options->members[0].name_range.line = 1;
  CHECK(found("missing-docs-summary", {file})[0].range == file.registrations[0].method_range);
}

TEST_CASE("[auto-operation-id] the message contains the id inferred from the path") {
  CHECK(texts("auto-operation-id", {route("GET", "/:id")}, "routes/users.cpp") ==
        "GET /users/:id: the operation id 'getUsersById' is inferred, and changes with the path\n");
  CHECK(texts("auto-operation-id", {route("GET", "/", docs({{"operation_id", text("a")}})),
                                    route("POST", "/", docs({{"hidden", flag(true)}}))}) == "");
}

TEST_CASE("[auto-operation-id] a re-exported route cannot have its own id") {
  CHECK(found("auto-operation-id", {route_file("routes/a.cpp", {route("GET", "/")}),
                                    reexport_file("routes/b.cpp", "a.cpp")})
            .empty());
  CHECK(found("missing-docs-summary", {route_file("routes/a.cpp", {route("GET", "/")}),
                                       reexport_file("routes/b.cpp", "a.cpp")})
            .size() == 1);
}

TEST_CASE("[shadowed-route] a wildcard that no request reaches is reported") {
  const auto lints = found("shadowed-route",
                           {route_file("routes/files.cpp", {route("GET", "/*"), route("GET", "/"),
                                                            route("GET", "/:folder/*path")})});
  CHECK(summary(lints) ==
        "src/routes/files.cpp:2:11 shadowed-route: no request reaches 'GET /files/*'\n");
  REQUIRE(lints.at(0).notes.size() == 2);
  CHECK(lints[0].notes[0].message == "'GET /files' takes precedence over it");
  CHECK(lints[0].notes[0].range.line == 3);
  CHECK(lints[0].notes[1].message == "'GET /files/:folder/*path' takes precedence over it");
  CHECK(lints[0].notes[1].range.line == 4);
}

TEST_CASE("[shadowed-route] root wildcards, other files and several shadowing routes") {
  CHECK(found("shadowed-route",
              {route_file("routes/index.cpp", {route("GET", "/"), route("GET", "/*")}),
               route_file("routes/pages.cpp", {route("GET", "/*")})})
            .empty());
  CHECK(texts("shadowed-route",
              {route("GET", "/"), route("GET", "/:page/*"), route("GET", "/*other")}) ==
        "GET /*other: no request reaches 'GET /*other'\n");
  CHECK(texts("shadowed-route", {route("GET", "/a"), route("GET", "/A/:x"),
                                 route("GET", "/a/:x/:y/*"), route("GET", "/a/*")}) ==
        "GET /a/*: no request reaches 'GET /a/*'\n");
}

TEST_CASE("[shadowed-route] a wildcard that some request still reaches is not reported") {
  // The path itself; another method; one segment only; a literal; a pattern.
  CHECK(texts("shadowed-route", {route("GET", "/:x/*"), route("GET", "/*")}) == "");
  CHECK(texts("shadowed-route", {route("GET", "/"), route("POST", "/:x/*"), route("GET", "/*")}) ==
        "");
  CHECK(texts("shadowed-route", {route("GET", "/"), route("GET", "/:x"), route("GET", "/*")}) ==
        "");
  CHECK(texts("shadowed-route", {route("GET", "/"), route("GET", "/x/*"), route("GET", "/*")}) ==
        "");
  CHECK(texts("shadowed-route",
              {route("GET", "/"), route("GET", "/:x.:y/*"), route("GET", "/*")}) == "");
  CHECK(texts("shadowed-route", {route("GET", "/:name.:ext"), route("GET", "/:name.json"),
                                 route("GET", "/:id"), route("GET", "/me")}) == "");
}

TEST_CASE("[missing-response-schema] a success response without a schema is reported") {
  const Value schema = entries({{"id", text("integer")}});
  CHECK(texts("missing-response-schema", {route("GET", "/")}) ==
        "GET /: the route declares no schema for its response\n");
  CHECK(texts("missing-response-schema",
              {route("GET", "/", options({{"responses", entries({{"404", schema}})}}))}) ==
        "GET /: 'responses' declares errors only, and the handler may send others\n");
  for (const char* selector : {"200", "2xx", "default"}) {
    CAPTURE(selector);
    CHECK(texts("missing-response-schema",
                {route("GET", "/", options({{"responses", entries({{selector, schema}})}}))}) ==
          "");
  }
}

TEST_CASE("[missing-response-schema] a response that can be any JSON is reported") {
  constexpr const char* kMember = R"({"type": "object", "properties": {}})";
  // The schemas of what is sent with these statuses; empty: not known.
  const auto with = [](std::vector<std::pair<int, std::string>> schemas,
                       const Value& route_options = options({})) {
    auto registration = route("GET", "/", route_options);
    registration.handler.may_send_json = false;  // of a handler without fw::Response
    registration.handler.sends_others = false;
    for (const auto& [status, schema] : schemas) {
      model::TypeUse type;
      if (!schema.empty()) type = {.name = "::T" + std::to_string(status), .schema = schema};
      registration.signature.results.push_back({.status = status, .type = type, .range = {}});
      if (schema.empty()) {
        registration.signature.results.pop_back();
        model::SentResponse sent;
        sent.function = "json";
        sent.statuses = {status};
        registration.handler.sent.push_back(sent);
      }
    }
    return texts("missing-response-schema", {std::move(registration)});
  };
  const std::string one = "GET /: the route declares no schema for its response\n";
  CHECK(with({{200, "{}"}}) == one);
  CHECK(with({{200, ""}}) == one);
  CHECK(with({{200, kMember}, {201, "{}"}}) ==
        "GET /: the route declares no schema for its response 201\n");
  CHECK(with({{200, kMember}}) == "");
  CHECK(with({{200, kMember}, {404, "{}"}}) == "");
  const Value declared =
      options({{"responses", entries({{"2xx", entries({{"id", text("integer")}})}})}});
  CHECK(with({{200, "{}"}, {201, ""}}, declared) == "");
}

TEST_CASE("[missing-response-schema] responses without JSON need no schema") {
  const auto is_silent = [](Value route_options) {
    return texts("missing-response-schema", {route("GET", "/", std::move(route_options))}).empty();
  };
  CHECK(is_silent(documented_response("204", {{"description", text("gone")}})));
  CHECK(is_silent(documented_response("302", {{"description", text("moved")}})));
  CHECK(is_silent(documented_response("200", {{"content_type", text("text/csv; charset=utf-8")}})));
  CHECK(is_silent(documented_response("200", {{"schema", entries({{"id", text("integer")}})}})));
  CHECK(is_silent(docs({{"hidden", flag(true)}})));
  const Value messages =
      options({{"send", entries({{"said", entries({{"text", text("string")}})}})}});
  CHECK(texts("missing-response-schema", {route("SOCKET", "/", messages)}) == "");
  CHECK(is_silent(options({{"frontend", record("Frontend", {{"page", text("home")}})}})));
  CHECK_FALSE(is_silent(documented_response("200", {{"description", text("a list")}})));
  CHECK_FALSE(is_silent(documented_response("200", {{"content_type", text("application/json")}})));
  CHECK_FALSE(is_silent(documented_response("404", {{"content_type", text("application/json")}})));
  CHECK(texts("missing-response-schema", {route("HEAD", "/")}) == "");
}

TEST_CASE("[refused-redirect] each status with which a redirect throws is reported") {
  auto registration = route("POST", "/");
  CHECK(texts("refused-redirect", {registration}) == "");
  registration.handler.refused_redirects = {{303, {"src/routes/index.cpp", 4, 9, 4, 12}},
                                            {30, {"src/routes/index.cpp", 5, 9, 5, 11}}};
  CHECK(texts("refused-redirect", {registration}) ==
        "POST /: 'res.redirect' throws for status 303\n"
        "POST /: 'res.redirect' throws for status 30\n");
}

TEST_CASE("[undeclared-media-type] a body that is no JSON is reported if JSON is declared") {
  const Value declared =
      options({{"responses", entries({{"200", entries({{"id", text("uuid")}})}})}});
  auto registration = route("GET", "/", declared);
  registration.handler.sends_others = false;
  registration.handler.sent = {{.function = "text", .statuses = {200}, .media_type = "text/plain"}};
  CHECK(
      texts("undeclared-media-type", {registration}) ==
      "GET /: 'res.text' sends text/plain with status 200, for which 'responses' declares JSON\n");
  auto both = registration;
  both.handler.sent.push_back({.function = "json", .statuses = {200}});
  CHECK(texts("undeclared-media-type", {both}) == "");
  registration.handler.sends_others = true;
  CHECK(texts("undeclared-media-type", {registration}) == "");
}

TEST_CASE("[body-on-get] a body schema for a method whose bodies are not parsed is reported") {
  const Value required = options({{"validate", validate("body", {{"q", text("string")}})}});
  CHECK(texts("body-on-get", {route("GET", "/", required)}) ==
        "GET /: bodies of GET requests are not parsed, so this schema rejects every request\n");
  CHECK(texts("body-on-get", {route("HEAD", "/", required)}) != "");
  CHECK(texts("body-on-get", {route("OPTIONS", "/", required)}) != "");
  CHECK(texts("body-on-get", {route("DELETE", "/", required), route("POST", "/", required)}) == "");
  CHECK(texts("body-on-get",
              {route("GET", "/",
                     options({{"validate", validate("query", {{"q", text("string")}})}}))}) == "");
}

TEST_CASE("[body-on-get] uploads and documented bodies are reported") {
  const auto multipart = [](bool enabled) {
    return options({{"multipart", record("Multipart", {{"enabled", flag(enabled)}})}});
  };
  CHECK(texts("body-on-get", {route("GET", "/", multipart(true))}) ==
        "GET /: a GET request uploads no files\n");
  CHECK(texts("body-on-get", {route("GET", "/", multipart(false))}) == "");
  const Value content = entries({{"content", entries({{"text/plain", call("Json::object", {})}})}});
  CHECK(texts("body-on-get", {route("GET", "/", docs({{"request_body", content}}))}) ==
        "GET /: a body of GET requests is documented, but not parsed\n");
}

TEST_CASE("[cache-on-unsafe-method] a cache without 'methods' on an unsafe method is reported") {
  const auto cached = [](Value cache) { return options({{"cache", std::move(cache)}}); };
  const auto with = [&](Named members) {
    return cached(record("RouteCacheOptions", std::move(members)));
  };
  CHECK(texts("cache-on-unsafe-method", {route("POST", "/", cached(integer(5000)))}) ==
        "POST /: 'cache' has no effect on a POST route: only GET and HEAD are cached\n");
  CHECK(texts("cache-on-unsafe-method",
              {route("PUT", "/", with({{"methods", list({text("GET")})}}))}) ==
        "PUT /: 'cache' has no effect on a PUT route: 'cache.methods' does not name it\n");
  CHECK(texts("cache-on-unsafe-method",
              {route("DELETE", "/", with({{"methods", list({text("GET"), text("DELETE")})}}))}) ==
        "DELETE /: a cached response is sent without running the handler of a DELETE request\n");
  CHECK(texts("cache-on-unsafe-method",
              {route("GET", "/", cached(integer(5000))), route("POST", "/", cached(flag(false))),
               route("PUT", "/", cached(integer(0))), route("PATCH", "/"),
               route("DELETE", "/", with({{"ttl", integer(-1)}}))}) == "");
  const auto search = route("POST", "/", with({{"methods", list({text("POST")})}}));
  CHECK(found("cache-on-unsafe-method", {route_file("routes/index.cpp", {search})}).at(0).help ==
        "remove the method, unless the handler only reads data");
}

TEST_CASE("[csrf-on-safe-method] methods that the configuration checks are not reported") {
  const auto file =
      route_file("routes/index.cpp", {route("GET", "/", options({{"csrf", flag(false)}}))});
  CHECK(found("csrf-on-safe-method", {file}).size() == 1);
  model::AppSettings settings;
  settings.config.csrf.methods = {"GET", "POST"};
  CHECK(found("csrf-on-safe-method", {file}, settings).empty());
}

TEST_CASE("[multipart-not-enabled] silent if the configuration enables form parsing") {
  const Value files = record("Multipart", {{"files", entries({{"avatar", text("A picture")}})}});
  const auto file =
      route_file("routes/index.cpp", {route("POST", "/", options({{"multipart", files}}))});
  CHECK(found("multipart-not-enabled", {file}).size() == 1);
  model::AppSettings settings;
  settings.config.multipart.enabled = true;
  CHECK(found("multipart-not-enabled", {file}, settings).empty());
}

TEST_CASE("[session-not-enabled] reported only if the configuration is known") {
  const auto lints = [](const model::Registration& registration, model::AppSettings settings) {
    auto used = registration;
    used.handler.calls = {{"session", {"src/routes/index.cpp", 9, 3, 9, 16}}};
    return summary(
        found("session-not-enabled", {route_file("routes/index.cpp", {used})}, settings));
  };
  const auto plain = route("GET", "/");
  const auto enabled = route("GET", "/", options({{"session", flag(true)}}));
  const auto disabled = route("GET", "/", options({{"session", flag(false)}}));
  CHECK(lints(plain, {}) == "");
  CHECK(lints(plain, {.is_known = true}) ==
        "src/routes/index.cpp:9:3 session-not-enabled: the configuration enables no sessions: "
        "'req.session()' throws an exception\n");
  CHECK(lints(plain, {.is_known = true, .config = {.session = {.enabled = true}}}) == "");
  CHECK(lints(enabled, {.is_known = true}) == "");
  CHECK(lints(disabled, {.is_known = true, .config = {.session = {.enabled = true}}}) ==
        "src/routes/index.cpp:9:3 session-not-enabled: the route has no session: 'req.session()' "
        "throws an exception\n");
}

TEST_CASE("[rate-limit-not-enabled] reported only if the configuration is known") {
  const auto lints = [](Value limit, model::AppSettings settings) {
    const auto limited =
        route("POST", "/",
              options({{"override_", record("Override", {{"rate_limit", std::move(limit)}})}}));
    return found("rate-limit-not-enabled", {route_file("routes/index.cpp", {limited})}, settings)
        .size();
  };
  const Value values = record("RateLimitOptions", {{"max", integer(5)}});
  CHECK(lints(values, {.is_known = true}) == 1);
  CHECK(lints(values, {.is_known = true, .config = {.rate_limit = {.enabled = true}}}) == 0);
  CHECK(lints(values, {}) == 0);
  CHECK(lints(flag(false), {.is_known = true}) == 0);
}

TEST_CASE("[middleware-not-listed] reported only if the files of the configuration are known") {
  const auto lints = [](std::optional<std::set<std::string>> listed) {
    const auto named = route("GET", "/", options({{"middlewares", list({text("audit-log")})}}));
    return summary(
        found("middleware-not-listed",
              {route_file("routes/index.cpp", {named}),
               component_file("middlewares/audit-log.cpp", model::ExportKind::middleware)},
              {.listed_middlewares = std::move(listed)}));
  };
  CHECK(lints(std::nullopt) == "");
  CHECK(lints({{"audit-log", "quota"}}) == "");
  CHECK(lints({{"quota"}})
            .find("middleware-not-listed: the program does not start: no file of the "
                  "configuration lists the middleware 'audit-log'\n") != std::string::npos);
}

TEST_CASE("[cache-without-partition] a guarded route that is never cached is reported") {
  const auto cached = [](Value auth, Value cache) {
    return route("GET", "/", options({{"auth", std::move(auth)}, {"cache", std::move(cache)}}));
  };
  const auto with = [](Named members) { return record("RouteCacheOptions", std::move(members)); };
  const auto lint = [](model::Registration registration) {
    return texts("cache-without-partition", {std::move(registration)});
  };
  const std::string finding =
      "GET /: nothing is cached: the route requires authentication, and its cache has no "
      "partition\n";
  CHECK(lint(cached(flag(true), integer(5000))) == finding);
  CHECK(lint(cached(record("AuthRequirement", {{"roles", list({text("a")})}}),
                    with({{"ttl", integer(5)}}))) == finding);
  CHECK(lint(cached(flag(true), with({{"allow_authorization_cache", flag(false)}}))) == finding);
  CHECK(lint(cached(flag(true), with({{"allow_authorization_cache", flag(true)}}))) == "");
  CHECK(lint(cached(flag(true), with({{"partition_key", function()}}))) == "");
  CHECK(lint(cached(flag(true), with({{"methods", list({text("POST")})}}))) == "");
  CHECK(lint(cached(flag(true), flag(false))) == "");
  CHECK(lint(cached(flag(false), integer(5000))) == "");
  CHECK(lint(cached(record("AuthRequirement", {{"required", flag(false)}}), integer(5000))) == "");
}

TEST_CASE("[auth-differs-from-siblings] the unguarded minority is reported") {
  const auto lints = found(
      "auth-differs-from-siblings",
      {route_file("routes/users.cpp", {route("GET", "/", kGuarded), route("POST", "/", kGuarded),
                                       route("DELETE", "/:id"), route("GET", "/:id", kGuarded)})});
  CHECK(summary(lints) ==
        "src/routes/users.cpp:4:7 auth-differs-from-siblings: the route has no 'auth', unlike most "
        "routes of its file\n");
  REQUIRE(lints.at(0).notes.size() == 1);
  CHECK(lints[0].notes[0].range.line == 2);
}

TEST_CASE("[auth-differs-from-siblings] a requirement is a guard unless it requires nothing") {
  const auto requirement = [](Named members) {
    return options({{"auth", record("AuthRequirement", std::move(members))}});
  };
  const Value admin = requirement({{"roles", list({text("admin")})}});
  CHECK(texts("auth-differs-from-siblings", {route("POST", "/a", admin), route("PUT", "/a", admin),
                                             route("DELETE", "/a")}) != "");
  const Value optional = requirement({{"required", flag(false)}});
  CHECK(texts("auth-differs-from-siblings",
              {route("POST", "/a", kGuarded), route("PUT", "/a", optional),
               route("DELETE", "/a")}) == "");
}

TEST_CASE("[auth-differs-from-siblings] deliberate differences are not reported") {
  const auto is_silent = [](std::vector<model::Registration> routes) {
    return texts("auth-differs-from-siblings", std::move(routes)).empty();
  };
  const auto guarded = [](std::string method, std::string path) {
    return route(std::move(method), std::move(path), kGuarded);
  };
  // Said so.
  CHECK(is_silent({guarded("GET", "/a"), guarded("POST", "/a"),
                   route("DELETE", "/a", options({{"auth", flag(false)}}))}));
  // One guarded route only; as many free ones as guarded ones.
  CHECK(is_silent({guarded("GET", "/a"), route("POST", "/a")}));
  CHECK(is_silent(
      {guarded("GET", "/a"), guarded("POST", "/a"), route("PUT", "/a"), route("DELETE", "/a")}));
  // Free reading beside guarded writing.
  CHECK(is_silent({route("GET", "/a"), guarded("POST", "/a"), guarded("DELETE", "/a")}));
  CHECK_FALSE(is_silent({route("GET", "/a"), guarded("GET", "/b"), guarded("DELETE", "/a")}));
  // Another guard.
  const Value signed_only = options({{"middlewares", list({text("signature")})}});
  std::vector<model::ParsedFile> files = {
      component_file("middlewares/signature.cpp", model::ExportKind::middleware),
      route_file("routes/index.cpp", {guarded("GET", "/a"), guarded("POST", "/a"),
                                      route("POST", "/hook", signed_only)})};
  CHECK(found("auth-differs-from-siblings", files).empty());
}

TEST_CASE("lints: findings do not depend on the order of files") {
  std::vector<model::ParsedFile> files = {
      route_file("routes/b.cpp", {route("GET", "/"), route("POST", "/")}),
      route_file("routes/a.cpp", {route("GET", "/")})};
  const auto lints = rules::lint(checked(files).application, files);
  std::swap(files[0], files[1]);
  CHECK(summary(rules::lint(checked(files).application, files)) == summary(lints));
  CHECK(lints.size() == 10);
}

}  // namespace lints_test
