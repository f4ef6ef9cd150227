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
  append_base64url(text, bytes);
  return text;
}

void append_base64url(std::string& text, std::span<const unsigned char> bytes) {
  const std::size_t before = text.size();
  text.resize(before + (bytes.size() * 4 + 2) / 3);
  char* out = text.data() + before;
  const unsigned char* in = bytes.data();
  // Each three bytes are four characters.
  for (const auto* const end = in + bytes.size() / 3 * 3; in != end; in += 3) {
    const std::uint32_t bits = std::uint32_t{in[0]} << 16U | std::uint32_t{in[1]} << 8U | in[2];
    *out++ = kAlphabet[bits >> 18U];
    *out++ = kAlphabet[bits >> 12U & 0x3FU];
    *out++ = kAlphabet[bits >> 6U & 0x3FU];
    *out++ = kAlphabet[bits & 0x3FU];
  }
  const std::size_t rest = bytes.size() % 3;
  if (rest == 0) return;
  const std::uint32_t bits = std::uint32_t{in[0]} << 8U | (rest > 1 ? in[1] : 0U);
  *out++ = kAlphabet[bits >> 10U];
  *out++ = kAlphabet[bits >> 4U & 0x3FU];
  if (rest > 1) *out = kAlphabet[bits << 2U & 0x3FU];
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
