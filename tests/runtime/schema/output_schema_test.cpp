#include "schema/output_schema.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace output_schema_test {

namespace {

using fw::schema::OutputSchema;
using nlohmann::json;

/// What becomes of the value, or "<field>: <message>".
json shaped(const char* schema, json value) {
  const OutputSchema compiled{json::parse(schema)};
  if (const auto failure = compiled.apply(value)) {
    return failure->field + ": " + failure->message;
  }
  return value;
}

std::string error_of(const char* schema) {
  try {
    const OutputSchema compiled{json::parse(schema)};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("output schema: undeclared members are removed at any depth") {
  const char* schema = R"({"type": "object", "properties": {
      "id": {"type": "integer"},
      "inner": {"type": "object", "properties": {"a": {"type": "string"}}},
      "list": {"type": "array", "items": {"properties": {"x": {}}}},
      "free": {"type": "object"}}})";
  CHECK(shaped(schema, json::parse(R"({"id": 1, "secret": 2, "inner": {"a": "b", "z": 1},
      "list": [{"x": [1], "y": 2}, {}], "free": {"k": {"v": 1}}})")) ==
        json::parse(R"({"id": 1, "inner": {"a": "b"}, "list": [{"x": [1]}, {}],
      "free": {"k": {"v": 1}}})"));
  CHECK(shaped(R"({"type": "object", "additionalProperties": false})", {{"a", 1}}) ==
        json::object());
  CHECK(shaped(R"({"properties": {"a": {}}, "additionalProperties": {"type": "integer"}})",
               {{"a", "x"}, {"b", "7"}}) == json{{"a", "x"}, {"b", 7}});
  CHECK(shaped(R"({"patternProperties": {"^x-": {"type": "string"}}})", {{"x-a", 1}, {"y", 2}}) ==
        json{{"x-a", "1"}});
}

TEST_CASE("output schema: a missing required value is reported with its JSON pointer") {
  const char* schema = R"({"type": "object", "required": ["items"], "properties": {
      "items": {"type": "array", "items": {"type": "object", "required": ["id"],
                "properties": {"id": {"type": "integer"}}}}}})";
  CHECK(shaped(schema, json::object()) == "items: is required");
  CHECK(shaped(schema, {{"items", {{{"id", 1}}, json::object()}}}) == "items/1/id: is required");
  CHECK(shaped(schema, {{"items", {{{"id", nullptr}}}}}) ==
        "items/0/id: must be integer, but is null");
  CHECK(shaped(schema, json::array({1})) == ": must be object, but is array");
  // Required, and nothing else known of it.
  CHECK(shaped(R"({"required": ["a"]})", {{"b", 1}}) == "a: is required");
  CHECK(shaped(R"({"required": ["a"]})", {{"a", nullptr}, {"b", 1}}) ==
        json{{"a", nullptr}, {"b", 1}});
}

TEST_CASE("output schema: conversions are lossless") {
  CHECK(shaped(R"({"type": "integer"})", "7") == 7);
  CHECK(shaped(R"({"type": "integer"})", 7.0).is_number_integer());
  CHECK(shaped(R"({"type": "integer"})", 7.5) == ": must be integer, but is number");
  CHECK(shaped(R"({"type": "integer"})", "abc") == ": must be integer, but is string");
  CHECK(shaped(R"({"type": "integer"})", true) == ": must be integer, but is boolean");
  CHECK(shaped(R"({"type": "number"})", "1.5") == 1.5);
  CHECK(shaped(R"({"type": "number"})", std::nan("")) ==
        ": must be number, but is not a finite number");
  CHECK(shaped(R"({"type": "string"})", 7) == "7");
  CHECK(shaped(R"({"type": "string"})", true) == "true");
  CHECK(shaped(R"({"type": "string"})", nullptr) == ": must be string, but is null");
  CHECK(shaped(R"({"type": "boolean"})", "true") == true);
  CHECK(shaped(R"({"type": "boolean"})", 1) == ": must be boolean, but is number");
  CHECK(shaped(R"({"type": ["integer", "null"]})", nullptr) == nullptr);
  CHECK(shaped(R"({"type": "integer", "nullable": true})", nullptr) == nullptr);
  CHECK(shaped(R"({"type": ["integer", "string"]})", true) == "true");
  CHECK(shaped(R"({})", {{"any", {1, nullptr}}}) == json{{"any", {1, nullptr}}});
  CHECK(shaped(R"(false)", 1) == ": must not be present");
}

