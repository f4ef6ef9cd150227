// Pairs of documents that look alike, and whether the second one breaks clients of the first.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "support/compared.hpp"

namespace pairs_test {

using namespace fairway::diff;
using namespace fairway::testing;

namespace {

/// A document with one operation, POST /x. Each argument is a list of members, with a comma at its
/// end.
Json document(const std::string& operation, const std::string& whole = {}) {
  return Json::parse(
      fmt::format(R"({{{}"openapi": "3.1.0", "info": {{"title": "t", "version": "1"}},
      "paths": {{"/x": {{"post": {{{}"operationId": "x"}}}}}}}})",
                  whole, operation));
}

Json with_request(const std::string& schema) {
  return document(fmt::format(R"("requestBody": {{"required": true, "content":
      {{"application/json": {{"schema": {}}}}}}}, "responses": {{}},)",
                              schema));
}

Json with_response(const std::string& schema) {
  return document(fmt::format(R"("responses": {{"200": {{"description": "ok", "content":
      {{"application/json": {{"schema": {}}}}}}}}},)",
                              schema));
}

Json with_parameters(const std::string& list) {
  return document(fmt::format(R"("responses": {{}}, "parameters": [{}],)", list));
}

struct Pair {
  const char* name;
  Json (*around)(const std::string&);
  const char* before;
  const char* after;
  bool breaks;
};

constexpr const char* kText = R"({"type": "string"})";
constexpr const char* kPart = R"({"properties": {"a": {"type": "string"}}})";
constexpr const char* kTextQuery = R"({"in": "query", "name": "q", "schema": {"type": "string"}})";
constexpr const char* kListQuery =
    R"({"in": "query", "name": "q", "schema": {"type": "array", "items": {"type": "string"}}})";

