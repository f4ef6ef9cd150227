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
#include "base/thread_local_free_list.hpp"
#include "base/traceparent.hpp"
#include "observe/span_queue.hpp"
#include "observe/span_record.hpp"

namespace fw::detail {

class SharedTrace;

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
  /// if lines of the log are no events.
  static SharedTrace begin(const std::shared_ptr<SpanQueue>& queue, const base::TraceParent& self,
                           const base::SpanId& parent, std::string_view tracestate,
                           Recording recording,
                           const std::shared_ptr<const HideSecrets>& hide_secrets = nullptr);
  RequestTrace(const RequestTrace&) = delete;
  RequestTrace& operator=(const RequestTrace&) = delete;

  /// For a caller that has only a reference, while another one owns the trace.
  SharedTrace share();

  const base::TraceParent& self() const { return self_; }
  const std::string& tracestate() const { return tracestate_; }
  /// The id of the trace.
  std::string_view id_text() const { return {id_text_.data(), id_text_.size()}; }
  bool is_recorded() const { return recording_ != Recording::none; }
  /// Null unless lines of the log are events of the span of the request.
  const HideSecrets* hide_secrets() const { return is_recorded() ? hide_secrets_.get() : nullptr; }
  bool is_sent() const { return recording_ == Recording::for_good; }
  /// Whether the collector gets the span of the request, as far as is known.
  bool is_kept() const noexcept;

  /// The span of the request, without times and facts.
  RequestSpan own_span() const {
    return {.trace = self_.trace, .id = self_.span, .parent = parent_};
  }
  /// For what only a record can have.
  SpanRecord record_of(RequestSpan&& own) const;
  /// The id of another span of the trace.
  base::SpanId new_span_id() noexcept {
    return base::nth_span_id(self_.span, last_span_.fetch_add(1, std::memory_order_relaxed) + 1);
  }
  /// Another span of the trace, with a new id.
  OwnedSpan new_span(const base::SpanId& parent);
  /// Adds a span that has ended.
  /// @{
  void add(OwnedSpan span) noexcept;
  void add(const PlainSpan& span) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (state_ == State::open && plain_count_ < plain_spans_.size()) {
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
  void end(RequestSpan&& own) noexcept;
  /// @}
  /// Ends the trace without sending it.
  void drop() noexcept {
    const std::lock_guard lock(mutex_);
    if (state_ != State::open) return;
    state_ = State::dropped;
    if (has_more_) clear_more();
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

  RequestTrace() = default;
  ~RequestTrace() = default;

  static void destroy(RequestTrace* trace) { delete trace; }
  // clang-tidy takes it for a variable, because it is thread_local.
  // NOLINTNEXTLINE(readability-identifier-naming)
  inline static constinit thread_local base::ThreadLocalFreeList<RequestTrace*, 1, destroy>
      spares_{};
  /// One owner less. What has not ended with the last one is not sent.
  void release() noexcept;
  /// Releases what another request must not see, and memory that few requests need.
  void clear() noexcept {
    tracestate_.clear();
    last_span_.store(0, std::memory_order_relaxed);
    state_ = State::open;
    plain_count_ = 0;
    if (has_more_) clear_more();
  }
  /// The same for what only requests have that are sent, or that have more than plain spans.
  void clear_more() noexcept;
  void add_record_of(const PlainSpan& span) noexcept;
  /// Moves what was added to spans that are sent.
  void take_all(Spans& ready);
  void complete(SpanRecord&& span, Spans& ready);
  /// Sends what was added and `own`, if it is not null. `next` is the state from then on.
  void push_all(State next, SpanRecord* own) noexcept;

  std::atomic<std::uint32_t> owners_ = 0;
  // Replaced only by others: their counts are shared by all threads.
  std::shared_ptr<SpanQueue> queue_;
  std::shared_ptr<const HideSecrets> hide_secrets_;
  base::TraceParent self_;
  base::SpanId parent_;
  std::string tracestate_;
  Recording recording_ = Recording::none;
  std::array<char, 32> id_text_;
  std::atomic<std::uint64_t> last_span_ = 0;  ///< the number of ids of spans

  mutable base::ShortMutex mutex_;  // guards the following members
  State state_ = State::open;
  std::chrono::nanoseconds to_unix_time_{0};  ///< 0: no span was sent
  // Most requests that are not sent have few spans, and all of them are plain.
  std::array<PlainSpan, 8> plain_spans_;
  std::size_t plain_count_ = 0;
  bool has_more_ = false;  ///< than the members above, or a sent span
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
  SharedTrace& operator=(SharedTrace other) noexcept {
    std::swap(trace_, other.trace_);
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
  explicit SharedTrace(RequestTrace& trace) noexcept : trace_(&trace) {
    trace.owners_.fetch_add(1, std::memory_order_relaxed);
  }

  RequestTrace* trace_ = nullptr;
};

inline SharedTrace RequestTrace::begin(const std::shared_ptr<SpanQueue>& queue,
                                       const base::TraceParent& self, const base::SpanId& parent,
                                       std::string_view tracestate, Recording recording,
                                       const std::shared_ptr<const HideSecrets>& hide_secrets) {
  SharedTrace shared(spares_.empty() ? *new RequestTrace : *spares_.take());
  RequestTrace& trace = *shared;
  if (trace.queue_ != queue) trace.queue_ = queue;
  if (trace.hide_secrets_ != hide_secrets) trace.hide_secrets_ = hide_secrets;
  trace.self_ = self;
  trace.parent_ = parent;
  if (!tracestate.empty()) trace.tracestate_ = tracestate;
  trace.recording_ = recording;
  base::write_hex(self.trace, trace.id_text_);
  return shared;
}

}  // namespace fw::detail
