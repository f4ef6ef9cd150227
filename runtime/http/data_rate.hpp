// The least pace that a client must keep.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace fw::http {

/// A transfer may be slower than `bytes_per_second` only in its beginning, for `grace`.
struct DataRate {
  std::uint64_t bytes_per_second = 0;  ///< 0: any pace will do
  std::chrono::milliseconds grace{5'000};

  /// The milliseconds after which so many bytes must have been transferred, and more to come.
  std::int64_t longest(std::uint64_t bytes) const {
    constexpr std::uint64_t kForever = std::numeric_limits<std::int32_t>::max();
    if (bytes_per_second == 0 || bytes / bytes_per_second >= kForever / 1'000) return kForever;
    return grace.count() + static_cast<std::int64_t>(bytes * 1'000 / bytes_per_second);
  }
};

}  // namespace fw::http
