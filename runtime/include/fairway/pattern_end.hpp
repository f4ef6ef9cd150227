// Where the regular expression of a schema string ends: "string:/^[a-z]+$/=a".
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

/// The index of the "=" before the default of a type other than `enum`; npos if there is none.
constexpr std::size_t sign_of_default(std::string_view text) {
  // A regular expression may contain the sign.
  const std::size_t slash = text.find('/');
  const bool has_pattern = slash < text.find('=');
  return text.find('=', has_pattern ? slash + end_of_pattern(text.substr(slash)) : std::size_t{0});
}

}  // namespace fw::detail
