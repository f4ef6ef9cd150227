#include "base/base64url.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace fw::base {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNone = 0xFF;

constexpr auto kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

}  // namespace

std::string encode_base64url(std::span<const unsigned char> bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const unsigned char byte : bytes) {
    bits = bits << 8U | byte;
    count += 8;
    while (count >= 6) {
      count -= 6;
      text += kAlphabet[bits >> count & 0x3FU];
    }
  }
  if (count > 0) text += kAlphabet[bits << (6 - count) & 0x3FU];
  return text;
}

std::optional<std::string> decode_base64url(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kNone) return std::nullopt;
    bits = bits << 6U | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
  }
  const bool has_all_bits = count < 6 && (bits & ((1U << count) - 1U)) == 0;
  if (!has_all_bits) return std::nullopt;
  return bytes;
}

bool is_base64url(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return kValues[static_cast<unsigned char>(c)] != kNone; });
}

}  // namespace fw::base
