#include "emit/openapi_schemas.hpp"

#include <array>
#include <utility>

namespace fairway::emit {
namespace {

using fw::schema::Node;
using model::Json;

constexpr std::string_view kSchemas = "#/components/schemas/";

// Rewrites references to parts of a schema that moves to `root`. Returns whether there are any.
bool move_references(Json& schema, const std::string& root) {
  bool found = false;
  if (schema.is_object()) {
    for (auto& [key, value] : schema.items()) {
      if (key == "$ref" && value.is_string()) {
        const auto& target = value.get_ref<const std::string&>();
        if (target.starts_with('#')) {
          value = root + target.substr(1);
          found = true;
        }
      } else {
        found = move_references(value, root) || found;
      }
    }
  } else if (schema.is_array()) {
    for (Json& item : schema) found = move_references(item, root) || found;
  }
  return found;
}

}  // namespace

Json schema_json(const Node& node) {
  const nlohmann::json unordered = fw::schema::to_json_schema(node);
  constexpr std::array<std::string_view, 13> kOrder = {
      "type",     "format",   "enum",  "minimum",    "maximum",  "minLength",  "maxLength",
      "minItems", "maxItems", "items", "properties", "required", "description"};
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

Json Components::reference(const std::string& name, const Json& schema) {
  schemas_.emplace(name, schema);
  Json result;
  result["$ref"] = std::string(kSchemas) + name;
  return result;
}

Json Components::error() {
  static const Json kSchema = Json::parse(R"({
    "type": "object",
    "description": "Body of every error answer.",
    "properties": {
      "code": {
        "type": ["integer", "string"],
        "description": "The business code when there is one, else the HTTP status."
      },
      "message": {"type": "string"},
      "details": {"type": ["object", "array"]},
      "requestId": {"type": "string"}
    },
    "required": ["code", "message", "requestId"]
  })");
  return reference("Error", kSchema);
}

Json Components::validation_error() {
  static const Json kSchema = Json::parse(R"({
    "type": "object",
    "description": "Body of the answer to input that does not match its schema.",
    "properties": {
      "code": {"type": "integer", "enum": [400, 422]},
      "message": {"type": "string"},
      "errors": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
          "required": ["field", "message"]
        }
      },
      "requestId": {"type": "string"}
    },
    "required": ["code", "message", "errors", "requestId"]
  })");
  return reference("ValidationError", kSchema);
}

Json Components::declared(const model::Schema& schema, const std::string& name) {
  if (const auto* node = std::get_if<Node>(&schema)) return schema_json(*node);
  Json text = std::get<Json>(schema);
  if (!move_references(text, std::string(kSchemas) + name)) return text;
  return reference(name, text);
}

Json Components::schemas() const {
  if (schemas_.empty()) return nullptr;
  Json result = Json::object();
  for (const auto& [name, schema] : schemas_) result[name] = schema;
  return result;
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
