#include "check/openapi_invalid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "check/members.hpp"
#include "schema/ascii.hpp"

namespace fairway::check {
namespace {

using model::Json;
using model::Value;

constexpr std::string_view kId = "openapi-invalid";

/// Where an extension is named; null when its object is not written as pairs.
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
    reporter.error(kId, "'docs.extensions' is not an object", value.range,
                   R"(write pairs: {{"x-team", "orders"}})");
    return;
  }
  for (const auto& [name, extension] : documentation.extensions.items()) {
    if (name.starts_with("x-")) continue;
    const Value* written = written_name(value, name);
    auto& error =
        reporter.error(kId, fmt::format("the extension '{}' does not begin with 'x-'", name),
                       written ? written->range : value.range, fmt::format("name it 'x-{}'", name));
    if (written && !documentation.extensions.contains("x-" + name)) {
      add_fix(error, *written, 0, name.size(), "x-" + name);
    }
  }
}

void check_request_body(const Json& body, const model::Range& range, Reporter& reporter) {
  if (body.is_null()) return;
  const bool has_content = body.is_object() && body.contains("content") &&
                           body["content"].is_object() && !body["content"].empty();
  if (has_content) return;
  reporter.error(kId, "'docs.request_body' has no 'content'", range,
                 R"(write {{"content", {{"text/plain", {{"schema", {{"type", "string"}}}}}}}})");
}

bool is_media_type(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
         text.substr(0, text.find(';')).find(' ') == std::string_view::npos;
}

void check_access(const Json& access, const model::Range& range, Reporter& reporter) {
  if (access.is_null() || access.is_string() || access.is_object()) return;
  reporter.error(kId, "'docs.access' is neither a text nor an object", range,
                 R"(write "internal" or {{"roles", {"admin"}}})");
}

// The keys that OpenAPI allows below `components`.
bool is_component_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return fw::schema::is_alphanumeric(c) || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

void check_security_schemes(const Json& security, const model::Range& range, Reporter& reporter) {
  for (const Json& requirement : security) {
    for (const auto& [name, scopes] : requirement.items()) {
      if (is_component_name(name)) continue;
      reporter.error(kId, fmt::format("the security scheme '{}' cannot have this name", name),
                     range, "use letters, digits, '.', '-' and '_'");
    }
  }
}

void check_documents(const Value& docs, const model::Documentation& documentation,
                     Reporter& reporter) {
  if (const Value* extensions = member_value(docs, "extensions")) {
    check_extensions(*extensions, documentation, reporter);
  }
  if (const Value* body = member_value(docs, "request_body")) {
    check_request_body(documentation.request_body, body->range, reporter);
  }
  if (const Value* access = member_value(docs, "access")) {
    check_access(documentation.access, access->range, reporter);
  }
  if (const Value* security = member_value(docs, "security")) {
    check_security_schemes(*documentation.security, security->range, reporter);
  }
  for (const model::DocumentedResponse& response : documentation.responses) {
    if (response.content_type.empty() || is_media_type(response.content_type)) continue;
    reporter.error(kId, fmt::format("'{}' is not a media type", response.content_type),
                   response.range, "write 'type/subtype', for example 'text/csv'");
  }
}

}  // namespace fairway::check
