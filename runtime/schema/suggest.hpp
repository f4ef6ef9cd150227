// Help for a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fw::schema {

/// What to write instead of an unknown type name, for `DslError::help`.
std::string help_for_unknown_type(std::string_view name);

/// The one of `names` that `name` is most likely a slip of; empty when none is near.
std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& names);

}  // namespace fw::schema
