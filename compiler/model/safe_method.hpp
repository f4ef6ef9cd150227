// The safe methods of RFC 9110. The runtime does not parse the bodies of their requests.
#pragma once

#include <string_view>

namespace fairway::model {

inline bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

}  // namespace fairway::model
