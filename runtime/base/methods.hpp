// The methods that routes can have.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.hpp"

namespace fw::base {

inline constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                             "PATCH", "DELETE", "OPTIONS"};

/// What is written instead of the method of a socket, which is opened by a GET: in tables,
/// manifests and messages.
inline constexpr std::string_view kSocketMethod = "SOCKET";

/// The safe methods of RFC 9110. The bodies of their requests are not parsed.
constexpr bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

/// The method with this name, ignoring case; empty if there is none.
inline std::string_view find_method(std::string_view name) {
  const auto* const found =
      std::find_if(kMethods.begin(), kMethods.end(),
                   [&](std::string_view method) { return equal_ignoring_case(method, name); });
  return found != kMethods.end() ? *found : std::string_view();
}

}  // namespace fw::base
