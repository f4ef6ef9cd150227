#include "random_schema_pairs.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace fairway::testing {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kComponents = 3;

const std::vector<std::string> kNames = {"a", "b", "c", "kind"};
const std::vector<std::string> kTypes = {"string", "integer", "number", "boolean",
                                         "array",  "object",  "null"};
const std::vector<std::string> kPatterns = {"^[a-z]+$", "^a", "[0-9]"};
const std::vector<std::string> kFormats = {"email", "date", "uuid"};
const std::vector<Json> kConstants = {"a", "ab", "x1", 1, 2, 1.5, true, nullptr};

/// Keywords whose value is one schema, a list of them, or a map of them.
constexpr std::array kSingle = {"items",
                                "additionalProperties",
                                "not",
                                "if",
                                "then",
                                "else",
                                "propertyNames",
                                "contains",
                                "unevaluatedProperties",
                                "unevaluatedItems"};
constexpr std::array kLists = {"anyOf", "oneOf", "allOf", "prefixItems"};
constexpr std::array kMaps = {"properties", "patternProperties", "dependentSchemas"};

/// A schema within a document; `component` is the number of the component that contains it.
struct Node {
  Json* schema;
  std::size_t component;
  bool is_in_place;  ///< applies to the same value as the component
};

class Maker {
 public:
  explicit Maker(RandomSource& random) : random_(random) {}

  Json components() {
    Json result = {{"Root", {}}};
    for (std::size_t i = 1; i <= kComponents; ++i) {
      result["S" + std::to_string(i)] = schema(1, i, true);
    }
    result["Root"] = random_.chance(20) ? shared() : schema(3, 0, true);
    return result;
  }

  /// One to three edits.
  void mutate(Json& components) {
    for (std::size_t count = 1 + random_.below(3); count > 0; --count) {
      std::vector<Node> nodes;
      for (const std::string& name : used(components)) {
        const std::size_t number = name == "Root" ? 0 : static_cast<std::size_t>(name.back() - '0');
        collect(components[name], number, true, nodes);
      }
      edit(random_.pick(nodes));
      ++edits_;
    }
  }

 private:
  /// A component refers to later ones where it says something of the same value, to any one below
  /// its members and items: so no schema is without end.
  Json reference(std::size_t component, bool is_in_place) {
    const std::size_t first = is_in_place ? component + 1 : 1;
    const std::size_t number = first + random_.below(kComponents - first + 1);
    Json result = {{"$ref", "#/components/schemas/S" + std::to_string(number)}};
    if (random_.chance(10)) result["maxLength"] = 1 + random_.below(3);
    if (random_.chance(5)) result["description"] = "again";
    return result;
  }

  Json schema(int depth, std::size_t component, bool is_in_place) {
    const bool may_refer = !is_in_place || component < kComponents;
    if (may_refer && random_.chance(30)) return reference(component, is_in_place);
    switch (random_.below(depth > 0 ? 16 : 6)) {
      case 0:
      case 1:
        return text();
      case 2:
        return number();
      case 3:
        return with_null(Json{{"type", random_.pick(kTypes)}});
      case 4:
        return values();
      case 5:
        return anything();
      case 6:
      case 7:
      case 8:
        return object(depth, component);
      case 9:
      case 10:
        return array(depth, component);
      case 11:
      case 12:
        return alternatives(depth, component, is_in_place);
      case 13:
        return Json{{"allOf", Json::array({schema(depth - 1, component, is_in_place),
                                           schema(depth - 1, component, is_in_place)})}};
      case 14: {
        Json result = depth > 1 ? schema(0, component, is_in_place) : anything();
        if (result.is_object()) result["not"] = schema(depth - 1, component, is_in_place);
        return result;
      }
      default:
        return conditional(depth, component, is_in_place);
    }
  }

  /// One component that is said of a member, and denied of another.
  Json shared() {
    const Json component = reference(0, false);
    Json other = Json::object();
    switch (random_.below(5)) {
      case 0:
        other = {{"type", "array"}, {"contains", component}};
        break;
      case 1:
        other = {{"type", "object"}, {"propertyNames", component}};
        break;
      case 2:
        other = {{"if", component}, {"then", schema(0, 0, false)}, {"else", schema(0, 0, false)}};
        break;
      default:
        other = {{"not", component}};
    }
    return {{"type", "object"}, {"properties", {{"a", component}, {"b", other}}}};
  }

