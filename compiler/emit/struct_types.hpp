// C++ types of schemas: structs with to_json and from_json, enum classes with to_string.
#pragma once

#include <string>
#include <vector>

#include "emit/shared_enumerations.hpp"
#include "model/cpp_names.hpp"
#include "schema/node.hpp"

namespace fairway::emit {

class NamedStructs;

/// The input from which a struct is read without a JSON tree: JSON text, or the strings of another
/// location.
enum class Decoder { none, json, fields };

/// Where a type is declared, and which functions it has.
struct TypeContext {
  std::string enclosing = {};       ///< the enclosing types, "CreateUsers::Body"; may be empty
  Decoder decoder = Decoder::none;  ///< whether it has an `fw_decode`; see `decoder_of`
  bool is_encoded = false;          ///< whether it has an `fw_encode`; see `is_encodable`
  SharedEnumerations* enumerations = nullptr;  ///< enumerations of the file, if they are shared
  const NamedStructs* structs = nullptr;       ///< of the file, for schemas within this one
};

/// A type, and the declarations that it needs in the scope of its use.
struct TypeText {
  std::string declarations;      ///< complete lines, or empty
  std::string expression;        ///< "std::vector<TagsItem>"
  std::string definitions = {};  ///< of functions, for the namespace around everything
};

/// The type of a schema, not considering whether it is optional. New types have names that begin
/// with `name` and are unique in `scope`.
TypeText type_text(const fw::schema::Node& node, const std::string& name, model::NameScope& scope,
                   const TypeContext& context = {});

/// The struct `name` of an object schema with members, which is also its expression. `first_lines`
/// are at its start. Members have the names of the JSON fields, modified if they are not valid in
/// C++.
TypeText struct_text(const fw::schema::Node& object, const std::string& name,
                     const std::string& first_lines, const TypeContext& context = {});

/// The names of the members of the struct `name` for an object schema, in the order of its fields.
std::vector<std::string> member_names(const fw::schema::Node& object, const std::string& name);

}  // namespace fairway::emit
