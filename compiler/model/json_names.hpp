// Names of members in JSON (docs/types.md).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.hpp"

namespace fairway::model {

/// How the names of members become names in JSON: `JSON_NAMES` of fairway_add_app.
enum class JsonNames { as_written, camel_case };

/// "customer_id" gives "customerId", and so does "CUSTOMER_ID".
inline std::string camel_case(std::string_view name) {
  const bool is_in_capitals = std::ranges::none_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; });
  std::string result;
  bool is_next_upper = false;
  for (const char c : name) {
    if (c == '_') {
      is_next_upper = !result.empty();
      continue;
    }
    result += is_next_upper ? fw::base::to_upper(c) : is_in_capitals ? fw::base::to_lower(c) : c;
    is_next_upper = false;
  }
  return result.empty() ? std::string(name) : result;
}

}  // namespace fairway::model
