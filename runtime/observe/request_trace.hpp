// The trace of one request, and the spans that were recorded for it.
#pragma once

#include <fairway/json.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/short_mutex.hpp"
#include "base/spare_allocator.hpp"
#include "base/thread_local_free_list.hpp"
#include "base/ticks.hpp"
#include "base/traceparent.hpp"
#include "observe/span_queue.hpp"
#include "observe/span_record.hpp"

namespace fw::detail {

class SharedTrace;

/// Of a span within its trace.
using SpanNumber = std::uint64_t;

/// Threads add spans that have ended, also after the request. They wait here until it is known
/// whether the request is sent. Thread-safe. Owned by `SharedTrace`; a thread keeps one that is no
/// longer used for its next request, with its memory.
class RequestTrace {
 public:
  enum class Recording : std::uint8_t {
    none,      ///< it only has ids
    for_now,   ///< it may be sent, depending on how the request ends
    for_good,  ///< it is sent
  };

  /// Hides secrets in the fields of a line of the log.
  using HideSecrets = std::function<void(Json& fields)>;

  /// `self` is the span of the request, and `parent` the span of its caller. `hide_secrets` is null
  /// if lines of the log are no events, and the same for all traces of a queue.
  static SharedTrace begin(const std::shared_ptr<SpanQueue>& queue, const base::TraceParent& self,
                           const base::SpanId& parent, std::string_view tracestate,
                           Recording recording,
                           const std::shared_ptr<const HideSecrets>& hide_secrets = nullptr);
  /// Begins a new trace in the memory of another one of the queue, which the thread has kept.
  /// Returns none if there is no such memory, or if the thread has no random numbers yet.
  /// `recording_of` is called with its first span, whose flags it may change, and must not throw.
  template <class RecordingOf>
  static SharedTrace begin_in_spare(const std::shared_ptr<SpanQueue>& queue,
                                    const RecordingOf& recording_of) noexcept;
  RequestTrace(const RequestTrace&) = delete;
  RequestTrace& operator=(const RequestTrace&) = delete;

  /// For a caller that has only a reference, while another one owns the trace.
  SharedTrace share();

  const base::TraceParent& self() const { return self_; }
  const base::SpanId& parent() const { return parent_; }
  const std::string& tracestate() const { return tracestate_; }
  bool is_recorded() const { return recording_ != Recording::none; }
  /// Null unless lines of the log are events of the span of the request.
  const HideSecrets* hide_secrets() const {
    const HideSecrets* const hide = hide_secrets_.get();
    return hide != nullptr && is_recorded() ? hide : nullptr;  // most often, the former is null
  }
  bool is_sent() const { return recording_ == Recording::for_good; }
  /// Whether the collector gets the span of the request, as far as is known.
  bool is_kept() const noexcept;

  /// The span of the request, without times and facts.
  RequestSpan own_span() const {
    return {.trace = self_.trace, .id = self_.span, .parent = parent_};
  }
  /// For what only a record can have.
  SpanRecord record_of(const RequestSpan& own) const;
  // The spans of a trace have numbers, of which their ids are calculated when they are needed.

