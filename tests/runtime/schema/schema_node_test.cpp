// Schemas of C++ types: JSON Schema to nodes and back.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "schema/kinds.hpp"
#include "schema/node.hpp"
#include "schema/pattern.hpp"

namespace schema_node_test {

namespace {

using fw::schema::Kind;
using fw::schema::Node;
using fw::schema::node_of_schema;
using fw::schema::resolved;
using fw::schema::to_json_schema;
using Json = nlohmann::ordered_json;

Node node_of(std::string_view text) { return node_of_schema(Json::parse(text)); }

std::string error_of(std::string_view text) {
  try {
    static_cast<void>(node_of(text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

const Node& member(const Node& object, std::string_view name) {
  for (const fw::schema::Field& field : object.fields) {
    if (field.name == name) return field.node;
  }
  FAIL("no member ", name);
  return object;
}

/// Each type of the DSL with everything that may follow it.
std::vector<std::string> dsl_strings() {
  std::vector<std::string> types = {"enum:a,b c"};
  for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
    types.push_back(std::string(row.name) + (row.kind == Kind::enumeration ? ":a" : ""));
  }
  for (const char* range : {"5", "5-", "-5", "1-5", "0-0", "0-9007199254740991"}) {
    for (const char* name : {"string", "number", "integer", "array"}) {
      types.push_back(std::string(name) + ':' + range);
    }
  }
  for (const char* range : {"-5-10", "--5", "-5--5", "-5-"}) {
    types.push_back(std::string("integer:") + range);
    types.push_back(std::string("number:") + range);
  }
  for (const char* range : {"0.5", "-0.5-1.25", "0.1-", "-0.000001"}) {
    types.push_back(std::string("number:") + range);
  }
  types.insert(types.end(), {"string:/^[a-z]+$/", "string:1-20/a=b|c?/", "string:3-/\\d/"});
  const std::size_t scalars = types.size();
  for (std::size_t i = 0; i < scalars; ++i) {
    types.push_back("array<" + types[i] + ">");
    types.push_back("array<array<" + types[i] + ">:1-2>:3");
  }
  return types;
}

void check_same(const Node& node, const Node& other) {
  CHECK(node.kind == other.kind);
  CHECK(node.min == other.min);
  CHECK(node.max == other.max);
  CHECK(node.values == other.values);
  CHECK(node.pattern == other.pattern);
  CHECK((node.expression == nullptr) == (other.expression == nullptr));
  CHECK(node.default_value == other.default_value);
  CHECK((node.items == nullptr) == (other.items == nullptr));
  if (node.items && other.items) check_same(*node.items, *other.items);
}

}  // namespace

TEST_CASE("schemas of types: every type of the DSL is itself after JSON Schema") {
  for (const std::string& dsl : dsl_strings()) {
    CAPTURE(dsl);
    // An array of any items needs no schema of them.
    const bool has_any = dsl.find("<any>") != dsl.npos;
    const Node node = std::get<Node>(fw::schema::parse_dsl(dsl));
    const auto schema = to_json_schema(node);
    const Node again = node_of_schema(schema);
    if (!has_any) check_same(again, node);
    CHECK(to_json_schema(again) == schema);
  }
}

TEST_CASE("schemas of types: defaults of the DSL are themselves after JSON Schema") {
  for (const char* dsl :
       {"string=abc", "string:1-5=abc", "string:/^a/=a", "integer:1-100=20", "number=0.5",
        "boolean=true", "enum:a,b=b", "date=2024-01-31", "url=https://example.com/"}) {
    CAPTURE(dsl);
    const Node node = std::get<Node>(fw::schema::parse_dsl(dsl));
    const Node again = node_of_schema(to_json_schema(node));
    check_same(again, node);
    CHECK_FALSE(again.required);
  }
}

TEST_CASE("schemas of types: named types are expanded where they are used") {
  const Node order = node_of(R"({"$ref": "#/$defs/Order", "$defs": {
    "Order": {"type": "object", "description": "An order.", "required": ["id", "items"],
      "properties": {
        "id": {"type": "integer", "minimum": 0},
        "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 1},
        "channel": {"$ref": "#/$defs/Channel", "default": "web", "description": "Where from."},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "note": {"type": "string", "deprecated": true},
        "extra": {}}},
    "Item": {"type": "object", "properties": {"count": {"type": "integer"}},
             "required": ["count"], "deprecated": true},
    "Channel": {"type": "string", "enum": ["web", "phone"], "description": "A channel."}}})");
  CHECK(order.kind == Kind::object);
  CHECK(order.name == "Order");
  CHECK(order.description == "An order.");
  CHECK(order.definitions == nullptr);
  REQUIRE(order.fields.size() == 7);
  CHECK(order.fields[0].name == "id");
  CHECK(order.fields[2].name == "channel");
  CHECK(member(order, "id").required);
  CHECK_FALSE(member(order, "note").required);
  CHECK(member(order, "note").deprecated);
  CHECK_FALSE(member(order, "id").deprecated);
  CHECK(member(order, "items").items->name == "Item");
  CHECK(member(order, "items").items->deprecated);
  CHECK(member(order, "items").items->fields[0].node.required);
  CHECK(member(order, "channel").name == "Channel");
  CHECK(member(order, "channel").kind == Kind::enumeration);
  CHECK(member(order, "channel").values == std::vector<std::string>{"web", "phone"});
  CHECK(member(order, "channel").default_value == nlohmann::json("web"));
  CHECK(member(order, "channel").description == "Where from.");
  CHECK(member(order, "labels").kind == Kind::map);
  CHECK(member(order, "labels").items->kind == Kind::string);
  CHECK(member(order, "tags").unique_items);
  CHECK(member(order, "extra").kind == Kind::any);
  CHECK(to_json_schema(order) == nlohmann::json::parse(R"({
    "type": "object", "description": "An order.", "required": ["id", "items"], "properties": {
      "id": {"type": "integer", "minimum": 0},
      "items": {"type": "array", "minItems": 1, "items": {"type": "object", "deprecated": true,
        "properties": {"count": {"type": "integer"}}, "required": ["count"]}},
      "channel": {"type": "string", "enum": ["web", "phone"], "default": "web",
                  "description": "Where from."},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}},
      "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
      "note": {"type": "string", "deprecated": true},
      "extra": {}}})"));
}

