// What the fuzz programs share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A broken promise is a finding like a crash.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace fuzz
