#include "random_schemas.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/kinds.hpp"

namespace fairway::testing {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<SchemaWithExample>& scalars() {
  static const std::vector<SchemaWithExample> list = [] {
    std::vector<SchemaWithExample> all = {
        {"string", "text"},
        {"string:1-50", "a"},
        {"string:3", "abc"},
        {"string:2-", "ab"},
        {"string:-5", ""},
        {"number", 1},
        {"number:0-", 0},
        {"number:-1.5", 1},
        {"number:1-100", 100},
        {"integer", -7},
        {"integer:1-", 1},
        {"integer:-10-10", 10},
        {"integer:0-9007199254740991", 9007199254740991},
        {"boolean", true},
        {"enum:a,b,c", "b"},
        {"enum:in-progress,done", "done"},
        {"any", "anything"},
    };
    for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
      if (row.has_format != nullptr) all.push_back({row.name, row.example});
    }
    return all;
  }();
  return list;
}

const std::vector<SchemaWithExample>& lists() {
  static const std::vector<SchemaWithExample> list = {
      {"array", Json::array({1, "a", nullptr})},
      {"array:1-5", Json::array({1})},
      {"array<string>", Json::array({"a"})},
      {"array<integer>:-2", Json::array({1, 2})},
      {"array<array<number>>", Json::array({Json::array({1})})},
      {"array<enum:x,y>", Json::array({"x"})},
      {"object", Json::object({{"free", true}})},
      {"null", nullptr},
  };
  return list;
}

// What JSON Schema can say and the schema language cannot.
const std::vector<SchemaWithExample>& json_schemas() {
  static const std::vector<std::pair<const char*, const char*>> texts = {
      {R"({"type": ["string", "null"]})", "null"},
      {R"({"type": ["integer", "string", "array"], "items": {"type": "integer"}})", "[1]"},
      {R"({"type": "null"})", "null"},
      {R"({"const": "fixed"})", R"("fixed")"},
      {R"({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10})", "5"},
      {R"({"type": "string", "examples": ["a"], "pattern": "^[a-z]$"})", R"("a")"},
      {R"({"type": "object", "properties": {"kind": {"const": "a"}, "old": {"type": ["string",
          "null"], "deprecated": true}}, "required": ["kind"], "additionalProperties": false})",
       R"({"kind": "a"})"},
      {R"({"oneOf": [{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
          {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}]})",
       R"({"a": 1})"},
      {R"({"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}}, {"minProperties":
          1}]})",
       R"({"a": 1})"},
      {R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {"name":
          {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
          "required": ["name"]}}})",
       R"({"name": "root", "children": [{"name": "leaf"}]})"},
      {R"({"type": "object", "properties": {"self": {"$ref": "#", "description": "again"}, "n":
          {"type": "integer"}}})",
       R"({"self": {"n": 1}})"},
      {R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {}})",
       R"(["a", 1])"},
      {R"({"type": "object", "patternProperties": {"^x-": {"type": "string"}},
          "additionalProperties": false})",
       R"({"x-a": "b"})"},
      {R"({"type": "object", "properties": {"a": {"type": "integer"}}, "if": {"required": ["a"]},
          "then": {"properties": {"a": {"minimum": 0}}}, "else": {"minProperties": 0}})",
       R"({"a": 1})"},
      {R"({"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}},
          "uniqueItems": true, "contains": {"type": "object"}})",
       R"([{"id": 1}])"},
      {R"({"type": "object", "additionalProperties": {"type": ["number", "null"]},
          "propertyNames": {"pattern": "^[a-z]+$"}})",
       R"({"a": null})"},
      {R"({"not": {"type": "integer"}, "title": "anything but integers", "$comment": "c"})",
       R"("a")"},
      {"true", R"("a")"},
  };
  static const std::vector<SchemaWithExample> list = [] {
    std::vector<SchemaWithExample> result;
    for (const auto& [schema, example] : texts) {
      result.push_back({"json_schema(" + std::string(schema) + ")", Json::parse(example)});
    }
    return result;
  }();
  return list;
}

const std::vector<std::string>& names() {
  static const std::vector<std::string> list = {
      "id",  "name", "e-mail", "first_name", "a b",  "na\xC3\xAFve",    "class", "type", "required",
      "x/y", "y~x",  "200",    "properties", "Name", "long.dotted.name"};
  return list;
}

std::string with_suffix(const std::string& dsl, RandomSource& random) {
  if (random.chance(30)) return dsl + "?";
  return random.chance(20) ? dsl + "!" : dsl;
}

SchemaWithExample from_dsl(const SchemaWithExample& chosen, RandomSource& random) {
  std::string dsl = with_suffix(chosen.schema.get<std::string>(), random);
  if (random.chance(15)) dsl = "compile_field(\"" + dsl + "\").description(\"What it *means*\")";
  return {dsl, chosen.example};
}

}  // namespace

SchemaWithExample random_scalar(RandomSource& random) {
  return from_dsl(random.pick(scalars()), random);
}

SchemaWithExample random_object(RandomSource& random, std::size_t count, int depth) {
  SchemaWithExample result{Json::object(), Json::object()};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = random.pick(names());
    if (result.schema.contains(name)) continue;
    const SchemaWithExample field = random_field(random, depth);
    result.schema[name] = field.schema;
    const bool is_absent = field.schema.contains("$optional") && random.chance(50);
    if (!is_absent) result.example[name] = field.example;
  }
  return result;
}

SchemaWithExample random_field(RandomSource& random, int depth) {
  const std::size_t choice = depth > 0 ? random.below(10) : 0;
  if (choice > 7) {
    SchemaWithExample field = random_object(random, 1 + random.below(3), depth - 1);
    if (choice == 9) field = {Json::array({field.schema}), Json::array({field.example})};
    if (random.chance(30)) field.schema = Json::object({{"$optional", field.schema}});
    return field;
  }
  return from_dsl(random.pick(choice > 5 ? lists() : scalars()), random);
}

SchemaWithExample random_response(RandomSource& random) {
  const std::size_t choice = random.below(10);
  if (choice < 4) return random_object(random, 1 + random.below(5), 2);
  if (choice < 6) {
    const SchemaWithExample item = random_object(random, 1 + random.below(4), 1);
    return {Json::array({item.schema}), Json::array({item.example})};
  }
  if (choice < 7) return random.pick(lists());
  return choice < 8 ? random.pick(scalars()) : random.pick(json_schemas());
}

}  // namespace fairway::testing
