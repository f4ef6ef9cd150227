// Schemas as they are written in practice: references, combinations, texts.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "schema/schema_keywords.hpp"
#include "support/compared.hpp"

namespace schemas_test {

using namespace fairway::diff;
using namespace fairway::testing;
using Ids = std::vector<std::string>;

namespace {

const ChangeKind& parameter_row() { return *find_change("parameter-deprecated"); }

Ids parameter_ids(std::string_view before, std::string_view after) {
  const std::string frame = R"({{"in": "query", "name": "q", "schema": {}}})";
  return ids(compared(parameter_row(), fmt::format(fmt::runtime(frame), before),
                      fmt::format(fmt::runtime(frame), after)));
}

}  // namespace

TEST_CASE("diff schemas: the direction decides whether a change breaks") {
  const auto narrow = R"({"type": "integer", "maximum": 5})";
  const auto wide = R"({"type": "integer", "maximum": 9})";
  CHECK(request_ids(wide, narrow) == Ids{"request-range-tightened"});
  CHECK(find_change("request-range-tightened")->level == Level::breaking);
  CHECK(response_ids(wide, narrow) == Ids{"response-range-tightened"});
  CHECK(find_change("response-range-tightened")->level == Level::non_breaking);
}

TEST_CASE("diff schemas: every keyword that rejects values is compared") {
  using fw::schema::KeywordEffect;
  using fw::schema::KeywordValue;
  const Json schema = {{"type", "string"}};
  const std::map<KeywordValue, Json> samples = {
      {KeywordValue::schema, schema},
      {KeywordValue::schemas, Json::array({schema})},
      {KeywordValue::named_schemas, {{"a", schema}}},
      {KeywordValue::schemas_by_pattern, {{"a", schema}}},
      {KeywordValue::string, "a"},
      {KeywordValue::strings, Json::array({"a"})},
      {KeywordValue::named_strings, {{"a", Json::array({"b"})}}},
      {KeywordValue::flag, true},
      {KeywordValue::number, 3},
      {KeywordValue::positive, 3},
      {KeywordValue::count, 3},
      {KeywordValue::list, Json::array({"a"})}};
  const std::map<std::string_view, Json> companions = {
      {"then", {{"if", schema}}},         {"else", {{"if", schema}}},
      {"if", {{"then", schema}}},         {"minContains", {{"contains", schema}}},
      {"nullable", {{"type", "string"}}}, {"maxContains", {{"contains", schema}}}};
  for (const auto& keyword : fw::schema::keywords::kAll) {
    if (keyword.effect == KeywordEffect::nothing) continue;
    CAPTURE(keyword.name);
    const auto companion = companions.find(keyword.name);
    const Json before = companion == companions.end() ? Json::object() : companion->second;
    Json after = before;
    after[std::string(keyword.name)] =
        keyword.name == "$ref" ? Json("#/components/schemas/A") : samples.at(keyword.value);
    CHECK_FALSE(request_ids(before.dump(), after.dump()).empty());
  }
}

TEST_CASE("diff schemas: a format with all values of another one is wider") {
  const auto change = [](const char* before, const char* after) {
    const auto schema = [](const char* format) { return Json{{"format", format}}.dump(); };
    return request_ids(schema(before), schema(after));
  };
  for (const auto& pair :
       {std::pair("int32", "int64"), std::pair("float", "double"), std::pair("email", "idn-email"),
        std::pair("hostname", "idn-hostname"), std::pair("uri", "iri")}) {
    CAPTURE(pair.first);
    CHECK(change(pair.first, pair.second) == Ids{"request-format-widened"});
    CHECK(change(pair.second, pair.first) == Ids{"request-format-narrowed"});
  }
  CHECK(change("email", "idn-hostname") == Ids{"request-format-changed"});
  CHECK(change("int32", "double") == Ids{"request-format-changed"});
}

TEST_CASE("diff schemas: numbers and strings are the same type in text locations") {
  CHECK(request_ids(R"({"type": "integer"})", R"({"type": "string"})") ==
        Ids{"request-type-changed"});
  CHECK(parameter_ids(R"({"type": "integer"})", R"({"type": "string"})") ==
        Ids{"request-type-widened"});
  CHECK(parameter_ids(R"({"type": "string"})", R"({"type": "boolean"})") ==
        Ids{"request-type-narrowed"});
  CHECK(parameter_ids(R"({"type": "boolean"})", R"({"type": "integer"})") ==
        Ids{"request-type-changed"});
}

TEST_CASE("diff schemas: discriminators are compared with any number of alternatives") {
  const auto cat = [](const std::string& discriminator) {
    return R"({"oneOf": [{"properties": {"k": {}, "j": {}}}], "discriminator": )" + discriminator +
           "}";
  };
  const std::string by_k = cat(R"({"propertyName": "k", "mapping": {"a": "#/x"}})");
  CHECK(request_ids(by_k, cat(R"({"propertyName": "j"})")) == Ids{"request-discriminator-changed"});
  CHECK(response_ids(by_k, cat(R"({"propertyName": "k", "mapping": {"a": "#/y"}})")) ==
        Ids{"response-discriminator-changed"});
  CHECK(request_ids(by_k, cat(R"({"propertyName": "k"})")) == Ids{"request-discriminator-changed"});
  CHECK(request_ids(cat(R"({"propertyName": "k"})"), by_k) == Ids{"request-alternative-added"});
  CHECK(request_ids(cat(R"({"propertyName": "k", "mapping": {"x": "#/x"}})"),
                    cat(R"({"propertyName": "k"})"))
            .empty());
  const auto base = R"({"type": "object", "discriminator": {"propertyName": "k"}})";
  CHECK(response_ids(base, R"({"type": "object"})") == Ids{"response-discriminator-changed"});
}

TEST_CASE("diff schemas: a discriminator value is removed with its alternative") {
  const auto pet = [](const std::string& alternatives, const std::string& mapping) {
    return R"({"oneOf": [{"title": "Cat", "properties": {"k": {"enum": ["cat"]}}})" + alternatives +
           R"(], "discriminator": {"propertyName": "k", "mapping": {"cat": "#/Cat")" + mapping +
           "}}}";
  };
  const std::string dog = R"(, {"title": "Dog", "properties": {"k": {"enum": ["dog"]}}})";
  const std::string cow = R"(, {"title": "Cow", "properties": {"k": {"enum": ["cow"]}}})";
  const std::string all = pet(dog + cow, R"(, "dog": "#/Dog", "cow": "#/Cow")");
  const std::string fewer = pet(dog, R"(, "dog": "#/Dog")");
  CHECK(response_ids(all, fewer) ==
        Ids{"response-alternative-removed", "response-alternative-removed"});
  CHECK(request_ids(all, fewer) ==
        Ids{"request-alternative-removed", "request-alternative-removed"});
  CHECK(find_change("response-alternative-removed")->level == Level::non_breaking);
  // The alternative has another value now, the name of its component.
  CHECK(response_ids(all, pet(dog + cow, R"(, "dog": "#/Dog")")) ==
        Ids{"response-discriminator-changed"});
}

TEST_CASE("diff schemas: a schema equals its parts under allOf") {
  const auto plain = R"({"type": "object", "required": ["a"],
                         "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}})";
  const auto composed = R"({"allOf": [
      {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
      {"type": "object", "properties": {"b": {"type": "integer"}}}]})";
  CHECK(request_ids(plain, composed).empty());
  const auto more = R"({"allOf": [
      {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
      {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}]})";
  CHECK(request_ids(composed, more) == Ids{"request-member-became-required"});
  CHECK(request_ids(plain, more) == Ids{"request-member-became-required"});
}

TEST_CASE("diff schemas: a reference equals its target") {
  CHECK(request_ids(R"({"$ref": "#/components/schemas/A"})", R"({"type": "string"})").empty());
  CHECK(response_ids(
            R"({"$ref": "#/components/schemas/B"})",
            R"({"type": "object", "properties": {"next": {"$ref": "#/components/schemas/B"}}})")
            .empty());
}

TEST_CASE("diff schemas: a recursive schema is compared once") {
  CHECK(
      request_ids(R"({"$ref": "#/components/schemas/B"})", R"({"$ref": "#/components/schemas/B"})")
          .empty());
  // The same in one more turn, and with a change within.
  CHECK(request_ids(R"({"$ref": "#/components/schemas/B"})",
                    R"({"type": "object", "properties": {
                         "next": {"type": "object", "properties": {
                           "next": {"$ref": "#/components/schemas/B"}}, "required": ["next"]}}})") ==
        Ids{"request-member-became-required"});
  CHECK(request_ids(R"({"not": {"$ref": "#/components/schemas/B"}})",
                    R"({"not": {"not": {"$ref": "#/components/schemas/B"}}})") ==
        Ids{"request-constraint-changed"});
}

TEST_CASE("diff schemas: one schema that becomes one of several alternatives") {
  const auto one = R"({"type": "string", "maxLength": 5})";
  const auto several = R"({"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 5}]})";
  CHECK(request_ids(one, several) == Ids{"request-alternative-added"});
  CHECK(response_ids(several, one) == Ids{"response-alternative-removed"});
  CHECK(request_ids("{}", several) == Ids{"request-type-narrowed"});
  CHECK(request_ids(several, "{}") == Ids{"request-type-widened"});
}

TEST_CASE("diff schemas: alternatives are matched by their distinguishing members") {
  const auto before = R"({"oneOf": [
      {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
       "required": ["kind"]},
      {"type": "object", "properties": {"kind": {"const": "dog"}, "tricks": {"type": "integer"}},
       "required": ["kind"]}]})";
  const auto after = R"({"oneOf": [
      {"type": "object", "properties": {"kind": {"const": "dog"}, "tricks": {"type": "number"}},
       "required": ["kind"]},
      {"type": "object", "properties": {"kind": {"const": "fish"}}, "required": ["kind"]},
      {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
       "required": ["kind"]}]})";
  CHECK(request_ids(before, after) == Ids{"request-type-widened", "request-alternative-added"});
  CHECK(request_ids(after, before) == Ids{"request-type-narrowed", "request-alternative-removed"});
}

