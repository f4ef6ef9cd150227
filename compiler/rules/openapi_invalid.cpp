#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "model/value_members.hpp"
#include "resolve/value_json.hpp"
#include "rules/application_rules.hpp"
#include "rules/route_rules.hpp"
#include "schema/openapi_names.hpp"
#include "schema/schema_references.hpp"

namespace fairway::rules {
namespace {

using model::Json;
using model::Value;

/// The name of an extension in the source; null if its object is not written as a list of pairs.
const Value* written_name(const Value& extensions, std::string_view name) {
  for (const Value& entry : extensions.items) {
    if (is_named_entry(entry) && entry_name(entry) == name) return &entry.items[0];
  }
  return nullptr;
}

void check_extensions(const Value& value, const model::Documentation& documentation,
                      Reporter& reporter) {
  const bool is_empty =
      value.kind == Value::Kind::null || (value.kind == Value::Kind::list && value.items.empty());
  if (documentation.extensions.empty() && !is_empty && value.kind != Value::Kind::call) {
    reporter.report(rules::openapi_invalid, "'docs.extensions' is not an object", value.range,
                    R"(write pairs: {{"x-team", "orders"}})");
    return;
  }
  for (const auto& [name, extension] : documentation.extensions.items()) {
    const bool is_extension = name.starts_with("x-");
    const bool is_reserved = name.starts_with(fw::schema::extensions::kPrefix);
    if (is_extension && !is_reserved) continue;
    std::string_view rest = name;
    for (const std::string_view prefix : {"x-", "fw-"}) {
      if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
    }
    const std::string corrected = "x-" + std::string(rest.empty() ? "extension" : rest);
    const Value* written = written_name(value, name);
    auto& error = reporter.report(
        rules::openapi_invalid,
        is_reserved ? fmt::format("the extension '{}' begins with '{}', which is reserved", name,
                                  fw::schema::extensions::kPrefix)
                    : fmt::format("the extension '{}' does not begin with 'x-'", name),
        written ? written->range : value.range, fmt::format("name it '{}'", corrected));
    if (written && !documentation.extensions.contains(corrected)) {
      add_fix(error, *written, 0, name.size(), corrected);
    }
  }
}

bool is_media_type(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
         text.substr(0, text.find(';')).find(' ') == std::string_view::npos;
}

/// Whether an OpenAPI object may have a member with that name beside those that OpenAPI defines.
bool is_extension(std::string_view name) { return name.starts_with("x-"); }

/// A schema that is copied into the document, so that its references lead to parts of the document.
std::optional<JsonError> find_copied_schema_error(const Json& schema, const std::string& pointer) {
  auto error = find_schema_error(schema, pointer);
  if (error) return error;
  fw::schema::for_each_schema(schema, pointer, [&](const Json& part, const std::string& at) {
    for (const char* keyword : {"$id", "$anchor", "$dynamicAnchor"}) {
      if (error || !part.is_object() || !part.contains(keyword)) continue;
      error = JsonError{at + "/" + keyword, "is not possible in a part of a document"};
    }
  });
  fw::schema::for_each_reference(schema, pointer, [&](const std::string& text, std::string at) {
    if (error || text.starts_with("#/")) return;
    error = JsonError{std::move(at),
                      fmt::format("refers to '{}', which is not a part of the document", text)};
  });
  return error;
}

/// Calls `visit(member, text, pointer)` for the references in schemas that are copied.
template <class Visit>
void for_each_copied_reference(const model::Documentation& docs, const Visit& visit) {
  const auto visit_schema = [&](const std::string& member, const Json& part,
                                const std::string& pointer) {
    if (!part.is_object() || !part.contains("schema")) return;
    fw::schema::for_each_reference(
        part["schema"], pointer,
        [&](const std::string& text, const std::string& at) { visit(member, text, at); });
  };
  const Json content =
      docs.request_body.is_object() ? docs.request_body.value("content", Json()) : Json();
  for (const auto& [type, media] : content.items()) {
    visit_schema("'docs.request_body'", media,
                 "/content" + fw::base::pointer_step(type) + "/schema");
  }
  for (const model::DocumentedResponse& response : docs.responses) {
    for (const auto& [name, header] : response.headers.items()) {
      visit_schema(fmt::format("the schema of the header '{}'", name), header, "");
    }
  }
}

std::optional<JsonError> find_media_error(const Json& media, const std::string& pointer) {
  if (!media.is_object()) return JsonError{pointer, "must be an object"};
  for (const auto& [name, value] : media.items()) {
    const std::string member = pointer + fw::base::pointer_step(name);
    if (name == "schema") {
      if (auto error = find_copied_schema_error(value, member)) return error;
    } else if (name == "examples" || name == "encoding") {
      const bool is_named = value.is_object() && std::ranges::all_of(value, &Json::is_object);
      if (!is_named) return JsonError{member, "must be an object of objects"};
    } else if (name != "example" && !is_extension(name)) {
      return JsonError{member, "is not a member of a media type in OpenAPI"};
    }
  }
  return std::nullopt;
}

std::optional<JsonError> find_body_error(const Json& body) {
  for (const auto& [name, value] : body.items()) {
    const std::string member = fw::base::pointer_step(name);
    if (name == "required" && !value.is_boolean())
      return JsonError{member, "must be true or false"};
    if (name == "description" && !value.is_string()) return JsonError{member, "must be a string"};
    if (name != "content") {
      if (name == "required" || name == "description" || is_extension(name)) continue;
      return JsonError{member, "is not a member of a request body in OpenAPI"};
    }
    for (const auto& [type, media] : value.items()) {
      const std::string pointer = member + fw::base::pointer_step(type);
      if (!is_media_type(type)) return JsonError{pointer, "must have a media type as its name"};
      if (auto error = find_media_error(media, pointer)) return error;
    }
  }
  return std::nullopt;
}

void check_request_body(const Json& body, const Value& written, Reporter& reporter) {
  if (body.is_null()) return;
  const bool has_content = body.is_object() && body.contains("content") &&
                           body["content"].is_object() && !body["content"].empty();
  if (!has_content) {
    reporter.report(rules::openapi_invalid, "'docs.request_body' has no 'content'", written.range,
                    R"(write {{"content", {{"text/plain", {{"schema", {{"type", "string"}}}}}}}})");
  } else if (const auto error = find_body_error(body)) {
    reporter.report(rules::openapi_invalid,
                    fmt::format("'docs.request_body': '{}' {}", error->pointer, error->message),
                    resolve::written_at(written, error->pointer).range,
                    "write an OpenAPI Request Body Object");
  }
}

void check_access(const Json& access, const model::Range& range, Reporter& reporter) {
  if (access.is_null() || access.is_string() || access.is_object()) return;
  reporter.report(rules::openapi_invalid, "'docs.access' is neither a string nor an object", range,
                  R"(write "internal" or {{"roles", {"admin"}}})");
}

/// The `schema` of a documented header is JSON, too.
void check_header_schemas(const Value& responses, Reporter& reporter) {
  for (const Value& response : responses.items) {
    const Value* headers =
        is_named_entry(response) ? member_value(response.items[1], "headers") : nullptr;
    if (!headers) continue;
    for (const Value& header : headers->items) {
      const Value* schema =
          is_named_entry(header) ? member_value(header.items[1], "schema") : nullptr;
      const Json json = schema ? resolve::json_value(*schema) : Json();
      if (json.is_null()) continue;
      const auto error = find_copied_schema_error(json, "");
      if (!error) continue;
      reporter.report(rules::openapi_invalid,
                      fmt::format("the schema of the header '{}' is not a JSON Schema: {}",
                                  entry_name(header), schema_error_text(*error)),
                      resolve::written_at(*schema, error->pointer).range,
                      R"(write a schema, for example {{"type", "integer"}})");
    }
  }
}

// The pattern that OpenAPI requires of keys below `components`.
bool is_component_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return fw::base::is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

void check_security_schemes(const Json& security, const model::Range& range, Reporter& reporter) {
  for (const Json& requirement : security) {
    for (const auto& [name, scopes] : requirement.items()) {
      if (is_component_name(name)) continue;
      reporter.report(rules::openapi_invalid,
                      fmt::format("the security scheme '{}' cannot have this name", name), range,
                      "use letters, digits, '.', '-' and '_'");
    }
  }
}

void check_documents(const Value& docs, const model::Documentation& documentation,
                     Reporter& reporter) {
  if (const Value* extensions = member_value(docs, "extensions")) {
    check_extensions(*extensions, documentation, reporter);
  }
  if (const Value* body = member_value(docs, "request_body")) {
    check_request_body(documentation.request_body, *body, reporter);
  }
  if (const Value* access = member_value(docs, "access")) {
    check_access(documentation.access, access->range, reporter);
  }
  if (const Value* security = member_value(docs, "security")) {
    check_security_schemes(*documentation.security, security->range, reporter);
  }
  if (const Value* responses = member_value(docs, "responses")) {
    check_header_schemas(*responses, reporter);
  }
  for (const model::DocumentedResponse& response : documentation.responses) {
    if (response.content_type.empty() || is_media_type(response.content_type)) continue;
    reporter.report(rules::openapi_invalid,
                    fmt::format("'{}' is not a media type", response.content_type), response.range,
                    "write 'type/subtype', for example 'text/csv'");
  }
}

void check_copied_references(const model::Application& application,
                             const resolve::GeneratedCode& code, model::Diagnostics& diagnostics) {
  // Invalid declarations have no document.
  const auto is_error = [](const auto& each) { return each.severity == model::Severity::error; };
  if (std::ranges::any_of(diagnostics, is_error)) return;
  std::optional<std::set<std::string>> dangling;
  for (const model::RouteFile& file : application.files) {
    for (const model::Route& route : file.routes) {
      if (route.docs.hidden) continue;
      Reporter reporter(diagnostics, route.method, route.path);
      for_each_copied_reference(route.docs, [&](const std::string& member, const std::string& text,
                                                const std::string& pointer) {
        // The document is rarely necessary.
        if (!dangling) dangling = code.dangling_references(application);
        if (!dangling->contains(text)) return;
        reporter.report(rules::openapi_invalid,
                        fmt::format("{}: '{}' refers to '{}', where the document has no schema",
                                    member, pointer, text),
                        route.range);
      });
    }
  }
}

}  // namespace fairway::rules
