// The bodies of error responses.
#include <algorithm>
#include <string>

#include "base/ascii.hpp"
#include "emit/openapi_parts.hpp"
#include "model/cpp_names.hpp"

namespace fairway::emit {

using model::Json;

const Json& error_schema() {
  static const Json kSchema = Json::parse(R"({
    "type": "object",
    "description": "Error response",
    "properties": {
      "code": {
        "type": ["integer", "string"],
        "description": "The business code when there is one, else the HTTP status."
      },
      "message": {"type": "string"},
      "details": {"type": ["object", "array"], "items": {}},
      "requestId": {"type": "string"}
    },
    "required": ["code", "message", "requestId"]
  })");
  return kSchema;
}

const Json& validation_error_schema() {
  static const Json kSchema = Json::parse(R"({
    "type": "object",
    "description": "Error response to input that does not match its schema",
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
  return kSchema;
}

Json error_schema_with_code(const Json& code) {
  Json schema = error_schema();
  schema["description"] = "Error response with the code " + code.dump();
  Json& member = schema["properties"]["code"];
  member = Json::object();
  member["type"] = code.is_string() ? "string" : "integer";
  member["const"] = code;
  return schema;
}

Json code_of_error(const Json& schema) {
  static const Json::json_pointer kCode("/properties/code/const");
  if (!schema.is_object() || !schema.contains(kCode)) return nullptr;
  const Json& code = schema.at(kCode);
  const bool is_code = code.is_string() || code.is_number_integer();
  return is_code && schema == error_schema_with_code(code) ? code : Json();
}

std::string name_of_error(const Json& code) {
  if (!code.is_string()) {
    const std::string digits = code.dump();
    return digits.starts_with('-') ? "ErrorMinus" + digits.substr(1) : "Error" + digits;
  }
  std::string text = code.get<std::string>();
  for (auto begin = text.begin(); begin != text.end();) {
    const auto end = std::find_if_not(begin, text.end(), fw::base::is_alphanumeric);
    // A word in capitals is none in PascalCase.
    const bool is_upper = std::none_of(begin, end, [](char c) { return c >= 'a' && c <= 'z'; });
    if (is_upper) std::transform(begin, end, begin, fw::base::to_lower);
    begin = end == text.end() ? end : end + 1;
  }
  std::string name = model::pascal_case(text);
  if (name.starts_with('_')) name.replace(0, 1, "Error");
  return name;
}

}  // namespace fairway::emit
