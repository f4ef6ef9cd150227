#include "observe/span_queue.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

namespace fw::detail {
namespace {

constexpr std::size_t kMaxQueueBytes = std::size_t{16} * 1024 * 1024;
constexpr std::array<std::string_view, kSpanLosses> kLosses = {"queue", "request", "collector",
                                                               "rejected"};

std::size_t bytes_of(const SpanQueue::Spans& spans) {
  std::size_t bytes = 0;
  for (const SpanRecord& span : spans) bytes += span.bytes();
  return bytes;
}

}  // namespace

void SpanQueue::push(Spans spans) noexcept {
  if (spans.empty()) return;
  const std::size_t count = spans.size();
  const std::size_t bytes = bytes_of(spans);
  try {
    const std::lock_guard lock(mutex_);
    const bool has_room = spans_ + count <= max_spans_ && bytes_ + bytes <= kMaxQueueBytes;
    if (is_closed_ || !has_room) return count_lost(SpanLoss::queue, count);
    const bool was_empty = waiting_.empty();
    waiting_.push_back(std::move(spans));
    if (was_empty) since_ = Clock::now();
    const bool is_complete = spans_ < wanted_ && spans_ + count >= wanted_;
    spans_ += count;
    bytes_ += bytes;
    if (was_empty || is_complete) changed_.notify_one();
  } catch (const std::exception&) {
    count_lost(SpanLoss::queue, count);  // out of memory
  }
}

SpanQueue::Spans SpanQueue::take(std::size_t most, std::chrono::milliseconds interval) {
  std::size_t parts = 0;
  std::size_t count = 0;
  {
    std::unique_lock lock(mutex_);
    const std::size_t wanted = std::clamp<std::size_t>(max_spans_ / 2, 1, most);
    wanted_ = wanted;
    changed_.wait(lock, [this] { return is_closed_ || !waiting_.empty(); });
    changed_.wait_until(lock, since_ + interval, [&] { return is_closed_ || spans_ >= wanted; });
    wanted_ = 0;
    for (auto each = waiting_.begin(); each != waiting_.end() && count < most; ++each) {
      count += each->size();
      ++parts;
    }
  }
  // Without memory, the spans stay in the queue.
  std::vector<Spans> taken(parts);
  Spans spans;
  spans.reserve(count);
  {
    const std::lock_guard lock(mutex_);
    for (Spans& part : taken) {
      part = std::move(waiting_.front());
      waiting_.pop_front();
      bytes_ -= bytes_of(part);
    }
    spans_ -= count;
    since_ = Clock::now();
  }
  for (Spans& part : taken) {
    spans.insert(spans.end(), std::move_iterator(part.begin()), std::move_iterator(part.end()));
  }
  return spans;
}

void SpanQueue::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

void SpanQueue::write(Exposition& text) const {
  text.begin(metrics::kSentSpans);
  text.sample({}, static_cast<double>(sent_.load()));
  text.begin(metrics::kLostSpans);
  for (std::size_t i = 0; i < kSpanLosses; ++i) {
    text.sample({{"cause", std::string(kLosses[i])}}, static_cast<double>(lost_[i].load()));
  }
}

}  // namespace fw::detail
