// Code points of a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace fw::base {

struct CodePoints {
  std::size_t count = 0;    ///< A byte that belongs to no code point counts as one.
  bool well_formed = true;  ///< The whole text is UTF-8 (RFC 3629).
};

/// Bytes of the code point at the start of a nonempty text; 0 when they are no UTF-8.
std::size_t code_point_length(std::string_view text);

CodePoints count_code_points(std::string_view text);

}  // namespace fw::base
