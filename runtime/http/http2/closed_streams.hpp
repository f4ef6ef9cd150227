// Detects frames on streams that have ended, which libnghttp2 ignores. A client must not send them
// (RFC 9113, 5.1), unless this side has reset the stream, which the client may not know yet.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "http/http2/frame_scanner.hpp"
#include "http/http2/http2_stream.hpp"

namespace fw::http {

class ClosedStreams {
 public:
  explicit ClosedStreams(const Http2Streams& open) : open_(open) {}

  void note_opened(std::int32_t id) { last_opened_ = std::max(last_opened_, id); }
  enum class End : std::uint8_t {
    complete,    ///< request and response
    reset_here,  ///< by this side
    canceled,    ///< by the client
  };
  void note_closed(std::int32_t id, End end);
  /// Whether a reset by the client is the first one of a stream that was complete, and one of the
  /// last. Some clients (libcurl before 8.1) send one after each response whose length they did not
  /// know.
  bool take_late_reset(std::int32_t id);

  bool has_ended(std::int32_t id) const { return id <= last_opened_ && !open_.contains(id); }
  /// The connection error of a frame on this stream.
  std::optional<std::uint32_t> check_frame(std::int32_t id, bool is_head) const;
  /// The connection error of a DATA frame, for which the library calls nothing. To be called for
  /// each frame before the library reads it.
  std::optional<std::uint32_t> check_received(const FrameScanner::Frame& frame);

 private:
  struct ClosedStream {
    std::int32_t id = 0;
    End end = End::canceled;
  };

  const Http2Streams& open_;
  std::int32_t last_opened_ = 0;
  std::array<ClosedStream, 32> closed_;  ///< the last ones
  std::size_t next_closed_ = 0;
  std::int32_t last_reset_ = 0;  ///< by the client
};

}  // namespace fw::http
