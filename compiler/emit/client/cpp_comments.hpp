// Doc comments of generated C++.
#pragma once

#include <string>
#include <string_view>

#include "emit/cpp_names.hpp"

namespace fairway::emit {

/// `text` as `///` lines; nothing for a blank text.
inline std::string doc_comment(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = comment_text(text.substr(0, end));
    if (!line.empty() || !lines.empty()) lines += line.empty() ? "///\n" : "/// " + line + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (lines.ends_with("///\n")) lines.resize(lines.size() - 4);
  return lines;
}

}  // namespace fairway::emit
