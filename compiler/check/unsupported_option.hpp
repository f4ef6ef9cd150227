// [unsupported-option] Options that the type has and this version does not implement.
#pragma once

#include <string_view>

#include "check/reporter.hpp"

namespace fairway::check {

inline constexpr std::string_view kUnsupportedOption = "unsupported-option";

/// Reports the options of schema/unsupported_options.hpp that a route asks for. `options` is the
/// RouteOptions record as written.
void check_supported_options(const model::Value& options, Reporter& reporter);

}  // namespace fairway::check
