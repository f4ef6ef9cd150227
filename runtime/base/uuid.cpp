#include "base/uuid.hpp"

#include <array>
#include <cstddef>
#include <string_view>

#include "base/random.hpp"

namespace fw::base {

std::string make_uuid() {
  std::array<unsigned char, 16> bytes{};
  fill_random(bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(36, '-');
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) ++at;
    text[at++] = kDigits[bytes[i] / 16];
    text[at++] = kDigits[bytes[i] % 16];
  }
  return text;
}

}  // namespace fw::base
