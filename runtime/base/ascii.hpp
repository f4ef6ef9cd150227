// ASCII functions, independent of the locale: character classes, case-insensitive comparison, and
// tokens of HTTP.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/word_scan.hpp"

namespace fw::base {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char to_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
constexpr bool is_letter(char c) { return to_lower(c) >= 'a' && to_lower(c) <= 'z'; }
constexpr bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f');
}
constexpr unsigned hex_value(char c) {
  return static_cast<unsigned>(is_digit(c) ? c - '0' : to_lower(c) - 'a' + 10);
}
constexpr bool is_whitespace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Removes whitespace, including line breaks, at both ends.
constexpr std::string_view trim_whitespace(std::string_view text) {
  while (!text.empty() && is_whitespace(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_whitespace(text.back())) text.remove_suffix(1);
  return text;
}

inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = to_lower(c);
  return result;
}

/// Removes spaces and tabs at both ends (OWS of RFC 9110).
constexpr std::string_view trim_ows(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Calls `visit` for each part between separators, including the last one.
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
  for (std::size_t c = 0; c < 128; ++c) table[c] = is_alphanumeric(static_cast<char>(c));
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

/// Whether two words are equal, except for the case of letters.
constexpr bool equal_ignoring_case(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t differences = a ^ b;
  if ((differences & ~eight_of(0x20)) != 0) return false;
  // The highest bit of a byte tells whether the rest of it is at least 'a', or above 'z'.
  const std::uint64_t lower = (a | eight_of(0x20)) & eight_of(0x7F);
  const std::uint64_t not_below = lower + eight_of(0x80 - 'a');
  const std::uint64_t above = lower + eight_of(0x80 - 'z' - 1);
  const std::uint64_t letters = not_below & ~above & ~a;
  return (differences << 2 & ~letters) == 0;
}

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.size() < sizeof(std::uint32_t)) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i] && to_lower(a[i]) != to_lower(b[i])) return false;
    }
    return true;
  }
  if (a.size() < sizeof(std::uint64_t)) {
    // The first four bytes and the last four.
    const auto word_of = [](std::string_view text) {
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      std::memcpy(&first, text.data(), sizeof first);
      std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
      return std::uint64_t{first} << 32U | last;
    };
    return equal_ignoring_case(word_of(a), word_of(b));
  }
  const auto differ_at = [&](std::size_t at) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    return !equal_ignoring_case(x, y);
  };
  // The last eight bytes may overlap those before.
  const std::size_t last = a.size() - sizeof(std::uint64_t);
  for (std::size_t at = 0; at < last; at += sizeof(std::uint64_t)) {
    if (differ_at(at)) return false;
  }
  return !differ_at(last);
}

}  // namespace fw::base
