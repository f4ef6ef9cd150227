// Reads the JSON Schemas that the route compiler makes from C++ types.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/json_text.hpp"
#include "schema/kinds.hpp"
#include "schema/pattern.hpp"
#include "schema/schema_keywords.hpp"

namespace fw::schema {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDefinitions = "#/$defs/";

/// Beyond this number of nodes, named types become references, so that types which use each other
/// many times do not take exponential memory.
constexpr std::size_t kMaxNodes = 10'000;

[[noreturn]] void fail(const std::string& at, std::string_view problem) {
  throw std::invalid_argument(fmt::format("the schema at '{}' {}", at, problem));
}

class SchemaReader {
 public:
  explicit SchemaReader(const Json& root) {
    if (!root.is_object()) fail("", "must be an object");
    const auto types = root.find("$defs");
    if (types == root.end()) return;
    if (!types->is_object()) fail("/$defs", "must be an object");
    types_ = &*types;
  }

  Node read_root(const Json& root) {
    Node node = read(root, "");
    if (!definitions_.empty()) {
      node.definitions = std::make_shared<const Definitions>(std::move(definitions_));
    }
    return node;
  }

 private:
  Node read(const Json& schema, const std::string& at) {
    ++nodes_;
    if (!schema.is_object()) fail(at, "must be an object");
    Node node;
    if (schema.contains("$ref")) {
      node = read_reference(schema, at);
    } else if (schema.contains("oneOf")) {
      read_alternatives(node, schema, at);
    } else if (schema.contains("type")) {
      read_type(node, schema, at);
    } else {
      allow(schema, at, {});
    }
    read_annotations(node, schema, at);
    return node;
  }

  // The keywords of any schema.
  static void read_annotations(Node& node, const Json& schema, const std::string& at) {
    if (const Json* text = find(schema, "description")) node.description = string_of(*text, at);
    if (const Json* flag = find(schema, "deprecated")) {
      if (!flag->is_boolean()) fail(at + "/deprecated", "must be true or false");
      node.deprecated = flag->get<bool>();
    }
    if (const Json* value = find(schema, "default")) {
      node.default_value = nlohmann::json(*value);
      node.required = false;
    }
  }

  void allow(const Json& schema, const std::string& at,
             std::initializer_list<std::string_view> keywords) const {
    for (const auto& [name, value] : schema.items()) {
      if (name == "description" || name == "deprecated" || name == "default") continue;
      if (name == "$defs" && at.empty()) continue;
      if (std::ranges::find(keywords, name) != keywords.end()) continue;
      fail(at + base::pointer_step(name), "is not part of the schema of a type");
    }
  }

  static const Json* find(const Json& schema, const char* keyword) {
    const auto found = schema.find(keyword);
    return found == schema.end() ? nullptr : &*found;
  }

  static const std::string& string_of(const Json& value, const std::string& at) {
    if (!value.is_string()) fail(at, "must have a string");
    return value.get_ref<const std::string&>();
  }

  Node read_reference(const Json& schema, const std::string& at) {
    allow(schema, at, {"$ref"});
    const std::string& text = string_of(schema.at("$ref"), at + "/$ref");
    const Json* type = nullptr;
    std::string name;
    if (text.starts_with(kDefinitions)) {
      name = text.substr(kDefinitions.size());
      if (types_ != nullptr && types_->contains(name)) type = &types_->at(name);
    }
    if (type == nullptr) fail(at + "/$ref", fmt::format("names no type: '{}'", text));
    if (open_.contains(name) || nodes_ > kMaxNodes) return reference_to(name, *type);

    open_.insert(name);
    Node node = read(*type, "/$defs" + base::pointer_step(name));
    open_.erase(name);
    node.name = name;
    return node;
  }

  Node reference_to(const std::string& name, const Json& type) {
    auto [entry, is_new] = definitions_.try_emplace(name, nullptr);
    if (is_new) {
      // Types within it may refer to it.
      const auto target = std::make_shared<Node>();
      entry->second = target;
      const bool was_open = !open_.insert(name).second;
      *target = read(type, "/$defs" + base::pointer_step(name));
      if (!was_open) open_.erase(name);
      target->name = name;
    }
    Node node;
    node.kind = Kind::reference;
    node.name = name;
    node.target = definitions_.at(name);
    return node;
  }

  void read_alternatives(Node& node, const Json& schema, const std::string& at) {
    allow(schema, at, {"oneOf", "discriminator"});
    node.kind = Kind::one_of;
    const Json& list = schema.at("oneOf");
    if (!list.is_array() || list.empty()) fail(at + "/oneOf", "must be a list of schemas");
    for (std::size_t i = 0; i < list.size(); ++i) {
      node.alternatives.push_back(read(list[i], fmt::format("{}/oneOf/{}", at, i)));
    }
    const Json* discriminator = find(schema, "discriminator");
    if (discriminator == nullptr) return;
    if (!discriminator->is_object() || !discriminator->contains("propertyName")) {
      fail(at + "/discriminator", "must be an object with the member 'propertyName'");
    }
    node.discriminator =
        string_of(discriminator->at("propertyName"), at + "/discriminator/propertyName");
  }

