// Help for a type name that does not exist.
#pragma once

#include <string>
#include <string_view>

namespace fw::schema {

/// What to write instead of an unknown type name, for `DslError::help`.
std::string help_for_unknown_type(std::string_view name);

}  // namespace fw::schema
