#include "schema/output_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

namespace fw::schema {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 200;

/// Object keywords that declare members.
constexpr std::array<std::string_view, 3> kMemberKeywords = {"properties", "patternProperties",
                                                             "additionalProperties"};

json without(json schema, std::initializer_list<const char*> keys) {
  for (const char* key : keys) schema.erase(key);
  return schema;
}

/// Adds schemas to `allOf`, each once: so the schemas that recursive ones are merged to are finite.
void add_to_all(json& schema, const json& added) {
  json& all = schema["allOf"];
  for (const json& each : added) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
}

OutputType type_of(const std::string& name) {
  const auto found = std::find(kOutputTypes.begin(), kOutputTypes.end(), name);
  if (found == kOutputTypes.end()) {
    throw std::invalid_argument(fmt::format("names the unknown type '{}'", name));
  }
  return static_cast<OutputType>(found - kOutputTypes.begin());
}

using Types = std::vector<OutputType>;
using Values = std::vector<json>;

bool contains(const Types& types, OutputType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// What `type` allows; empty if the schema has none.
std::optional<Types> types_of(const json& schema) {
  const auto type = schema.find("type");
  if (type == schema.end()) return std::nullopt;
  Types types;
  for (const json& name : type->is_array() ? *type : json::array({*type})) {
    types.push_back(type_of(name.get<std::string>()));
  }
  if (schema.value("nullable", false)) types.push_back(OutputType::null);  // OpenAPI 3.0
  std::sort(types.begin(), types.end());
  return types;
}

/// What `enum` and `const` allow; empty if the schema has neither.
std::optional<Values> values_of(const json& schema) {
  std::optional<Values> values;
  if (const auto all = schema.find("enum"); all != schema.end()) values = all->get<Values>();
  const auto only = schema.find("const");
  if (only == schema.end()) return values;
  if (values && std::find(values->begin(), values->end(), *only) == values->end()) return Values{};
  return Values{*only};
}

Types common(const Types& some, const Types& others) {
  // An integer is a number.
  const auto allows = [](const Types& types, OutputType type) {
    return contains(types, type) ||
           (type == OutputType::integer && contains(types, OutputType::number));
  };
  Types types;
  for (std::size_t i = 0; i < kOutputTypes.size(); ++i) {
    const auto type = static_cast<OutputType>(i);
    if (!allows(some, type) || !allows(others, type)) continue;
    if (type == OutputType::number) std::erase(types, OutputType::integer);
    types.push_back(type);
  }
  return types;
}

Values common(const Values& some, const Values& others) {
  Values values;
  std::copy_if(some.begin(), some.end(), std::back_inserter(values), [&](const json& value) {
    return std::find(others.begin(), others.end(), value) != others.end();
  });
  return values;
}

/// What both of two restrictions allow; empty if there is none.
template <class Allowed>
std::optional<Allowed> common(std::optional<Allowed> some, std::optional<Allowed> others) {
  if (some && others) return common(*some, *others);
  return some ? std::move(some) : std::move(others);
}

json both(json base, json other);

/// Moves the items of `base` and `other` to `base`: each `items` begins after its own
/// `prefixItems`.
void merge_items(json& base, json& other) {
  if (!base.contains("prefixItems") && !other.contains("prefixItems")) return;
  const auto count = [](const json& schema) {
    return schema.contains("prefixItems") ? schema["prefixItems"].size() : 0;
  };
  const auto item = [&](const json& schema, std::size_t index) {
    return index < count(schema) ? schema["prefixItems"][index] : schema.value("items", json(true));
  };
  json prefix = json::array();
  for (std::size_t i = 0; i < std::max(count(base), count(other)); ++i) {
    prefix.push_back(both(item(base, i), item(other, i)));
  }
  base["prefixItems"] = std::move(prefix);
  other.erase("prefixItems");
}

/// A schema that requires both `base` and `other`.
json both(json base, json other) {
  if (base.is_boolean()) return base.get<bool>() ? other : base;
  if (other.is_boolean()) return other.get<bool>() ? base : other;
  const auto types = common(types_of(base), types_of(other));
  const auto values = common(values_of(base), values_of(other));
  if ((types && types->empty()) || (values && values->empty())) return false;
  for (json* each : {&base, &other}) {
    *each = without(std::move(*each), {"type", "nullable", "enum", "const"});
  }
  if (types) {
    for (const OutputType type : *types) {
      base["type"].push_back(kOutputTypes[static_cast<std::size_t>(type)]);
    }
  }
  if (values) base["enum"] = *values;
  merge_items(base, other);
  if (base.contains("if") && other.contains("if")) {
    json condition = json::object();
    for (const char* key : {"if", "then", "else"}) {
      if (other.contains(key)) condition[key] = std::move(other[key]);
    }
    other = without(std::move(other), {"if", "then", "else"});
    add_to_all(base, json::array({std::move(condition)}));
  }
  for (const auto& [key, value] : other.items()) {
    if (!base.contains(key)) {
      base[key] = value;
    } else if (key == "properties" || key == "patternProperties") {
      for (const auto& [name, member] : value.items()) {
        base[key][name] = base[key].contains(name) ? both(base[key][name], member) : member;
      }
    } else if (key == "required") {
      json& names = base[key];
      for (const json& name : value) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    } else if (key == "allOf") {
      add_to_all(base, value);
    } else if (key == "$ref" || key == "anyOf" || key == "oneOf") {
      if (base[key] != value) add_to_all(base, json::array({json::object({{key, value}})}));
    } else if (key == "additionalProperties" || key == "items") {
      base[key] = both(base[key], value);
    } else {
      base[key] = value;
    }
  }
  return base;
}

void check_depth(int depth) {
  if (depth <= kMaxDepth) return;
  throw std::invalid_argument(fmt::format("is nested more than {} levels deep", kMaxDepth));
}

}  // namespace

OutputCompiler::OutputCompiler(const Json& root, std::deque<OutputNode>& nodes)
    : references_(root), nodes_(nodes) {
  if (references_.find_endless_reference()) throw std::invalid_argument("is infinitely recursive");
}

const OutputNode* OutputCompiler::compile(const Json& schema, int depth) {
  check_depth(depth);
  const auto [compiled, is_new] = compiled_.try_emplace(Json::to_cbor(schema), nullptr);
  if (!is_new) return compiled->second;
  // Added before it is complete, because it may refer to itself.
  OutputNode& node = nodes_.emplace_back();
  compiled->second = &node;
  fill(node, flatten(schema, depth), depth);
  return &node;
}

const json& OutputCompiler::find(const std::string& reference) const {
  if (!reference.starts_with('#')) {
    throw std::invalid_argument(fmt::format(
        "has a '$ref' to '{}': only references within the schema ('#/…') can be followed",
        reference));
  }
  const Json* schema = references_.find(reference);
  if (schema == nullptr) {
    throw std::invalid_argument(fmt::format("has a '$ref' to '{}', which is not there", reference));
  }
  return *schema;
}

json OutputCompiler::flatten(Json schema, int depth) {
  check_depth(depth);
  if (!schema.is_object()) return schema;
  std::optional<std::string> reference;
  if (const auto found = schema.find("$ref"); found != schema.end()) {
    reference = found->get<std::string>();
  }
  const Json all = schema.value("allOf", Json::array());
  schema = without(std::move(schema), {"$ref", "allOf"});
  if (reference) schema = both(std::move(schema), flatten_reference(*reference, depth + 1));
  for (auto part = all.begin(); part != all.end(); ++part) {
    if (std::find(all.begin(), part, *part) != part) continue;  // it changes nothing
    schema = both(std::move(schema), flatten(*part, depth + 1));
  }
  return schema;
}

const json& OutputCompiler::flatten_reference(const std::string& reference, int depth) {
  const auto known = flattened_.find(reference);
  if (known != flattened_.end()) return known->second;
  return flattened_.emplace(reference, flatten(find(reference), depth)).first->second;
}

void OutputCompiler::fill(OutputNode& node, const Json& schema, int depth) {
  if (schema.is_boolean()) {
    node.is_false = !schema.get<bool>();
    return;
  }
  if (const auto value = schema.find("default"); value != schema.end()) node.fallback = *value;
  for (const char* keyword : {"anyOf", "oneOf"}) {
    if (schema.contains(keyword)) return fill_alternatives(node, schema, keyword, depth);
  }
  if (schema.contains("if")) {
    const Json rest = without(schema, {"if", "then", "else"});
    const auto branch = [&](const char* keyword) {
      return compile(both(rest, flatten(schema.value(keyword, Json(true)), depth)), depth + 1);
    };
    node.condition = compile(schema["if"], depth + 1);
    node.when_true = branch("then");
    node.when_false = branch("else");
    return;
  }
  node.types = types_of(schema).value_or(std::vector<OutputType>());
  node.values = values_of(schema);
  fill_members(node, schema, depth);
  fill_items(node, schema, depth);
}

void OutputCompiler::fill_alternatives(OutputNode& node, const Json& schema, const char* keyword,
                                       int depth) {
  const Json rest = without(schema, {keyword, "discriminator"});
  const Json discriminator = schema.value("discriminator", Json::object());
  std::map<std::string, const OutputNode*> by_value;
  bool is_complete = discriminator.contains("propertyName");
  for (const Json& alternative : schema[keyword]) {
    const Json whole = both(rest, flatten(alternative, depth));
    node.alternatives.push_back(compile(whole, depth + 1));
    if (!is_complete) continue;
    const auto values = discriminator_values(alternative, discriminator, depth);
    is_complete = !values.empty();
    for (const std::string& value : values) by_value.emplace(value, node.alternatives.back());
  }
  if (!is_complete) return;
  node.discriminator = discriminator["propertyName"].get<std::string>();
  node.by_discriminator = std::move(by_value);
}

std::vector<std::string> OutputCompiler::discriminator_values(const Json& alternative,
                                                              const Json& discriminator,
                                                              int depth) {
  check_depth(depth);
  std::vector<std::string> values;
  const Json mapping = discriminator.value("mapping", Json::object());
  for (const auto& [value, target] : mapping.items()) {
    if (alternative.is_object() && alternative.value("$ref", Json()) == target) {
      values.push_back(value);
    }
  }
  const Json whole = flatten(alternative, depth);
  if (!whole.is_object()) return values;
  for (const Json& inner : whole.value("oneOf", Json::array())) {
    const auto more = discriminator_values(inner, discriminator, depth + 1);
    values.insert(values.end(), more.begin(), more.end());
  }
  const auto name = discriminator["propertyName"].get<std::string>();
  const Json member = flatten(whole.value("properties", Json::object()).value(name, Json()), depth);
  if (!member.is_object()) return values;
  Json allowed = member.value("enum", Json::array());
  if (member.contains("const")) allowed.push_back(member["const"]);
  for (const Json& value : allowed) {
    if (value.is_string()) values.push_back(value.get<std::string>());
  }
  return values;
}

void OutputCompiler::fill_members(OutputNode& node, const Json& schema, int depth) {
  const auto compile_child = [&](const Json& child) { return compile(child, depth + 1); };
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, child] : properties.items()) {
    node.members.push_back({name, compile_child(child)});
  }
  const Json patterns = schema.value("patternProperties", Json::object());
  for (const auto& [pattern, child] : patterns.items()) {
    node.patterns.push_back({Pattern(pattern), compile_child(child)});
  }
  for (const Json& required : schema.value("required", Json::array())) {
    const auto name = required.get<std::string>();
    const auto member = std::find_if(node.members.begin(), node.members.end(),
                                     [&](const auto& known) { return known.name == name; });
    if (member != node.members.end()) {
      member->required = true;
    } else {
      node.members.push_back({name, compile_child(true), true});
    }
  }
  const bool declares_members =
      std::any_of(kMemberKeywords.begin(), kMemberKeywords.end(),
                  [&](std::string_view keyword) { return schema.contains(keyword); });
  const Json additional = schema.value("additionalProperties", Json(!declares_members));
  node.is_closed = additional == Json(false);
  if (additional.is_object()) node.additional = compile_child(additional);
}

void OutputCompiler::fill_items(OutputNode& node, const Json& schema, int depth) {
  for (const Json& item : schema.value("prefixItems", Json::array())) {
    node.prefix.push_back(compile(item, depth + 1));
  }
  if (schema.contains("items")) node.items = compile(schema["items"], depth + 1);
}

}  // namespace fw::schema
