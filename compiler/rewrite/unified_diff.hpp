// The difference of two texts, as `diff -u` prints it.
#pragma once

#include <string>
#include <string_view>

namespace fairway::rewrite {

/// Hunks with three lines of context, after the two lines with the name. Empty if the texts are
/// equal. `patch -p1` applies it to a relative path.
std::string unified_diff(std::string_view name, std::string_view before, std::string_view after);

}  // namespace fairway::rewrite
