#include "http/http2/closed_streams.hpp"

#include <nghttp2/nghttp2.h>

namespace fw::http {

void ClosedStreams::note_closed(std::int32_t id, bool is_reset_here) {
  closed_[next_closed_++ % closed_.size()] = {id, is_reset_here};
}

std::optional<std::uint32_t> ClosedStreams::check_frame(std::int32_t id, bool is_head) const {
  if (id % 2 == 0 || id > last_opened_ || open_.contains(id)) return std::nullopt;
  const auto found = std::ranges::find(closed_, id, &ClosedStream::id);
  if (found != closed_.end()) {
    if (found->is_reset_here) return std::nullopt;
    return NGHTTP2_STREAM_CLOSED;
  }
  // It was skipped, or has ended long ago.
  return is_head ? std::optional<std::uint32_t>(NGHTTP2_PROTOCOL_ERROR) : std::nullopt;
}

/// The first bytes of a connection are the preface, which looks like no such frame.
std::optional<std::uint32_t> ClosedStreams::check_data(std::string_view bytes) {
  constexpr std::size_t kHead = 9;
  std::optional<std::uint32_t> error;
  while (!bytes.empty()) {
    const std::size_t skipped = std::min(bytes.size(), frame_rest_);
    frame_rest_ -= skipped;
    bytes.remove_prefix(skipped);
    const std::size_t added = std::min(bytes.size(), kHead - frame_head_size_);
    bytes.copy(frame_head_.data() + frame_head_size_, added);
    frame_head_size_ += added;
    bytes.remove_prefix(added);
    if (frame_head_size_ < kHead) break;
    frame_head_size_ = 0;
    const auto number = [&](std::size_t at, std::size_t size) {
      std::uint32_t value = 0;
      while (size-- > 0) value = value << 8U | static_cast<unsigned char>(frame_head_[at++]);
      return value;
    };
    frame_rest_ = number(0, 3);
    constexpr std::uint32_t kIdMask = 0x7FFF'FFFF;
    const auto id = static_cast<std::int32_t>(number(5, 4) & kIdMask);
    if (frame_head_[3] == NGHTTP2_RST_STREAM) {
      last_reset_ = id;
    } else if (frame_head_[3] == NGHTTP2_DATA && id != 0 && !error) {
      error = id == last_reset_ ? NGHTTP2_STREAM_CLOSED : check_frame(id, false);
    }
  }
  return error;
}

}  // namespace fw::http
