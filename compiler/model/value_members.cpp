#include "model/value_members.hpp"

namespace fairway::model {

Range part_of(const Value& text, std::size_t offset, std::size_t length) {
  const auto& bytes = text.bytes;
  if (bytes.empty() || offset > bytes.size()) return text.range;
  if (offset == bytes.size()) {
    Range after = bytes.back();
    after.line = after.end_line;
    after.column = after.end_column;
    after.end_column = after.column + 1;
    return after;
  }
  Range part = bytes[offset];
  const Range last = bytes[std::min(offset + std::max<std::size_t>(length, 1), bytes.size()) - 1];
  if (last.file == part.file) {
    part.end_line = last.end_line;
    part.end_column = last.end_column;
  }
  return part;
}

std::optional<Range> spelled_at(const Value& text, std::size_t offset, std::size_t length) {
  const auto& bytes = text.bytes;
  if (length == 0 || offset + length > bytes.size()) return std::nullopt;
  Range location = bytes[offset];
  for (std::size_t index = 0; index < length; ++index) {
    const Range byte = bytes[offset + index];
    const bool follows = byte.file == location.file && byte.line == location.line &&
                         byte.column == location.column + index && byte.end_line == byte.line &&
                         byte.end_column == byte.column + 1;
    if (!follows) return std::nullopt;
    location.end_column = byte.end_column;
  }
  return location;
}

}  // namespace fairway::model
