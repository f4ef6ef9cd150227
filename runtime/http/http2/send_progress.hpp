// How fast a client receives a response of HTTP/2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "http/adapter.hpp"

namespace fw::http {

/// The progress of a response, as far as the client is responsible for it. Times are by
/// `coarse_now`.
///
///     SendProgress progress;
///     progress.begin(now);
///     progress.note_frame(size, end_of_output, now);
///     if (progress.is_late(others, now, options)) …
class SendProgress {
 public:
  /// What the connection has sent, of all responses.
  struct OfConnection {
    std::uint64_t sent = 0;        ///< bytes of its output
    std::int64_t progress_at = 0;  ///< when the socket, or a frame, was last written
    /// The windows would let this response send, and the last frame was of another one.
    bool sends_another = false;
  };

  void begin(std::int64_t now) { since_ = progress_at_ = now; }
  /// A frame was written, which is sent when the connection has sent `end` bytes of its output.
  void note_frame(std::size_t size, std::uint64_t end, std::int64_t now) {
    sent_ += size;
    end_ = end;
    progress_at_ = now;
  }
  /// The time since `begin` was not caused by the client: the source has produced the next part.
  void note_produced(std::int64_t begin, std::int64_t now) {
    since_ += now - begin;
    progress_at_ = now;
  }
  /// The same for a pushed body that has had nothing, or has nothing: its rate is measured from the
  /// next bytes on, and its pause without them continues.
  void note_waited(bool has_bytes, std::int64_t now) {
    since_ = now;
    sent_ = 0;
    if (has_bytes) progress_at_ = now;
  }

  std::int64_t progress_at() const { return progress_at_; }
  /// Whether the client receives too slowly. The time in which it receives frames of this response
  /// that come after others in the socket is no pause. If the response waits for others of the
  /// connection, their time does not count at all.
  bool is_late(const OfConnection& connection, std::int64_t now, const AdapterOptions& options) {
    const auto progress_at = connection.progress_at;
    const bool is_behind = connection.sends_another || end_ > connection.sent;
    if (progress_at > progress_at_ && is_behind) {
      if (connection.sends_another) since_ += progress_at - progress_at_;
      progress_at_ = progress_at;
    }
    return now >= std::min(progress_at_ + options.send_timeout.count(),
                           since_ + options.min_data_rate.max_duration(sent_));
  }

 private:
  std::int64_t since_ = 0;        ///< without the time that the client has not caused
  std::int64_t progress_at_ = 0;  ///< likewise: when the client last received something
  std::uint64_t sent_ = 0;        ///< bytes since then
  std::uint64_t end_ = 0;         ///< of the last frame, in the output of the connection
};

}  // namespace fw::http
