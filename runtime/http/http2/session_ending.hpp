// How a connection of HTTP/2 ends.
#pragma once

#include <cstdint>
#include <string_view>

struct nghttp2_session;

namespace fw::http {

/// Sends GOAWAY: a graceful end is announced, so that the client sends no more requests, and then
/// begins. With the lock of the session; times are by `coarse_now`.
class SessionEnding {
 public:
  explicit SessionEnding(nghttp2_session* library) : library_(library) {}

  /// The server stops: the client learns it before its requests are refused.
  void note_stop(std::int64_t now);
  void note_ping_ack(std::string_view payload);
  /// Completes the requests that have begun, and accepts no others.
  void begin();
  /// Ends the connection because of an error: nothing more is received.
  void terminate(std::uint32_t error_code);

  bool has_begun() const { return phase_ == Phase::begun; }
  /// Whether neither a graceful end nor an error is in progress.
  bool is_far() const { return phase_ == Phase::no && !is_terminated_; }
  bool is_terminated() const { return is_terminated_; }
  /// Whether the client has had time to react to the announcement.
  bool is_due(std::int64_t now) const { return phase_ == Phase::announced && now >= begins_at_; }
  /// When the stop of the server was noted; 0: it does not stop.
  std::int64_t stop_noted_at() const { return stop_noted_at_; }

 private:
  enum class Phase {
    no,
    announced,  ///< the client knows that the server stops, but its requests are still handled
    begun,      ///< further requests are ignored
  };

  nghttp2_session* const library_;
  Phase phase_ = Phase::no;
  std::int64_t begins_at_ = 0;  ///< once it is announced
  std::int64_t stop_noted_at_ = 0;
  bool is_terminated_ = false;
};

}  // namespace fw::http