TEST_CASE("diff schemas: null counts as a type") {
  CHECK(request_ids(R"({"type": ["string", "null"]})", R"({"type": ["string", "integer"]})") ==
        Ids{"request-type-changed"});
  CHECK(response_ids(R"({"type": ["string", "integer"]})", R"({"type": ["string", "null"]})") ==
        Ids{"response-type-changed"});
  CHECK(request_ids(R"({"type": "null"})", R"({"type": "string"})") == Ids{"request-type-changed"});
  CHECK(request_ids(R"({"type": "string"})",
                    R"({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]})") ==
        Ids{"request-became-nullable", "request-alternative-added"});
  // Null matches both alternatives.
  CHECK(
      request_ids(R"({"oneOf": [{"type": ["string", "null"]}, {"type": "integer"}]})",
                  R"({"oneOf": [{"type": ["string", "null"]}, {"type": ["integer", "null"]}]})") ==
      Ids{"request-no-longer-nullable"});
}

TEST_CASE("diff schemas: schemas under negating keywords are compared separately") {
  for (const char* keyword : {"not", "contains", "propertyNames"}) {
    CAPTURE(keyword);
    Json before =
        *example_document(*find_change("request-type-changed"), Side::before).root().value;
    before["components"]["schemas"]["S"] = {{"enum", {"x"}}};
    const Json shared = {{"$ref", "#/components/schemas/S"}};
    before["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]["schema"] = {
        {"type", "object"}, {"properties", {{"a", shared}, {"b", {{keyword, shared}}}}}};
    Json after = before;
    after["components"]["schemas"]["S"]["enum"].push_back("y");
    CHECK(ids(compared(before, after)) ==
          Ids{"request-enum-value-added", "request-constraint-changed"});
  }
}

