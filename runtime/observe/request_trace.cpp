#include "observe/request_trace.hpp"

#include <exception>
#include <mutex>
#include <utility>

#include "base/spare_allocator.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kMaxSpans = 128;
constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;
constexpr std::size_t kMaxEvents = 64;
constexpr std::size_t kMaxEventBytes = std::size_t{64} * 1024;
/// Spans of a stream or socket do not wait for its end.
constexpr std::size_t kSentAtOnce = 64;

/// Fewer spans have a place in a trace that is kept for the next request.
constexpr std::size_t kKeptSpans = 16;

/// Of the clock of spans, which cannot be set.
std::chrono::nanoseconds offset_to_unix_time() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  return duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()) -
         duration_cast<nanoseconds>(SpanRecord::Clock::now().time_since_epoch());
}

}  // namespace

SharedTrace RequestTrace::share() { return SharedTrace(*this); }

void RequestTrace::release() noexcept {
  if (owners_.load(std::memory_order_acquire) != 1) {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  }
  owners_.store(0, std::memory_order_relaxed);
  clear();
  if (!base::kKeepsSpares || !spares_.keep(this)) destroy(this);
}

void RequestTrace::clear_more() noexcept {
  has_more_ = false;
  to_unix_time_ = {};
  spans_.clear();
  if (spans_.capacity() > kKeptSpans) std::vector<OwnedSpan>().swap(spans_);
  bytes_ = 0;
  lost_ = 0;
  std::vector<SpanEvent>().swap(events_);
  event_bytes_ = 0;
  dropped_events_ = 0;
}

void RequestTrace::complete(SpanRecord&& span, Spans& ready) {
  if (to_unix_time_.count() == 0) to_unix_time_ = offset_to_unix_time();
  span.to_unix_time = to_unix_time_;
  ready.push_back(std::move(span));
}

void RequestTrace::take_all(Spans& ready) {
  ready.reserve(plain_count_ + spans_.size() + 1);
  // Without memory, some are lost, but none is sent twice.
  const std::size_t count = std::exchange(plain_count_, 0);
  for (std::size_t i = 0; i < count; ++i)
    complete(detail::record_of(plain_spans_[i], self_.trace), ready);
  for (const OwnedSpan& span : spans_) complete(std::move(*span), ready);
  spans_.clear();
  bytes_ = 0;
}

SpanRecord RequestTrace::record_of(RequestSpan&& own) const {
  SpanRecord record = detail::record_of(std::move(own));
  record.tracestate = tracestate_;
  return record;
}

OwnedSpan RequestTrace::new_span(const base::SpanId& parent) {
  return make_span(self_.trace, new_span_id(), parent);
}

void RequestTrace::add_record_of(const PlainSpan& span) noexcept {
  try {
    OwnedSpan record = make_span(self_.trace, span.id, span.parent);
    *record = detail::record_of(span, self_.trace);
    add(std::move(record));
  } catch (const std::exception&) {
    queue_->count_lost(SpanLoss::request, 1);  // out of memory
  }
}

void RequestTrace::add(OwnedSpan span) noexcept {
  Spans ready;
  try {
    const std::lock_guard lock(mutex_);
    if (state_ == State::dropped) return;
    has_more_ = true;
    if (state_ != State::open) {
      complete(std::move(*span), ready);
    } else {
      const std::size_t size = span->bytes();
      const std::size_t most = is_sent() ? kSentAtOnce : kMaxSpans;
      if (plain_count_ + spans_.size() >= most || bytes_ + size > kMaxBytes) {
        if (!is_sent()) {
          ++lost_;
          return;
        }
        take_all(ready);
      }
      if (spans_.empty()) spans_.reserve(4);
      spans_.push_back(std::move(span));
      bytes_ += size;
    }
  } catch (const std::exception&) {
    queue_->count_lost(SpanLoss::request, 1);  // out of memory
  }
  queue_->push(std::move(ready));
}

void RequestTrace::add_event(SpanEvent event) noexcept {
  if (!is_recorded()) return;
  const std::lock_guard lock(mutex_);
  if (state_ != State::open && state_ != State::flushed) return;
  has_more_ = true;
  const std::size_t size = event.bytes();
  try {
    if (events_.size() < kMaxEvents && event_bytes_ + size <= kMaxEventBytes) {
      events_.push_back(std::move(event));
      event_bytes_ += size;
      return;
    }
  } catch (const std::exception&) {
    // out of memory
  }
  ++dropped_events_;
}

void RequestTrace::push_all(State next, SpanRecord* own) noexcept {
  Spans ready;
  std::size_t lost = 0;
  try {
    const std::lock_guard lock(mutex_);
    if (state_ != State::open && state_ != State::flushed) return;
    state_ = next;
    has_more_ = true;
    lost = std::exchange(lost_, 0);
    take_all(ready);
    if (own != nullptr) {
      own->events = std::move(events_);
      own->dropped_events = dropped_events_;
      complete(std::move(*own), ready);
    }
  } catch (const std::exception&) {
    ++lost;  // out of memory
  }
  if (lost > 0) queue_->count_lost(SpanLoss::request, lost);
  queue_->push(std::move(ready));
}

bool RequestTrace::is_kept() const noexcept {
  if (recording_ != Recording::for_now) return is_sent();
  const std::lock_guard lock(mutex_);
  return state_ == State::sent || state_ == State::flushed;
}

void RequestTrace::flush() noexcept { push_all(State::flushed, nullptr); }

void RequestTrace::end(SpanRecord&& own) noexcept { push_all(State::sent, &own); }

void RequestTrace::end(RequestSpan&& own) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::open && !has_more_ && tracestate_.empty()) {
      state_ = State::sent;
      own.to_unix_time = offset_to_unix_time();
      queue_->push(std::move(own), {plain_spans_.data(), std::exchange(plain_count_, 0)});
      return;
    }
  }
  try {
    end(record_of(std::move(own)));
  } catch (const std::exception&) {
    queue_->count_lost(SpanLoss::request, 1);  // out of memory
  }
}

}  // namespace fw::detail
