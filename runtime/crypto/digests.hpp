// Digests and comparisons for session ids, tokens and entity tags.
#pragma once

#include <array>
#include <string_view>

namespace fw::crypto {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view text);
Digest hmac_sha256(std::string_view key, std::string_view text);

/// For strings of equal length, the time does not depend on the position of a difference.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace fw::crypto