const Pair kPairs[] = {
    {"unknown members become possible", with_request,
     R"({"type": "object", "additionalProperties": false})", R"({"type": "object"})", false},
    {"unknown members become impossible", with_request, R"({"type": "object"})",
     R"({"type": "object", "additionalProperties": false})", true},
    {"members with a pattern", with_request, R"({"type": "object"})",
     R"({"type": "object", "patternProperties": {"^n": {"type": "integer"}}})", true},
    {"a member requires another", with_request, kPart,
     R"({"properties": {"a": {"type": "string"}}, "dependentRequired": {"a": ["b"]}})", true},
    {"names of members are limited", with_request, R"({"type": "object"})",
     R"({"type": "object", "propertyNames": {"maxLength": 3}})", true},
    {"one value only", with_request, kText, R"({"type": "string", "const": "a"})", true},
    {"one of two values", with_request, R"({"enum": ["a", "b"]})", R"({"const": "a"})", true},
    {"a request may have a second value", with_request, R"({"const": "a"})",
     R"({"enum": ["a", "b"]})", false},
    {"a response may have a second value", with_response, R"({"const": "a"})",
     R"({"enum": ["a", "b"]})", true},
    {"a request may have fractions", with_request, R"({"type": "integer"})",
     R"({"type": "number"})", false},
    {"a response may have fractions", with_response, R"({"type": "integer"})",
     R"({"type": "number"})", true},
    {"the same bound of integers", with_request, R"({"type": "integer", "minimum": 1})",
     R"({"type": "integer", "exclusiveMinimum": 0})", false},
    {"a bound that excludes itself", with_request, R"({"type": "integer", "minimum": 1})",
     R"({"type": "integer", "exclusiveMinimum": 1})", true},
    {"multiples of more", with_request, R"({"type": "integer", "multipleOf": 2})",
     R"({"type": "integer", "multipleOf": 4})", true},
    {"multiples of less", with_request, R"({"type": "integer", "multipleOf": 4})",
     R"({"type": "integer", "multipleOf": 2})", false},
    {"a part that requires a member", with_request, R"({"allOf": [{"type": "object"}]})",
     R"({"allOf": [{"type": "object"}, {"required": ["b"]}]})", true},
    {"another alternative in a response", with_response, R"({"oneOf": [{"type": "string"}]})",
     R"({"oneOf": [{"type": "string"}, {"type": "integer"}]})", true},
    {"an alternative with the same values", with_request, R"({"oneOf": [{"type": "string"}]})",
     R"({"oneOf": [{"type": "string"}, {"type": "string", "maxLength": 3}]})", true},
    {"a required member without a schema", with_request, R"({"type": "object"})",
     R"({"type": "object", "required": ["b"]})", true},
    {"a member that may be absent from a response", with_response,
     R"({"properties": {"a": {}}, "required": ["a"]})", R"({"properties": {"a": {}}})", true},
    {"an optional member leaves a response", with_response, kPart, R"({"type": "object"})", true},
    {"responses lose a member that becomes write-only", with_response,
     R"({"properties": {"a": {"type": "string", "readOnly": true}}, "required": ["a"]})",
     R"({"properties": {"a": {"type": "string", "writeOnly": true}}})", true},
    {"a required member that requests do not have", with_request, kPart,
     R"({"properties": {"a": {"type": "string"}, "id": {"type": "string", "readOnly": true}},
         "required": ["id"]})",
     false},
    {"a format", with_request, kText, R"({"type": "string", "format": "uuid"})", true},
    {"a pattern for the whole string", with_request, R"({"type": "string", "pattern": "^a"})",
     R"({"type": "string", "pattern": "^a$"})", true},
    {"an encoding", with_request, kText, R"({"type": "string", "contentEncoding": "base64"})",
     true},
    {"a schema for the second item", with_request,
     R"({"type": "array", "prefixItems": [{"type": "string"}]})",
     R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]})", true},
    {"unevaluated members become impossible", with_request, kPart,
     R"({"properties": {"a": {"type": "string"}}, "unevaluatedProperties": false})", true},
    {"no items", with_request, R"({"type": "array"})", R"({"type": "array", "items": false})",
     true},
    {"an excluded value", with_request, kText, R"({"type": "string", "not": {"const": "a"}})",
     true},
    {"a condition", with_request, kPart,
     R"({"properties": {"a": {"type": "string"}}, "if": {"required": ["a"]},
         "then": {"required": ["b"]}})",
     true},
    {"two items of a kind", with_request, R"({"type": "array", "contains": {"type": "string"}})",
     R"({"type": "array", "contains": {"type": "string"}, "minContains": 2})", true},
    {"objects instead of anything", with_request, "true", R"({"type": "object"})", true},
    {"all types are any type", with_request, "{}",
     R"({"type": ["string", "number", "boolean", "object", "array", "null"]})", false},
    {"null is no longer accepted", with_request, R"({"type": ["string", "null"]})", kText, true},
    {"another discriminator", with_response,
     R"({"oneOf": [{"properties": {"k": {}}}],
         "discriminator": {"propertyName": "k", "mapping": {"a": "#/x"}}})",
     R"({"oneOf": [{"properties": {"k": {}}}], "discriminator": {"propertyName": "j"}})", true},
    {"an optional parameter", with_parameters, "", kTextQuery, false},
    {"a required parameter", with_parameters, "",
     R"({"in": "query", "name": "q", "required": true, "schema": {"type": "string"}})", true},
    {"another separator of a list", with_parameters, kListQuery,
     R"({"in": "query", "name": "q", "style": "spaceDelimited", "explode": false,
         "schema": {"type": "array", "items": {"type": "string"}}})",
     true},
    {"a list in one parameter", with_parameters, kListQuery,
     R"({"in": "query", "name": "q", "explode": false,
         "schema": {"type": "array", "items": {"type": "string"}}})",
     true},
    {"the case of a header", with_parameters,
     R"({"in": "header", "name": "X-A", "schema": {"type": "string"}})",
     R"({"in": "header", "name": "x-a", "schema": {"type": "string"}})", false},
    {"a parameter as JSON", with_parameters, kTextQuery,
     R"({"in": "query", "name": "q", "content": {"application/json": {"schema":
         {"type": "integer"}}}})",
     true},
    {"an empty parameter", with_parameters,
     R"({"in": "query", "name": "q", "allowEmptyValue": true, "schema": {"type": "string"}})",
     kTextQuery, true},
    {"another default of a parameter", with_parameters,
     R"({"in": "query", "name": "q", "schema": {"type": "string", "default": "a"}})",
     R"({"in": "query", "name": "q", "schema": {"type": "string", "default": "b"}})", true},
};

