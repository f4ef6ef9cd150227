// Access to the source lines that renderers show, and columns as editors and code hosts count them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/range.hpp"

namespace fairway::diagnostics {

/// Lines of source files. Line numbers count from 1; lines do not include their ends, which are
/// the line ends of Clang: "\n", "\r\n", and "\r" alone.
class SourceText {
 public:
  virtual ~SourceText() = default;
  /// Null if the file or the line does not exist.
  virtual const std::string* line(const std::string& file, unsigned number) = 0;
};

/// Lines of source texts in memory.
class MemorySourceText : public SourceText {
 public:
  void add(std::string file, const std::string& text);
  const std::string* line(const std::string& file, unsigned number) override;

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

/// Lines of files on disk, read on first use. Relative paths are relative to the working directory.
class FileSourceText : public SourceText {
 public:
  const std::string* line(const std::string& file, unsigned number) override;

 private:
  MemorySourceText read_;
  std::set<std::string> known_;
};

/// Converts a byte column of `line` to UTF-16 code units; both count from 1. A byte order mark has
/// no column. A byte that is not UTF-8 counts as one character, because decoders replace it with
/// one.
unsigned utf16_column(std::string_view line, unsigned byte_column);

/// The range with both columns in UTF-16 code units. Columns in lines that cannot be read do not
/// change.
model::Range utf16_range(const model::Range& range, SourceText& sources);

}  // namespace fairway::diagnostics
