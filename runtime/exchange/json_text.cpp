#include "exchange/json_text.hpp"

#include <algorithm>

namespace fw::detail {

std::string to_json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_json_text(std::string& out, std::string_view text) {
  const auto needs_care = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F ||
           c == '"' || c == '\\';
  };
  if (std::any_of(text.begin(), text.end(), needs_care)) {
    out += to_json_text(Json(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

}  // namespace fw::detail