  static constexpr SpanNumber kOwnSpan = 0;  ///< the span of the request
  static constexpr SpanNumber kMainSpan = MainSpan::kNumber;
  base::SpanId id_of(SpanNumber span) const noexcept { return base::nth_span_id(self_.span, span); }
  /// The number of another span of the trace.
  SpanNumber new_span_number() noexcept {
    return last_span_.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  /// Lets the next span that a thread begins alone be the main one: what a request does mostly, for
  /// which it needs neither a lock nor a clock. `now` is the current time.
  void allow_main_span(const base::TickedTime& now) noexcept {
    main_.earliest = now;
    main_state_ = MainState::allowed;
  }
  /// Within the span of the request. Returns false if it is not allowed, or there is one. `name` is
  /// a literal. The thread that begins it must end it.
  bool begin_main_span(std::string_view name) noexcept {
    if (!has_one_owner() || main_state_ != MainState::allowed) return false;
    main_state_ = MainState::open;
    main_.name = name;
    main_.begin = base::ticks();
    return true;
  }
  void end_main_span(bool has_failed) noexcept {
    const std::uint64_t end = base::ticks();
    if (!has_one_owner() || state_ != State::open) return end_shared_main_span(has_failed, end);
    main_.end = end;
    main_state_ = has_failed ? MainState::failed : MainState::ended;
  }

  /// Another span of the trace, with a new id.
  OwnedSpan new_span(SpanNumber parent);
  /// Adds a span that has ended.
  /// @{
  void add(OwnedSpan span) noexcept;
  void add(const PlainSpan& span) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (state_ == State::open && plain_count_ < kPlainSpans) {
        plain_spans_[plain_count_++] = span;
        return;
      }
    }
    add_record_of(span);
  }
  /// @}
  /// Adds an event to the span of the request. A request has few, and a bound of bytes for them;
  /// others are only counted.
  void add_event(SpanEvent event) noexcept;
  /// Sends what was added, and what is added from now on at once: the request is sent, but its span
  /// may last for hours, as the span of a socket does.
  void flush() noexcept;
  /// Ends the span of the request, and sends all that were added. Without effect if the trace has
  /// ended.
  /// @{
  void end(SpanRecord&& own) noexcept;
  void end(const RequestSpan& own) noexcept;
  /// @}
  /// Ends the trace without sending it.
  void drop() noexcept {
    if (has_one_owner() && !has_more_) {
      if (state_ == State::open) state_ = State::dropped;
    } else {
      drop_with_lock();
    }
  }

 private:
  friend class SharedTrace;
  using Spans = std::vector<SpanRecord>;
  enum class State : std::uint8_t {
    open,
    flushed,  ///< only the span of the request is missing
    sent,
    dropped,
  };
  enum class MainState : std::uint8_t {
    none,  ///< or it was sent
    allowed,
    open,
    ended,
    failed,  ///< it has ended
  };
  static constexpr std::size_t kPlainSpans = 8;

  RequestTrace() = default;
  ~RequestTrace() = default;

  /// A trace with one owner, of which the ids and the recording are still to be set.
  static RequestTrace& take(const std::shared_ptr<SpanQueue>& queue,
                            const std::shared_ptr<const HideSecrets>& hide_secrets);
  /// Removes what the next request must not see, unless `clear_more` does.
  void reset() noexcept {
    parent_ = {};
    last_span_.store(kMainSpan, std::memory_order_relaxed);
    state_ = State::open;
    main_state_ = MainState::none;
    has_more_ = false;  // as it was: together with the others, it needs no instruction
    plain_count_ = 0;
  }
  static void destroy(RequestTrace* trace) { delete trace; }
  // clang-tidy takes it for a variable, because it is thread_local.
  // NOLINTBEGIN(readability-identifier-naming)
  inline static constinit thread_local base::ThreadLocalFreeList<RequestTrace*, 1, destroy>
      spares_{};
  // NOLINTEND(readability-identifier-naming)
  /// Whether no other thread uses the trace: only an owner can let another one own it, too.
  bool has_one_owner() const noexcept { return owners_.load(std::memory_order_acquire) == 1; }
  /// One owner less. What has not ended with the last one is not sent.
  void release() noexcept {
    // What needs no other function is inlined.
    if (!base::kKeepsSpares || !has_one_owner() || has_more_ || !spares_.keep(this)) {
      release_slowly();
    }
  }
  void release_slowly() noexcept;
  /// Releases what another request must not see, and memory that few requests need.
  void clear_more() noexcept;
  void drop_with_lock() noexcept;
  void end_shared_main_span(bool has_failed, std::uint64_t end) noexcept;
  /// Completes the main span, if it is recorded, has ended and was not taken; otherwise returns
  /// false. With the lock.
  bool take_main_span() noexcept;
  void add_record_of(const PlainSpan& span) noexcept;
  /// Moves what was added to spans that are sent.
  void take_all(Spans& ready);
  void complete(SpanRecord&& span, Spans& ready);
  /// Sends what was added and `own`, if it is not null. `next` is the state from then on.
  void push_all(State next, SpanRecord* own) noexcept;