TEST_CASE("diff schemas: a value that several alternatives accept is invalid under oneOf") {
  const auto any = R"({"anyOf": [{"type": "number"}, {"type": "integer"}]})";
  const auto one = R"({"oneOf": [{"type": "number"}, {"type": "integer"}]})";
  CHECK(request_ids(any, one) == Ids{"request-constraint-added"});
  CHECK(response_ids(one, any) == Ids{"response-constraint-removed"});
  // Alternatives that have no value in common are the same under both.
  CHECK(request_ids(R"({"anyOf": [{"type": "string"}, {"type": "integer"}]})",
                    R"({"oneOf": [{"type": "integer"}, {"type": "string"}]})")
            .empty());
  CHECK(
      request_ids(R"({"oneOf": [{"type": "number"}, {"type": "string"}]})",
                  R"({"oneOf": [{"type": "number"}, {"type": "string"}, {"type": "integer"}]})") ==
      Ids{"request-alternative-added", "request-constraint-added"});
  CHECK(response_ids(R"({"oneOf": [{"type": "number"}, {"type": "string"}, {"type": "integer"}]})",
                     R"({"oneOf": [{"type": "number"}, {"type": "string"}]})") ==
        Ids{"response-alternative-removed", "response-constraint-removed"});
}

TEST_CASE("diff schemas: related keywords are compared together") {
  CHECK(request_ids(
            R"({"allOf": [{"if": {"type": "string"}, "then": {"maxLength": 3}},
                          {"if": {"type": "number"}, "else": {"minLength": 1}}]})",
            R"({"allOf": [{"if": {"type": "string"}, "else": {"minLength": 1}},
                          {"if": {"type": "number"}, "then": {"maxLength": 3}}]})") ==
        Ids{"request-constraint-removed", "request-constraint-added", "request-constraint-added",
            "request-constraint-removed"});
  CHECK(request_ids(R"({"type": "array", "contains": {"type": "string"}})",
                    R"({"type": "array", "contains": {"type": "string"}, "minContains": 2})") ==
        Ids{"request-constraint-added"});
  CHECK(response_ids(R"({"type": "array", "contains": {"type": "string"}})",
                     R"({"type": "array", "contains": {"type": "string"}, "minContains": 0})") ==
        Ids{"response-constraint-removed"});
  CHECK(request_ids(R"({"type": "array"})", R"({"type": "array", "minContains": 2})").empty());
}