TEST_CASE("output schema: optional null members are left out, and defaults added") {
  const char* schema = R"({"properties": {"a": {"type": "string"},
      "b": {"type": ["string", "null"]}, "c": {"type": "integer", "default": 5}, "d": {}}})";
  CHECK(shaped(schema, {{"a", nullptr}, {"b", nullptr}, {"d", nullptr}}) ==
        json{{"b", nullptr}, {"c", 5}, {"d", nullptr}});
}

TEST_CASE("output schema: alternatives are chosen by required members and constants") {
  const char* shapes = R"({"oneOf": [
      {"type": "object", "required": ["kind", "r"], "properties":
         {"kind": {"const": "circle"}, "r": {"type": "number"}}},
      {"type": "object", "required": ["kind"], "properties":
         {"kind": {"enum": ["square", "box"]}, "w": {"type": "number"}}}]})";
  CHECK(shaped(shapes, {{"kind", "circle"}, {"r", 1}, {"w", 2}}) ==
        json{{"kind", "circle"}, {"r", 1}});
  CHECK(shaped(shapes, {{"kind", "box"}, {"r", 1}, {"w", 2}}) == json{{"kind", "box"}, {"w", 2}});
  CHECK(shaped(shapes, {{"kind", "box"}, {"w", "2"}}) == json{{"kind", "box"}, {"w", 2}});
  CHECK(shaped(shapes, 7) == ": matches none of the declared alternatives");
  const char* beside = R"({"properties": {"id": {}}, "anyOf": [{"properties": {"a": {}},
      "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}]})";
  CHECK(shaped(beside, {{"id", 1}, {"b", 2}, {"c", 3}}) == json{{"id", 1}, {"b", 2}});
}

TEST_CASE("output schema: the discriminator selects the alternative") {
  const char* schema = R"({
    "$ref": "#/$defs/Payments",
    "$defs": {
      "Payments": {"type": "array", "items": {
        "oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Transfer"}],
        "discriminator": {"propertyName": "kind", "mapping": {
          "card": "#/$defs/Card", "transfer": "#/$defs/Transfer"}}}},
      "Card": {"type": "object", "required": ["kind", "number"], "properties": {
        "kind": {"type": "string", "enum": ["card"]}, "number": {"type": "integer"},
        "next": {"$ref": "#/$defs/Payments"}}},
      "Transfer": {"type": "object", "required": ["kind"], "properties": {
        "kind": {"type": "string", "enum": ["transfer"]}, "number": {"type": "string"}}}}})";
  // With conversions, which would make the first alternative fit the second value, too.
  CHECK(shaped(schema, json::parse(R"([{"kind": "card", "number": "4", "secret": 1,
      "next": [{"kind": "transfer", "number": 4, "next": 1}]}, {"kind": "transfer", "number": 5}])")) ==
        json::parse(R"([{"kind": "card", "number": 4,
      "next": [{"kind": "transfer", "number": "4"}]}, {"kind": "transfer", "number": "5"}])"));
  CHECK(shaped(schema, {{{"kind", "card"}}}) == "0/number: is required");
  CHECK(shaped(schema, {{{"number", 1}}}) == "0/kind: is required");
  CHECK(shaped(schema, {{{"kind", "cash"}}}) ==
        "0/kind: selects none of the declared alternatives");
  CHECK(shaped(schema, {1}) == "0: matches none of the declared alternatives");
}

TEST_CASE("output schema: a discriminator without values leaves the choice to the members") {
  const char* schema = R"({"discriminator": {"propertyName": "kind"}, "oneOf": [
      {"type": "object", "required": ["a"], "properties": {"kind": {}, "a": {}}},
      {"type": "object", "required": ["b"], "properties": {"kind": {}, "b": {}}}]})";
  CHECK(shaped(schema, {{"kind", "x"}, {"b", 1}, {"c", 1}}) == json{{"kind", "x"}, {"b", 1}});
}

