// Base64 with the alphabet for URLs and without padding (RFC 4648, 5).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fw::base {

std::string encode_base64url(std::span<const unsigned char> bytes);
void append_base64url(std::string& text, std::span<const unsigned char> bytes);

/// The decoded bytes; empty if `text` is not the canonical encoding.
std::optional<std::string> decode_base64url(std::string_view text);

/// Whether all characters are in the alphabet.
bool is_base64url(std::string_view text);

}  // namespace fw::base
