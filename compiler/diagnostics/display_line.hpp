// A source line in the form for a terminal, with the display column of each byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::diagnostics {

/// Tabs become spaces up to the next multiple of 8. Wide characters take two columns, combining
/// characters none. Bytes that are not UTF-8 are shown as "<E4>", control characters as "<U+001B>".
struct DisplayLine {
  std::string text;
  /// Display column of each byte of the source line, counted from 0, and of its end.
  std::vector<std::size_t> columns;

  explicit DisplayLine(std::string_view source);
  /// Display column of a byte column that counts from 1; columns past the end give the end of the
  /// line.
  std::size_t column_of(unsigned byte_column) const;
};

/// A string with visible control characters, as in DisplayLine, so that text from source files
/// cannot move the cursor, change colours or add lines.
std::string display_text(std::string_view text);

/// The part of a string without tabs that is in display columns [begin, end).
std::string display_part(std::string_view text, std::size_t begin, std::size_t end);

/// Display columns of a UTF-8 text.
std::size_t display_width(std::string_view text);

}  // namespace fairway::diagnostics
