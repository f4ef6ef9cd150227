// UTF-8: its code points, and the check of text in parts.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Checks whether a text is UTF-8 while it arrives in parts. The rules of RFC 3629, 4, which
/// exclude overlong forms, surrogates and values above U+10FFFF. Code points may be cut between
/// parts.
class Utf8Validator {
 public:
  /// Adds a part. Returns false if the text so far is not the beginning of UTF-8; this is final.
  bool add(std::string_view part) {
    for (const char c : part) {
      if (!add(static_cast<unsigned char>(c))) return false;
    }
    return true;
  }
  /// The same for one byte.
  bool add(unsigned char byte) {
    if (missing_ > 0) return continue_code_point(byte);
    return byte < 0x80 || begin(byte);
  }
  /// Whether the text does not end within a code point.
  bool is_complete() const { return missing_ == 0; }

 private:
  bool begin(unsigned char lead) {
    lowest_ = 0x80;
    highest_ = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
      missing_ = 1;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
      missing_ = 2;
      if (lead == 0xE0) lowest_ = 0xA0;
      if (lead == 0xED) highest_ = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
      missing_ = 3;
      if (lead == 0xF0) lowest_ = 0x90;
      if (lead == 0xF4) highest_ = 0x8F;
    } else {
      return false;
    }
    return true;
  }
  bool continue_code_point(unsigned char byte) {
    if (byte < lowest_ || byte > highest_) return false;
    lowest_ = 0x80;
    highest_ = 0xBF;
    --missing_;
    return true;
  }

  std::uint8_t missing_ = 0;  ///< bytes of the code point that has begun
  std::uint8_t lowest_ = 0;   ///< of its next byte
  std::uint8_t highest_ = 0;
};

}  // namespace fw::base