TEST_CASE("schemas of types: alternatives and their discriminator") {
  const std::string text = R"({"oneOf": [
      {"type": "object", "required": ["kind"], "properties": {
        "kind": {"type": "string", "enum": ["card"]}, "number": {"type": "string"}}},
      {"type": "object", "required": ["kind"], "properties": {
        "kind": {"type": "string", "enum": ["transfer"]}}}],
    "discriminator": {"propertyName": "kind"}})";
  const Node payment = node_of(text);
  CHECK(payment.kind == Kind::one_of);
  CHECK(payment.discriminator == "kind");
  REQUIRE(payment.alternatives.size() == 2);
  CHECK(payment.alternatives[1].fields[0].node.values == std::vector<std::string>{"transfer"});
  CHECK(to_json_schema(payment) == nlohmann::json::parse(text));

  const Node either = node_of(R"({"oneOf": [{"type": "string"}, {"type": "integer"}]})");
  CHECK(either.discriminator.empty());
  CHECK(to_json_schema(either).dump() == R"({"oneOf":[{"type":"string"},{"type":"integer"}]})");
}

TEST_CASE("schemas of types: a type within itself is a reference") {
  const std::string text = R"({"$ref": "#/$defs/Tree", "$defs": {
    "Tree": {"type": "object", "description": "A tree.", "required": ["children"], "properties": {
      "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
      "parent": {"$ref": "#/$defs/Tree", "description": "The tree above.", "deprecated": true}}}}})";
  const Node tree = node_of(text);
  CHECK(tree.kind == Kind::object);
  const Node& child = *member(tree, "children").items;
  CHECK(child.kind == Kind::reference);
  CHECK(child.name == "Tree");
  CHECK(resolved(child).kind == Kind::object);
  CHECK(resolved(child).name == "Tree");
  CHECK(&resolved(*member(resolved(child), "children").items) == &resolved(child));
  CHECK(&resolved(tree) == &tree);
  CHECK(to_json_schema(tree) == nlohmann::json::parse(text));
}

