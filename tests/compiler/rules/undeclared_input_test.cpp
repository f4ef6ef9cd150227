#include <doctest/doctest.h>

#include "rules/lints.hpp"
#include "support/builders.hpp"

namespace undeclared_input_test {

using namespace fairway;
using namespace fairway::testing;
using model::InputRead;
using model::Value;

namespace {

InputRead read(std::string location, std::vector<std::string> path, bool validated = false) {
  return {.location = std::move(location),
          .path = std::move(path),
          .validated = validated,
          .range = {"", 9, 1, 9, 2}};
}

/// The findings about one route with these reads.
model::Diagnostics found(model::Registration registration, std::vector<InputRead> reads) {
  registration.handler.reads = std::move(reads);
  const std::vector<model::ParsedFile> files = {
      route_file("routes/index.cpp", {std::move(registration)})};
  const auto resolution = checked(files);
  REQUIRE(summary(resolution.diagnostics).empty());
  model::Diagnostics result;
  for (const auto& diagnostic : rules::lint(resolution.application, files)) {
    if (diagnostic.id == "undeclared-input") result.push_back(diagnostic);
  }
  return result;
}

std::string texts(model::Registration registration, std::vector<InputRead> reads) {
  std::string lines;
  for (const auto& each : found(std::move(registration), std::move(reads))) {
    lines += each.message + "; " + each.help + '\n';
  }
  return lines;
}

model::Registration declaring(const std::string& location, const Named& fields) {
  return route("POST", "/:id", options({{"validate", validate(location, fields)}}));
}

}  // namespace

TEST_CASE("[undeclared-input] a location without a schema is reported") {
  CHECK(texts(route("GET", "/"), {read("query", {"page"})}) ==
        "the query key 'page' is not declared; declare it: '.validate = {.query = {{\"page\", "
        "\"string?\"}}}'\n");
  CHECK(texts(route("GET", "/"), {read("header", {"X-Tenant"})}).starts_with("the header"));
  CHECK(texts(route("GET", "/"), {read("cookie", {"theme"})}).starts_with("the cookie 'theme'"));
  CHECK(texts(route("POST", "/"), {read("body", {"address", "city"})})
            .starts_with("the body field 'address' is not declared"));
}

TEST_CASE("[undeclared-input] a schema without the name is reported") {
  const auto lints =
      found(declaring("query", {{"page", text("string?")}}), {read("query", {"pgae"})});
  REQUIRE(lints.size() == 1);
  CHECK(lints[0].message == "the query key 'pgae' is not declared");
  CHECK(lints[0].help == "did you mean 'page'?");
  CHECK(lints[0].method == "POST");
  REQUIRE(lints[0].notes.size() == 1);
  CHECK(lints[0].notes[0].message == "'validate.query' is declared here");
  CHECK(lints[0].notes[0].range.line == 2);
  CHECK(texts(declaring("query", {{"page", text("string?")}}), {read("query", {"size"})}) ==
        "the query key 'size' is not declared; add it to 'validate.query'\n");
  CHECK(texts(declaring("query", {{"page", text("string?")}}), {read("query", {"page"})}) == "");
}

TEST_CASE("[undeclared-input] parameters of a cache key are checked if the query is declared") {
  const Value key = record("RouteCacheOptions", {{"query", list({text("page"), text("srot")})}});
  const Value schema = validate("query", {{"page", text("string?")}, {"sort", text("string?")}});
  CHECK(texts(route("GET", "/", options({{"validate", schema}, {"cache", key}})), {}) ==
        "the query key 'srot' is not declared; did you mean 'sort'?\n");
  CHECK(texts(route("GET", "/", options({{"cache", key}})), {}) == "");
}

TEST_CASE("[undeclared-input] members of objects are checked") {
  const auto address = entries({{"city", text("string")}, {"more", text("object")}});
  const auto registration = declaring("body", {{"address", address}, {"tags", text("array")}});
  CHECK(texts(registration, {read("body", {"address"}), read("body", {"address", "cty"})}) ==
        "the body field 'address/cty' is not declared; did you mean 'city'?\n");
  CHECK(texts(registration, {read("body", {"adress"}), read("body", {"adress", "city"})}) ==
        "the body field 'adress' is not declared; did you mean 'address'?\n");
  // Values of any shape.
  CHECK(texts(registration,
              {read("body", {"address", "more", "x"}), read("body", {"tags", "x"})}) == "");
}

TEST_CASE("[undeclared-input] path parameters are declared by the path") {
  CHECK(texts(route("GET", "/users/:id/*rest"), {read("param", {"id"}), read("param", {"rest"})}) ==
        "");
  CHECK(texts(declaring("param", {{"id", text("string")}}), {read("param", {"id"})}) == "");
  CHECK(texts(route("GET", "/:userId"), {read("param", {"usrId"})}) ==
        "the path has no parameter 'usrId'; did you mean 'userId'?\n");
  CHECK(texts(route("GET", "/:a/:b"), {read("param", {"id"})}) ==
        "the path has no parameter 'id'; the path has 'a', 'b'\n");
  CHECK(texts(route("GET", "/"), {read("param", {"id"})}) ==
        "the path has no parameter 'id'; add a segment ':id' to the path\n");
}

TEST_CASE("[undeclared-input] header names ignore case, and common headers are known") {
  const auto registration = declaring("header", {{"X-Tenant", text("string")}});
  CHECK(texts(registration, {read("header", {"x-tenant"}), read("header", {"X-TENANT"})}) == "");
  CHECK(texts(registration, {read("header", {"X-Tenat"})}).ends_with("did you mean 'x-tenant'?\n"));
  for (const char* name : {"Authorization", "cookie", "User-Agent", "Accept", "accept-language",
                           "Content-Type", "content-length", "Host", "Referer", "Origin",
                           "X-Request-Id", "X-Forwarded-For", "If-None-Match", "Range"}) {
    CAPTURE(name);
    CHECK(texts(route("GET", "/"), {read("header", {name})}) == "");
  }
  CHECK(texts(route("GET", "/"), {read("header", {"x-if-match"})}) != "");
  CHECK(texts(route("POST", "/"), {read("cookie", {"fw.csrf"}), read("body", {"_csrf"})}) == "");
}

TEST_CASE("[undeclared-input] converted data has only declared members") {
  CHECK(texts(route("GET", "/"), {read("query", {"page"}, true)}) ==
        "'valid' has no 'page', because the route declares no 'validate.query'; declare it: "
        "'.validate = "
        "{.query = {{\"page\", \"string?\"}}}'\n");
  // The path declares the parameter, but converts nothing.
  CHECK(texts(route("GET", "/:id"), {read("param", {"id"}, true)}) != "");
  CHECK(texts(declaring("param", {{"id", text("string")}}), {read("param", {"id"}, true)}) == "");
  // Results have lower-case names, and only those that are declared.
  const auto registration = declaring("header", {{"X-Tenant", text("string")}});
  CHECK(texts(registration, {read("header", {"x-tenant"}, true)}) == "");
  CHECK(texts(registration, {read("header", {"X-Tenant"}, true)}) != "");
  CHECK(texts(registration, {read("header", {"accept"}, true)}) != "");
}

TEST_CASE("[undeclared-input] bodies that are not parsed are reported, documented ones are not") {
  CHECK(texts(route("GET", "/"), {read("body", {"q"})}) ==
        "bodies of GET requests are not parsed: there is no 'q'; read the query, or register the "
        "route with 'post'\n");
  const auto content =
      entries({{"content", entries({{"application/xml", call("Json::object", {})}})}});
  const auto documented = options({{"docs", record("Docs", {{"request_body", content}})}});
  CHECK(texts(route("POST", "/", documented), {read("body", {"q"})}) == "");
}

TEST_CASE("[undeclared-input] a name is reported once") {
  CHECK(found(route("GET", "/"), {read("query", {"a"}), read("query", {"a"}), read("header", {"a"}),
                                  read("header", {"A"})})
            .size() == 2);
}

}  // namespace undeclared_input_test