TEST_CASE("output schema: maps keep and convert all members") {
  const char* schema = R"({"type": "object", "properties": {
      "labels": {"type": "object", "additionalProperties": {"type": "string"}},
      "any": {"type": "object", "additionalProperties": {}}}})";
  CHECK(shaped(schema, json::parse(R"({"labels": {"a": "x", "b": 7}, "any": {"c": [1]}})")) ==
        json::parse(R"({"labels": {"a": "x", "b": "7"}, "any": {"c": [1]}})"));
  CHECK(shaped(schema, json::parse(R"({"labels": {"a": []}})")) ==
        "labels/a: must be string, but is array");
}

TEST_CASE("output schema: allOf, if and references are applied") {
  CHECK(shaped(R"({"allOf": [{"properties": {"a": {}}, "required": ["a"]},
      {"properties": {"b": {"type": "string"}}}], "properties": {"c": {}}})",
               {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}}) == json{{"a", 1}, {"b", "2"}, {"c", 3}});
  const char* conditional = R"({"properties": {"kind": {}}, "if": {"properties":
      {"kind": {"const": "a"}}}, "then": {"properties": {"x": {}}},
      "else": {"properties": {"y": {}}, "required": ["y"]}})";
  CHECK(shaped(conditional, {{"kind", "a"}, {"x", 1}, {"y", 2}}) == json{{"kind", "a"}, {"x", 1}});
  CHECK(shaped(conditional, {{"kind", "b"}, {"x", 1}, {"y", 2}}) == json{{"kind", "b"}, {"y", 2}});
  CHECK(shaped(conditional, {{"kind", "b"}}) == "y: is required");
  const char* tree = R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object",
      "properties": {"v": {"type": "integer"},
                     "next": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}})";
  CHECK(shaped(tree, {{"v", "1"}, {"next", {{{"v", 2}, {"q", 0}}}}}) ==
        json{{"v", 1}, {"next", {{{"v", 2}}}}});
  CHECK(shaped(R"({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}})",
               {1, "2"}) == json{"1", 2});
}

