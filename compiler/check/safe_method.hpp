// Methods that only read (RFC 9110, safe methods). The runtime parses no bodies of them.
#pragma once

#include <string_view>

namespace fairway::check {

inline bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

}  // namespace fairway::check
