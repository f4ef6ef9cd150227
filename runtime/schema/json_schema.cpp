// Converts nodes to JSON Schema 2020-12.
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/json_text.hpp"
#include "schema/kinds.hpp"

namespace fw::schema {
namespace {

using nlohmann::json;

json bound_value(double bound) {
  constexpr double kExactlyWhole = 9007199254740992.0;  // 2^53
  if (bound == std::trunc(bound) && std::fabs(bound) <= kExactlyWhole) {
    return static_cast<std::int64_t>(bound);
  }
  return bound;
}

void add_range(json& schema, const Node& node) {
  const char* lower = nullptr;
  const char* upper = nullptr;
  switch (info(node.kind).range) {
    case RangeOf::nothing:
      return;
    case RangeOf::value:
      lower = "minimum";
      upper = "maximum";
      break;
    case RangeOf::length:
      lower = "minLength";
      upper = "maxLength";
      break;
    case RangeOf::count:
      lower = "minItems";
      upper = "maxItems";
      break;
  }
  if (node.min) schema[lower] = bound_value(*node.min);
  if (node.max) schema[upper] = bound_value(*node.max);
  if (node.is_unsigned) schema[upper] = std::numeric_limits<std::uint64_t>::max();
}

/// Writes the nodes of one root.
class SchemaWriter {
 public:
  explicit SchemaWriter(const Definitions* definitions) : definitions_(definitions) {}

  json write(const Node& node) const {
    const Node* const definition = find_definition(node);
    const bool is_reference = definition != nullptr || node.kind == Kind::reference;
    json schema = is_reference ? json{{"$ref", pointer_to(node)}} : write_type(node);
    if (node.default_value) schema["default"] = *node.default_value;
    if (!node.description.empty() &&
        (definition == nullptr || definition->description != node.description)) {
      schema["description"] = node.description;
    }
    if (node.deprecated && (definition == nullptr || !definition->deprecated)) {
      schema["deprecated"] = true;
    }
    return schema;
  }

  /// The schema of a definition, which `write` refers to.
  json write_definition(const Node& node) const {
    json schema = write_type(node);
    if (!node.description.empty()) schema["description"] = node.description;
    if (node.deprecated) schema["deprecated"] = true;
    return schema;
  }

 private:
  /// Null if the schema of the node is written in place.
  const Node* find_definition(const Node& node) const {
    if (definitions_ == nullptr || node.name.empty()) return nullptr;
    const auto found = definitions_->find(node.name);
    return found == definitions_->end() ? nullptr : found->second.get();
  }

  static std::string pointer_to(const Node& node) {
    return "#/$defs" + base::pointer_step(node.name);
  }

  json write_type(const Node& node) const {
    const KindInfo& kind = info(node.kind);
    json schema = json::object();
    if (!kind.json_type.empty()) schema["type"] = kind.json_type;
    if (!kind.json_format.empty()) schema["format"] = kind.json_format;
    if (!kind.json_pattern.empty()) schema["pattern"] = kind.json_pattern;
    if (!node.pattern.empty()) schema["pattern"] = node.pattern;
    add_range(schema, node);
    if (node.kind == Kind::enumeration) schema["enum"] = node.values;
    // OpenAPI 3.0 requires `items`; the empty schema allows anything.
    if (node.kind == Kind::array) {
      schema["items"] = node.items ? write(*node.items) : json::object();
    }
    if (node.unique_items) schema["uniqueItems"] = true;
    if (node.kind == Kind::object) add_members(schema, node);
    if (node.kind == Kind::map) schema["additionalProperties"] = write(*node.items);
    if (node.kind == Kind::one_of) add_alternatives(schema, node);
    return schema;
  }

  void add_members(json& schema, const Node& node) const {
    json properties = json::object();
    json required = json::array();
    for (const Field& field : node.fields) {
      properties[field.name] = write(field.node);
      if (field.node.required) required.push_back(field.name);
    }
    if (!properties.empty()) schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
  }

  void add_alternatives(json& schema, const Node& node) const {
    json alternatives = json::array();
    for (const Node& alternative : node.alternatives) alternatives.push_back(write(alternative));
    schema["oneOf"] = std::move(alternatives);
    if (!node.discriminator.empty()) {
      schema["discriminator"] = {{"propertyName", node.discriminator}};
    }
  }

  const Definitions* definitions_;
};

}  // namespace

json to_json_schema(const Node& node) {
  const SchemaWriter writer(node.definitions.get());
  json schema = writer.write(node);
  if (node.definitions == nullptr) return schema;
  for (const auto& [name, definition] : *node.definitions) {
    schema["$defs"][name] = writer.write_definition(*definition);
  }
  return schema;
}

}  // namespace fw::schema
