// Suggestions for schemas that cannot be declared.
#pragma once

#include <string>
#include <string_view>

#include "schema/node.hpp"

namespace fw::schema {

/// Why a field cannot have this name: a last '?' or '!' belongs to its type. Empty for any other
/// name.
std::string field_name_error(std::string_view name);

/// Why a field of `location` ("param", "query", "header", "cookie", "body") cannot have this type:
/// no standard says how path parameters and cookies carry arrays that any client sends. Empty for
/// any other type.
std::string field_type_error(std::string_view location, const Node& node);

/// The suggestion for an unknown type name, for `DslError::help`.
std::string help_for_unknown_type(std::string_view name);

/// The only type that an unknown name can mean; empty if that is a guess.
std::string replacement_for_unknown_type(std::string_view name);

}  // namespace fw::schema
