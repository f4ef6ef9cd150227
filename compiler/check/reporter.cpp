#include "check/reporter.hpp"

#include <algorithm>

namespace fairway::check {

model::Range part_of(const model::Value& text, std::size_t offset, std::size_t length) {
  const auto& bytes = text.bytes;
  if (bytes.empty() || offset > bytes.size()) return text.range;
  if (offset == bytes.size()) {
    model::Range behind = bytes.back();
    behind.line = behind.end_line;
    behind.column = behind.end_column;
    behind.end_column = behind.column + 1;
    return behind;
  }
  model::Range part = bytes[offset];
  const model::Range& last =
      bytes[std::min(offset + std::max<std::size_t>(length, 1), bytes.size()) - 1];
  if (last.file == part.file) {
    part.end_line = last.end_line;
    part.end_column = last.end_column;
  }
  return part;
}

}  // namespace fairway::check
