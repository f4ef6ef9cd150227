// Pieces of text output.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace fw::base {

/// Appends a whole number in decimal digits.
template <class Number>
void append_number(std::string& out, Number number) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

/// `text` as content or as a quoted attribute value of HTML.
std::string escape_html(std::string_view text);

}  // namespace fw::base
