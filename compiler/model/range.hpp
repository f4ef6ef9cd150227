// Places in source text.
#pragma once

#include <compare>
#include <string>

namespace fairway::model {

/// Half-open range of source text. Lines and columns count from 1, columns in bytes, as Clang's do.
/// `file` is the path as it is shown: relative to the working directory where it lies below it.
/// `line == 0` means the file as a whole.
struct Range {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned end_line = 0;
  unsigned end_column = 0;

  auto operator<=>(const Range&) const = default;
};

}  // namespace fairway::model