TEST_CASE("output schema: allOf keeps a keyword that several of its schemas have") {
  const auto in_member = [](const char* first, const char* second) {
    return R"({"$defs": {"a": {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                         "b": {"properties": {"b": {"type": "string"}}, "required": ["b"]}},
               "allOf": [{"properties": {"m": )" +
           std::string(first) + R"(}}, {"properties": {"m": )" + second + "}}]}";
  };
  const json value = {{"m", {{"a", 1}, {"b", 2}, {"c", 3}}}};
  const json whole = {{"m", {{"a", "1"}, {"b", "2"}}}};
  const char* a = R"({"$ref": "#/$defs/a"})";
  const char* b = R"({"$ref": "#/$defs/b"})";
  const std::string references = in_member(a, b);
  CHECK(shaped(references.c_str(), value) == whole);
  CHECK(shaped(references.c_str(), {{"m", {{"b", 2}}}}) == "m/a: is required");
  CHECK(shaped(references.c_str(), {{"m", {{"a", 2}}}}) == "m/b: is required");
  CHECK(shaped(in_member(a, a).c_str(), value) == json{{"m", {{"a", "1"}}}});
  CHECK(shaped(in_member(R"({"allOf": [{"$ref": "#/$defs/a"}]})", b).c_str(), value) == whole);

  const std::string choices =
      in_member(R"({"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/a"}]})",
                R"({"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/b"}]})");
  CHECK(shaped(choices.c_str(), value) == whole);
  CHECK(shaped(choices.c_str(), {{"m", {{"b", 2}}}}) ==
        "m: matches none of the declared alternatives");

  const std::string conditions =
      in_member(R"({"if": {"required": ["x"]}, "then": {"$ref": "#/$defs/a"}})",
                R"({"if": {"required": ["y"]}, "then": {"$ref": "#/$defs/b"}})");
  CHECK(shaped(conditions.c_str(), {{"m", {{"x", 1}, {"b", 1}}}}) == "m/a: is required");
  CHECK(shaped(conditions.c_str(), {{"m", {{"y", 1}, {"a", 1}}}}) == "m/b: is required");
}

TEST_CASE("output schema: allOf allows only what all of its schemas allow") {
  const auto all = [](const std::string& first, const std::string& second) {
    return R"({"allOf": [)" + first + ", " + second + "]}";
  };
  const auto result = [&](const char* first, const char* second, const json& value) {
    const json shaped_value = shaped(all(first, second).c_str(), value);
    CHECK(shaped_value == shaped(all(second, first).c_str(), value));
    return shaped_value;
  };
  const char* text_or_null = R"({"type": ["string", "null"]})";
  CHECK(result(text_or_null, R"({"type": ["integer", "string"]})", nullptr) ==
        ": must be string, but is null");
  CHECK(result(text_or_null, R"({"type": ["integer", "string"]})", 5) == json("5"));
  CHECK(result(R"({"type": "number"})", R"({"type": "integer"})", 1.5) ==
        ": must be integer, but is number");
  CHECK(result(R"({"type": ["number", "null"]})", R"({"type": ["integer", "number"]})", 1.5) ==
        json(1.5));
  CHECK(result(R"({"type": "string", "nullable": true})", text_or_null, nullptr) == json());
  CHECK(result(R"({"type": "string", "nullable": true})", R"({"type": "string"})", nullptr) ==
        ": must be string, but is null");
  CHECK(result(R"({"nullable": true})", R"({"type": "string"})", nullptr) ==
        ": must be string, but is null");
  CHECK(result(R"({"type": "string"})", R"({"type": "boolean"})", true) == ": must not be present");

  // The values of a member select an alternative.
  const auto selects = [&](const char* first, const char* second, const json& kind) {
    const std::string schema = R"({"anyOf": [{"properties": {"kind": )" + all(first, second) +
                               R"(, "a": {}}}, {"properties": {"kind": {}, "b": {}}}]})";
    return shaped(schema.c_str(), {{"kind", kind}, {"a", 1}, {"b", 2}}).contains("a");
  };
  const char* one_or_two = R"({"enum": [1, 2]})";
  CHECK(selects(one_or_two, R"({"enum": [2, 3]})", 2));
  CHECK_FALSE(selects(one_or_two, R"({"enum": [2, 3]})", 3));
  CHECK_FALSE(selects(R"({"enum": [2, 3]})", one_or_two, 3));
  CHECK_FALSE(selects(R"({"const": 1})", one_or_two, 2));
  CHECK_FALSE(selects(one_or_two, R"({"const": 1})", 2));
  CHECK_FALSE(selects(R"({"const": 1})", R"({"const": 2})", 2));
  CHECK(selects(R"({"const": 1, "enum": [1, 2]})", "true", 1));
  CHECK_FALSE(selects(R"({"const": 1, "enum": [1, 2]})", "true", 2));

  const char* pair = R"({"prefixItems": [{"type": "string"}, {"type": ["string", "integer"]}]})";
  CHECK(result(pair, R"({"prefixItems": [{}], "items": {"type": "integer"}})", {1, "2", "3"}) ==
        json{"1", 2, 3});
}

TEST_CASE("output schema: recursive schemas that are merged with each other end") {
  const char* schema = R"({"$ref": "#/$defs/a", "$defs": {
      "a": {"properties": {"v": {"type": "string"},
                           "next": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}}},
      "b": {"properties": {"w": {"type": "string"}, "next": {"$ref": "#/$defs/a"}}}}})";
  CHECK(shaped(schema, {{"v", 1}, {"w", 1}, {"next", {{"v", 1}, {"w", 1}, {"x", 1}}}}) ==
        json{{"v", "1"}, {"next", {{"v", "1"}, {"w", "1"}}}});
}

TEST_CASE("output schema: references can be anchors and JSON pointers in fragments") {
  const char* anchor = R"({"$ref": "#foo", "$defs": {"x": {"$anchor": "foo", "type": "string"}}})";
  CHECK(shaped(anchor, 1) == "1");
  const char* escaped = R"({"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": {"type": "string"}}})";
  CHECK(shaped(escaped, 1) == "1");
  const char* former = R"({"$ref": "#/definitions/A", "definitions": {"A": {"type": "string"}}})";
  CHECK(shaped(former, 1) == "1");
  const auto missing = [](const std::string& reference) {
    const json schema = {{"const", {{"a", {{"$anchor", "b"}}}}}, {"$ref", reference}};
    return error_of(schema.dump().c_str()) ==
           "has a '$ref' to '" + reference + "', which is not there";
  };
  CHECK(missing("#/const/a"));
  CHECK(missing("#b"));
  CHECK(missing("#/%zz"));
  CHECK(missing("#/const"));
}

TEST_CASE("output schema: a recursive schema may have alternatives") {
  const char* list = R"({"type": "object", "properties": {"v": {"type": "integer"}, "next":
      {"description": "rest", "anyOf": [{"$ref": "#"}, {"type": "null"}]}}})";
  CHECK(shaped(list, {{"v", "1"}, {"next", {{"v", "2"}, {"next", nullptr}, {"x", 1}}}}) ==
        json{{"v", 1}, {"next", {{"v", 2}, {"next", nullptr}}}});
}

