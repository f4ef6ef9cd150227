// The rules for paths of upstreams, parts of which may come from clients.
#pragma once

#include <string_view>

namespace fw::detail {

/// Whether some server reads the decoded segment as "." or "..": servers disagree about parameters
/// ("..;x") and backslashes.
bool is_dot_segment(std::string_view segment);

/// Checks the percent-encoded path before a query and a fragment. Throws OptionError, beginning
/// with `what`, for dot segments, encoded or not, and for a '%' without two hexadecimal digits.
void check_upstream_path(std::string_view what, std::string_view path);

}  // namespace fw::detail
