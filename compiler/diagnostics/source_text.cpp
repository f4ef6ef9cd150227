#include "diagnostics/source_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

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

}  // namespace fairway::diagnostics