TEST_CASE("output schema: pattern matching of member names needs linear time and little stack") {
  const std::string letters(200'000, 'a');
  json value = {{letters, 1}, {letters + "!", 2}};
  CHECK(shaped(R"({"patternProperties": {"^x-|^[a-z]+$": {"type": "integer"}}})", value) ==
        json{{letters, 1}});
  CHECK(shaped(R"({"patternProperties": {"^(a+)+$": {"type": "integer"}}})", value) ==
        json{{letters, 1}});
}

TEST_CASE("output schema: recursive alternatives need no exponential time") {
  // Each level has three alternatives with the same members, and only the innermost value decides.
  const char* schema = R"({"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [
      {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/node"},
       "op": {"const": "a"}}},
      {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/node"},
       "op": {"const": "b"}}},
      {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/node"},
       "op": {"const": "c"}}},
      {"type": "integer"}]}}})";
  const auto chain = [](int depth, const json& leaf) {
    json value = leaf;
    for (int i = 0; i < depth; ++i) value = json{{"next", std::move(value)}, {"op", "c"}};
    return value;
  };
  CHECK(shaped(schema, chain(200, 7)) == chain(200, 7));
  // A leaf that has to be converted is converted, as long as the depth is one of real data.
  CHECK(shaped(schema, chain(12, "7")) == chain(12, 7));
  // One that cannot be makes every combination of alternatives fail.
  const json failed = shaped(schema, chain(200, json::array()));
  CHECK(failed.get<std::string>().find("none of ") != std::string::npos);
}

TEST_CASE("output schema: schemas that refer to others twice take no more time at each level") {
  json root = {{"$ref", "#/$defs/60"}};
  root["$defs"]["0"] = R"({"required": ["a"], "properties": {"a": {"type": "integer"}}})"_json;
  for (int level = 1; level <= 60; ++level) {
    const std::string below = "#/$defs/" + std::to_string(level - 1);
    root["$defs"][std::to_string(level)] = {
        {"allOf", {{{"$ref", below}}, {{"$ref", below}, {"title", "again"}}, {{"$ref", below}}}}};
  }
  CHECK(shaped(root.dump().c_str(), {{"a", "7"}, {"b", 1}}) == json{{"a", 7}});
}

TEST_CASE("output schema: schemas that cannot be compiled are rejected") {
  CHECK(error_of(R"({"$ref": "#/nowhere"})") == "has a '$ref' to '#/nowhere', which is not there");
  CHECK(error_of(R"({"$ref": "http://x/y"})")
            .starts_with("has a '$ref' to 'http://x/y': only references within"));
  CHECK(error_of(R"({"$ref": "#"})") == "is infinitely recursive");
  CHECK(error_of(R"({"anyOf": [{"$ref": "#"}]})") == "is infinitely recursive");
  CHECK(error_of(R"({"allOf": [{"$ref": "#"}]})") == "is infinitely recursive");
  CHECK(error_of(R"({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]},
                     "b": {"$ref": "#/$defs/a"}}})") == "is infinitely recursive");
  CHECK(error_of(R"({"not": {"$ref": "#"}})") == "is infinitely recursive");
  CHECK(error_of(R"({"patternProperties": {"(": {}}})") ==
        "the pattern '(' is not a supported regular expression: missing ): (");
  CHECK(error_of(R"({"patternProperties": {"^(?!x)y": {}}})") ==
        "the pattern '^(?!x)y' is not a supported regular expression: "
        "invalid perl operator: (?!");
  CHECK(error_of(R"({"type": "text"})") == "names the unknown type 'text'");
}

}  // namespace output_schema_test
