// A mutex for what every request locks.
#pragma once

#include <atomic>
#include <cstdint>

namespace fw::base {

/// A std::mutex of four bytes that is locked and unlocked by one instruction each, while
/// std::mutex, which may have other kinds, needs sixty in all. A thread that has to wait sleeps.
/// For critical sections that do not wait.
class ShortMutex {
 public:
  ShortMutex() = default;
  ShortMutex(const ShortMutex&) = delete;
  ShortMutex& operator=(const ShortMutex&) = delete;

  void lock() noexcept {
    std::uint32_t free = kFree;
    if (!state_.compare_exchange_strong(free, kLocked, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
      wait();
    }
  }
  void unlock() noexcept {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) state_.notify_one();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kLocked = 1;
  static constexpr std::uint32_t kAwaited = 2;  ///< locked, and others may wait

  void wait() noexcept {
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      state_.wait(kAwaited, std::memory_order_relaxed);
    }
  }

  std::atomic<std::uint32_t> state_ = kFree;
};

}  // namespace fw::base
