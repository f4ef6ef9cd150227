// How often a client may send requests (docs/rate-limit.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace fw {

/// Counts requests. The framework's own keeps a sliding window in the store `rate-limit`;
/// `app.set_rate_limiter` installs another one. Called by many threads at a time.
class RateLimiter {
 public:
  struct Result {
    bool allowed = true;
    std::int64_t remaining = 0;          ///< requests that the window still allows
    std::chrono::milliseconds reset{0};  ///< until it allows more
  };

  virtual ~RateLimiter() = default;

  /// Counts a request of `key`, of which the window allows `max`. What it throws means that nothing
  /// can be counted now: the request is then treated as `rateLimit.onStoreError` says.
  virtual Result take(std::string_view key, std::int64_t max, std::chrono::milliseconds window) = 0;
};

}  // namespace fw
