#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "emit/openapi_parts.hpp"

namespace fairway::emit {

using fw::schema::Node;
using model::Json;

Json schema_json(const Node& node) {
  const nlohmann::json unordered = fw::schema::to_json_schema(node);
  constexpr std::array<std::string_view, 14> kOrder = {
      "type",      "format",   "pattern",  "enum",  "minimum",    "maximum",  "minLength",
      "maxLength", "minItems", "maxItems", "items", "properties", "required", "description"};
  Json schema = Json::object();
  for (const std::string_view key : kOrder) {
    const auto member = unordered.find(key);
    if (member == unordered.end()) continue;
    const std::string name(key);
    if (key == "items" && node.items) {
      schema[name] = schema_json(*node.items);
    } else if (key == "properties") {
      for (const auto& field : node.fields) schema[name][field.name] = schema_json(field.node);
    } else {
      schema[name] = *member;
    }
  }
  for (const auto& [key, value] : unordered.items()) schema.emplace(key, value);
  return schema;
}

Json binary_schema() {
  Json schema;
  schema["type"] = "string";
  schema["format"] = "binary";
  schema["contentMediaType"] = "application/octet-stream";
  return schema;
}

Json envelope_schema(Json data) {
  Json schema = Json::parse(R"({
    "type": "object",
    "properties": {
      "code": {"type": "integer", "const": 0},
      "data": {},
      "requestId": {"type": "string"}
    },
    "required": ["code", "data", "requestId"]
  })");
  schema["properties"]["data"] = std::move(data);
  return schema;
}

bool is_envelope(const Json& schema) {
  if (!schema.is_object() || !schema.contains("properties")) return false;
  Json other = schema;
  other["properties"]["data"] = Json::object();
  return other == envelope_schema(Json::object());
}

Json envelope_example(const Json& data) {
  Json example;
  example["code"] = 0;
  example["data"] = data;
  example["requestId"] = "5f0c8a1e-3f0e-4b7a-9a52-6a7d1f4c2b90";
  return example;
}

}  // namespace fairway::emit
