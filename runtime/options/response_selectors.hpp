// Selectors of responses: a status ("201"), a family ("2xx"), or "default".
#pragma once

#include <string_view>

#include "base/ascii.hpp"

namespace fw::options {

inline bool is_response_selector(std::string_view text) {
  if (text == "default") return true;
  if (text.size() != 3 || text[0] < '1' || text[0] > '5') return false;
  return text.substr(1) == "xx" || (base::is_digit(text[1]) && base::is_digit(text[2]));
}

/// Whether a selector selects the responses with a status: "404".
inline bool selects(std::string_view selector, std::string_view status) {
  return selector == "default" || selector == status ||
         (selector.ends_with("xx") && selector[0] == status[0]);
}

/// Whether responses that a selector selects may have a body (RFC 9110, 15).
inline bool may_have_content(std::string_view selector) {
  return selector != "204" && selector != "205" && selector != "304" && !selector.starts_with('1');
}

}  // namespace fw::options
