// Character classes of ASCII that do not depend on the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fw::schema {

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
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Compares without regard to case; `lower` is in lower case.
constexpr bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (to_lower(text[i]) != lower[i]) return false;
  }
  return true;
}

constexpr std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The byte in each of the eight bytes of a word.
constexpr std::uint64_t eight_of(unsigned char byte) { return 0x0101010101010101U * byte; }

/// Marks bytes of a word that are below `limit`, which is at most 0x80. Exact for the lowest marked
/// byte; those above it may be marked wrongly, so that only zero and not zero tell something.
constexpr std::uint64_t mark_below(std::uint64_t word, unsigned char limit) {
  return (word - eight_of(limit)) & ~word & eight_of(0x80);
}

/// Marks bytes of a word that are equal to `byte`, as mark_below does.
constexpr std::uint64_t mark_equal(std::uint64_t word, char byte) {
  return mark_below(word ^ eight_of(static_cast<unsigned char>(byte)), 1);
}

/// Whether `marks` finds a byte in a string. It is called with eight bytes at a time, a short
/// string filled up with spaces, and returns zero if none of them counts.
template <class Marks>
bool any_byte(std::string_view text, Marks marks) {
  std::uint64_t word = eight_of(' ');
  if (text.size() < sizeof word) {
    if (!text.empty()) std::memcpy(&word, text.data(), text.size());
    return marks(word) != 0;
  }
  // The last eight bytes may overlap those before.
  const char* last = text.data() + text.size() - sizeof word;
  std::memcpy(&word, last, sizeof word);
  std::uint64_t found = marks(word);
  for (const char* at = text.data(); at < last; at += sizeof word) {
    std::memcpy(&word, at, sizeof word);
    found |= marks(word);
  }
  return found != 0;
}

}  // namespace fw::schema
