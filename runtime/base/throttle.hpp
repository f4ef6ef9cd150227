// Limits repeated log lines.
#pragma once

#include <atomic>
#include <chrono>

namespace fw::base {

/// Passes one event per interval. Thread-safe.
class Throttle {
 public:
  explicit Throttle(std::chrono::steady_clock::duration interval) : interval_(interval.count()) {}

  /// True for the first event, and then for the first one after each interval.
  bool pass() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    auto next = next_.load(std::memory_order_relaxed);
    return now >= next && next_.compare_exchange_strong(next, now + interval_);
  }

 private:
  using Ticks = std::chrono::steady_clock::rep;
  const Ticks interval_;
  std::atomic<Ticks> next_ = std::chrono::steady_clock::duration::min().count();
};

}  // namespace fw::base