TEST_CASE("diff schemas: additionalProperties of one part applies to the members of another") {
  const auto plain = R"({"type": "object", "additionalProperties": false,
                         "properties": {"a": {"type": "string"}, "b": {"type": "string"}}})";
  const auto parts = R"({"allOf": [
      {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false},
      {"type": "object", "properties": {"b": {"type": "string"}}}]})";
  CHECK(request_ids(plain, parts) == Ids{"request-type-narrowed"});
  // A member that could be sent before, as any other one.
  CHECK(request_ids(R"({"type": "object", "additionalProperties": {"type": "integer"}})",
                    R"({"type": "object", "additionalProperties": {"type": "integer"},
                        "properties": {"note": {"type": "string"}}})") ==
        Ids{"request-optional-member-added", "request-type-changed"});
}

TEST_CASE("diff schemas: consequences of a type change are not reported again") {
  CHECK(request_ids(R"({})", R"({"type": "object", "properties": {"a": {}}, "required": ["a"]})") ==
        Ids{"request-type-narrowed"});
  CHECK(request_ids(R"({"type": "string", "maxLength": 3})",
                    R"({"type": "integer", "minimum": 1})") == Ids{"request-type-changed"});
}

TEST_CASE("diff schemas: array items and unnamed members are compared") {
  CHECK(request_ids(R"({"type": "array"})", R"({"type": "array", "items": {"type": "string"}})") ==
        Ids{"request-type-narrowed"});
  CHECK(request_ids(R"({"type": "array", "prefixItems": [{"type": "string"}]})",
                    R"({"type": "array", "prefixItems": [{"type": "integer"}]})") ==
        Ids{"request-type-changed"});
  CHECK(response_ids(R"({"type": "object", "additionalProperties": {"type": "integer"}})",
                     R"({"type": "object", "additionalProperties": {"type": "number"}})") ==
        Ids{"response-type-widened"});
}

