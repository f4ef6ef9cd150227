#include <iterator>
#include <string_view>
#include <utility>

#include "model/value_members.hpp"
#include "options/option_members.hpp"
#include "options/response_selectors.hpp"
#include "resolve/value_json.hpp"

namespace fairway::resolve {
namespace {

using model::Json;
using model::Value;

Json plain_json(const Value& value) {
  if (value.kind == Value::Kind::record) return option_json(value);
  if (value.kind != Value::Kind::list) return json_value(value);
  Json array = Json::array();
  for (const Value& item : value.items) array.push_back(plain_json(item));
  return array;
}

/// An object made of a list of (name, value) pairs. If several have the same name, the first wins.
template <class ToJson>
Json named_json(const Value& entries, ToJson to_json) {
  Json object = Json::object();
  for (const Value& entry : entries.items) {
    if (is_named_entry(entry)) object.emplace(entry_name(entry), to_json(entry.items[1]));
  }
  return object;
}

Json response_schema_json(const Value& value) {
  if (is_events(value)) return {{"$events", named_json(value.items[0], response_schema_json)}};
  if (is_lines(value)) return {{"$lines", response_schema_json(value.items[0])}};
  if (!is_json_schema(value)) return schema_json(value);
  return {{"$jsonSchema", value.items[0].text}};
}

Json responses_json(const Value& responses) {
  Json object = named_json(responses, response_schema_json);
  for (auto entry = object.begin(); entry != object.end();) {
    entry = fw::options::is_response_selector(entry.key()) ? std::next(entry) : object.erase(entry);
  }
  return object;
}

Json middlewares_json(const Value& references) {
  Json list = Json::array();
  for (const Value& item : references.items) {
    if (item.kind == Value::Kind::string) {
      list.push_back(item.text);
    } else if (is_named_entry(item)) {
      const Json options = json_value(item.items[1]);
      list.push_back(options.is_null()
                         ? Json(item.items[0].text)
                         : Json({{"name", item.items[0].text}, {"options", options}}));
    }
  }
  return list;
}

// Each permission is an action, or a list: action, resource, context.
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

Json requirement_json(const Value& schemes) {
  Json requirement = Json::object();
  for (const Value& scheme : schemes.items) {
    if (scheme.kind == Value::Kind::string) {
      requirement.emplace(scheme.text, Json::array());
    } else if (!scheme.items.empty() && scheme.items[0].kind == Value::Kind::string) {
      const auto scopes =
          scheme.items.size() > 1 ? strings_of(scheme.items[1]) : std::vector<std::string>();
      requirement.emplace(scheme.items[0].text, scopes);
    }
  }
  return requirement;
}

// `value` is the name of a scheme, or a list of alternatives, each a list of schemes with optional
// scopes.
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

Json member_json(fw::options::Form form, const Value& value) {
  using enum fw::options::Form;
  switch (form) {
    case plain:
    case size:
    case number:
    case record:
      return plain_json(value);
    case json:
      return json_value(value);
    case named:
      return named_json(value, plain_json);
    case fields:
      return is_type(value) ? schema_json(value) : named_json(value, schema_json);
    case response_schema:
      return response_schema_json(value);
    case responses:
      return responses_json(value);
    case messages:
      return is_raw(value) ? Json("raw") : named_json(value, schema_json);
    case middlewares:
      return middlewares_json(value);
    case permissions:
      return permissions_json(value);
    case security:
      break;
  }
  return security_json(value);
}

}  // namespace

Json option_json(const Value& record) {
  Json object = Json::object();
  for (const model::Member& member : record.members) {
    const fw::options::Form form = fw::options::option_member(record.text, member.name).form;
    object[fw::options::reference_name(member.name)] = member_json(form, member.value);
  }
  return object;
}

Json schema_json(const Value& field) {
  if (field.kind == Value::Kind::string) return field.text;
  if (field.kind == Value::Kind::list) return named_json(field, schema_json);
  if (field.kind != Value::Kind::call || field.items.empty()) return nullptr;
  const Value& argument = field.items[0];
  if (is_type(field)) return {{"$type", Json::parse(field.items[1].text)}};
  if (field.text == "array_of") return Json::array({schema_json(argument)});
  Json json;
  if (field.text == "optional") {
    json["$optional"] = schema_json(argument);
  } else if (field.text == "compile_field") {
    json["$field"] = argument.text;
    json["description"] = string_member(field, "description");
  }
  return json;
}

}  // namespace fairway::resolve
