// Finds the frames in what a connection receives. libnghttp2 does not tell about all of them, nor
// whether a head is incomplete.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nghttp2/nghttp2.h>
#include <string_view>

namespace fw::http {

class FrameScanner {
 public:
  struct Frame {
    std::uint8_t type;
    std::uint8_t flags;
    std::int32_t stream;
  };

  /// Calls `on_frame` for each frame that begins in these bytes, which continue what was passed
  /// before.
  template <class Action>
  void scan(std::string_view bytes, const Action& on_frame) {
    while (!bytes.empty()) {
      const std::size_t skipped = std::min(bytes.size(), rest_);
      rest_ -= skipped;
      bytes.remove_prefix(skipped);
      const std::size_t added = std::min(bytes.size(), kHead - head_size_);
      bytes.copy(head_.data() + head_size_, added);
      head_size_ += added;
      bytes.remove_prefix(added);
      if (head_size_ < kHead) return;
      head_size_ = 0;
      rest_ = number(0, 3);
      constexpr std::uint32_t kIdMask = 0x7FFF'FFFF;
      const Frame frame{static_cast<std::uint8_t>(head_[3]), static_cast<std::uint8_t>(head_[4]),
                        static_cast<std::int32_t>(number(5, 4) & kIdMask)};
      note(frame);
      on_frame(frame);
    }
  }

  /// The stream whose head or trailers have begun to arrive and are not complete; 0: none.
  std::int32_t incomplete_head() const { return is_last_part_ && rest_ == 0 ? 0 : stream_; }
  /// How many heads and trailers have begun.
  std::uint64_t begun_heads() const { return begun_heads_; }

 private:
  static constexpr std::size_t kHead = 9;
  static constexpr std::size_t kPreface = 24;

  void note(const Frame& frame) {
    if (frame.type == NGHTTP2_HEADERS) {
      stream_ = frame.stream;
      ++begun_heads_;
    } else if (frame.type != NGHTTP2_CONTINUATION) {
      stream_ = 0;
    }
    is_last_part_ = (frame.flags & NGHTTP2_FLAG_END_HEADERS) != 0;
  }
  std::uint32_t number(std::size_t at, std::size_t size) const {
    std::uint32_t value = 0;
    while (size-- > 0) value = value << 8U | static_cast<unsigned char>(head_[at++]);
    return value;
  }

  std::size_t rest_ = kPreface;     ///< bytes until the next frame
  std::array<char, kHead> head_{};  ///< of a frame, being received
  std::size_t head_size_ = 0;
  std::int32_t stream_ = 0;    ///< of the head whose frame is received, or was last
  bool is_last_part_ = false;  ///< of this head
  std::uint64_t begun_heads_ = 0;
};

}  // namespace fw::http
