// A thread that waits until another one has something for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace fw::base {

/// One thread waits; any thread wakes it, before or meanwhile.
class WakeUp {
 public:
  void wake() noexcept {
    {
      const std::lock_guard lock(mutex_);
      is_woken_ = true;
    }
    woken_.notify_one();
  }
  /// Returns false after `until`.
  bool wait_until(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    const bool is_woken = woken_.wait_until(lock, until, [this] { return is_woken_; });
    is_woken_ = false;
    return is_woken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  bool is_woken_ = false;
};

}  // namespace fw::base
