// Strings as people read them: code points, numbers, HTML.
#pragma once

#include <fmt/format.h>

#include <cstddef>
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

struct CodePoints {
  std::size_t count = 0;    ///< A byte that belongs to no code point counts as one.
  bool well_formed = true;  ///< The whole text is UTF-8 (RFC 3629).
};

/// Bytes of the code point at the start of a nonempty text; 0 when they are no UTF-8.
std::size_t code_point_length(std::string_view text);

CodePoints count_code_points(std::string_view text);

}  // namespace fw::base