  std::atomic<std::uint32_t> owners_ = 1;  ///< also of a spare
  mutable base::ShortMutex mutex_;
  std::shared_ptr<SpanQueue> queue_;
  std::shared_ptr<const HideSecrets> hide_secrets_;
  base::TraceParent self_;
  base::SpanId parent_;
  Recording recording_ = Recording::none;
  std::atomic<SpanNumber> last_span_ = kMainSpan;

  // `mutex_` guards the following members. The first ones are adjacent and small because they are
  // reset together.
  State state_ = State::open;
  // The main span is set by the thread that has begun it, without the lock while the trace has one
  // owner.
  MainState main_state_ = MainState::none;
  bool has_more_ = false;         ///< than plain spans that were not sent: something to clear
  std::uint8_t plain_count_ = 0;  ///< of `plain_spans_`
  MainSpan main_;
  // Most requests that are not sent have few spans, and all of them are plain.
  std::array<PlainSpan, kPlainSpans> plain_spans_;
  std::chrono::nanoseconds to_unix_time_{0};  ///< 0: no span was sent
  std::string tracestate_;                    ///< never changes
  std::vector<OwnedSpan> spans_;
  std::size_t bytes_ = 0;  ///< of `spans_`
  std::size_t lost_ = 0;
  std::vector<SpanEvent> events_;  ///< of the span of the request
  std::size_t event_bytes_ = 0;
  std::uint32_t dropped_events_ = 0;
};

/// Owns a trace together with others, or none. Unlike std::shared_ptr, it needs no atomic addition
/// for a trace that it alone owns, as most requests do.
class SharedTrace {
 public:
  SharedTrace() = default;
  SharedTrace(const SharedTrace& other) noexcept : trace_(other.trace_) {
    if (trace_ != nullptr) trace_->owners_.fetch_add(1, std::memory_order_relaxed);
  }
  SharedTrace(SharedTrace&& other) noexcept : trace_(std::exchange(other.trace_, nullptr)) {}
  SharedTrace& operator=(const SharedTrace& other) noexcept { return *this = SharedTrace(other); }
  SharedTrace& operator=(SharedTrace&& other) noexcept {
    const SharedTrace former(std::exchange(trace_, std::exchange(other.trace_, nullptr)));
    return *this;
  }
  ~SharedTrace() {
    if (trace_ != nullptr) trace_->release();
  }

  RequestTrace* get() const { return trace_; }
  RequestTrace* operator->() const { return trace_; }
  RequestTrace& operator*() const { return *trace_; }
  explicit operator bool() const { return trace_ != nullptr; }

 private:
  friend class RequestTrace;
  /// The caller has counted it as an owner.
  explicit SharedTrace(RequestTrace* trace) noexcept : trace_(trace) {}

  RequestTrace* trace_ = nullptr;
};

template <class RecordingOf>
[[gnu::always_inline]] inline SharedTrace RequestTrace::begin_in_spare(
    const std::shared_ptr<SpanQueue>& queue, const RecordingOf& recording_of) noexcept {
  base::NumberGenerator& generator = base::t_number_generator;
  if (!generator.is_prepared() || spares_.empty() || spares_.next()->queue_ != queue) return {};
  RequestTrace& trace = *spares_.take();
  trace.reset();
  base::begin_traceparent(trace.self_, generator.next());
  trace.recording_ = recording_of(trace.self_);
  return SharedTrace(&trace);
}

}  // namespace fw::detail
