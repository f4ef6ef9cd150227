// A thread that runs the actions of request deadlines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace fw::base {

/// Thread-safe. The thread starts with the first deadline.
class DeadlineTimer {
 public:
  using Clock = std::chrono::steady_clock;
  /// Identifies a deadline for `cancel`.
  using Ticket = std::pair<Clock::time_point, std::uint64_t>;

  DeadlineTimer() = default;
  /// Discards pending deadlines.
  ~DeadlineTimer();
  DeadlineTimer(const DeadlineTimer&) = delete;
  DeadlineTimer& operator=(const DeadlineTimer&) = delete;

  /// Calls `action` on the thread of the timer at that time. It must be quick, because all
  /// deadlines share the thread, and must own the data that it uses, because `cancel` does not wait
  /// for it. Its exceptions are ignored. Throws std::system_error if the thread cannot be started,
  /// and std::bad_alloc.
  Ticket set(Clock::time_point when, std::function<void()> action);
  void cancel(const Ticket& ticket);

 private:
  void run();

  std::mutex mutex_;  // guards the following members
  std::condition_variable changed_;
  std::map<Ticket, std::function<void()>> actions_;
  std::uint64_t next_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fw::base
