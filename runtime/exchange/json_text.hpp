// JSON string literals, without building a JSON value for the usual case.
#pragma once

#include <string>
#include <string_view>

namespace fw::detail {

/// Appends `text` as a JSON string with its quotation marks. Bytes that are not UTF-8 become
/// U+FFFD.
void append_json_text(std::string& out, std::string_view text);

}  // namespace fw::detail
