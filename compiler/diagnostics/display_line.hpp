// A source line as a terminal shows it, with the column of each of its bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::diagnostics {

/// Tabs become blanks up to the next multiple of 8, wide characters take two columns, combining
/// ones none, and control characters and bytes that are not UTF-8 are shown as "<E4>" and
/// "<U+001B>".
struct DisplayLine {
  std::string text;
  /// Display column of each byte of the source line, counted from 0, and of its end.
  std::vector<std::size_t> columns;

  explicit DisplayLine(std::string_view source);
  /// Display column of a byte column that counts from 1; past the end it is the line's end.
  std::size_t column_of(unsigned byte_column) const;
};

/// A string in which every control character is visible, as DisplayLine shows it: what comes from
/// sources cannot move the cursor, colour the terminal or add lines.
std::string display_text(std::string_view text);

/// The part of a string without tabs that is in display columns [begin, end).
std::string display_part(std::string_view text, std::size_t begin, std::size_t end);

/// Display columns of a UTF-8 text.
std::size_t display_width(std::string_view text);

}  // namespace fairway::diagnostics