bool breaks(const Json& before, const Json& after) {
  return std::ranges::any_of(compared(before, after),
                             [](const Change& change) { return change.level == Level::breaking; });
}

}  // namespace

TEST_CASE("diff pairs: schemas and parameters that look alike") {
  for (const Pair& pair : kPairs) {
    CAPTURE(pair.name);
    CHECK(breaks(pair.around(pair.before), pair.around(pair.after)) == pair.breaks);
  }
}

TEST_CASE("diff pairs: members of documents and of operations") {
  const Json plain = document(R"("responses": {},)");
  CHECK(breaks(plain, Json::parse(R"({"openapi": "3.1.0", "info": {"title": "t", "version": "1"},
                                      "paths": {}})")));
  const std::string hook = R"("webhooks": {"w": {"post": {"responses": {}}}},)";
  CHECK(breaks(document(R"("responses": {},)", hook), plain));
  Json shared = plain;
  shared["paths"]["/x"]["parameters"] = Json::parse(
      R"([{"in": "query", "name": "q", "required": true, "schema": {"type": "string"}}])");
  CHECK(breaks(plain, shared));

  const auto scheme = [](const std::string& definition) {
    return R"("components": {"securitySchemes": {"b": )" + definition + "}},";
  };
  const std::string guarded = R"("responses": {}, "security": [{"b": []}],)";
  const Json bearer = document(guarded, scheme(R"({"type": "http", "scheme": "bearer"})"));
  CHECK(breaks(plain, bearer));
  CHECK(breaks(bearer, document(guarded, scheme(R"({"type": "apiKey", "in": "header",
                                                    "name": "x"})"))));

  const auto called = [](const std::string& type) {
    return document(R"("responses": {}, "callbacks": {"c": {"{$request.body#/url}": {"post":
        {"requestBody": {"content": {"application/json": {"schema": {"type": ")" +
                    type + R"("}}}}, "responses": {}}}}},)");
  };
  CHECK(breaks(called("string"), called("integer")));

  Json named = plain;
  Json renamed = plain;
  const auto path_parameter = [](const char* name) {
    return Json::parse(fmt::format(R"({{"get": {{"parameters": [{{"in": "path", "name": "{}",
        "required": true, "schema": {{"type": "string"}}}}], "responses": {{}}}}}})",
                                   name));
  };
  named["paths"]["/x/{a}"] = path_parameter("a");
  renamed["paths"]["/x/{b}"] = path_parameter("b");
  CHECK_FALSE(breaks(named, renamed));
}

TEST_CASE("diff pairs: the notations of OpenAPI 3.0 and 3.1") {
  const auto old = [](const std::string& schema) {
    Json result = with_request(schema);
    result["openapi"] = "3.0.3";
    return result;
  };
  CHECK_FALSE(breaks(old(R"({"type": "string", "nullable": true})"),
                     with_request(R"({"type": ["string", "null"]})")));
  CHECK_FALSE(breaks(old(R"({"type": "integer", "minimum": 3, "exclusiveMinimum": true})"),
                     with_request(R"({"type": "integer", "exclusiveMinimum": 3})")));
}

}  // namespace pairs_test
