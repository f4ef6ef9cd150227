// Code points of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fw::base {

struct CodePoints {
  std::size_t count = 0;    ///< An invalid byte counts as one.
  bool well_formed = true;  ///< Whether the text is valid UTF-8 (RFC 3629).
};

struct Utf8Part {
  std::size_t length = 1;  ///< in bytes: of the code point, or of the start of an incomplete one
  bool is_code_point = false;
};

/// The code point at the start of a nonempty text, or the bytes that cannot be part of one.
Utf8Part utf8_part(std::string_view text);

/// The number of bytes of the code point at the start of a nonempty text; 0 if it is invalid.
std::size_t code_point_length(std::string_view text);

CodePoints count_code_points(std::string_view text);

/// `text`, in which each byte that is not UTF-8 becomes U+FFFD.
std::string valid_utf8(std::string text);

}  // namespace fw::base
