// Values made at random for the forms of schemas that C++ types have.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "contract_test/valid_values.hpp"
#include "schema/formats.hpp"
#include "schema/kinds.hpp"

namespace fairway::contract_test {
namespace {

const diff::Document kDocument("openapi.json", Json::parse(R"({"components": {"schemas": {
  "Card": {"type": "object", "required": ["kind", "number"], "properties": {
    "kind": {"type": "string", "enum": ["card"]}, "number": {"type": "integer", "minimum": 1}}},
  "Transfer": {"type": "object", "required": ["kind"], "properties": {
    "kind": {"type": "string", "enum": ["transfer"]}, "iban": {"type": "string"}}},
  "Payment": {"oneOf": [{"$ref": "#/components/schemas/Card"},
                        {"$ref": "#/components/schemas/Transfer"}],
              "discriminator": {"propertyName": "kind"}},
  "Tree": {"type": "object", "required": ["name", "children"], "properties": {
    "name": {"type": "string"},
    "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
    "byName": {"type": "object",
               "additionalProperties": {"$ref": "#/components/schemas/Tree"}}}}}}})"));

Json reference(const std::string& name) { return {{"$ref", "#/components/schemas/" + name}}; }

std::vector<Json> valid_values(const Json& schema) {
  const SchemaChecker checker(kDocument);
  RandomSource random(7);
  ValueMaker maker(checker, random);
  std::vector<Json> values;
  for (int i = 0; i < 200; ++i) {
    auto value = maker.valid(schema);
    REQUIRE(value);
    values.push_back(*std::move(value));
  }
  return values;
}

std::set<std::string> errors_in(const Json& schema, const Json& valid) {
  const SchemaChecker checker(kDocument);
  REQUIRE_FALSE(checker.check(valid, schema));
  std::set<std::string> errors;
  for (const InvalidValue& invalid : invalid_values(checker, schema, valid, Source::json)) {
    errors.insert(invalid.pointer + " " + invalid.error);
  }
  return errors;
}

std::size_t depth_of(const Json& value) {
  std::size_t depth = 0;
  if (!value.is_structured()) return depth;
  for (const Json& part : value) depth = std::max(depth, depth_of(part));
  return depth + 1;
}

}  // namespace

TEST_CASE("contract values: every alternative is made") {
  std::set<std::string> kinds;
  for (const Json& value : valid_values(reference("Payment"))) kinds.insert(value.at("kind"));
  CHECK(kinds == std::set<std::string>{"card", "transfer"});
}

TEST_CASE("contract values: every type of the schema language has valid values") {
  for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
    const bool is_enumeration = row.kind == fw::schema::Kind::enumeration;
    const std::string dsl = std::string(row.name) + (is_enumeration ? ":a,b" : "");
    CAPTURE(dsl);
    const auto type = std::get<fw::schema::Node>(fw::schema::parse_dsl(dsl));
    fw::schema::Node object;
    object.kind = fw::schema::Kind::object;
    object.fields = {{"v", type}};
    const auto schema = Json::parse(fw::schema::to_json_schema(object).dump());
    for (const Json& value : valid_values(schema)) {
      const auto input = nlohmann::json::parse(value.dump());
      CAPTURE(input);
      CHECK(fw::schema::validate(object, input, fw::schema::Source::json).errors.empty());
    }
  }
}

TEST_CASE("contract values: strings of every format are valid and differ") {
  RandomSource random(7);
  for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
    if (row.has_format == nullptr) continue;
    CAPTURE(row.name);
    std::set<std::string> values;
    for (int i = 0; i < 100; ++i) {
      const auto value = value_of_format(row.json_format, row.json_pattern, random);
      REQUIRE(value);
      CAPTURE(*value);
      CHECK(row.has_format(*value));
      values.insert(*value);
    }
    CHECK(values.size() > 50);
  }
  // The format of JSON Schema, which is not the one of the schema language.
  CHECK(fw::schema::is_time(value_of_format("time", "", random).value_or("")));
  CHECK_FALSE(value_of_format("", "", random));
  CHECK_FALSE(value_of_format("unknown", "^a$", random));
}

TEST_CASE(
    "contract values: unique items of a format that is a pattern are as many as they may be") {
  const std::string_view pattern = fw::schema::info(fw::schema::Kind::time).json_pattern;
  const Json times = {{"type", "array"},
                      {"items", {{"type", "string"}, {"pattern", pattern}}},
                      {"minItems", 4},
                      {"uniqueItems", true}};
  for (const Json& value : valid_values(times)) CHECK(value.size() >= 4);
}

TEST_CASE("contract values: maps have members") {
  const Json map = {{"type", "object"}, {"additionalProperties", {{"type", "integer"}}}};
  std::set<std::size_t> sizes;
  for (const Json& value : valid_values(map)) sizes.insert(value.size());
  CHECK(sizes == std::set<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("contract values: items that must differ do, even if there are few values") {
  const Json flags = {{"type", "array"}, {"items", {{"type", "boolean"}}}, {"uniqueItems", true}};
  std::set<std::size_t> sizes;
  for (const Json& value : valid_values(flags)) sizes.insert(value.size());
  CHECK(sizes == std::set<std::size_t>{0, 1, 2});
}

TEST_CASE("contract values: values of recursive types end") {
  std::size_t deepest = 0;
  for (const Json& value : valid_values(reference("Tree"))) {
    deepest = std::max(deepest, depth_of(value));
  }
  CHECK(deepest > 3);
  CHECK(deepest < 20);
}

TEST_CASE("contract values: the alternative of a value has wrong values") {
  const auto errors =
      errors_in(reference("Payment"), Json::parse(R"({"kind": "card", "number": 1})"));
  CHECK(errors.contains("/kind is not one of the declared values"));
  CHECK(errors.contains("/kind is missing"));
  CHECK(errors.contains("/number is less than its minimum"));
  CHECK(errors.contains("/number is not an integer"));
  CHECK_FALSE(errors.contains("/iban is not of the declared type"));
}

TEST_CASE("contract values: a value that another alternative allows is not wrong") {
  const Json schema = Json::parse(R"({"oneOf": [{"type": "string"}, {"type": "array"}]})");
  CHECK(errors_in(schema, "x") == std::set<std::string>{" is null"});
  CHECK(errors_in(schema, Json::array()) ==
        std::set<std::string>{" is not of the declared type", " is null"});
}

TEST_CASE("contract values: members of maps and items that must differ are wrong, too") {
  const Json schema = Json::parse(R"({"type": "object", "additionalProperties": {
    "type": "array", "items": {"type": "integer"}, "uniqueItems": true}})");
  const auto errors = errors_in(schema, {{"a", {1, 2}}, {"b", Json::array()}});
  CHECK(errors.contains("/a has equal items"));
  CHECK(errors.contains("/a/0 is not an integer"));
  CHECK_FALSE(errors.contains("/b is null"));
}

}  // namespace fairway::contract_test
