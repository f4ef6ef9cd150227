// Source ranges, and the source location of each byte of a string.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

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

/// A compact list of ranges: consecutive bytes in one line, each of one column, are stored as one
/// run.
struct ByteRanges {
  struct Run {
    Range first;
    std::uint64_t count = 0;
    bool operator==(const Run&) const = default;
  };
  std::vector<Run> runs;

  bool operator==(const ByteRanges&) const = default;

  bool empty() const { return runs.empty(); }
  std::size_t size() const {
    std::size_t sum = 0;
    for (const Run& run : runs) sum += run.count;
    return sum;
  }
  /// `index` must be below size().
  Range operator[](std::size_t index) const {
    auto run = runs.begin();
    for (; index >= run->count; ++run) index -= run->count;
    Range location = run->first;
    location.column += static_cast<unsigned>(index);
    location.end_column += static_cast<unsigned>(index);
    return location;
  }
  Range back() const { return (*this)[size() - 1]; }

  void push_back(const Range& location) {
    if (!runs.empty()) {
      Run& run = runs.back();
      Range next = run.first;
      next.column += static_cast<unsigned>(run.count);
      next.end_column += static_cast<unsigned>(run.count);
      const bool is_simple = next.line == next.end_line && next.end_column == next.column + 1;
      if (is_simple && next == location) {
        ++run.count;
        return;
      }
    }
    runs.push_back({location, 1});
  }
};

}  // namespace fairway::model
