// Converts nodes to JSON Schema 2020-12.
#include <cmath>
#include <cstdint>

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
}

void add_members(json& schema, const Node& node) {
  json properties = json::object();
  json required = json::array();
  for (const Field& field : node.fields) {
    properties[field.name] = to_json_schema(field.node);
    if (field.node.required) required.push_back(field.name);
  }
  if (!properties.empty()) schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
}

}  // namespace

json to_json_schema(const Node& node) {
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
    schema["items"] = node.items ? to_json_schema(*node.items) : json::object();
  }
  if (node.kind == Kind::object) add_members(schema, node);
  if (node.default_value) schema["default"] = *node.default_value;
  if (!node.description.empty()) schema["description"] = node.description;
  return schema;
}

}  // namespace fw::schema
