// ASCII helpers of the HTTP grammar, where the locale has no say.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "schema/ascii.hpp"

namespace fw::detail {

using schema::to_lower;

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

inline std::string to_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = to_lower(c);
  return result;
}

/// Without blanks and tabs at both ends (RFC 9110: OWS).
constexpr std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Calls `visit` for each part between separators, the last one included.
template <class Visit>
void for_each_token(std::string_view text, char separator, Visit visit) {
  while (true) {
    const auto end = text.find(separator);
    visit(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

inline constexpr auto kTokenCharacters = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 128; ++c) table[c] = schema::is_alphanumeric(static_cast<char>(c));
  for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
    table[static_cast<std::size_t>(c)] = true;
  return table;
}();

/// A character of a field name, a method or a cookie name (RFC 9110: tchar).
constexpr bool is_token_character(char c) {
  return kTokenCharacters[static_cast<unsigned char>(c)];
}

constexpr bool is_token(std::string_view text) {
  for (const char c : text) {
    if (!is_token_character(c)) return false;
  }
  return !text.empty();
}

}  // namespace fw::detail
