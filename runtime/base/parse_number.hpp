// Integers and sizes in strings.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace fw::base {

/// The whole string as a number: nothing if it is none, or none of the type. A number has no '+'.
template <class Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || last != end) return std::nullopt;
  return number;
}

// byte_size.cpp

/// The bytes of a number with an optional unit (b, kb, mb, gb; 1024-based; case-insensitive) and
/// optional spaces around the number. Empty if the text is not a size or exceeds 2^53 bytes.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace fw::base
