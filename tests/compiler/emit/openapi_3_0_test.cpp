// OpenAPI 3.0.3 instead of 3.1: each keyword that the two spell differently.
#include <doctest/doctest.h>

#include <string>

#include "emit/openapi_parts.hpp"

namespace openapi_3_0_test {

using fairway::emit::convert_to_3_0;
using fairway::model::Json;

namespace {

std::string converted(const std::string& schema) {
  Json document = Json::parse(R"({"openapi": "3.1.0", "info": {}, "paths": {}})");
  document["components"]["schemas"]["S"] = Json::parse(schema);
  convert_to_3_0(document);
  return document["components"]["schemas"]["S"].dump();
}

}  // namespace

TEST_CASE("openapi 3.0: nullable types and lists of types are converted") {
  CHECK(converted(R"({"type":["string","null"]})") == R"({"type":"string","nullable":true})");
  CHECK(converted(R"({"type":["integer","string"],"title":"t"})") ==
        R"({"title":"t","anyOf":[{"type":"integer"},{"type":"string"}]})");
  CHECK(
      converted(R"({"type":["object","array","null"]})") ==
      R"({"anyOf":[{"type":"object","nullable":true},{"type":"array","nullable":true,"items":{}}]})");
  CHECK(
      converted(
          R"({"type":["array","string"],"items":{"type":"string"},"anyOf":[{"minItems":1}]})") ==
      R"({"anyOf":[{"minItems":1}],"allOf":[{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"string"}]}]})");
  CHECK(converted(R"({"type":"null"})") == R"({"type":"string","nullable":true,"enum":[null]})");
  CHECK(converted(R"({"type":"array"})") == R"({"type":"array","items":{}})");
}

TEST_CASE("openapi 3.0: constants, examples, bounds and bytes are converted") {
  CHECK(converted(R"({"type":"integer","const":0})") == R"({"type":"integer","enum":[0]})");
  CHECK(converted(R"({"const":1,"enum":[1,2]})") == R"({"enum":[1,2],"allOf":[{"enum":[1]}]})");
  CHECK(converted(R"({"examples":["a","b"]})") == R"({"example":"a"})");
  CHECK(converted(R"({"exclusiveMinimum":1})") == R"({"minimum":1,"exclusiveMinimum":true})");
  CHECK(converted(R"({"minimum":2,"exclusiveMinimum":1})") == R"({"minimum":2})");
  CHECK(converted(R"({"maximum":9,"exclusiveMaximum":9})") ==
        R"({"maximum":9,"exclusiveMaximum":true})");
  CHECK(
      converted(
          R"({"type":"string","format":"binary","contentMediaType":"application/octet-stream"})") ==
      R"({"type":"string","format":"binary"})");
  CHECK(converted(R"({"contentEncoding":"base64"})") == R"({"format":"byte"})");
  CHECK(converted(R"({"contentMediaType":"application/octet-stream"})") ==
        R"({"format":"binary"})");
}

TEST_CASE("openapi 3.0: client certificates have no scheme, and only some schemes have scopes") {
  Json document = Json::parse(R"({
    "openapi": "3.1.0", "info": {},
    "components": {"securitySchemes": {"mutualTLS": {"type": "mutualTLS"},
                                       "bearer": {"type": "http"}, "oauth": {"type": "oauth2"}}},
    "paths": {"/a": {"get": {"security": [{"bearer": ["x"], "mutualTLS": []}, {"oauth": ["x"]}]},
                     "put": {"security": []}}}})");
  convert_to_3_0(document);
  const Json& item = document["paths"]["/a"];
  CHECK(item["get"].dump() ==
        R"({"security":[{"bearer":[]},{"oauth":["x"]}],"x-fw-client-certificate":true})");
  CHECK(item["put"].dump() == R"({"security":[]})");
  CHECK(document["components"]["securitySchemes"].dump() ==
        R"({"bearer":{"type":"http"},"oauth":{"type":"oauth2"}})");
}

TEST_CASE("openapi 3.0: references have no siblings, and boolean schemas become objects") {
  CHECK(converted(R"({"$ref":"#/x","description":"d"})") ==
        R"({"description":"d","allOf":[{"$ref":"#/x"}]})");
  CHECK(converted(R"({"$ref":"#/x"})") == R"({"$ref":"#/x"})");
  CHECK(converted("true") == "{}");
  CHECK(converted(R"({"items":false,"additionalProperties":false})") ==
        R"({"items":{"not":{}},"additionalProperties":false})");
}

TEST_CASE("openapi 3.0: unsupported keywords are dropped without narrowing the schema") {
  CHECK(converted(R"({"$id":"a","$comment":"c","if":{},"then":{},"contains":{},"minLength":1})") ==
        R"({"minLength":1})");
  CHECK(converted(R"({"prefixItems":[{"type":"string"}],"items":false})") == R"({"items":{}})");
  CHECK(converted(R"({"patternProperties":{"^a":{}},"additionalProperties":false})") == "{}");
  CHECK(converted(R"({"not":{"contains":{}}})") == "{}");
  CHECK(converted(R"({"not":{"type":"null"}})") ==
        R"({"not":{"type":"string","nullable":true,"enum":[null]}})");
  CHECK(converted(R"({"oneOf":[{"contains":{}},{"minItems":1}]})") ==
        R"({"allOf":[{"anyOf":[{},{"minItems":1}]}]})");
  CHECK(converted(R"({"oneOf":[{"const":1},{"const":2}]})") ==
        R"({"oneOf":[{"enum":[1]},{"enum":[2]}]})");
}

TEST_CASE("openapi 3.0: a whole document is converted") {
  Json document = Json::parse(R"({
    "openapi": "3.1.0",
    "info": {"title": "t", "summary": "s", "license": {"name": "n", "identifier": "MIT"}},
    "paths": {"/schema": {"get": {
      "parameters": [{"name": "a", "in": "query", "schema": {"const": 1}}],
      "responses": {"200": {"content": {"application/json": {
        "schema": {"type": "null"}, "example": {"schema": {"const": 1}}}}}},
      "x-data": {"schema": {"const": 1}},
      "security": [{"plain": ["read"], "flow": ["read"]}]}}},
    "components": {"securitySchemes": {"plain": {"type": "http"}, "flow": {"type": "oauth2"}}}})");
  convert_to_3_0(document);
  CHECK(document["openapi"] == "3.0.3");
  CHECK(document["info"].dump() == R"({"title":"t","license":{"name":"n"}})");
  const Json& operation = document["paths"]["/schema"]["get"];
  CHECK(operation["parameters"][0]["schema"].dump() == R"({"enum":[1]})");
  const Json& media = operation["responses"]["200"]["content"]["application/json"];
  CHECK(media["schema"]["nullable"] == true);
  CHECK(media["example"].dump() == R"({"schema":{"const":1}})");
  CHECK(operation["x-data"].dump() == R"({"schema":{"const":1}})");
  CHECK(operation["security"].dump() == R"([{"plain":[],"flow":["read"]}])");
}

}  // namespace openapi_3_0_test
