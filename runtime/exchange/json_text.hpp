// JSON text. Bytes that are not UTF-8 become U+FFFD.
#pragma once

#include <fairway/json.hpp>

#include <string>
#include <string_view>

namespace fw::detail {

/// Appends the value as compact text, the same as nlohmann's `dump` makes.
void append_json(std::string& out, const Json& value);

/// The value as compact text.
std::string to_json_text(const Json& value);

/// Appends `text` as a JSON string with its quotation marks.
void append_json_text(std::string& out, std::string_view text);

}  // namespace fw::detail
