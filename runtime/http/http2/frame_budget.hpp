// Bounds what a client may make the server do without a request (RFC 9113, 10.5).
#pragma once

#include <algorithm>
#include <cstdint>

namespace fw::http {

/// Allows a number of events at once, and so many more in each second.
class EventBudget {
 public:
  EventBudget(std::int64_t at_once, std::int64_t per_second, std::int64_t now)
      : at_once_(at_once), per_second_(per_second), left_(at_once), refilled_at_(now) {}

  /// Counts an event at `now`, by `coarse_now`. Returns false if there are too many.
  [[nodiscard]] bool take(std::int64_t now) {
    if (left_ == 0) refill(now);
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  /// Allows further events, because the client has done something useful.
  void give(std::int64_t count) { left_ = std::min(at_once_, left_ + count); }

 private:
  void refill(std::int64_t now) {
    const std::int64_t earned = std::min(at_once_, (now - refilled_at_) * per_second_ / 1'000);
    if (earned == 0) return;
    left_ = earned;
    refilled_at_ = now;
  }

  const std::int64_t at_once_;
  const std::int64_t per_second_;
  std::int64_t left_;
  std::int64_t refilled_at_;
};

}  // namespace fw::http
