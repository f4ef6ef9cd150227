// Base64 with the alphabet for URLs and without padding (RFC 4648, 5).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fw::base {

std::string encode_base64url(std::span<const unsigned char> bytes);

/// The bytes, as a string; nothing unless `text` is what encode_base64url returns for them.
std::optional<std::string> decode_base64url(std::string_view text);

/// Whether every character is of the alphabet.
bool is_base64url(std::string_view text);

}  // namespace fw::base
