// Source ranges.
#pragma once

#include <compare>
#include <string>
#include <tuple>

namespace fairway::model {

/// Half-open range of source text. Lines and columns count from 1, columns in bytes, as Clang's do.
/// `file` is the path for display, relative to the working directory if it is below it. `line == 0`
/// means the whole file.
struct Range {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned end_line = 0;
  unsigned end_column = 0;

  auto operator<=>(const Range&) const = default;
  bool contains(const Range& inner) const {
    return file == inner.file && std::tie(line, column) <= std::tie(inner.line, inner.column) &&
           std::tie(inner.end_line, inner.end_column) <= std::tie(end_line, end_column);
  }
};

}  // namespace fairway::model
