#pragma once

#include <fmt/format.h>

#include <string>

namespace fw::detail {

/// Appends a whole number in decimal digits.
template <class Number>
void append_number(std::string& out, Number number) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

}  // namespace fw::detail
