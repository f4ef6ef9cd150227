// The names of content codings (RFC 9110, 8.4.1), in the order of compression::Coding.
#pragma once

#include <array>
#include <string_view>

namespace fw::base {

inline constexpr std::array<std::string_view, 3> kContentCodings = {"gzip", "br", "zstd"};

}  // namespace fw::base