  Json with_null(Json schema) {
    if (schema["type"] == "null") return schema;
    if (random_.chance(12)) schema["nullable"] = true;
    if (random_.chance(20)) schema["type"] = Json::array({schema["type"], "null"});
    return schema;
  }

  Json text() {
    Json result = with_null({{"type", "string"}});
    if (random_.chance(30)) result["minLength"] = random_.below(3);
    if (random_.chance(30)) result["maxLength"] = 1 + random_.below(4);
    if (random_.chance(20)) result["pattern"] = random_.pick(kPatterns);
    if (random_.chance(20)) result["format"] = random_.pick(kFormats);
    return result;
  }

  Json number() {
    Json result = with_null({{"type", random_.chance(50) ? "integer" : "number"}});
    if (random_.chance(30)) result["minimum"] = random_.below(4);
    if (random_.chance(20)) result["exclusiveMinimum"] = random_.below(4);
    if (random_.chance(30)) result["maximum"] = 2 + random_.below(5);
    if (random_.chance(20)) result["multipleOf"] = 1 + random_.below(3);
    return result;
  }

  Json values() {
    if (random_.chance(30)) return {{"const", random_.pick(kConstants)}};
    Json list = Json::array();
    for (std::size_t count = 1 + random_.below(3); count > 0; --count) {
      const Json& value = random_.pick(kConstants);
      if (std::ranges::find(list, value) == list.end()) list.push_back(value);
    }
    return {{"enum", list}};
  }

  Json anything() {
    switch (random_.below(5)) {
      case 0:
        return Json{{"maxLength", 1 + random_.below(3)}};
      case 1:
        return Json{{"minimum", random_.below(4)}};
      case 2:
        return Json{{"required", Json::array({random_.pick(kNames)})}};
      case 3:
        return random_.chance(30);
      default:
        return Json::object();
    }
  }

  Json object(int depth, std::size_t component) {
    Json result = with_null({{"type", "object"}});
    Json properties = Json::object();
    Json required = Json::array();
    for (const std::string& name : kNames) {
      if (random_.chance(55)) continue;
      properties[name] = name == "kind" ? Json{{"const", random_.chance(50) ? "a" : "b"}}
                                        : schema(depth - 1, component, false);
      if (random_.chance(50)) required.push_back(name);
    }
    if (!properties.empty()) result["properties"] = properties;
    if (!required.empty()) result["required"] = required;
    if (random_.chance(25)) {
      result["additionalProperties"] =
          random_.chance(60) ? Json(false) : schema(depth - 1, component, false);
    }
    if (random_.chance(8)) {
      result["patternProperties"] = {{"^x-", schema(depth - 1, component, false)}};
    }
    if (random_.chance(6)) result["propertyNames"] = schema(0, component, false);
    if (random_.chance(8)) result["minProperties"] = 1 + random_.below(2);
    if (random_.chance(8)) result["maxProperties"] = 1 + random_.below(3);
    if (random_.chance(6)) result["dependentRequired"] = {{"a", Json::array({"b"})}};
    if (random_.chance(4)) {
      result["dependentSchemas"] = {{"a", {{"required", Json::array({"c"})}}}};
    }
    if (random_.chance(4)) result["unevaluatedProperties"] = false;
    return result;
  }

  Json array(int depth, std::size_t component) {
    Json result = with_null({{"type", "array"}});
    if (random_.chance(70)) result["items"] = schema(depth - 1, component, false);
    if (random_.chance(20)) {
      result["prefixItems"] = Json::array({schema(depth - 1, component, false)});
      if (random_.chance(30)) result["unevaluatedItems"] = false;
    }
    if (random_.chance(15)) result["minItems"] = 1 + random_.below(2);
    if (random_.chance(15)) result["maxItems"] = 1 + random_.below(3);
    if (random_.chance(15)) result["uniqueItems"] = random_.chance(80);
    if (random_.chance(25)) {
      result["contains"] = schema(depth - 1, component, false);
      if (random_.chance(30)) result["minContains"] = random_.below(3);
      if (random_.chance(30)) result["maxContains"] = 1 + random_.below(2);
    }
    return result;
  }

