// Paths of a configuration at which something is served.
#pragma once

#include <string_view>

namespace fw::base {

/// Whether it begins with / and has no parameters.
constexpr bool is_literal_path(std::string_view path) {
  return path.starts_with('/') && path.find_first_of(":*") == std::string_view::npos;
}

inline constexpr std::string_view kLiteralPathRule = "must begin with / and have no parameters";

/// The same for the beginning of the paths of files.
constexpr bool is_literal_prefix(std::string_view prefix) {
  return is_literal_path(prefix) && prefix.find_first_of("?#%") == std::string_view::npos &&
         prefix.find("//") == std::string_view::npos;
}

inline constexpr std::string_view kLiteralPrefixRule =
    "must begin with / and have neither parameters nor //, ?, # and %";

}  // namespace fw::base
