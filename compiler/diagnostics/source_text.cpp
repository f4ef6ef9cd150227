#include "diagnostics/source_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/utf8.hpp"

namespace fairway::diagnostics {

void MemorySourceText::add(std::string file, const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  files_[std::move(file)] = std::move(lines);
}

const std::string* MemorySourceText::line(const std::string& file, unsigned number) {
  const auto found = files_.find(file);
  if (found == files_.end() || number == 0 || number > found->second.size()) return nullptr;
  return &found->second[number - 1];
}

const std::string* FileSourceText::line(const std::string& file, unsigned number) {
  if (known_.insert(file).second) {
    std::error_code ignored;
    std::ifstream stream;
    // Reading a pipe would wait for its writer.
    if (std::filesystem::is_regular_file(file, ignored)) stream.open(file, std::ios::binary);
    if (stream.is_open()) {
      read_.add(file, {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()});
    }
  }
  return read_.line(file, number);
}

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