  Json alternatives(int depth, std::size_t component, bool is_in_place) {
    Json list = Json::array();
    for (std::size_t count = 1 + random_.below(3); count > 0; --count) {
      list.push_back(schema(depth - 1, component, is_in_place));
    }
    if (random_.chance(25)) list.push_back({{"type", "null"}});
    Json result = random_.chance(15) ? anything() : Json::object();
    if (!result.is_object()) return result;
    result[random_.chance(50) ? "anyOf" : "oneOf"] = list;
    return result;
  }

  Json conditional(int depth, std::size_t component, bool is_in_place) {
    Json result = random_.chance(50) ? Json::object() : Json{{"type", random_.pick(kTypes)}};
    result["if"] = schema(depth - 1, component, is_in_place);
    if (random_.chance(70)) result["then"] = schema(depth - 1, component, is_in_place);
    if (random_.chance(50)) result["else"] = schema(depth - 1, component, is_in_place);
    return result;
  }

  static bool is_of_children(std::string_view keyword) {
    constexpr std::array kChildren = {"items",
                                      "additionalProperties",
                                      "propertyNames",
                                      "contains",
                                      "unevaluatedProperties",
                                      "unevaluatedItems",
                                      "prefixItems",
                                      "properties",
                                      "patternProperties"};
    return std::ranges::find(kChildren, keyword) != kChildren.end();
  }

  void collect(Json& schema, std::size_t component, bool is_in_place, std::vector<Node>& nodes) {
    nodes.push_back({&schema, component, is_in_place});
    if (!schema.is_object()) return;
    const auto visit = [&](Json& child, const std::string& keyword) {
      collect(child, component, is_in_place && !is_of_children(keyword), nodes);
    };
    for (auto& [keyword, value] : schema.items()) {
      const std::string& name = keyword;
      if (std::ranges::find(kSingle, name) != kSingle.end()) visit(value, name);
      const bool is_list = std::ranges::find(kLists, name) != kLists.end();
      const bool is_map = std::ranges::find(kMaps, name) != kMaps.end();
      if (!is_list && !is_map) continue;
      for (Json& child : value) visit(child, name);
    }
  }

  /// The components that `Root` leads to, and itself.
  static std::vector<std::string> used(const Json& components) {
    std::vector<std::string> names = {"Root"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string text = components[names[i]].dump();
      for (const auto& [name, value] : components.items()) {
        const bool is_used = text.find("schemas/" + name + '"') != std::string::npos;
        if (is_used && std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
    }
    return names;
  }

  Json fresh(const Node& node, int depth) {
    return schema(depth, node.component, node.is_in_place);
  }

  void edit(const Node& node) {
    Json& schema = *node.schema;
    switch (random_.below(12)) {
      case 0:
        schema = fresh(node, 1);
        break;
      case 1:
        wrap(node);
        break;
      case 2:
        if (schema.is_object()) merge(node);
        break;
      default:
        if (schema.is_object() && !schema.empty()) {
          edit_keyword(node);
        } else {
          schema = fresh(node, 1);
        }
    }
    if (schema.is_object()) make_whole(schema);
  }

  /// Adds the keywords of another schema.
  void merge(const Node& node) {
    const Json other = fresh(node, 1);
    if (!other.is_object() || other.contains("$ref")) return;
    for (const auto& [name, value] : other.items()) {
      if (!node.schema->contains(name) || random_.chance(50)) (*node.schema)[name] = value;
    }
  }

  void wrap(const Node& node) {
    const Json inner = *node.schema;
    const char* keyword = random_.pick(std::vector<const char*>{"anyOf", "oneOf", "allOf", "not"});
    if (std::string_view(keyword) == "not") {
      *node.schema = {{"not", inner}};
      return;
    }
    Json list = Json::array({inner});
    if (random_.chance(40)) {
      list.push_back({{"type", "null"}});
    } else if (random_.chance(70)) {
      list.push_back(fresh(node, 1));
    }
    *node.schema = {{keyword, list}};
  }

  void edit_keyword(const Node& node) {
    Json& schema = *node.schema;
    auto chosen = schema.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random_.below(schema.size())));
    const std::string keyword = chosen.key();
    Json& value = *chosen;
    if (keyword == "type") {
      edit_type(schema);
    } else if (keyword == "anyOf" || keyword == "oneOf") {
      edit_alternatives(node, keyword);
    } else if (keyword == "properties") {
      edit_properties(node);
    } else if (keyword == "$ref") {
      const Json other = reference(node.component, node.is_in_place || node.component == 0);
      if (node.component < kComponents || !node.is_in_place) schema["$ref"] = other["$ref"];
    } else if (keyword == "enum" || keyword == "required" || keyword == "allOf") {
      edit_list(value, keyword, node);
    } else if (value.is_number()) {
      const int step = random_.chance(50) ? 1 : -1;
      const int least = keyword == "multipleOf" ? 1 : 0;
      value = std::max(least, value.get<int>() + step);
    } else {
      schema.erase(keyword);
    }
  }

