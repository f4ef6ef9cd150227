#include "http/http2/closed_streams.hpp"

#include <nghttp2/nghttp2.h>
#include <utility>

namespace fw::http {

void ClosedStreams::note_closed(std::int32_t id, End end) {
  closed_[next_closed_++ % closed_.size()] = {id, end};
}

bool ClosedStreams::take_late_reset(std::int32_t id) {
  const auto found = std::ranges::find(closed_, id, &ClosedStream::id);
  return found != closed_.end() && std::exchange(found->end, End::canceled) == End::complete;
}

std::optional<std::uint32_t> ClosedStreams::check_frame(std::int32_t id, bool is_head) const {
  if (id % 2 == 0 || id > last_opened_ || open_.contains(id)) return std::nullopt;
  const auto found = std::ranges::find(closed_, id, &ClosedStream::id);
  if (found != closed_.end()) {
    if (found->end == End::reset_here) return std::nullopt;
    return NGHTTP2_STREAM_CLOSED;
  }
  // It was skipped, or has ended long ago.
  return is_head ? std::optional<std::uint32_t>(NGHTTP2_PROTOCOL_ERROR) : std::nullopt;
}

std::optional<std::uint32_t> ClosedStreams::check_received(const FrameScanner::Frame& frame) {
  if (frame.type == NGHTTP2_RST_STREAM) {
    last_reset_ = frame.stream;
  } else if (frame.type == NGHTTP2_DATA && frame.stream != 0) {
    if (frame.stream == last_reset_) return NGHTTP2_STREAM_CLOSED;
    return check_frame(frame.stream, false);
  }
  return std::nullopt;
}

}  // namespace fw::http
