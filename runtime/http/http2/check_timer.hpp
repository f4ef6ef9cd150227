// Wakes a connection of HTTP/2 for its checks.
#pragma once

#include <cstdint>
#include <utility>

#include "http/epoll/sweep_state.hpp"

namespace fw::http {

/// While a connection has something to check, it is checked in intervals; otherwise, at the end of
/// its idle time. Times are by `coarse_now`.
class CheckTimer {
 public:
  CheckTimer(Deadline& deadline, std::int64_t interval)
      : deadline_(deadline), interval_(interval) {}

  /// Sets the next check. One that was set before is not put off, however often this is called.
  void set(std::int64_t now) {
    if (!std::exchange(is_set_, true)) deadline_.set(now + interval_);
  }
  /// Replaces the checks by one at the end of the idle time.
  void set_idle(std::int64_t until) {
    is_set_ = false;
    deadline_.set(until);
  }
  /// The check takes place: `set` sets the next one.
  void note_check() { is_set_ = false; }

 private:
  Deadline& deadline_;
  const std::int64_t interval_;
  bool is_set_ = false;
};

}  // namespace fw::http
