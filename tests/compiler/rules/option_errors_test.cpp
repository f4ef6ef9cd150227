// What is wrong with the options of a route.
#include <doctest/doctest.h>

#include "support/builders.hpp"

namespace option_errors_test {

using namespace fairway;
using namespace fairway::testing;

namespace {

model::Value frontend(Named members) {
  return options({{"frontend", record("Frontend", std::move(members))}});
}

/// The errors of a GET route with these options.
std::string page_errors(model::Value options, const std::string& path = "/") {
  std::string lines;
  for (const auto& each :
       checked({route_file("routes/a.cpp", {route("GET", path, std::move(options))})})
           .diagnostics) {
    lines += each.id + ": " + each.message + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("[bad-schema] path parameters and cookies cannot be arrays") {
  const auto of = [](const std::string& location) {
    return option_errors(
        options({{"validate", validate(location, {{"id", text("array<string>")}})}}));
  };
  CHECK(of("param") == "bad-schema: a path parameter has one value and cannot be an array\n");
  CHECK(of("cookie") == "bad-schema: a cookie has one value and cannot be an array\n");
  for (const char* location : {"query", "header", "body"}) CHECK(of(location).empty());
}

TEST_CASE("[unknown-path-parameter] validate.param may contain only parameters of the path") {
  CHECK(option_errors(options({{"validate", validate("param", {{"id", text("uuid")}})}})).empty());
  CHECK(option_errors(options({{"validate", validate("param", {{"userId", text("uuid")}})}})) ==
        "unknown-path-parameter: the path has no parameter 'userId'\n");
}

TEST_CASE("[bad-response-selector] selectors are statuses, families and default, each only once") {
  const auto with = [](const std::vector<std::string>& selectors) {
    Named pairs;
    for (const std::string& selector : selectors) pairs.emplace_back(selector, text("string"));
    return options({{"responses", entries(pairs)}});
  };
  CHECK(option_errors(with({"200", "404", "5xx", "default", "2xx", "599"})).empty());
  for (const char* bad : {"20x", "2XX", "600", "99", "2000", "", "ok"}) {
    CAPTURE(bad);
    CHECK(option_errors(with({bad})) ==
          "bad-response-selector: '" + std::string(bad) + "' is not a response selector\n");
  }
  CHECK(option_errors(with({"200", "200"})) ==
        "bad-response-selector: the selector '200' is declared twice\n");
  CHECK(option_errors(options(
            {{"docs",
              record("Docs", {{"responses", entries({{"abc", record("ResponseDocs", {})}})}})}})) ==
        "bad-response-selector: 'abc' is not a response selector\n");
}

TEST_CASE("[conflicting-options] a response without a body has no schema") {
  const auto schema = entries({{"a", text("string")}});
  for (const char* status : {"101", "1xx", "204", "205", "304"}) {
    const std::string begin = "conflicting-options: ";
    CHECK(option_errors(options({{"responses", entries({{status, schema}})}})) ==
          begin + "'responses' declares a schema for '" + status + "', which has no body\n");
    const auto documented = [&](const Named& members) {
      return option_errors(options(
          {{"docs", record("Docs", {{"responses",
                                     entries({{status, record("ResponseDocs", members)}})}})}}));
    };
    CHECK(documented({{"description", text("Nothing")}}) == "");
    CHECK(documented({{"schema", schema}}) ==
          begin + "'docs.responses' declares 'schema' for '" + status + "', which has no body\n");
    CHECK(documented({{"content_type", text("text/csv")}}) == begin +
                                                                  "'docs.responses' declares "
                                                                  "'content_type' for '" +
                                                                  status +
                                                                  "', which has no body\n");
  }
}

TEST_CASE("[duplicate-response-schema] docs.responses must not declare a schema again") {
  const auto with = [](const std::string& documented, const Named& config) {
    return options(
        {{"responses", entries({{"200", entries({{"a", text("string")}})}})},
         {"docs", record("Docs", {{"responses",
                                   entries({{documented, record("ResponseDocs", config)}})}})}});
  };
  CHECK(option_errors(with("200", {{"schema", text("string")}})) ==
        "duplicate-response-schema: 'docs.responses' also declares a schema for '200'\n");
  CHECK(option_errors(with("200", {{"description", text("ok")}})).empty());
  CHECK(option_errors(with("201", {{"schema", text("string")}})).empty());
}

TEST_CASE("[unknown-middleware] a middleware must be a file or declared") {
  const auto files = {
      route_file("routes/a.cpp",
                 {route("GET", "/",
                        options({{"middlewares", list({text("audit-log"), text("brought")})}}))}),
      component_file("middlewares/audit-log.cpp", model::ExportKind::middleware)};
  CHECK(
      summary(checked(files, {.name = "", .source_name = "src", .middlewares = {}}).diagnostics) ==
      "src/routes/a.cpp:2:1 unknown-middleware: there is no middleware 'brought'\n");
  CHECK(checked(files, {.name = "", .source_name = "src", .middlewares = {"brought"}})
            .diagnostics.empty());
}

TEST_CASE("[conflicting-options] options that can only be false") {
  CHECK(option_errors(options({{"csrf", flag(true)}})) ==
        "conflicting-options: 'csrf' can only be false\n");
  CHECK(option_errors(options({{"security_headers", flag(true)}})) ==
        "conflicting-options: 'security_headers' can only be false\n");
}

TEST_CASE("[conflicting-options] media types of uploads must be valid") {
  const auto allowed = [](std::vector<model::Value> types) {
    return option_errors(options(
        {{"multipart", record("Multipart", {{"allowed_mime_types", list(std::move(types))}})}}));
  };
  CHECK(allowed({text("image/png"), text("image/*"), text("application/vnd.a+json")}) == "");
  CHECK(allowed({text("png"), text("*/*"), text("image/p*"), text("text/csv; charset=utf-8"),
                 text("image/"), text("")}) ==
        "conflicting-options: '' is not a media type\n"
        "conflicting-options: '*/*' is not a media type\n"
        "conflicting-options: 'image/' is not a media type\n"
        "conflicting-options: 'image/p*' is not a media type\n"
        "conflicting-options: 'png' is not a media type\n"
        "conflicting-options: 'text/csv; charset=utf-8' is not a media type\n");
}

TEST_CASE("[conflicting-options] a streamed body is not parsed") {
  const auto with = [](bool stream, bool multipart) {
    return option_errors(
        options({{"multipart", record("Multipart", {{"enabled", flag(multipart)}})},
                 {"body_parser", record("BodyParser", {{"stream", flag(stream)}})}}));
  };
  CHECK(with(true, true) ==
        "conflicting-options: 'body_parser.stream' excludes 'multipart.enabled'\n");
  CHECK(with(true, false) == "");
  CHECK(with(false, true) == "");
}

TEST_CASE("[conflicting-options] deadlines, caches and sizes must be in range") {
  CHECK(option_errors(options({{"timeout", integer(0)}})) ==
        "conflicting-options: 'timeout' must be false or a positive number of milliseconds\n");
  CHECK_FALSE(option_errors(options({{"timeout", flag(true)}})).empty());
  CHECK_FALSE(option_errors(options({{"cache", flag(true)}})).empty());
  CHECK_FALSE(option_errors(options({{"cache", integer(-1)}})).empty());
  CHECK(option_errors(options({{"cache", integer(0)}})).empty());
  CHECK(option_errors(options({{"cache", record("RouteCacheOptions", {{"ttl", integer(-1)}})}}))
            .empty());
  CHECK(option_errors(options(
            {{"cache", record("RouteCacheOptions", {{"methods", list({text("get")})}})}})) ==
        "conflicting-options: 'cache.methods' has the unknown method 'get'\n");
  const auto keyed = [](model::Value key) {
    return options({{"cache", record("RouteCacheOptions",
                                     {{"query", list({text("page")})}, {"key", std::move(key)}})}});
  };
  CHECK(option_errors(keyed(text("k"))) ==
        "conflicting-options: 'cache.key' excludes 'cache.query'\n");
  CHECK(option_errors(keyed(function())) ==
        "conflicting-options: 'cache.key' excludes 'cache.query'\n");
  CHECK(option_errors(
            options({{"body_parser", record("BodyParser", {{"max_body_size", text("huge")}})}})) ==
        "conflicting-options: 'body_parser.max_body_size' is not a valid size\n");
  CHECK(option_errors(options({{"multipart", record("Multipart", {{"max_file_size", text("10 MB")},
                                                                  {"max_files", integer(0)}})}})) ==
        "conflicting-options: 'multipart.max_files' must be a positive number of files\n");
  const auto cors = [](Named members) {
    return option_errors(
        options({{"override_",
                  record("Override", {{"cors", record("CorsOverride", std::move(members))}})}}));
  };
  CHECK(cors({{"origins", list({text("*"), text("null"), text("https://a.example:8443")})},
              {"max_age", integer(0)}}) == "");
  CHECK(cors({{"origins", list({text("a.example"), text("https://a.example/")})}}) ==
        "conflicting-options: 'a.example' is not an origin\n"
        "conflicting-options: 'https://a.example/' is not an origin\n");
  CHECK(cors({{"max_age", integer(-1)}}) ==
        "conflicting-options: 'override_.cors.max_age' must not be negative\n");
  CHECK(cors({{"methods", list({text("Patch"), text("PURGE"), text("a b")})},
              {"headers", list({text("x a")})}}) ==
        "conflicting-options: 'Patch' never matches, because methods are case-sensitive: write "
        "\"PATCH\"\n"
        "conflicting-options: 'a b' is not a method\n"
        "conflicting-options: 'x a' is not the name of a header\n");
  CHECK(option_errors(options(
            {{"override_",
              record("Override", {{"rate_limit",
                                   record("RateLimitOptions", {{"key_by", text("name")}})}})}})) ==
        "conflicting-options: 'override_.rate_limit.key_by' cannot be 'name'\n");
  CHECK(option_errors(options({{"override_", record("Override", {{"timeout", integer(-5)},
                                                                 {"max_body_size", integer(-1)},
                                                                 {"rate_limit", flag(true)}})}}))
            .size() > 3);
}

TEST_CASE("[conflicting-options] an objective is in milliseconds and percent") {
  const auto objective = [](Named members) {
    return option_errors(options({{"objective", record("Objective", std::move(members))}}));
  };
  CHECK(objective({}) == "");
  CHECK(objective({{"p99", integer(200)}, {"availability", number(99.9)}}) == "");
  CHECK(objective({{"p99", integer(5)}, {"availability", integer(90)}}) == "");
  CHECK(objective({{"p99", integer(9'999)}, {"availability", number(99.999)}}) == "");
  CHECK(objective({{"p99", integer(4)}}) ==
        "conflicting-options: 'objective.p99' must be 5 to 9999 milliseconds, not 4\n");
  CHECK(objective({{"p99", integer(10'000)}}) ==
        "conflicting-options: 'objective.p99' must be 5 to 9999 milliseconds, not 10000\n");
  CHECK(objective({{"availability", number(0.999)}}) ==
        "conflicting-options: 'objective.availability' must be at least 90 and below 100 percent, "
        "not 0.999\n");
  CHECK(objective({{"availability", integer(100)}}) ==
        "conflicting-options: 'objective.availability' must be at least 90 and below 100 percent, "
        "not 100\n");
}

TEST_CASE("[conflicting-options] frontend: the message names both options") {
  const auto page = text("home");
  CHECK(page_errors(frontend({{"static_params", list({})}})) ==
        "conflicting-options: 'frontend.static_params' needs 'frontend.mode' to be 'static'\n");
  CHECK(page_errors(
            frontend({{"mode", text("static")}, {"page", page}, {"revalidate", integer(60)}})) ==
        "conflicting-options: 'frontend.revalidate' needs 'frontend.mode' to be 'revalidate'\n");
  CHECK(page_errors(frontend({{"mode", text("revalidate")}, {"revalidate", integer(0)}})) ==
        "conflicting-options: 'frontend.revalidate' must be a positive number of seconds\n");
  CHECK(page_errors(frontend({{"mode", text("revalidate")}})) ==
        "conflicting-options: 'frontend.mode' 'revalidate' needs 'frontend.revalidate'\n");
  CHECK(page_errors(frontend({{"mode", text("static")}})) ==
        "conflicting-options: 'frontend.mode' 'static' needs 'frontend.page'\n");
  CHECK(page_errors(frontend({{"mode", text("ssr")}})) ==
        "conflicting-options: 'frontend.mode' cannot be 'ssr'\n");
  CHECK(page_errors(frontend({{"hydration", text("full")}})) ==
        "conflicting-options: 'frontend.hydration' cannot be 'full'\n");
  CHECK(page_errors(frontend({{"client_only", flag(true)}})) ==
        "conflicting-options: 'frontend.client_only' needs 'frontend.page'\n");
  CHECK(option_errors(
            frontend({{"hydration", text("none")}, {"client_only", flag(true)}, {"page", page}})) ==
        "conflicting-options: 'frontend.hydration' 'none' excludes 'frontend.client_only'\n");
  CHECK(page_errors(frontend({{"mode", text("static")}, {"page", page}})) == "");
  // POST /users/:id
  CHECK(option_errors(frontend({{"mode", text("revalidate")}, {"revalidate", integer(1)}})) ==
        "conflicting-options: 'frontend.mode' 'revalidate' needs a GET route\n");
  CHECK(option_errors(frontend({{"mode", text("static")},
                                {"page", page},
                                {"static_params", list({entries({{"id", text("1")}})})}})) ==
        "conflicting-options: 'frontend.mode' 'static' needs a GET route\n");
  const auto static_params = [&](model::Value params) {
    return page_errors(
        frontend({{"mode", text("static")}, {"page", page}, {"static_params", std::move(params)}}),
        "/:id");
  };
  CHECK(static_params(list({entries({{"id", text("1")}, {"name", text("A")}})})) == "");
  const std::string wrong =
      "conflicting-options: 'frontend.static_params' must be a list of objects with the parameters "
      "of the path\n";
  CHECK(static_params(list({entries({{"name", text("A")}})})) == wrong);
  CHECK(static_params(text("1")) == wrong);
  CHECK(page_errors(frontend({{"mode", text("static")},
                              {"page", page},
                              {"static_params", list({entries({{"id", text("1")}})})}})) ==
        "conflicting-options: 'frontend.static_params' needs a path with parameters\n");
  CHECK(page_errors(frontend({{"mode", text("static")}, {"page", page}}), "/:id") ==
        "conflicting-options: 'frontend.mode' 'static' needs 'frontend.static_params' for a path "
        "with parameters\n");
  CHECK(page_errors(frontend({{"client_only", flag(true)}, {"page", page}})) == "");
}

TEST_CASE("[conflicting-options] frontend: a stored page excludes options that need the caller") {
  const auto with = [](Named other, std::string mode) {
    Named frontend = {{"mode", text(mode)}, {"page", text("home")}};
    if (mode == "revalidate") frontend.push_back({"revalidate", integer(60)});
    other.push_back({"frontend", record("Frontend", std::move(frontend))});
    return page_errors(options(std::move(other)));
  };
  CHECK(with({{"auth", flag(true)}}, "static") ==
        "conflicting-options: 'frontend.mode' 'static' excludes 'auth'\n");
  CHECK(with({{"auth", flag(true)}}, "revalidate") ==
        "conflicting-options: 'frontend.mode' 'revalidate' excludes 'auth'\n");
  CHECK(with({{"cache", integer(5000)}}, "revalidate") ==
        "conflicting-options: 'frontend.mode' 'revalidate' excludes 'cache'\n");
  CHECK(with({{"cache", integer(5000)}}, "static") ==
        "conflicting-options: 'frontend.mode' 'static' excludes 'cache'\n");
  CHECK(with({{"session", flag(true)}}, "static") ==
        "conflicting-options: 'frontend.mode' 'static' excludes 'session'\n");
  CHECK(with({{"session", flag(true)}}, "revalidate") ==
        "conflicting-options: 'frontend.mode' 'revalidate' excludes 'session'\n");
  const Named query = {{"validate", validate("query", {{"page", text("integer?")}})}};
  CHECK(with(query, "static") ==
        "conflicting-options: 'frontend.mode' 'static' excludes 'validate'\n");
  CHECK(with(query, "revalidate") == "");
  CHECK(with({{"auth", flag(false)}, {"session", flag(false)}}, "revalidate") == "");
}

TEST_CASE("[unknown-page] a missing page is reported with the nearest name") {
  CHECK(page_errors(frontend({{"page", text("hme")}})) == "unknown-page: there is no page 'hme'\n");
  CHECK(page_errors(frontend({{"page", text("home")}})) == "");
}

TEST_CASE("[bad-schema] header fields that differ only in case are one field") {
  const Named fields = {{"X-A", text("string")}, {"x-a", text("integer")}};
  CHECK(option_errors(options({{"validate", validate("header", fields)}})) ==
        "bad-schema: the field 'x-a' is declared twice\n");
  CHECK(option_errors(options({{"validate", validate("body", fields)}})) == "");
}

TEST_CASE("diagnostics: errors of all files are reported in an order independent of file order") {
  const auto first = route_file("routes/a.cpp", {route("GET", "/:"), route("GET", "/:id/:id")});
  const auto second =
      route_file("routes/b.cpp", {route("GET", "/", options({{"csrf", flag(true)}}))});
  const std::string expected =
      "src/routes/a.cpp:2:13 bad-route-path: a parameter has no name\n"
      "src/routes/a.cpp:3:18 bad-route-path: the parameter 'id' is declared twice\n"
      "src/routes/b.cpp:2:1 conflicting-options: 'csrf' can only be false\n";
  CHECK(summary(checked({first, second}).diagnostics) == expected);
  CHECK(summary(checked({second, first}).diagnostics) == expected);
}

}  // namespace option_errors_test
