// Names of members in JSON (docs/types.md).
#pragma once

#include <string>
#include <string_view>

#include "base/ascii.hpp"

namespace fairway::model {

/// How the names of members become names in JSON: `JSON_NAMES` of fairway_add_app.
enum class JsonNames { as_written, camel_case };

/// "customer_id" gives "customerId".
inline std::string camel_case(std::string_view name) {
  std::string result;
  bool is_next_upper = false;
  for (const char c : name) {
    if (c == '_') {
      is_next_upper = !result.empty();
      continue;
    }
    result += is_next_upper ? fw::base::to_upper(c) : c;
    is_next_upper = false;
  }
  return result.empty() ? std::string(name) : result;
}

}  // namespace fairway::model
