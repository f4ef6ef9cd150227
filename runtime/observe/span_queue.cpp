#include "observe/span_queue.hpp"

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
  std::deque<Spans> taken;
  std::size_t count = 0;
  {
    std::unique_lock lock(mutex_);
    wanted_ = most;
    changed_.wait(lock, [this] { return is_closed_ || !waiting_.empty(); });
    changed_.wait_until(lock, since_ + interval, [&] { return is_closed_ || spans_ >= most; });
    wanted_ = 0;
    std::size_t bytes = 0;
    while (!waiting_.empty() && count < most) {
      count += waiting_.front().size();
      bytes += bytes_of(waiting_.front());
      taken.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    spans_ -= count;
    bytes_ -= bytes;
    since_ = Clock::now();
  }
  Spans spans;
  spans.reserve(count);
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
  text.begin("fairway_sent_spans", Exposition::Kind::counter,
             "Spans that the collector has accepted.");
  text.sample({}, static_cast<double>(sent_.load()));
  text.begin("fairway_lost_spans", Exposition::Kind::counter,
             "Spans that were not sent, or not accepted, by cause.");
  for (std::size_t i = 0; i < kSpanLosses; ++i) {
    text.sample({{"cause", std::string(kLosses[i])}}, static_cast<double>(lost_[i].load()));
  }
}

}  // namespace fw::detail
