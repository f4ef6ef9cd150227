// What cannot be declared, and what to write instead.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.hpp"

namespace fw::schema {

/// The candidates that differ least from `name`, in a third of its letters at most: usually one or
/// none. Letter case makes no difference.
std::vector<std::string_view> near_names(std::string_view name,
                                         std::span<const std::string_view> candidates);

/// Why a field cannot have this name: a last '?' or '!' belongs to its type. Empty for any other
/// name.
std::string field_name_error(std::string_view name);

/// Why a field of `location` ("param", "query", "header", "cookie", "body") cannot have this type:
/// no standard says how path parameters and cookies carry arrays that any client sends. Empty for
/// any other type.
std::string field_type_error(std::string_view location, const Node& node);

/// "; did you mean 'NAME'?" with the nearest candidate; empty when none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

/// What to write instead of an unknown type name, for `DslError::help`.
std::string help_for_unknown_type(std::string_view name);

/// What an unknown type name certainly stands for; empty when that is a guess.
std::string replacement_for_unknown_type(std::string_view name);

}  // namespace fw::schema
