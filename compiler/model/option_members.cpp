#include "model/option_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "model/option_reader.hpp"

namespace fairway::model {
namespace {

// Functions that store the value of a member in the model.

void read_location(OptionReader& reader, const OptionMember& member, const Json& fields) {
  if (fields.empty()) return;
  reader.route.validate.push_back(
      {.location = std::string(member.name), .schema = reader.schema(fields), .range = {}});
}

void read_responses(OptionReader& reader, const OptionMember&, const Json& responses) {
  for (const auto& [selector, schema] : responses.items()) {
    reader.route.responses.push_back(
        {.selector = selector, .schema = reader.response_schema(schema), .range = {}});
  }
}

void read_middlewares(OptionReader& reader, const OptionMember&, const Json& references) {
  for (const Json& reference : references) {
    const bool has_options = reference.is_object() && reference.contains("options");
    reader.route.middlewares.push_back({.name = reference.is_object()
                                                    ? reader.string_member(reference, "name")
                                                    : reader.string("middlewares", reference),
                                        .options = has_options ? reference["options"] : Json(),
                                        .range = {}});
  }
}

void read_auth(OptionReader& reader, const OptionMember&, const Json& auth) {
  Auth& declared = reader.route.auth;
  declared.required = auth != false;
  declared.kind = auth.is_object()    ? AuthKind::requirement
                  : declared.required ? AuthKind::required
                                      : AuthKind::disabled;
}

void read_auth_required(OptionReader& reader, const OptionMember&, const Json& required) {
  reader.route.auth.required = required != false;
}

void read_auth_rules(OptionReader& reader, const OptionMember&, const Json& rules) {
  if (!rules.empty()) reader.route.auth.has_rules = true;
}

void read_auth_security(OptionReader& reader, const OptionMember&, const Json& security) {
  if (security.is_array()) reader.route.auth.security = security;
}

void read_override_timeout(OptionReader& reader, const OptionMember&, const Json& timeout) {
  reader.route.has_timeout = timeout.is_number();
}

// Read last, because it takes precedence over `override_.timeout`, even if it is `false`.
void read_timeout(OptionReader& reader, const OptionMember&, const Json& timeout) {
  reader.route.has_timeout = timeout.is_number();
}

void read_files(OptionReader& reader, const OptionMember&, const Json& files) {
  for (const auto& [name, rules] : files.items()) {
    reader.route.files.push_back({.name = name,
                                  .description = rules.is_object()
                                                     ? reader.string_member(rules, "description")
                                                     : reader.string("files", rules),
                                  .required = reader.flag_member(rules, "required")});
  }
}

template <std::string Documentation::* text>
void docs_string(OptionReader& reader, const OptionMember& member, const Json& value) {
  reader.route.docs.*text = reader.string(member.name, value);
}

template <bool Documentation::* flag>
void docs_flag(OptionReader& reader, const OptionMember&, const Json& value) {
  reader.route.docs.*flag = value == true;
}

template <Json Documentation::* json>
void docs_json(OptionReader& reader, const OptionMember&, const Json& value) {
  reader.route.docs.*json = value;
}

void read_tags(OptionReader& reader, const OptionMember& member, const Json& tags) {
  Documentation& docs = reader.route.docs;
  for (const Json& each : tags) {
    std::string tag = reader.string(member.name, each);
    if (std::ranges::find(docs.tags, tag) == docs.tags.end()) docs.tags.push_back(std::move(tag));
  }
  docs.tags_inferred = docs.tags.empty();
}

void read_operation_id(OptionReader& reader, const OptionMember& member, const Json& id) {
  std::string written = reader.string(member.name, id);
  if (written.empty()) return;
  reader.route.operation_id = std::move(written);
  reader.route.operation_id_inferred = false;
}

void read_docs_security(OptionReader& reader, const OptionMember&, const Json& security) {
  if (security.is_array()) reader.route.docs.security = security;
}

void read_extensions(OptionReader& reader, const OptionMember&, const Json& extensions) {
  if (extensions.is_object()) reader.route.docs.extensions = extensions;
}

void read_docs_responses(OptionReader& reader, const OptionMember&, const Json& responses) {
  for (const auto& [selector, written] : responses.items()) {
    DocumentedResponse response;
    response.selector = selector;
    response.description = reader.string_member(written, "description");
    response.content_type = reader.string_member(written, "contentType");
    response.example = member_of(written, "example");
    for (auto [name, into] :
         {std::pair{"examples", &response.examples}, {"headers", &response.headers}}) {
      if (const Json& all = member_of(written, name); all.is_object()) *into = all;
    }
    if (const Json& schema = member_of(written, "schema"); !schema.is_null()) {
      response.schema = reader.response_schema(schema);
    }
    reader.route.docs.responses.push_back(std::move(response));
  }
}

void read_page_data(OptionReader& reader, const OptionMember&, const Json& schema) {
  if (!schema.empty()) reader.route.page_data = reader.response_schema(schema);
}

using enum ValueForm;
using enum Default;

constexpr bool kDocs = true;  // `only_documents`

constexpr OptionMember kMembers[] = {
    {"RouteOptions", "validate", record, empty, "Validate"},
    {"RouteOptions", "auth", record, none, "AuthRequirement", {}, read_auth},
    {"RouteOptions", "cache", record, none, "RouteCacheOptions", "ttl"},
    {"RouteOptions", "middlewares", middlewares, empty, {}, {}, read_middlewares},
    {"RouteOptions", "responses", responses, empty, {}, {}, read_responses},
    {"RouteOptions", "docs", record, empty, "Docs"},
    {"RouteOptions", "multipart", record, empty, "Multipart"},
    {"RouteOptions", "session", record, none, "SessionOptions"},
    {"RouteOptions", "body_parser", record, none, "BodyParser"},
    {"RouteOptions", "csrf"},
    {"RouteOptions", "override_", record, empty, "Override"},
    {"RouteOptions", "timeout", plain, none, {}, {}, read_timeout},
    {"RouteOptions", "security_headers"},
    {"RouteOptions", "compression"},
    {"RouteOptions", "frontend", record, empty, "Frontend"},

    {"Validate", "param", fields, empty, {}, {}, read_location},
    {"Validate", "query", fields, empty, {}, {}, read_location},
    {"Validate", "header", fields, empty, {}, {}, read_location},
    {"Validate", "cookie", fields, empty, {}, {}, read_location},
    {"Validate", "body", fields, empty, {}, {}, read_location},

    {"AuthRequirement", "required", plain, on, {}, {}, read_auth_required},
    {"AuthRequirement", "roles", plain, empty, {}, {}, read_auth_rules},
    {"AuthRequirement", "scopes", plain, empty, {}, {}, read_auth_rules},
    {"AuthRequirement", "permissions", permissions, empty, {}, {}, read_auth_rules},
    {"AuthRequirement", "mode", plain, any_string},
    {"AuthRequirement", "check", plain, none, {}, {}, read_auth_rules},
    {"AuthRequirement", "security", security, none, {}, {}, read_auth_security, kDocs},

    {"RouteCacheOptions", "ttl"},
    {"RouteCacheOptions", "methods", plain, empty},
    {"RouteCacheOptions", "headers", plain, empty},
    {"RouteCacheOptions", "query"},
    {"RouteCacheOptions", "key"},
    {"RouteCacheOptions", "partition_key"},
    {"RouteCacheOptions", "condition"},
    {"RouteCacheOptions", "tags", plain, empty},
    {"RouteCacheOptions", "stale_while_revalidate"},
    {"RouteCacheOptions", "cache_control", plain, on},
    {"RouteCacheOptions", "allow_authorization_cache", plain, off},
    {"RouteCacheOptions", "allow_cookie_cache", plain, off},
    {"RouteCacheOptions", "allow_shared_caches", plain, off},

    {"Docs", "summary", plain, empty, {}, {}, docs_string<&Documentation::summary>, kDocs},
    {"Docs", "description", plain, empty, {}, {}, docs_string<&Documentation::description>, kDocs},
    {"Docs", "tags", plain, empty, {}, {}, read_tags, kDocs},
    {"Docs", "operation_id", plain, empty, {}, {}, read_operation_id},
    {"Docs", "hidden", plain, off, {}, {}, docs_flag<&Documentation::hidden>, kDocs},
    {"Docs", "deprecated", plain, off, {}, {}, docs_flag<&Documentation::deprecated>, kDocs},
    {"Docs", "security", security, none, {}, {}, read_docs_security, kDocs},
    {"Docs", "extensions", json, none, {}, {}, read_extensions, kDocs},
    {"Docs", "responses", named, empty, "ResponseDocs", {}, read_docs_responses, kDocs},
    {"Docs", "access", json, none, {}, {}, docs_json<&Documentation::access>, kDocs},
    {"Docs", "request_body", json, none, {}, {}, docs_json<&Documentation::request_body>, kDocs},

    {"ResponseDocs", "description", plain, empty},
    {"ResponseDocs", "schema", response_schema},
    {"ResponseDocs", "content_type", plain, empty},
    {"ResponseDocs", "example", json},
    {"ResponseDocs", "examples", named, empty, "ResponseExample"},
    {"ResponseDocs", "headers", named, empty, "ResponseHeader"},

    {"ResponseExample", "summary", plain, empty},
    {"ResponseExample", "description", plain, empty},
    {"ResponseExample", "value", json},

    {"ResponseHeader", "description", plain, empty},
    {"ResponseHeader", "schema", json},

    {"Multipart", "enabled"},
    {"Multipart", "files", named, empty, "FileRules", "description", read_files},
    {"Multipart", "fields"},
    {"Multipart", "max_files"},
    {"Multipart", "max_file_size", size, empty},
    {"Multipart", "allowed_mime_types", plain, empty},

    {"FileRules", "description", plain, empty, {}, {}, nullptr, kDocs},
    {"FileRules", "required", plain, off},

    {"SessionOptions", "rolling"},
    {"SessionOptions", "auto_commit"},

    {"BodyParser", "enabled"},
    {"BodyParser", "max_body_size", size, empty},
    {"BodyParser", "stream", plain, off},
    {"BodyParser", "declared", plain, on},

    {"Override", "rate_limit", record, none, "RateLimitOptions"},
    {"Override", "timeout", plain, none, {}, {}, read_override_timeout},
    {"Override", "max_body_size", size, empty},
    {"Override", "cors", record, empty, "CorsOverride"},

    {"RateLimitOptions", "max"},
    {"RateLimitOptions", "window"},
    {"RateLimitOptions", "key_by", plain, empty},

    {"CorsOverride", "enabled"},
    {"CorsOverride", "origins", plain, empty},
    {"CorsOverride", "methods", plain, empty},
    {"CorsOverride", "headers", plain, empty},
    {"CorsOverride", "credentials"},
    {"CorsOverride", "max_age"},

    {"Frontend", "page", plain, empty},
    {"Frontend", "data", response_schema, empty, {}, {}, read_page_data},
    {"Frontend", "mode", plain, empty},
    {"Frontend", "static_params", json},
    {"Frontend", "revalidate"},
    {"Frontend", "client_only", plain, off},
    {"Frontend", "hydration", plain, empty},
    {"Frontend", "seo", json},
};

bool is_default(Default kind, const Json& value) {
  switch (kind) {
    case Default::none:
      return false;
    case Default::empty:
      return value.is_string() ? value.get_ref<const std::string&>().empty()
                               : value.is_structured() && value.empty();
    case Default::off:
      return value == false;
    case Default::on:
      return value == true;
    case Default::any_string:
      break;
  }
  return value == "any";
}

// JSON objects have sorted members at run time.
Json sorted(const Json& value) { return nlohmann::json(value); }

enum class Scope { everything, contract };

Json declared_record(std::string_view record, const Json& written, Scope scope);

// A record or its shorthand.
Json declared_record(const OptionMember& member, const Json& written, Scope scope) {
  if (written == true) return Json::object();
  if (written.is_object()) return declared_record(member.record_type, written, scope);
  // `.cache = 0` is `.cache = false`.
  if (member.shorthand.empty() || written.is_boolean() || written == 0) return false;
  Json spelled_out;
  spelled_out[reference_name(member.shorthand)] = written;
  return declared_record(member.record_type, spelled_out, scope);
}

Json declared_permission(const Json& permission) {
  if (!permission.is_object()) return permission;
  Json declared = Json::object();
  for (const auto& [name, value] : permission.items()) {
    if (!value.is_null()) declared[name] = sorted(value);
  }
  return declared.size() == 1 ? declared.front() : declared;
}

Json declared_value(const OptionMember& member, const Json& written, Scope scope) {
  switch (member.form) {
    case ValueForm::size:
      return written.is_number() ? Json(written.dump()) : written;
    case ValueForm::json:
      return sorted(written);
    case ValueForm::record:
      return declared_record(member, written, scope);
    case ValueForm::named:
    case ValueForm::middlewares:
    case ValueForm::permissions:
      break;
    default:
      return written;
  }
  Json declared = written;
  for (Json& each : declared) {
    if (member.form == ValueForm::named) {
      each = declared_record(member, each, scope);
    } else if (member.form == ValueForm::permissions) {
      each = declared_permission(each);
    } else if (each.is_object()) {
      each["options"] = sorted(each["options"]);
    }
  }
  return declared;
}

Json declared_record(std::string_view record, const Json& written, Scope scope) {
  Json declared = Json::object();
  for (const OptionMember& member : kMembers) {
    if (member.record != record) continue;
    if (member.only_documents && scope == Scope::contract) continue;
    const std::string name = reference_name(member.name);
    const auto found = written.find(name);
    if (found == written.end()) continue;
    Json value = declared_value(member, *found, scope);
    if (!is_default(member.default_value, value)) declared[name] = std::move(value);
  }
  return declared;
}

Json declared_route(std::string_view method, std::string_view subpath, const Json& options,
                    Scope scope) {
  Json route;
  route["method"] = method;
  route["path"] = subpath;
  route.update(declared_record("RouteOptions", options, scope));
  return route;
}

}  // namespace

std::span<const OptionMember> option_members() { return kMembers; }

const OptionMember& option_member(std::string_view record, std::string_view name) {
  const auto* found = std::ranges::find_if(
      kMembers, [&](const OptionMember& row) { return row.record == record && row.name == name; });
  if (found != std::end(kMembers)) return *found;
  throw std::logic_error(
      fmt::format("model/option_members.cpp has no row for {}::{}", record, name));
}

std::string reference_name(std::string_view member) {
  while (member.ends_with('_')) member.remove_suffix(1);
  std::string name;
  bool capital = false;
  for (const char c : member) {
    if (c != '_') name += capital ? fw::base::to_upper(c) : c;
    capital = c == '_';
  }
  return name;
}

Json route_declaration(std::string_view method, std::string_view subpath, const Json& options) {
  return declared_route(method, subpath, options, Scope::everything);
}

Json route_contract(std::string_view method, std::string_view subpath, const Json& options) {
  return declared_route(method, subpath, options, Scope::contract);
}

void read_options(const Json& options, Route& route, const ErrorHandler& complain) {
  OptionReader(route, complain).read("RouteOptions", options);
}

}  // namespace fairway::model