TEST_CASE("schemas of types: types that contain each other") {
  const Node forest =
      node_of(R"({"type": "object", "properties": {"person": {"$ref": "#/$defs/Person"}},
   "$defs": {
    "Person": {"type": "object", "properties": {"home": {"$ref": "#/$defs/House"}}},
    "House": {"type": "object", "properties": {
      "owner": {"$ref": "#/$defs/Person"},
      "windows": {"type": "array", "items": {"$ref": "#/$defs/Window"}}}},
    "Window": {"type": "object", "properties": {"width": {"type": "integer"}}}}})");
  const Node& owner = member(member(member(forest, "person"), "home"), "owner");
  REQUIRE(owner.kind == Kind::reference);
  CHECK(resolved(owner).name == "Person");
  const Node& home = member(resolved(owner), "home");
  CHECK(member(resolved(home), "windows").items->fields[0].name == "width");
  CHECK(forest.definitions->size() == 2);
  const auto schema = to_json_schema(forest);
  CHECK(schema.at("properties").at("person").dump() == R"({"$ref":"#/$defs/Person"})");
  CHECK(to_json_schema(node_of_schema(schema)) == schema);
}

TEST_CASE("schemas of types: types that use each other often take little memory") {
  Json types = Json::object();
  for (int i = 0; i < 40; ++i) {
    const Json next =
        i == 39 ? Json{{"type", "integer"}} : Json{{"$ref", "#/$defs/T" + std::to_string(i + 1)}};
    types["T" + std::to_string(i)] = {{"type", "object"},
                                      {"properties", {{"left", next}, {"right", next}}}};
  }
  const Json schema = {{"$ref", "#/$defs/T0"}, {"$defs", types}};
  const Node node = node_of_schema(schema);
  nlohmann::json value = 1;
  for (int i = 0; i < 40; ++i) value = {{"left", value}};
  CHECK(fw::schema::validate(node, value, fw::schema::Source::json).errors.empty());
}

TEST_CASE("schemas of types: other schemas are errors with their JSON pointers") {
  CHECK(error_of("[]") == "the schema at '' must be an object");
  CHECK(error_of(R"({"type": "strin"})") == "the schema at '/type' is unknown: 'strin'");
  CHECK(error_of(R"({"type": ["string", "null"]})") == "the schema at '/type' must have a string");
  CHECK(error_of(R"({"type": "object", "properties": {"a/b": {"not": {}}}})") ==
        "the schema at '/properties/a~1b/not' is not part of the schema of a type");
  CHECK(error_of(R"({"type": "object", "required": ["a"]})") ==
        "the schema at '/required' names an unknown member: 'a'");
  CHECK(error_of(R"({"type": "object", "properties": {}, "additionalProperties": {}})") ==
        "the schema at '/properties' is not part of the schema of a type");
  CHECK(error_of(R"({"type": "string", "format": "emall"})") ==
        "the schema at '/format' is unknown: 'emall'");
  CHECK(error_of(R"({"type": "string", "pattern": "("})") ==
        "the schema at '/pattern' is invalid: the pattern '(' is not a supported regular "
        "expression: missing ): (");
  CHECK(error_of(R"({"$ref": "#/$defs/A"})") == "the schema at '/$ref' names no type: '#/$defs/A'");
  CHECK(error_of(R"({"$ref": "#/$defs/A", "$defs": {"A": {"type": "array", "items": 1}}})") ==
        "the schema at '/$defs/A/items' must be an object");
  CHECK(error_of(R"({"oneOf": [], "discriminator": {}})") ==
        "the schema at '/oneOf' must be a list of schemas");
  CHECK(error_of(R"({"type": "integer", "minimum": "1"})") ==
        "the schema at '/minimum' must be a number");
}

}  // namespace schema_node_test
