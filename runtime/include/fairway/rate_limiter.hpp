// The interface of rate limiters (docs/rate-limit.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace fw {

/// Counts requests. The framework's limiter keeps a sliding window in the store "rate-limit", under
/// digests of the keys; `app.set_rate_limiter` installs another limiter. Must be thread-safe.
class RateLimiter {
 public:
  /// Whether a request may pass, and the values of the response fields.
  struct Result {
    bool allowed = true;                 ///< false: the response is 429
    std::int64_t remaining = 0;          ///< requests that the window still allows
    std::chrono::milliseconds reset{0};  ///< until the window allows more
  };

  virtual ~RateLimiter() = default;

  /// Counts a request of `key`; the window allows `max` of them. The key may be long, and may be
  /// chosen by the client. An exception means that the request cannot be counted;
  /// `rateLimit.onStoreError` then applies.
  virtual Result take(std::string_view key, std::int64_t max, std::chrono::milliseconds window) = 0;
};

}  // namespace fw
