// The spans that wait to be sent to a collector, bounded in number and bytes.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/short_mutex.hpp"
#include "observe/exposition.hpp"
#include "observe/span_batch.hpp"
#include "observe/span_record.hpp"

namespace fw::detail {

/// Why spans are not sent.
enum class SpanLoss : std::uint8_t {
  queue,      ///< too many wait
  request,    ///< the request has too many
  collector,  ///< it cannot be reached
  rejected,   ///< by the collector
};
inline constexpr std::size_t kSpanLosses = 4;

/// Thread-safe.
class SpanQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Spans = std::vector<SpanRecord>;

  /// `max_spans` may wait.
  explicit SpanQueue(std::size_t max_spans) : max_spans_(max_spans) {}

  /// @{
  /// Adds spans, or drops them if there are too many. Never waits for the collector.
  void push(Spans spans) noexcept;
  void push(const RequestSpan& request, const MainSpan& main,
            std::span<const PlainSpan> within) noexcept;
  /// @}
  /// Counts spans that are not sent.
  void count_lost(SpanLoss loss, std::size_t spans) noexcept { lost_[index(loss)] += spans; }
  void count_sent(std::size_t spans) noexcept { sent_ += spans; }

  /// Waits until there are about `most` spans, until the queue is half full, until the first one
  /// has waited for `interval`, or until `close`. Returns about `most`; none if the queue is closed
  /// and empty. Throws std::bad_alloc. Only one thread takes.
  SpanBatch take(std::size_t most, std::chrono::milliseconds interval);
  /// `take` does not wait from now on.
  void close();

  /// For `/metrics`.
  void write(Exposition& text) const;

 private:
  /// What was pushed, or several requests.
  struct Part {
    Spans spans = {};
    RequestSpans requests = {};
    std::size_t count = 0;
    std::size_t bytes = 0;
  };
  /// Whether there is room for so many, with the lock. Counts those that are lost.
  bool has_room(std::size_t count, std::size_t bytes) noexcept;
  /// After spans were added to the part, with the lock.
  void count_added(Part& part, std::size_t count, std::size_t bytes) noexcept;

  static constexpr std::size_t index(SpanLoss loss) { return static_cast<std::size_t>(loss); }

  const std::size_t max_spans_;
  std::atomic<std::uint64_t> sent_ = 0;
  std::array<std::atomic<std::uint64_t>, kSpanLosses> lost_ = {};

  base::ShortMutex mutex_;  // guards the following members
  std::condition_variable_any changed_;
  std::deque<Part> waiting_;  ///< so that little is done with the lock
  std::size_t spans_ = 0;     ///< of all
  std::size_t bytes_ = 0;     ///< of all
  std::size_t wanted_ = 0;    ///< that `take` waits for
  Clock::time_point since_;   ///< when the first one has come
  bool is_closed_ = false;
};

}  // namespace fw::detail
