#include "diagnostics/editor_column.hpp"

#include <algorithm>
#include <string>

#include "base/utf8.hpp"

namespace fairway::diagnostics {

unsigned utf16_column(std::string_view line, unsigned byte_column) {
  constexpr std::string_view kUtf8ByteOrderMark = "\xEF\xBB\xBF";
  std::size_t rest = byte_column == 0 ? 0 : byte_column - 1;
  if (line.starts_with(kUtf8ByteOrderMark)) {
    line.remove_prefix(kUtf8ByteOrderMark.size());
    rest -= std::min(rest, kUtf8ByteOrderMark.size());
  }
  unsigned column = 1;
  while (rest > 0 && !line.empty()) {
    const std::size_t length = std::max<std::size_t>(fw::base::code_point_length(line), 1);
    if (length > rest) break;  // a column within a character becomes the column of its start
    column += length == 4 ? 2 : 1;
    rest -= length;
    line.remove_prefix(length);
  }
  return column;
}

model::Range utf16_range(const model::Range& range, SourceText& sources) {
  model::Range converted = range;
  if (const std::string* line = sources.line(range.file, range.line)) {
    converted.column = utf16_column(*line, range.column);
  }
  if (const std::string* line = sources.line(range.file, range.end_line)) {
    converted.end_column = utf16_column(*line, range.end_column);
  }
  return converted;
}

}  // namespace fairway::diagnostics
