#include "observe/request_trace.hpp"

#include <exception>

namespace fw::detail {
namespace {

constexpr std::size_t kMaxSpans = 128;
constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;
constexpr std::size_t kMaxEvents = 64;
constexpr std::size_t kMaxEventBytes = std::size_t{64} * 1024;
/// Spans of a stream or socket do not wait for its end.
constexpr std::size_t kSentAtOnce = 64;

constexpr MainSpan kNoMainSpan;

/// Fewer spans have a place in a trace that is kept for the next request.
constexpr std::size_t kKeptSpans = 16;

}  // namespace

SharedTrace RequestTrace::begin(const std::shared_ptr<SpanQueue>& queue,
                                const base::TraceParent& self, const base::SpanId& parent,
                                std::string_view tracestate, Recording recording,
                                const std::shared_ptr<const HideSecrets>& hide_secrets) {
  RequestTrace& trace = take(queue, hide_secrets);
  SharedTrace shared(&trace);
  trace.self_ = self;
  trace.parent_ = parent;
  trace.recording_ = recording;
  if (!tracestate.empty()) {
    trace.has_more_ = true;
    trace.tracestate_ = tracestate;
  }
  return shared;
}

RequestTrace& RequestTrace::take(const std::shared_ptr<SpanQueue>& queue,
                                 const std::shared_ptr<const HideSecrets>& hide_secrets) {
  RequestTrace& trace = spares_.empty() ? *new RequestTrace : *spares_.take();
  // What the traces of a tracer have in common is only replaced by others, because all threads
  // share its counts.
  if (trace.queue_ != queue) {
    trace.queue_ = queue;
    trace.hide_secrets_ = hide_secrets;
  }
  trace.reset();
  return trace;
}

SharedTrace RequestTrace::share() {
  owners_.fetch_add(1, std::memory_order_relaxed);
  return SharedTrace(this);
}

void RequestTrace::release_slowly() noexcept {
  if (!has_one_owner() && owners_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  owners_.store(1, std::memory_order_relaxed);
  if (has_more_) clear_more();
  if (!base::kKeepsSpares || !spares_.keep(this)) destroy(this);
}

void RequestTrace::clear_more() noexcept {
  has_more_ = false;
  tracestate_.clear();
  to_unix_time_ = {};
  spans_.clear();
  if (spans_.capacity() > kKeptSpans) std::vector<OwnedSpan>().swap(spans_);
  bytes_ = 0;
  lost_ = 0;
  std::vector<SpanEvent>().swap(events_);
  event_bytes_ = 0;
  dropped_events_ = 0;
}

void RequestTrace::drop_with_lock() noexcept {
  const std::lock_guard lock(mutex_);
  if (state_ != State::open) return;
  state_ = State::dropped;
  // The tracestate may still be read.
  std::vector<OwnedSpan>().swap(spans_);
  std::vector<SpanEvent>().swap(events_);
}

void RequestTrace::end_shared_main_span(bool has_failed, std::uint64_t end) noexcept {
  PlainSpan late;
  {
    const std::lock_guard lock(mutex_);
    main_.end = end;
    main_state_ = has_failed ? MainState::failed : MainState::ended;
    if (state_ == State::open || !take_main_span()) return;
    late = main_.plain(self_.span);
  }
  add_record_of(late);
}

bool RequestTrace::take_main_span() noexcept {
  const bool has_failed = main_state_ == MainState::failed;
  if (!is_recorded() || (main_state_ != MainState::ended && !has_failed)) return false;
  main_state_ = MainState::none;
  main_.has_failed = has_failed;
  main_.latest = base::TickedTime::now();
  return true;
}

void RequestTrace::complete(SpanRecord&& span, Spans& ready) {
  if (to_unix_time_.count() == 0) to_unix_time_ = current_offset_to_unix_time();
  span.to_unix_time = to_unix_time_;
  ready.push_back(std::move(span));
}

void RequestTrace::take_all(Spans& ready) {
  ready.reserve(plain_count_ + spans_.size() + 2);  // with the main and the own span
  // Without memory, some are lost, but none is sent twice.
  const std::size_t count = std::exchange(plain_count_, std::uint8_t{0});
  for (std::size_t i = 0; i < count; ++i)
    complete(detail::record_of(plain_spans_[i], self_.trace), ready);
  for (const OwnedSpan& span : spans_) complete(std::move(*span), ready);
  spans_.clear();
  bytes_ = 0;
}

SpanRecord RequestTrace::record_of(const RequestSpan& own) const {
  SpanRecord record = detail::record_of(own);
  record.tracestate = tracestate_;
  return record;
}

OwnedSpan RequestTrace::new_span(SpanNumber parent) {
  return make_span(self_.trace, id_of(new_span_number()), id_of(parent));
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
    if (take_main_span()) complete(detail::record_of(main_.plain(self_.span), self_.trace), ready);
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
  const auto is_kept_in = [](State state) {
    return state == State::sent || state == State::flushed;
  };
  if (has_one_owner()) return is_kept_in(state_);
  const std::lock_guard lock(mutex_);
  return is_kept_in(state_);
}

void RequestTrace::flush() noexcept { push_all(State::flushed, nullptr); }

void RequestTrace::end(SpanRecord&& own) noexcept { push_all(State::sent, &own); }

void RequestTrace::end(const RequestSpan& own) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::open && !has_more_) {
      state_ = State::sent;
      queue_->push(own, take_main_span() ? main_ : kNoMainSpan,
                   {plain_spans_.data(), std::exchange(plain_count_, std::uint8_t{0})});
      return;
    }
  }
  try {
    end(record_of(own));
  } catch (const std::exception&) {
    queue_->count_lost(SpanLoss::request, 1);  // out of memory
  }
}

}  // namespace fw::detail
