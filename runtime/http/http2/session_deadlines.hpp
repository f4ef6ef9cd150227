// The deadlines of a connection of HTTP/2 and its streams.
#pragma once

#include <cstdint>

#include "http/http2/check_timer.hpp"
#include "http/http2/http2_stream.hpp"

namespace fw::http {

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
