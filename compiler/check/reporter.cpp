#include "check/reporter.hpp"

#include <algorithm>

namespace fairway::check {

model::Range part_of(const model::Value& text, std::size_t offset, std::size_t length) {
  const auto& bytes = text.bytes;
  if (bytes.empty() || offset > bytes.size()) return text.range;
  if (offset == bytes.size()) {
    model::Range after = bytes.back();
    after.line = after.end_line;
    after.column = after.end_column;
    after.end_column = after.column + 1;
    return after;
  }
  model::Range part = bytes[offset];
  const model::Range last =
      bytes[std::min(offset + std::max<std::size_t>(length, 1), bytes.size()) - 1];
  if (last.file == part.file) {
    part.end_line = last.end_line;
    part.end_column = last.end_column;
  }
  return part;
}

std::optional<model::Range> spelled_at(const model::Value& text, std::size_t offset,
                                       std::size_t length) {
  const auto& bytes = text.bytes;
  if (length == 0 || offset + length > bytes.size()) return std::nullopt;
  model::Range location = bytes[offset];
  for (std::size_t index = 0; index < length; ++index) {
    const model::Range byte = bytes[offset + index];
    const bool follows = byte.file == location.file && byte.line == location.line &&
                         byte.column == location.column + index && byte.end_line == byte.line &&
                         byte.end_column == byte.column + 1;
    if (!follows) return std::nullopt;
    location.end_column = byte.end_column;
  }
  return location;
}

void add_fix(model::Diagnostic& diagnostic, const model::Value& text, std::size_t offset,
             std::size_t length, std::string replacement) {
  if (const auto location = spelled_at(text, offset, length)) {
    diagnostic.fixes.push_back({*location, std::move(replacement)});
  }
}

}  // namespace fairway::check
