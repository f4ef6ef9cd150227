// Access to the source lines that renderers show.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

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

}  // namespace fairway::diagnostics
