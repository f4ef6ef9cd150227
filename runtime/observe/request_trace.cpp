#include "observe/request_trace.hpp"

#include <exception>
#include <mutex>
#include <utility>

namespace fw::detail {
namespace {

constexpr std::size_t kMaxSpans = 128;
constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;
constexpr std::size_t kMaxEvents = 64;
constexpr std::size_t kMaxEventBytes = std::size_t{64} * 1024;
/// Spans of a stream or socket do not wait for its end.
constexpr std::size_t kSentAtOnce = 64;

/// Of the clock of spans, which cannot be set.
std::chrono::nanoseconds offset_to_unix_time() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  return duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()) -
         duration_cast<nanoseconds>(SpanRecord::Clock::now().time_since_epoch());
}

}  // namespace

RequestTrace::RequestTrace(std::shared_ptr<SpanQueue> queue, const base::TraceParent& self,
                           const base::SpanId& parent, std::string tracestate, Recording recording,
                           std::shared_ptr<const HideSecrets> hide_secrets)
    : queue_(std::move(queue)),
      self_(self),
      parent_(parent),
      tracestate_(std::move(tracestate)),
      recording_(recording),
      hide_secrets_(std::move(hide_secrets)) {
  base::write_hex(self_.trace, id_text_);
  if (is_recorded()) to_unix_time_ = offset_to_unix_time();
}

SpanRecord RequestTrace::own_span() const {
  SpanRecord span{.trace = self_.trace,
                  .id = self_.span,
                  .parent = parent_,
                  .has_remote_parent = parent_.is_set(),
                  .kind = SpanKind::server,
                  .tracestate = tracestate_};
  span.to_unix_time = to_unix_time_;
  return span;
}

SpanRecord RequestTrace::new_span(const base::SpanId& parent) const {
  SpanRecord span{.trace = self_.trace, .id = base::make_span_id(), .parent = parent};
  span.to_unix_time = to_unix_time_;
  return span;
}

void RequestTrace::add(SpanRecord&& span) noexcept {
  Spans ready;
  try {
    const std::lock_guard lock(mutex_);
    if (state_ == State::dropped) return;
    if (state_ != State::open) {
      ready.push_back(std::move(span));
    } else {
      const std::size_t size = span.bytes();
      const std::size_t most = is_sent() ? kSentAtOnce : kMaxSpans;
      if (spans_.size() == most || bytes_ + size > kMaxBytes) {
        if (!is_sent()) {
          ++lost_;
          return;
        }
        ready.swap(spans_);
        bytes_ = 0;
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
    ready.swap(spans_);
    bytes_ = 0;
    lost = std::exchange(lost_, 0);
    if (own != nullptr) {
      own->events = std::move(events_);
      own->dropped_events = dropped_events_;
      ready.push_back(std::move(*own));
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

void RequestTrace::end(SpanRecord own) noexcept { push_all(State::sent, &own); }

void RequestTrace::drop() noexcept {
  std::vector<SpanRecord> dropped;
  std::vector<SpanEvent> dropped_events;
  const std::lock_guard lock(mutex_);
  if (state_ != State::open) return;
  state_ = State::dropped;
  dropped.swap(spans_);
  dropped_events.swap(events_);
}

}  // namespace fw::detail
