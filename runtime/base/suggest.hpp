// Names that are nearly the one that was written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fw::base {

/// The candidates that differ least from `name`, in a third of its letters at most: usually one or
/// none. Letter case makes no difference.
std::vector<std::string_view> near_names(std::string_view name,
                                         std::span<const std::string_view> candidates);

/// "; did you mean 'NAME'?" with the nearest candidate; empty when none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace fw::base
