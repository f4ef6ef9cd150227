// One thread that calls back at points in time: deadlines of requests.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace fw::detail {

/// Thread-safe. The thread starts with the first deadline.
class DeadlineTimer {
 public:
  using Clock = std::chrono::steady_clock;
  /// A deadline that has been set, for `cancel`.
  using Ticket = std::pair<Clock::time_point, std::uint64_t>;

  DeadlineTimer() = default;
  /// Deadlines that have not come yet are forgotten.
  ~DeadlineTimer();
  DeadlineTimer(const DeadlineTimer&) = delete;
  DeadlineTimer& operator=(const DeadlineTimer&) = delete;

  /// Calls `action` on the timer's thread at that time. It must be quick, as all deadlines share
  /// the thread; what it throws is dropped. It has to own what it uses: cancelling does not wait
  /// for it.
  /// Throws std::system_error when there is no thread to be had, std::bad_alloc.
  Ticket set(Clock::time_point when, std::function<void()> action);
  void cancel(const Ticket& ticket);

 private:
  void run();

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::map<Ticket, std::function<void()>> actions_;
  std::uint64_t next_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fw::detail
