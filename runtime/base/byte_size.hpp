// Sizes as texts: "1mb". Shared by the route compiler and the runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fw::base {

/// Bytes of a number with or without a unit (b, kb, mb, gb; 1024-based; any case), blanks allowed
/// around the number. Nothing when the text is no size or names more than 2^53 bytes.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace fw::base
