#include "observe/span_queue.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <mutex>
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

bool SpanQueue::has_room(std::size_t count, std::size_t bytes) noexcept {
  if (!is_closed_ && spans_ + count <= max_spans_ && bytes_ + bytes <= kMaxQueueBytes) return true;
  count_lost(SpanLoss::queue, count);
  return false;
}

void SpanQueue::count_added(Part& part, std::size_t count, std::size_t bytes) noexcept {
  const bool was_empty = spans_ == 0;
  if (was_empty) since_ = Clock::now();
  const bool is_complete = spans_ < wanted_ && spans_ + count >= wanted_;
  part.count += count;
  part.bytes += bytes;
  spans_ += count;
  bytes_ += bytes;
  if (was_empty || is_complete) changed_.notify_one();
}

void SpanQueue::push(Spans spans) noexcept {
  if (spans.empty()) return;
  const std::size_t count = spans.size();
  const std::size_t bytes = bytes_of(spans);
  try {
    const std::lock_guard lock(mutex_);
    if (!has_room(count, bytes)) return;
    Part& part = waiting_.emplace_back(Part{.spans = std::move(spans)});
    count_added(part, count, bytes);
  } catch (const std::exception&) {
    count_lost(SpanLoss::queue, count);  // out of memory
  }
}

void SpanQueue::push(const RequestSpan& request, const MainSpan& main,
                     std::span<const PlainSpan> within) noexcept {
  const std::size_t count = within.size() + (main.name.empty() ? 1 : 2);
  const std::size_t bytes =
      sizeof request + sizeof main + request.text_size() + within.size_bytes();
  try {
    const std::lock_guard lock(mutex_);
    if (!has_room(count, bytes)) return;
    Part* part = waiting_.empty() ? nullptr : &waiting_.back();
    if (part == nullptr || !part->requests.has_room(request.text_size())) {
      part = &waiting_.emplace_back(Part{.requests = RequestSpans(request.text_size())});
    }
    part->requests.add(request, main, within);
    count_added(*part, count, bytes);
  } catch (const std::exception&) {
    count_lost(SpanLoss::queue, count);  // out of memory
  }
}

SpanBatch SpanQueue::take(std::size_t most, std::chrono::milliseconds interval) {
  std::size_t parts = 0;
  std::size_t records = 0;
  {
    std::unique_lock lock(mutex_);
    const std::size_t wanted = std::clamp<std::size_t>(max_spans_ / 2, 1, most);
    wanted_ = wanted;
    changed_.wait(lock, [this] { return is_closed_ || spans_ > 0; });
    changed_.wait_until(lock, since_ + interval, [&] { return is_closed_ || spans_ >= wanted; });
    wanted_ = 0;
    std::size_t count = 0;
    for (auto each = waiting_.begin(); each != waiting_.end() && count < most; ++each) {
      count += each->count;
      records += each->spans.size();
      ++parts;
    }
  }
  // Without memory for these, the spans stay in the queue.
  std::vector<Part> taken(parts);
  SpanBatch batch;
  batch.records.reserve(records);
  batch.requests.reserve(parts);
  {
    const std::lock_guard lock(mutex_);
    for (Part& part : taken) {
      part = std::move(waiting_.front());
      waiting_.pop_front();
      spans_ -= part.count;
      bytes_ -= part.bytes;
    }
    since_ = Clock::now();
  }
  for (Part& part : taken) {
    std::move(part.spans.begin(), part.spans.end(), std::back_inserter(batch.records));
    if (part.requests.size() > 0) batch.requests.push_back(std::move(part.requests));
  }
  return batch;
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
