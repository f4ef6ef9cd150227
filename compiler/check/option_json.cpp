#include "check/option_json.hpp"

#include <algorithm>
#include <iterator>

#include "check/bad_schema.hpp"
#include "check/json_value.hpp"
#include "check/members.hpp"
#include "check/reference_names.hpp"
#include "check/reporter.hpp"
#include "check/response_schemas.hpp"

namespace fairway::check {
namespace {

using model::Json;
using model::Value;

// How a member is read. Members that are not listed here have values that speak for themselves.
enum class Form {
  plain,
  json,
  fields,
  responses,
  response_schema,
  named,
  middlewares,
  permissions,
  security
};

struct MemberForm {
  std::string_view record;
  std::string_view member;
  Form form;
};

constexpr MemberForm kForms[] = {
    {"Validate", "param", Form::fields},
    {"Validate", "query", Form::fields},
    {"Validate", "header", Form::fields},
    {"Validate", "cookie", Form::fields},
    {"Validate", "body", Form::fields},
    {"RouteOptions", "responses", Form::responses},
    {"RouteOptions", "middlewares", Form::middlewares},
    {"AuthRequirement", "permissions", Form::permissions},
    {"AuthRequirement", "security", Form::security},
    {"Docs", "security", Form::security},
    {"Docs", "extensions", Form::json},
    {"Docs", "responses", Form::named},
    {"Docs", "access", Form::json},
    {"Docs", "request_body", Form::json},
    {"ResponseDocs", "schema", Form::response_schema},
    {"ResponseDocs", "example", Form::json},
    {"ResponseDocs", "examples", Form::named},
    {"ResponseDocs", "headers", Form::named},
    {"ResponseExample", "value", Form::json},
    {"ResponseHeader", "schema", Form::json},
    {"Multipart", "files", Form::named},
    {"Frontend", "static_params", Form::json},
    {"Frontend", "seo", Form::json},
};

Form form_of(std::string_view record, std::string_view member) {
  const auto* found = std::ranges::find_if(
      kForms, [&](const MemberForm& row) { return row.record == record && row.member == member; });
  return found == std::end(kForms) ? Form::plain : found->form;
}

Json plain_json(const Value& value) {
  if (value.kind == Value::Kind::record) return option_json(value);
  if (value.kind != Value::Kind::list) return json_value(value);
  Json array = Json::array();
  for (const Value& item : value.items) array.push_back(plain_json(item));
  return array;
}

Json named_json(const Value& entries) {
  Json object = Json::object();
  for (const Value& entry : entries.items) {
    if (is_named_entry(entry)) object.emplace(entry_name(entry), plain_json(entry.items[1]));
  }
  return object;
}

// An action, or an action with the resource and the context that it is checked on.
Json permissions_json(const Value& permissions) {
  Json list = Json::array();
  for (const Value& permission : permissions.items) {
    if (permission.kind != Value::Kind::list) {
      list.push_back(json_value(permission));
      continue;
    }
    constexpr std::string_view kNames[] = {"action", "resource", "context"};
    Json object = Json::object();
    for (std::size_t i = 0; i < permission.items.size() && i < std::size(kNames); ++i) {
      object[std::string(kNames[i])] = json_value(permission.items[i]);
    }
    list.push_back(std::move(object));
  }
  return list;
}

Json member_json(Form form, const Value& value) {
  // Faults of schemas are reported where the schemas are resolved.
  model::Diagnostics ignored;
  Reporter silent(ignored);
  switch (form) {
    case Form::plain:
      return plain_json(value);
    case Form::json:
      return json_value(value);
    case Form::fields:
      return declared_fields(value, silent).contract;
    case Form::responses:
      return declared_responses(value, silent).contract;
    case Form::response_schema:
      return declared_response_schema(value, silent).contract;
    case Form::named:
      return named_json(value);
    case Form::permissions:
      return permissions_json(value);
    case Form::security:
      return security_json(value);
    case Form::middlewares:
      break;
  }
  Json list = Json::array();
  for (const auto& reference : middleware_references(value)) {
    list.push_back(middleware_json(reference));
  }
  return list;
}

Json requirement_json(const Value& schemes) {
  Json requirement = Json::object();
  for (const Value& scheme : schemes.items) {
    if (scheme.kind == Value::Kind::string) {
      requirement.emplace(scheme.text, Json::array());
    } else if (!scheme.items.empty() && scheme.items[0].kind == Value::Kind::string) {
      const auto scopes =
          scheme.items.size() > 1 ? texts_of(scheme.items[1]) : std::vector<std::string>();
      requirement.emplace(scheme.items[0].text, scopes);
    }
  }
  return requirement;
}

}  // namespace

Json option_json(const Value& record) {
  Json object = Json::object();
  for (const model::Member& member : record.members) {
    object[reference_name(member.name)] =
        member_json(form_of(record.text, member.name), member.value);
  }
  return object;
}

Json middleware_json(const model::MiddlewareReference& reference) {
  if (reference.options.is_null()) return reference.name;
  return {{"name", reference.name}, {"options", reference.options}};
}

Json security_json(const Value& value) {
  if (value.kind == Value::Kind::string) {
    Json requirement;
    requirement[value.text] = Json::array();
    return Json::array({std::move(requirement)});
  }
  Json alternatives = Json::array();
  for (const Value& schemes : value.items) alternatives.push_back(requirement_json(schemes));
  return alternatives;
}

std::vector<model::MiddlewareReference> middleware_references(const Value& value) {
  std::vector<model::MiddlewareReference> references;
  for (const Value& item : value.items) {
    if (item.kind == Value::Kind::string) {
      references.push_back({item.text, nullptr, item.range, spelled_at(item, 0, item.text.size())});
    } else if (is_named_entry(item)) {
      const Value& name = item.items[0];
      references.push_back({name.text, json_value(item.items[1]), name.range,
                            spelled_at(name, 0, name.text.size())});
    }
  }
  return references;
}

}  // namespace fairway::check
