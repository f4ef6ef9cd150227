// Iterates over the operations of an OpenAPI document.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include "schema/openapi_names.hpp"

namespace fw::openapi {

using OrderedJson = nlohmann::ordered_json;

/// The member of an object; null if there is none or `value` is not an object.
template <class J>
J* member(J& value, std::string_view name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(std::string(name));
  return found == value.end() ? nullptr : &*found;
}

/// A string member, or an empty string.
inline std::string text_member(const OrderedJson& value, std::string_view name) {
  const auto* found = member(value, name);
  return found && found->is_string() ? found->get<std::string>() : std::string();
}

/// Calls `visit(path, member, operation)`; `visit` must not add or remove members of `paths`.
template <class J, class Visit>
void for_each_operation(J& document, Visit visit) {
  auto* paths = member(document, "paths");
  if (!paths || !paths->is_object()) return;
  for (auto& [path, item] : paths->items()) {
    if (!item.is_object()) continue;
    for (auto& [name, operation] : item.items()) {
      if (schema::is_operation_member(name) && operation.is_object()) visit(path, name, operation);
    }
  }
}

}  // namespace fw::openapi