  void edit_type(Json& schema) {
    Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
    const Json other = random_.chance(50) ? Json("null") : Json(random_.pick(kTypes));
    if (random_.chance(20)) {
      if (schema.erase("nullable") == 0) schema["nullable"] = true;
    } else if (const auto found = std::ranges::find(types, other); found == types.end()) {
      types.push_back(other);
      if (random_.chance(30)) types.erase(0);
    } else if (types.size() > 1) {
      types.erase(found);
    }
    schema["type"] = types.size() == 1 ? types[0] : types;
  }

  void edit_alternatives(const Node& node, const std::string& keyword) {
    Json list = (*node.schema)[keyword];
    switch (random_.below(4)) {
      case 0:
        list.push_back(random_.chance(40) ? Json{{"type", "null"}} : fresh(node, 1));
        break;
      case 1:
        if (list.size() > 1) list.erase(random_.below(list.size()));
        break;
      case 2:
        std::reverse(list.begin(), list.end());
        break;
      default: {
        node.schema->erase(keyword);
        (*node.schema)[keyword == "anyOf" ? "oneOf" : "anyOf"] = list;
        return;
      }
    }
    (*node.schema)[keyword] = list;
  }

  void edit_properties(const Node& node) {
    Json& properties = (*node.schema)["properties"];
    // A name that no other schema declares: see judge-schema-pairs.mjs for undeclared members.
    const std::string name =
        random_.chance(40) ? "new" + std::to_string(edits_) : random_.pick(kNames);
    if (properties.contains(name) && random_.chance(50)) {
      properties.erase(name);
    } else {
      properties[name] = schema(1, node.component, false);
      if (random_.chance(30)) (*node.schema)["required"].push_back(name);
    }
  }

  void edit_list(Json& list, const std::string& keyword, const Node& node) {
    if (random_.chance(40) && list.size() > 1) {
      list.erase(random_.below(list.size()));
    } else if (keyword == "enum") {
      list.push_back(random_.pick(kConstants));
    } else if (keyword == "required") {
      list.push_back(random_.pick(kNames));
    } else {
      list.push_back(fresh(node, 1));
    }
  }

  /// What ajv demands (unique lists), and what `fairway diff` reads in a way of its own: members
  /// or items without a type, `nullable` beside a list of values.
  static void make_whole(Json& schema) {
    for (const char* keyword : {"enum", "required"}) {
      if (!schema.contains(keyword)) continue;
      Json unique = Json::array();
      for (const Json& value : schema[keyword]) {
        if (std::ranges::find(unique, value) == unique.end()) unique.push_back(value);
      }
      schema[keyword] = unique;
    }
    if (!schema.contains("type")) {
      if (schema.contains("properties")) {
        schema["type"] = "object";
      } else if (schema.contains("items")) {
        schema["type"] = "array";
      }
    }
    if (!schema.contains("type") || schema.contains("enum") || schema.contains("const")) {
      schema.erase("nullable");
    }
  }

  RandomSource& random_;
  std::size_t edits_ = 0;
};

Json document(const Json& components) {
  const Json content = {
      {"application/json", {{"schema", {{"$ref", "#/components/schemas/Root"}}}}}};
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "Random"}, {"version", "1"}}},
          {"paths",
           {{"/things",
             {{"post",
               {{"requestBody", {{"content", content}, {"required", true}}},
                {"responses", {{"200", {{"description", "A thing"}, {"content", content}}}}}}}}}}},
          {"components", {{"schemas", components}}}};
}

}  // namespace

SchemaPair random_schema_pair(std::uint32_t seed) {
  RandomSource random(seed);
  Maker maker(random);
  Json before = maker.components();
  Json after = before;
  if (random.chance(5)) {
    after = maker.components();
  } else {
    maker.mutate(after);
  }
  if (random.chance(50)) std::swap(before, after);
  return {document(before), document(after)};
}

}  // namespace fairway::testing
