#include "observe/span_queue.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace fw::detail {
namespace {

/// Those that have one piece of memory.
constexpr std::size_t kRequestsOfPart = 64;
constexpr std::size_t kTextsOfPart = 4'096;
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

void SpanQueue::count_added(std::size_t count, std::size_t bytes) noexcept {
  const bool was_empty = spans_ == 0;
  if (was_empty) since_ = Clock::now();
  const bool is_complete = spans_ < wanted_ && spans_ + count >= wanted_;
  waiting_.back().count += count;
  waiting_.back().bytes += bytes;
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
    waiting_.push_back({.spans = std::move(spans)});
    count_added(count, bytes);
  } catch (const std::exception&) {
    count_lost(SpanLoss::queue, count);  // out of memory
  }
}

std::string_view SpanQueue::Part::keep(std::string_view text) noexcept {
  char* const begin = texts.get() + text_size;
  if (!text.empty()) std::memcpy(begin, text.data(), text.size());
  text_size += text.size();
  return {begin, text.size()};
}

SpanQueue::Part& SpanQueue::part_for(const RequestSpan& request) {
  if (!waiting_.empty()) {
    Part& last = waiting_.back();
    const bool fits = last.texts != nullptr && last.requests.size() < kRequestsOfPart &&
                      last.text_size + request.text_size() <= kTextsOfPart;
    if (fits) return last;
  }
  Part part;
  part.requests.reserve(kRequestsOfPart);
  part.plain_spans.reserve(kRequestsOfPart);
  part.texts = std::make_unique_for_overwrite<char[]>(std::max(kTextsOfPart, request.text_size()));
  waiting_.push_back(std::move(part));
  return waiting_.back();
}

void SpanQueue::push(const RequestSpan& request, std::span<const PlainSpan> within) noexcept {
  const std::size_t count = within.size() + 1;
  const std::size_t bytes = sizeof(Request) + request.text_size() + within.size_bytes();
  try {
    const std::lock_guard lock(mutex_);
    if (!has_room(count, bytes)) return;
    Part& part = part_for(request);
    part.plain_spans.insert(part.plain_spans.end(), within.begin(), within.end());
    part.requests.push_back({request, within.size()});
    Request& added = part.requests.back();
    added.span.path = part.keep(request.path);
    added.span.client = part.keep(request.client);
    count_added(count, bytes);
  } catch (const std::exception&) {
    count_lost(SpanLoss::queue, count);  // out of memory
  }
}

void SpanQueue::move_records(Part& part, Spans& records) {
  records.insert(records.end(), std::move_iterator(part.spans.begin()),
                 std::move_iterator(part.spans.end()));
  // Once, because the clocks hardly drift apart while a request waits.
  const auto to_unix_time = current_offset_to_unix_time();
  const auto add = [&](SpanRecord record) {
    record.to_unix_time = to_unix_time;
    records.push_back(std::move(record));
  };
  const PlainSpan* plain = part.plain_spans.data();
  for (const auto& [request, plain_count] : part.requests) {
    for (const PlainSpan& span : std::span(plain, plain_count)) {
      add(record_of(span, request.trace));
    }
    plain += plain_count;
    add(record_of(request));
  }
}

SpanQueue::Spans SpanQueue::take(std::size_t most, std::chrono::milliseconds interval) {
  std::size_t parts = 0;
  std::size_t count = 0;
  {
    std::unique_lock lock(mutex_);
    const std::size_t wanted = std::clamp<std::size_t>(max_spans_ / 2, 1, most);
    wanted_ = wanted;
    changed_.wait(lock, [this] { return is_closed_ || spans_ > 0; });
    changed_.wait_until(lock, since_ + interval, [&] { return is_closed_ || spans_ >= wanted; });
    wanted_ = 0;
    for (auto each = waiting_.begin(); each != waiting_.end() && count < most; ++each) {
      count += each->count;
      ++parts;
    }
  }
  // Without memory for these, the spans stay in the queue.
  std::vector<Part> taken(parts);
  Spans spans;
  spans.reserve(count);
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
    const std::size_t before = spans.size();
    try {
      move_records(part, spans);
    } catch (const std::exception&) {
      count_lost(SpanLoss::queue, part.count - (spans.size() - before));
    }
  }
  if (spans.empty() && count > 0) throw std::bad_alloc();
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
