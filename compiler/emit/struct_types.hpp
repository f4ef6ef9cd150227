// C++ types of schemas: structs with to_json and from_json, enum classes with to_string.
#pragma once

#include <string>
#include <string_view>

#include "emit/cpp_names.hpp"
#include "schema/schema.hpp"

namespace fairway::emit {

/// A type, and the declarations that it needs in the scope of its use.
struct TypeText {
  std::string declarations;  ///< complete lines, or empty
  std::string expression;    ///< "std::vector<TagsItem>"
};

/// The type of a schema, not considering whether it is optional. New types have names that begin
/// with `name` and are unique in `scope`.
TypeText type_text(const fw::schema::Node& node, const std::string& name, Scope& scope);

/// The struct `name` of an object schema with members. `first_lines` are at its start. Members have
/// the names of the JSON fields, modified if they are not valid in C++.
std::string struct_text(const fw::schema::Node& object, const std::string& name,
                        const std::string& first_lines);

}  // namespace fairway::emit