  void read_type(Node& node, const Json& schema, const std::string& at) {
    const std::string& type = string_of(schema.at("type"), at + "/type");
    if (type == "string") return read_string(node, schema, at);
    if (type == "array") return read_array(node, schema, at);
    if (type == "object") return read_object(node, schema, at);
    const KindInfo* const kind = find_kind(type);
    if (kind == nullptr || kind->json_type != type) {
      fail(at + "/type", fmt::format("is unknown: '{}'", type));
    }
    node.kind = kind->kind;
    if (kind->range == RangeOf::value) {
      allow(schema, at, {"type", "minimum", "maximum"});
      read_range(node, schema, at, "minimum", "maximum");
    } else {
      allow(schema, at, {"type"});
    }
  }

  static void read_range(Node& node, const Json& schema, const std::string& at, const char* lower,
                         const char* upper) {
    const auto read_bound = [&](const char* keyword, std::optional<double>& bound) {
      const Json* value = find(schema, keyword);
      if (value == nullptr) return;
      if (!value->is_number()) fail(at + '/' + keyword, "must be a number");
      bound = value->get<double>();
    };
    read_bound(lower, node.min);
    const Json* most = find(schema, upper);
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    node.is_unsigned = node.kind == Kind::integer && most != nullptr && *most == Json(kMax);
    if (!node.is_unsigned) read_bound(upper, node.max);
  }

  void read_string(Node& node, const Json& schema, const std::string& at) {
    node.kind = Kind::string;
    if (const Json* values = find(schema, "enum")) {
      allow(schema, at, {"type", "enum"});
      return read_values(node, *values, at + "/enum");
    }
    const std::string format = text_of(schema, at, "format");
    const std::string pattern = text_of(schema, at, "pattern");
    const auto kinds = all_kinds();
    const auto kind = std::ranges::find_if(kinds, [&](const KindInfo& each) {
      return each.has_format != nullptr && each.json_format == format &&
             each.json_pattern == pattern;
    });
    if (kind != kinds.end()) {
      allow(schema, at, {"type", "format", "pattern"});
      node.kind = kind->kind;
      return;
    }
    if (!format.empty()) fail(at + "/format", fmt::format("is unknown: '{}'", format));
    allow(schema, at, {"type", "pattern", "minLength", "maxLength"});
    read_range(node, schema, at, "minLength", "maxLength");
    if (pattern.empty()) return;
    node.pattern = pattern;
    try {
      node.expression = std::make_shared<const Pattern>(pattern);
    } catch (const std::invalid_argument& error) {
      fail(at + "/pattern", fmt::format("is invalid: {}", error.what()));
    }
  }

  static std::string text_of(const Json& schema, const std::string& at, const char* keyword) {
    const Json* text = find(schema, keyword);
    return text == nullptr ? std::string() : string_of(*text, at + '/' + keyword);
  }

  static void read_values(Node& node, const Json& values, const std::string& at) {
    node.kind = Kind::enumeration;
    if (!values.is_array() || values.empty()) fail(at, "must be a list of strings");
    for (const Json& value : values) node.values.push_back(string_of(value, at));
  }

  void read_array(Node& node, const Json& schema, const std::string& at) {
    allow(schema, at, {"type", "items", "minItems", "maxItems", "uniqueItems"});
    node.kind = Kind::array;
    read_range(node, schema, at, "minItems", "maxItems");
    if (const Json* flag = find(schema, "uniqueItems")) node.unique_items = *flag == Json(true);
    const Json* items = find(schema, "items");
    if (items == nullptr || *items == Json::object()) return;
    node.items = std::make_shared<const Node>(read(*items, at + "/items"));
  }

  void read_object(Node& node, const Json& schema, const std::string& at) {
    if (const Json* members = find(schema, "additionalProperties")) {
      allow(schema, at, {"type", "additionalProperties"});
      node.kind = Kind::map;
      node.items = std::make_shared<const Node>(read(*members, at + "/additionalProperties"));
      return;
    }
    allow(schema, at, {"type", "properties", "required", kRequiredInResponses});
    node.kind = Kind::object;
    std::set<std::string_view> required;
    if (const Json* names = find(schema, "required")) {
      for (const Json& name : *names) required.insert(string_of(name, at + "/required"));
    }
    const Json* properties = find(schema, "properties");
    if (properties != nullptr && !properties->is_object()) {
      fail(at + "/properties", "must be an object");
    }
    if (properties != nullptr) {
      for (const auto& [name, member] : properties->items()) {
        Field field{name, read(member, at + "/properties" + base::pointer_step(name))};
        field.node.required = required.erase(name) != 0;
        node.fields.push_back(std::move(field));
      }
    }
    if (!required.empty()) {
      fail(at + "/required", fmt::format("names an unknown member: '{}'", *required.begin()));
    }
  }

  const Json* types_ = nullptr;
  std::set<std::string> open_;  ///< The named types around the schema that is read.
  Definitions definitions_;
  std::size_t nodes_ = 0;
};

}  // namespace

Node node_of_schema(const Json& schema) { return SchemaReader(schema).read_root(schema); }

const Node& resolved(const Node& node) {
  if (node.kind != Kind::reference) return node;
  const auto target = node.target.lock();
  if (target == nullptr) {
    throw std::logic_error(fmt::format("the schema of '{}' was destroyed", node.name));
  }
  return *target;
}

}  // namespace fw::schema
