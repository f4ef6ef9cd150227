#include "check/route_options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "check/bad_schema.hpp"
#include "check/conflicting_options.hpp"
#include "check/contract.hpp"
#include "check/documentation.hpp"
#include "check/duplicate_response_schema.hpp"
#include "check/members.hpp"
#include "check/openapi_invalid.hpp"
#include "check/option_json.hpp"
#include "check/response_schemas.hpp"
#include "check/unknown_path_parameter.hpp"
#include "check/unsupported_option.hpp"
#include "schema/fingerprint.hpp"

namespace fairway::check {
namespace {

using model::Json;
using model::Value;

// The order in which locations are validated.
constexpr std::array<std::string_view, 5> kLocations = {"param", "query", "header", "cookie",
                                                        "body"};

Json apply_validate(const Value& validate, const std::vector<std::string>& parameters,
                    model::Route& route, Reporter& reporter) {
  Json contract = Json::object();
  for (const std::string_view location : kLocations) {
    const model::Member* member = find_member(validate, location);
    if (!member || member->value.items.empty()) continue;
    if (location == "param") check_path_parameters(member->value, parameters, reporter);
    DeclaredSchema declared = declared_fields(member->value, reporter, location);
    route.validate.push_back({std::string(location), std::move(declared.node), member->name_range});
    contract[std::string(location)] = std::move(declared.contract);
  }
  return contract;
}

model::Auth declared_auth(const Value& value, Reporter& reporter) {
  model::Auth auth;
  if (value.kind == Value::Kind::boolean) {
    auth.kind = value.boolean ? model::AuthKind::required : model::AuthKind::disabled;
    auth.required = value.boolean;
    return auth;
  }
  auth.kind = model::AuthKind::requirement;
  auth.required = flag_member(value, "required").value_or(true);
  constexpr std::string_view kGroups[] = {"roles", "scopes", "permissions"};
  auth.has_rules = std::ranges::any_of(kGroups, [&](std::string_view group) {
    const Value* items = member_value(value, group);
    return items && !items->items.empty();
  });
  auth.has_rules = auth.has_rules || is_kind(member_value(value, "check"), Value::Kind::function);
  if (const Value* security = member_value(value, "security")) {
    auth.security = security_json(*security);
    check_security_schemes(*auth.security, security->range, reporter);
  }
  return auth;
}

std::vector<model::FileField> declared_files(const Value& multipart) {
  std::vector<model::FileField> fields;
  const Value* files = member_value(multipart, "files");
  if (!files) return fields;
  for (const Value& entry : files->items) {
    if (!is_named_entry(entry)) continue;
    const Value& rules = entry.items[1];
    const bool is_text = rules.kind == Value::Kind::string;
    fields.push_back({entry_name(entry), is_text ? rules.text : text_member(rules, "description"),
                      flag_member(rules, "required").value_or(false)});
  }
  return fields;
}

bool is_deadline(const Value* timeout) {
  return is_kind(timeout, Value::Kind::integer) || is_kind(timeout, Value::Kind::number);
}

// The top-level `timeout` wins over the legacy one, `false` included.
bool declares_deadline(const Value& options) {
  if (const Value* timeout = member_value(options, "timeout")) return is_deadline(timeout);
  const Value* overrides = member_value(options, "override_");
  return overrides && is_deadline(member_value(*overrides, "timeout"));
}

}  // namespace

void apply_options(const Value* options, const std::vector<std::string>& parameters,
                   model::Route& route, Reporter& reporter) {
  Json validate = Json::object();
  DeclaredResponses responses;
  if (options) {
    check_option_constraints(*options, reporter);
    check_supported_options(*options, reporter);
    if (const Value* value = member_value(*options, "validate")) {
      validate = apply_validate(*value, parameters, route, reporter);
    }
    if (const Value* value = member_value(*options, "responses")) {
      responses = declared_responses(*value, reporter);
      route.responses = std::move(responses.schemas);
    }
    if (const Value* value = member_value(*options, "middlewares")) {
      route.middlewares = middleware_references(*value);
    }
    if (const Value* value = member_value(*options, "auth")) {
      route.auth = declared_auth(*value, reporter);
    }
    if (const Value* value = member_value(*options, "multipart")) {
      route.files = declared_files(*value);
    }
    if (const Value* docs = member_value(*options, "docs")) {
      route.docs = declared_documentation(*docs, reporter);
      if (const Value* id = member_value(*docs, "operation_id"); id && !id->text.empty()) {
        route.operation_id = id->text;
        route.operation_id_inferred = false;
        route.operation_id_range = id->range;
      }
    }
    check_duplicate_response_schemas(route, reporter);
    route.has_timeout = declares_deadline(*options);
    route.options = option_json(*options);
  }
  route.fingerprint =
      fw::schema::contract_fingerprint(route_contract(route, validate, responses.contract));
}

}  // namespace fairway::check
