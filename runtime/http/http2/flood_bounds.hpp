// Bounds what a client may make the server do without a request (RFC 9113, 10.5).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "http/http2/http2_fields.hpp"

namespace fw::http {

/// Allows a number of events at once, and so many more in each second.
class EventBudget {
 public:
  EventBudget(std::int64_t at_once, std::int64_t per_second, std::int64_t now)
      : at_once_(at_once), per_second_(per_second), left_(at_once), refilled_at_(now) {}

  /// Counts an event at `now`, by `coarse_now`. Returns false if there are too many.
  [[nodiscard]] bool take(std::int64_t now) {
    if (left_ == 0) refill(now);
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  /// Allows further events, because the client has done something useful.
  void give(std::int64_t count) { left_ = std::min(at_once_, left_ + count); }

 private:
  void refill(std::int64_t now) {
    const std::int64_t earned = std::min(at_once_, (now - refilled_at_) * per_second_ / 1'000);
    if (earned == 0) return;
    left_ = earned;
    refilled_at_ = now;
  }

  const std::int64_t at_once_;
  const std::int64_t per_second_;
  std::int64_t left_;
  std::int64_t refilled_at_;
};

/// The bounds of a connection. A function that returns false has found a flood. Times are by
/// `coarse_now`.
class FloodBounds {
 public:
  FloodBounds(std::size_t max_header_size, std::int64_t now)
      : max_continuations_(kMinContinuations + max_header_size / kFrameSize),
        max_expansion_(kExpansion * max_header_size),
        resets_(kResetsAtOnce, kResetsPerSecond, now),
        frames_(kFramesAtOnce, kFramesPerSecond, now) {}

  /// Streams that the client, or an error of the client, has ended before their response.
  [[nodiscard]] bool take_reset(std::int64_t now) { return resets_.take(now); }
  /// Frames without a head or content, whatever their type.
  [[nodiscard]] bool take_useless_frame(std::int64_t now) { return frames_.take(now); }
  /// Frames with a head or content, in both directions.
  void note_useful_frame() { frames_.give(kFramesForUseful); }
  [[nodiscard]] bool take_continuation() { return ++continuations_ <= max_continuations_; }
  void end_continuations() { continuations_ = 0; }
  /// The fields of a head or of trailers, whether they are used or not: HPACK lets a client send
  /// large ones in one byte each.
  void begin_head() { expansion_ = 0; }
  [[nodiscard]] bool take_field(std::size_t size) {
    expansion_ += size + kFieldOverhead;
    return expansion_ <= max_expansion_;
  }

 private:
  static constexpr std::int64_t kResetsAtOnce = 500;
  static constexpr std::int64_t kResetsPerSecond = 50;
  static constexpr std::int64_t kFramesAtOnce = 10'000;
  static constexpr std::int64_t kFramesPerSecond = 200;
  static constexpr std::int64_t kFramesForUseful = 4;
  /// The frame size that this side accepts, and the number of CONTINUATION frames beyond those that
  /// the largest head needs.
  static constexpr std::size_t kFrameSize = 16 * 1024;
  static constexpr std::size_t kMinContinuations = 8;
  /// A client may exceed the limit so many times without the intention to do harm.
  static constexpr std::size_t kExpansion = 4;

  const std::size_t max_continuations_;
  std::size_t continuations_ = 0;
  const std::size_t max_expansion_;
  std::size_t expansion_ = 0;
  EventBudget resets_;
  EventBudget frames_;
};

}  // namespace fw::http
