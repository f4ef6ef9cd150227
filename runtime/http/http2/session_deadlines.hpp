// The deadlines of a connection of HTTP/2 and its streams.
#pragma once

#include <cstdint>
#include <utility>

#include "http/epoll/sweep_state.hpp"
#include "http/http2/http2_stream.hpp"

namespace fw::http {

/// Wakes a connection for its checks. While a connection has something to check, it is checked in
/// intervals; otherwise, at the end of its idle time. Times are by `coarse_now`.
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

class Http2Session;
struct AdapterOptions;

/// With the lock of the session; times are by `coarse_now`.
class SessionDeadlines {
 public:
  SessionDeadlines(Http2Session& session, Deadline& deadline);

  /// Begins or ends the time of a head, after something was received.
  void note_received();
  /// A DATA frame of a stream was written.
  void note_data(const Http2Stream& stream, std::int64_t now);
  /// The last stream has ended.
  void note_idle();
  /// Sets the next check, after the session has begun to have something to check.
  void set(std::int64_t now);

  void check(std::int64_t now);

 private:
  void check_head(std::int64_t now);
  void check_stream(Http2Stream& stream, std::int64_t now);
  void check_pushed(Http2Stream& stream, std::int64_t now);
  bool is_late(Http2Stream& stream, std::int64_t now);

  Http2Session& session_;
  CheckTimer timer_;
  std::int64_t idle_until_;
  std::int32_t last_sender_ = 0;       ///< the stream of the last DATA frame
  std::int64_t data_progress_at_ = 0;  ///< when it was written
  std::int64_t head_since_ = 0;        ///< the beginning of a head that is not complete; 0: none
  std::uint64_t noted_heads_ = 0;      ///< heads that had begun by then
};

}  // namespace fw::http
