#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "model/cpp_names.hpp"
#include "rules/application_rules.hpp"
#include "rules/located_route.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

using fw::schema::Kind;
using fw::schema::Node;
using model::Value;

/// The enumeration that a string of the schema language declares, or null.
const Node* enumeration_in(const Node& node) {
  const Node* item = &node;
  while (item->kind == Kind::array && item->items) item = item->items.get();
  return item->kind == Kind::enumeration ? item : nullptr;
}

/// The wished name of the type that is declared for a field; empty if there is none.
std::string declared_type(const fw::schema::Field& field) {
  std::string name = model::type_name(field.name);
  const Node* item = &field.node;
  for (; item->kind == Kind::array && item->items; item = item->items.get()) name += "Item";
  const bool is_struct = item->kind == Kind::object && !item->fields.empty();
  return is_struct || item->kind == Kind::enumeration ? name : std::string();
}

}  // namespace

void check_enumerators(const Value& text, const Node& node, Reporter& reporter) {
  const Node* enumeration = enumeration_in(node);
  if (enumeration == nullptr) return;
  std::map<std::string, std::string_view> values;  // by enumerator
  std::size_t at = text.text.find("enum:");
  for (const std::string& value : enumeration->values) {
    at = text.text.find(value, at);
    const std::string name = model::cpp_name(value);
    const auto [first, is_new] = values.emplace(name, value);
    if (!is_new) {
      reporter.report(rules::same_cpp_name,
                      fmt::format("the values '{}' and '{}' have the same name in C++, '{}'",
                                  first->second, value, name),
                      part_of(text, at, value.size()),
                      "rename one of them, or declare a string with a pattern that lists the "
                      "values: \"string:/^(…|…)$/\"");
    }
    at += value.size();
  }
}

void check_members(const std::vector<const Value*>& names, const Node& object,
                   std::string_view location, Reporter& reporter) {
  const auto report = [&](const char* what, const Value& first, const Value& second,
                          const std::string& name, const char* help) {
    reporter
        .report(rules::same_cpp_name,
                fmt::format("{} '{}' and '{}' have the same name in C++, '{}'", what, first.text,
                            second.text, name),
                second.range, help)
        .notes.push_back({"the first one is declared here", first.range});
  };
  std::map<std::string, const Value*> members;
  std::map<std::string, const Value*> types;
  for (std::size_t i = 0; i < names.size(); ++i) {
    fw::schema::Field field = object.fields[i];
    if (location == "header") field.name = fw::base::lower_case(field.name);
    const std::string member = model::cpp_name(field.name);
    const std::string type = declared_type(field);
    const auto [first, is_new] = members.emplace(member, names[i]);
    if (!is_new) {
      report("the fields", *first->second, *names[i], member, "rename one of them");
      continue;
    }
    if (type.empty()) continue;
    const auto [same, is_new_type] = types.emplace(type, names[i]);
    if (!is_new_type) {
      report("the types of the fields", *same->second, *names[i], type, "rename one of the fields");
    }
  }
}

void check_operation_names(const model::Application& application, model::Diagnostics& diagnostics) {
  std::map<std::string, LocatedRoute> known;  // by the name of their types
  for_each_route(application, [&](const LocatedRoute& located) {
    const model::Route& route = *located.route;
    if (route.operation_id.empty()) return;
    const std::string name = model::type_name(route.operation_id);
    const auto [first, is_new] = known.emplace(name, located);
    const LocatedRoute& other = first->second;
    // [duplicate-operation-id] reports equal ids.
    if (is_new || other.route->operation_id == route.operation_id) return;
    Reporter(diagnostics, route.method, route.path)
        .report(rules::same_cpp_name,
                fmt::format("the operation ids '{}' and '{}' have the same name in C++, '{}'",
                            other.route->operation_id, route.operation_id, name),
                located.range(route.operation_id_range),
                "write another 'docs.operation_id' for one of the two")
        .notes.push_back({fmt::format("first use: '{}'", other.title()),
                          other.range(other.route->operation_id_range)});
  });
}

}  // namespace fairway::rules
