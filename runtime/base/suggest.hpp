// Suggests similar names for misspelled ones.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fw::base {

/// The candidates with the smallest difference from `name`, which is at most a third of its
/// letters, or one letter that a name of two lacks; usually one or none. The one whose beginning
/// has the most letters of `name` is the first. Case-insensitive.
std::vector<std::string_view> near_names(std::string_view name,
                                         std::span<const std::string_view> candidates);

/// "; did you mean 'NAME'?" with the nearest candidate; empty if none is similar.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace fw::base
