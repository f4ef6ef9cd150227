// The schema of a location of a route's requests.
#pragma once

#include <fairway/generated/typed.hpp>
#include <fairway/location.hpp>
#include <fairway/schema.hpp>

#include <algorithm>
#include <string_view>

#include "schema/node.hpp"

namespace fw::detail {

struct InputSchema {
  Location location;
  SchemaMap declared;
  schema::Node node;             ///< names of header fields are in lower case
  const TypeRow* row = nullptr;  ///< of a C++ type; null for fields

  /// The members of an object; none for other types.
  const std::vector<schema::Field>& fields() const { return node.fields; }
  /// Whether every member is declared.
  bool names_members() const { return node.kind == schema::Kind::object; }
  /// Whether the member of that name is declared as an array.
  bool declares_array(std::string_view name) const {
    return std::ranges::any_of(fields(), [&](const schema::Field& field) {
      return field.node.kind == schema::Kind::array && field.name == name;
    });
  }
  bool declares_arrays() const {
    return std::ranges::any_of(fields(), [](const schema::Field& field) {
      return field.node.kind == schema::Kind::array;
    });
  }
};

}  // namespace fw::detail
