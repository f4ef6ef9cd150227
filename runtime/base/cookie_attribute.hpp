// Attributes of cookies: path, domain and priority (RFC 6265, 4.1.1).
#pragma once

#include <algorithm>
#include <string_view>

#include "base/ascii.hpp"

namespace fw::base {

constexpr bool is_cookie_attribute(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) { return is_control(c) || c == ';'; });
}

}  // namespace fw::base
