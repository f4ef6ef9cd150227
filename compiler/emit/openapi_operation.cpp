#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "emit/openapi_parts.hpp"
#include "model/openapi_document.hpp"
#include "resolve/security.hpp"
#include "schema/schema_references.hpp"

namespace fairway::emit {
namespace {

using fw::schema::Field;
using model::Json;
using model::LocationSchema;
using model::Route;

/// The schema of a member of a location.
Json member_json(const LocationSchema& location, const Field& field, Components& components) {
  if (location.type_json.is_null()) return schema_json(field.node);
  const Json* schema = &location.type_json;
  while (const std::string* target = fw::schema::reference_of(*schema)) {
    schema = &location.type_json.at(Json::json_pointer(target->substr(1)));
  }
  return components.part_of_type(location.type_json, schema->at("properties").at(field.name));
}

Json parameter_json(const std::string& name, const std::string& location, bool required,
                    Json schema) {
  Json parameter;
  parameter["name"] = name;
  parameter["in"] = location;
  parameter["required"] = required;
  if (schema.contains("description")) parameter["description"] = schema["description"];
  if (schema.value("deprecated", false)) parameter["deprecated"] = true;
  parameter["schema"] = std::move(schema);
  return parameter;
}

void add_path_parameters(const Route& route, const DocumentedPath& path, Components& components,
                         Json& parameters) {
  const LocationSchema* declared = route.schema_of("param");
  for (const auto& [name, documented_name] : path.parameters) {
    Json schema;
    const Field* field = nullptr;
    if (declared) {
      const auto& fields = declared->schema.fields;
      const auto found = std::ranges::find(fields, name, &Field::name);
      if (found != fields.end()) field = &*found;
    }
    if (field) {
      schema = member_json(*declared, *field, components);
    } else {
      schema["type"] = "string";
      if (documented_name == path.wildcard) {
        schema["description"] = "The rest of the path; it may have slashes";
      }
    }
    Json parameter = parameter_json(documented_name, "path", true, std::move(schema));
    // Tells clients not to encode slashes in the value.
    if (documented_name == path.wildcard) {
      parameter[std::string(model::extensions::kWildcard)] = true;
    }
    parameters.push_back(std::move(parameter));
  }
}

void add_parameters(const Route& route, std::string_view location, Components& components,
                    Json& parameters) {
  const LocationSchema* declared = route.schema_of(location);
  if (!declared) return;
  for (const Field& field : declared->schema.fields) {
    parameters.push_back(parameter_json(field.name, std::string(location), field.node.required,
                                        member_json(*declared, field, components)));
  }
}

// Not required: a JSON or urlencoded body may have the token instead.
void add_csrf_token(const std::vector<std::string>& headers, Json& parameters) {
  if (headers.empty()) return;
  const std::string& header = headers.front();
  const bool is_declared = std::ranges::any_of(parameters, [&](const Json& parameter) {
    return parameter["in"] == "header" &&
           fw::base::equal_ignoring_case(parameter["name"].get_ref<const std::string&>(), header);
  });
  if (is_declared) return;
  Json schema;
  schema["type"] = "string";
  schema["description"] = "CSRF token, unless the body contains it";
  parameters.push_back(parameter_json(header, "header", false, std::move(schema)));
}

bool multipart_flag(const Route& route, const char* name, bool configured) {
  return route.options.value("multipart", Json::object()).value(name, configured);
}

// Whether the text fields of a form are the body.
bool keeps_fields(const Route& route, const model::AppSettings& settings) {
  return multipart_flag(route, "enabled", settings.config.multipart.enabled) &&
         multipart_flag(route, "fields", settings.config.multipart.fields);
}

// The files, then the members of the body schema. These are optional where only a custom parser
// reads them from a form.
Json form_schema(const Route& route, const LocationSchema* body, bool requires_fields,
                 Components& components) {
  Json properties;
  Json required;
  for (const model::FileField& file : route.files) {
    Json& property = properties[file.name] = binary_schema();
    if (!file.description.empty()) property["description"] = file.description;
    if (file.required) required.push_back(file.name);
  }
  if (body) {
    for (const Field& field : body->schema.fields) {
      if (properties.contains(field.name)) continue;
      properties[field.name] = member_json(*body, field, components);
      if (requires_fields && field.node.required) required.push_back(field.name);
    }
  }
  Json schema;
  schema["type"] = "object";
  schema["properties"] = std::move(properties);
  if (!required.is_null()) schema["required"] = std::move(required);
  return schema;
}

// The media types of files, if the route restricts them.
Json form_encoding(const Route& route) {
  const Json multipart = route.options.value("multipart", Json::object());
  std::string types;
  for (const Json& type : multipart.value("allowedMimeTypes", Json::array())) {
    if (!type.is_string()) continue;
    if (!types.empty()) types += ", ";
    types += type.get_ref<const std::string&>();
  }
  Json encoding;
  if (types.empty()) return encoding;
  for (const model::FileField& file : route.files) encoding[file.name]["contentType"] = types;
  return encoding;
}

// A documented body takes precedence over the form, and the form over the validated body.
Json request_body_json(const std::string& source, const Route& route,
                       const model::AppSettings& settings, Components& components) {
  if (!route.docs.request_body.is_null()) return route.docs.request_body;
  const LocationSchema* body = route.schema_of("body");
  if (!body && route.files.empty()) return nullptr;
  const auto use = [&](const char* part) {
    return SchemaUse{.file = source, .operation_id = route.operation_id, .part = part};
  };
  Json content = Json::object();
  const bool has_fields = body && keeps_fields(route, settings);
  if (!route.files.empty() || has_fields) {
    Json& form = content["multipart/form-data"];
    form["schema"] =
        components.object(form_schema(route, body, has_fields, components), use("Form"));
    if (Json encoding = form_encoding(route); !encoding.is_null()) {
      form["encoding"] = std::move(encoding);
    }
  }
  if (body) {
    content["application/json"]["schema"] = body->type_json.is_null()
                                                ? components.declared(body->schema, use("Body"))
                                                : components.type(body->type_json, use("Body"));
  }
  const bool needs_file = std::ranges::any_of(route.files, &model::FileField::required);
  Json result;
  result["required"] = body != nullptr || needs_file;
  result["content"] = std::move(content);
  return result;
}

/// The messages of a socket: the value of `model::extensions::kSocket`.
Json socket_json(const std::string& file, const model::Route& route, Components& components) {
  const auto messages = [&](const std::vector<model::StreamItem>& items, std::string_view part) {
    Json schemas = Json::object();
    for (const model::StreamItem& message : items) {
      schemas[message.name] =
          components.declared(message.schema, {.file = file,
                                               .operation_id = route.operation_id,
                                               .part = std::string(part),
                                               .event = message.name});
    }
    return schemas;
  };
  Json socket;
  if (!route.socket->protocols.empty()) socket["protocols"] = route.socket->protocols;
  if (route.socket->receives_raw) {
    socket["receive"] = "raw";
  } else {
    socket["receive"] = messages(route.socket->receive, "Receive");
  }
  if (route.socket->sends_raw) {
    socket["send"] = "raw";
  } else {
    socket["send"] = messages(route.socket->send, "ResponseMessage");
  }
  return socket;
}

}  // namespace

std::string inferred_summary(const std::string& operation_id) {
  std::string summary;
  for (const char c : operation_id) {
    const bool begins_word = c >= 'A' && c <= 'Z' && !summary.empty() && summary.back() != ' ';
    if (begins_word) summary += ' ';
    summary += fw::base::is_alphanumeric(c) ? fw::base::to_lower(c) : ' ';
  }
  if (!summary.empty() && summary.front() >= 'a' && summary.front() <= 'z') {
    summary.front() = static_cast<char>(summary.front() - 'a' + 'A');
  }
  return summary;
}

Json operation_json(const std::string& file, const Route& route, const DocumentedPath& path,
                    const model::OpenApiOptions& options, Components& components) {
  Json operation;
  operation["operationId"] = route.operation_id;
  operation["summary"] =
      route.docs.summary.empty() ? inferred_summary(route.operation_id) : route.docs.summary;
  if (!route.docs.description.empty()) operation["description"] = route.docs.description;
  operation["tags"] = route.docs.tags;
  if (route.docs.deprecated) operation["deprecated"] = true;

  Json parameters = Json::array();
  add_path_parameters(route, path, components, parameters);
  for (const std::string_view location : {"query", "header", "cookie"}) {
    add_parameters(route, location, components, parameters);
  }
  if (resolve::needs_csrf_token(route, options.settings)) {
    add_csrf_token(options.settings.config.csrf.headers, parameters);
  }
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
  if (Json body = request_body_json(file, route, options.settings, components); !body.is_null()) {
    operation["requestBody"] = std::move(body);
  }
  operation["responses"] = operation_responses(file, route, options, components);
  if (route.socket) {
    operation[std::string(model::extensions::kSocket)] = socket_json(file, route, components);
  }
  operation["security"] = resolve::operation_security(route, options);
  if (!route.docs.access.is_null()) {
    operation[std::string(model::extensions::kDocsAccess)] = route.docs.access;
  }
  for (const auto& [name, value] : route.docs.extensions.items()) operation[name] = value;
  return operation;
}

}  // namespace fairway::emit