TEST_CASE("diff schemas: a member that becomes read-only is removed from requests") {
  const auto before = R"({"properties": {"id": {"type": "integer"}}})";
  const auto after = R"({"properties": {"id": {"type": "integer", "readOnly": true}}})";
  CHECK(request_ids(before, after) == Ids{"request-member-removed"});
  CHECK(request_ids(after, before) == Ids{"request-optional-member-added"});
  CHECK(response_ids(before, after).empty());
}

TEST_CASE("diff schemas: OpenAPI 3.0 and 3.1 notations of one schema are equal") {
  CHECK(request_ids(
            R"({"type": "integer", "minimum": 0, "exclusiveMinimum": true, "nullable": true})",
            R"({"type": ["integer", "null"], "exclusiveMinimum": 0})")
            .empty());
  const auto equal = [](const std::string& newer, const std::string& older) {
    const std::map<std::string, std::string> places = {{R"({"properties": {"v": )", "}}"},
                                                       {R"({"items": )", "}"}};
    for (const auto& [place, end] : places) {
      const std::string one = place + newer + end;
      const std::string other = place + older + end;
      const bool is_equal = request_ids(one.c_str(), other.c_str()).empty() &&
                            response_ids(one.c_str(), other.c_str()).empty() &&
                            request_ids(other.c_str(), one.c_str()).empty();
      if (!is_equal) return false;
    }
    return true;
  };
  const char* const null = R"({"type": "string", "nullable": true, "enum": [null]})";
  CHECK(equal(R"({"type": "null"})", null));
  CHECK(equal(R"({"const": null})", null));
  CHECK(equal(R"({"type": "string", "contentEncoding": "base64"})",
              R"({"type": "string", "format": "byte"})"));
  CHECK(equal(R"({"type": "string", "contentMediaType": "application/octet-stream"})",
              R"({"type": "string", "format": "binary"})"));
  CHECK(equal(R"({"type": "string", "contentEncoding": "base64",
                  "contentMediaType": "application/octet-stream"})",
              R"({"type": "string", "format": "byte"})"));
  CHECK_FALSE(equal(R"({"type": "null"})", R"({"type": "string", "nullable": true})"));
  CHECK_FALSE(equal(R"({"type": "null"})", R"({"type": "string", "enum": ["a"]})"));
  CHECK_FALSE(equal(R"({"type": "string", "contentEncoding": "base32"})",
                    R"({"type": "string", "format": "byte"})"));
  CHECK_FALSE(equal(R"({"type": "string", "contentMediaType": "image/png"})",
                    R"({"type": "string", "format": "binary"})"));
}

TEST_CASE("diff schemas: changes have a location and a message with both values") {
  const ChangeKind& row = *find_change("request-range-tightened");
  const Changes changes =
      compared(row, R"({"type": "array", "items": {"properties": {"price": {"maximum": 100}}}})",
               R"({"type": "array", "items": {"properties": {"price": {"maximum": 50}}}})");
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].operation() == "POST /orders");
  CHECK(changes[0].location == "request body: item[].price");
  CHECK(changes[0].message == "maximum 100 became 50");
  CHECK(changes[0].pointer ==
        "/paths/~1orders/post/requestBody/content/application~1json/schema/properties/item/items/"
        "properties/price/maximum");
}

TEST_CASE("diff schemas: many paths to one schema cost as much as one") {
  // Each of 40 schemas refers twice to the next: 2^40 ways.
  Json before = *example_document(*find_change("request-type-changed"), Side::before).root().value;
  Json& schemas = before["components"]["schemas"];
  for (int i = 0; i < 40; ++i) {
    const std::string next = fmt::format("#/components/schemas/S{}", i + 1);
    schemas[fmt::format("S{}", i)]["properties"] = {{"a", {{"$ref", next}}},
                                                    {"b", {{"$ref", next}}}};
  }
  schemas["S40"]["type"] = "string";
  before["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]["schema"] = {
      {"$ref", "#/components/schemas/S0"}};
  Json after = before;
  after["components"]["schemas"]["S40"]["type"] = "integer";
  CHECK(ids(compared(before, after)) == Ids{"request-type-changed"});
}

}  // namespace schemas_test
