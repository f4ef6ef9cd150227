#include "emit/openapi_operation.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "emit/openapi_responses.hpp"
#include "emit/openapi_security.hpp"
#include "schema/ascii.hpp"

namespace fairway::emit {
namespace {

using fw::schema::Field;
using model::Json;
using model::LocationSchema;
using model::Route;

const LocationSchema* find_location(const Route& route, std::string_view location) {
  const auto found = std::ranges::find(route.validate, location, &LocationSchema::location);
  return found == route.validate.end() ? nullptr : &*found;
}

Json parameter_json(const std::string& name, const std::string& location, bool required,
                    Json schema) {
  Json parameter;
  parameter["name"] = name;
  parameter["in"] = location;
  parameter["required"] = required;
  if (schema.contains("description")) parameter["description"] = schema["description"];
  parameter["schema"] = std::move(schema);
  return parameter;
}

void add_path_parameters(const Route& route, const DocumentedPath& path, Json& parameters) {
  const LocationSchema* declared = find_location(route, "param");
  for (const auto& [name, documented_name] : path.parameters) {
    Json schema;
    const Field* field = nullptr;
    if (declared) {
      const auto& fields = declared->schema.fields;
      const auto found = std::ranges::find(fields, name, &Field::name);
      if (found != fields.end()) field = &*found;
    }
    if (field) {
      schema = schema_json(field->node);
    } else {
      schema["type"] = "string";
      if (documented_name == path.wildcard) {
        schema["description"] = "The rest of the path; it may have slashes";
      }
    }
    Json parameter = parameter_json(documented_name, "path", true, std::move(schema));
    // Tells a client that slashes in the value are not to be encoded.
    if (documented_name == path.wildcard) parameter["x-fw-wildcard"] = true;
    parameters.push_back(std::move(parameter));
  }
}

void add_parameters(const Route& route, std::string_view location, Json& parameters) {
  const LocationSchema* declared = find_location(route, location);
  if (!declared) return;
  for (const Field& field : declared->schema.fields) {
    parameters.push_back(parameter_json(field.name, std::string(location), field.node.required,
                                        schema_json(field.node)));
  }
}

Json form_json(const std::vector<model::FileField>& files) {
  Json schema;
  schema["type"] = "object";
  for (const model::FileField& file : files) {
    Json& property = schema["properties"][file.name];
    property["type"] = "string";
    property["format"] = "binary";
    if (!file.description.empty()) property["description"] = file.description;
    if (file.required) schema["required"].push_back(file.name);
  }
  Json media;
  media["schema"] = std::move(schema);
  return media;
}

// A documented body goes first, then the form, then the validated body.
Json request_body_json(const Route& route) {
  if (!route.docs.request_body.is_null()) return route.docs.request_body;
  const LocationSchema* body = find_location(route, "body");
  if (!body && route.files.empty()) return nullptr;
  Json content = Json::object();
  if (!route.files.empty()) content["multipart/form-data"] = form_json(route.files);
  if (body) content["application/json"]["schema"] = schema_json(body->schema);
  const bool needs_file = std::ranges::any_of(route.files, &model::FileField::required);
  Json result;
  result["required"] = body != nullptr || needs_file;
  result["content"] = std::move(content);
  return result;
}

}  // namespace

std::string inferred_summary(const std::string& operation_id) {
  std::string summary;
  for (const char c : operation_id) {
    const bool begins_word = c >= 'A' && c <= 'Z' && !summary.empty() && summary.back() != ' ';
    if (begins_word) summary += ' ';
    summary += fw::schema::is_alphanumeric(c) ? fw::schema::to_lower(c) : ' ';
  }
  if (!summary.empty() && summary.front() >= 'a' && summary.front() <= 'z') {
    summary.front() = static_cast<char>(summary.front() - 'a' + 'A');
  }
  return summary;
}

Json operation_json(const Route& route, const DocumentedPath& path, const OpenApiOptions& options,
                    Components& components) {
  Json operation;
  operation["operationId"] = route.operation_id;
  operation["summary"] =
      route.docs.summary.empty() ? inferred_summary(route.operation_id) : route.docs.summary;
  if (!route.docs.description.empty()) operation["description"] = route.docs.description;
  operation["tags"] = route.docs.tags;
  if (route.docs.deprecated) operation["deprecated"] = true;

  Json parameters = Json::array();
  add_path_parameters(route, path, parameters);
  for (const std::string_view location : {"query", "header", "cookie"}) {
    add_parameters(route, location, parameters);
  }
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
  if (Json body = request_body_json(route); !body.is_null()) {
    operation["requestBody"] = std::move(body);
  }
  operation["responses"] = operation_responses(route, options, components);
  operation["security"] = operation_security(route, options.guard_security);
  if (!route.docs.access.is_null()) operation["x-fw-docs-access"] = route.docs.access;
  for (const auto& [name, value] : route.docs.extensions.items()) operation[name] = value;
  return operation;
}

}  // namespace fairway::emit
