// Parses sizes such as "1mb". Shared by the route compiler and the runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fw::base {

/// The bytes of a number with an optional unit (b, kb, mb, gb; 1024-based; case-insensitive) and
/// optional spaces around the number. Empty if the text is not a size or exceeds 2^53 bytes.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace fw::base
