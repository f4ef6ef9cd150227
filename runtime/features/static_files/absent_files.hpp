// Remembers which files do not exist, so that each request need not look for them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace fw::detail {

/// Names of files, as hashes, that did not exist less than a second ago. Its size is fixed: a name
/// may replace another one. Thread-safe.
class AbsentFiles {
 public:
  using Clock = std::chrono::steady_clock;

  bool has(std::uint64_t name, Clock::time_point now) const {
    const std::uint64_t slot = slots_[name % kSlots].load(std::memory_order_relaxed);
    return (slot & ~kTicks) == (name & ~kTicks) && ((tick(now) - slot) & kTicks) < kLife;
  }
  void add(std::uint64_t name, Clock::time_point now) {
    slots_[name % kSlots].store((name & ~kTicks) | tick(now), std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::uint64_t kTicks = 0xFFFFF;  ///< these bits are the time, the others a name
  static constexpr std::uint64_t kLife = 4;         ///< ticks

  static std::uint64_t tick(Clock::time_point now) {
    const auto time = now.time_since_epoch() / std::chrono::milliseconds(250);
    return static_cast<std::uint64_t>(time) & kTicks;
  }

  std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
};

}  // namespace fw::detail
