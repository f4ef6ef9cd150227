// One thread that waits for descriptors and timers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

namespace fairway::process {

/// Callbacks run on the thread of `run`, and may call every function.
class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;
  using Ready = std::function<void(short events)>;
  using TimerId = std::uint64_t;

  /// Calls `ready` whenever one of the events of poll(2), an error or the end of the other side
  /// occurs. Replaces an earlier call for the same descriptor, which stays the caller's to close.
  void watch(int descriptor, short events, Ready ready);
  void forget(int descriptor);

  /// Calls `callback` once. The id is never 0.
  TimerId after(std::chrono::milliseconds delay, std::function<void()> callback);
  /// Does nothing for a timer that has run, or for 0.
  void cancel(TimerId timer);

  /// Returns after `stop`. Throws std::system_error.
  void run();
  void stop() { is_running_ = false; }

 private:
  struct Timer {
    Clock::time_point due;
    std::function<void()> callback;
  };
  struct Watch {
    short events = 0;
    Ready ready;
    std::uint64_t first_round = 0;
  };

  int milliseconds_to_next_timer() const;
  void run_due_timers();

  std::map<int, Watch> watches_;
  std::map<TimerId, Timer> timers_;
  TimerId last_timer_ = 0;
  std::uint64_t round_ = 0;  ///< of waiting: what a round finds is not for later watches
  bool is_running_ = false;
};

}  // namespace fairway::process
