// Text in HTML.
#pragma once

#include <string>
#include <string_view>

namespace fw::base {

/// `text` as content or as a quoted attribute value of HTML.
std::string escape_html(std::string_view text);
/// Appends the same.
void append_html(std::string& out, std::string_view text);

}  // namespace fw::base
