#include <fmt/format.h>

#include <algorithm>

#include "emit/source_parts.hpp"

namespace fairway::emit {

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const bool may_be_trigraph = c == '?' && literal.back() == '?';
    if (c == '"' || c == '\\' || may_be_trigraph) {
      literal.append("\\").append(1, c);
    } else if (c == '\n') {
      literal += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      literal += c;
    }
  }
  return literal + '"';
}

std::string raw_literal(std::string_view text) {
  const bool is_raw = text.find(")\"") == std::string_view::npos &&
                      text.find_first_of("\"\\") != std::string_view::npos;
  return is_raw ? fmt::format("R\"({})\"", text) : string_literal(text);
}

std::string comment_text(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  // NEL and the line and paragraph separators are line ends in some languages and editors.
  for (const std::string_view end : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    for (std::size_t at = line.find(end); at != std::string::npos; at = line.find(end, at)) {
      line.replace(at, end.size(), " ");
    }
  }
  // `??/` is a backslash for old compilers.
  while (line.ends_with('\\') || line.ends_with(' ') || line.ends_with("?\?/")) line.pop_back();
  return line;
}

}  // namespace fairway::emit
