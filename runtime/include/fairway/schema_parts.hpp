// Where the parts of a schema string begin and end: "string:/^[a-z]+$/=a", "enum:a,b=a".
#pragma once

#include <cstddef>
#include <string_view>

namespace fw::detail {

/// The index of the slash that ends a pattern, of `text` that begins with its first one: not
/// escaped and in no character class, and at the end of the schema or before a default. Other
/// slashes need no escape. If there is none, the last slash. Classes are as in ECMAScript.
constexpr std::size_t end_of_pattern(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '[') {
      for (++i; i < text.size() && text[i] != ']'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (text[i] == '/' && (i + 1 >= text.size() || text[i + 1] == '=')) {
      return i;
    }
  }
  return text.rfind('/');
}

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether a list "a, b" has the value.
constexpr bool lists(std::string_view list, std::string_view value) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (without_blanks(list.substr(0, comma)) == value) return true;
    if (comma == list.npos) return false;
    list.remove_prefix(comma + 1);
  }
}

/// The index of the "=" before the default of "enum:a,b=a". With "?" or "!" at the end, there is
/// none: the last value then may contain the sign.
constexpr std::size_t sign_of_enum_default(std::string_view text) {
  constexpr std::size_t kBegin = std::string_view("enum:").size();
  if (text.ends_with('?') || text.ends_with('!')) return text.npos;
  const std::size_t comma = text.rfind(',');
  const std::size_t last_value = comma == text.npos ? kBegin : comma + 1;
  for (std::size_t at = text.find('=', last_value); at != text.npos; at = text.find('=', at + 1)) {
    const std::string_view value = without_blanks(text.substr(at + 1));
    if (lists(text.substr(kBegin, at - kBegin), value)) return at;
  }
  const std::size_t last = text.rfind('=');
  return last == text.npos || last < last_value ? text.npos : last;
}

/// The index of the "=" before the default; npos if there is none.
constexpr std::size_t sign_of_default(std::string_view text) {
  if (text.starts_with("enum:")) return sign_of_enum_default(text);
  // A regular expression may contain the sign.
  const std::size_t slash = text.find('/');
  const bool has_pattern = slash < text.find('=');
  return text.find('=', has_pattern ? slash + end_of_pattern(text.substr(slash)) : std::size_t{0});
}

}  // namespace fw::detail
