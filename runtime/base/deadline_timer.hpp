// A thread that runs the actions of request deadlines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace fw::base {

/// Thread-safe. The thread starts with the first deadline. The destructor discards pending ones.
class DeadlineTimer {
 public:
  using Clock = std::chrono::steady_clock;
  /// Identifies a deadline for `cancel`.
  using Ticket = std::pair<Clock::time_point, std::uint64_t>;

  /// Calls `action` on the thread of the timer at that time. It must be quick, because all
  /// deadlines share the thread, and must own the data that it uses, because `cancel` does not wait
  /// for it. Its exceptions are ignored. Throws std::system_error if the thread cannot be started,
  /// and std::bad_alloc.
  Ticket set(Clock::time_point when, std::function<void()> action);
  void cancel(const Ticket& ticket);

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;  // guards the following members
  std::condition_variable_any changed_;
  std::map<Ticket, std::function<void()>> actions_;
  std::uint64_t next_ = 0;
  std::jthread thread_;  // last, because it uses all other members
};

}  // namespace fw::base
