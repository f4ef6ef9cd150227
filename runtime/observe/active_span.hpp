// The span that a thread is working on.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "observe/request_trace.hpp"
#include "observe/span_record.hpp"

namespace fw::detail {

/// A span as the parent of others. The spans of a thread form a list. While it is in the list,
/// another one owns the trace.
struct SpanPosition {
  RequestTrace* trace = nullptr;  ///< null: there is none
  /// Changed by its thread while the main span lasts.
  mutable SpanNumber span = RequestTrace::kOwnSpan;
  mutable const SpanPosition* outer = nullptr;  ///< of the same thread, while it is in the list

  /// There must be a trace.
  base::SpanId id() const { return trace->id_of(span); }
};

/// A position, or none, that owns its trace together with others.
class KeptPosition {
 public:
  KeptPosition() = default;
  explicit KeptPosition(SharedTrace trace, SpanNumber span = RequestTrace::kOwnSpan)
      : trace_(std::move(trace)), span_(span) {}
  explicit KeptPosition(const SpanPosition* position) {
    if (position != nullptr) *this = KeptPosition(position->trace->share(), position->span);
  }

  /// The position of the span of a request. There must be none so far.
  void begin(SharedTrace trace) noexcept { std::construct_at(&trace_, std::move(trace)); }

  /// Not null if there is a position.
  RequestTrace* trace() const { return trace_.get(); }
  const SharedTrace& shared_trace() const { return trace_; }
  SpanNumber span() const { return span_; }
  SpanPosition get() const { return {.trace = trace_.get(), .span = span_}; }
  explicit operator bool() const { return static_cast<bool>(trace_); }

 private:
  SharedTrace trace_;
  SpanNumber span_ = RequestTrace::kOwnSpan;
};

/// The list of the thread, for `current_span`.
inline thread_local const SpanPosition* t_current_span = nullptr;

/// Null outside of requests with a trace.
inline const SpanPosition* current_span() {
  const SpanPosition* const current = t_current_span;
  return current != nullptr && current->trace != nullptr ? current : nullptr;
}

/// Removes the position from the list. The spans of the application may end in any order.
inline void leave_span(const SpanPosition& position) noexcept {
  if (t_current_span == &position) {
    t_current_span = position.outer;
    return;
  }
  for (const SpanPosition* each = t_current_span; each != nullptr; each = each->outer) {
    if (each->outer != &position) continue;
    each->outer = position.outer;
    return;
  }
}

/// Makes a position, or none, the current one of the thread during the lifetime of the scope. It is
/// copied, because the span may end before the scope does, and on another thread.
class CurrentSpanScope {
 public:
  /// Null: no position.
  CurrentSpanScope(RequestTrace* trace, SpanNumber span)
      : own_{.trace = trace, .span = span, .outer = t_current_span} {
    if (own_.trace != nullptr || own_.outer != nullptr) t_current_span = &own_;
  }
  explicit CurrentSpanScope(const SpanPosition& position)
      : CurrentSpanScope(position.trace, position.span) {}
  explicit CurrentSpanScope(const SpanPosition* position)
      : CurrentSpanScope(position == nullptr ? SpanPosition() : *position) {}
  /// A span that has ended meanwhile is no longer in the list.
  ~CurrentSpanScope() { t_current_span = own_.outer; }
  CurrentSpanScope(const CurrentSpanScope&) = delete;
  CurrentSpanScope& operator=(const CurrentSpanScope&) = delete;

 private:
  SpanPosition own_;
};

/// The name of a span that is a literal.
class SpanName {
 public:
  template <std::size_t kSize>
  consteval SpanName(const char (&text)[kSize]) : text_(text, kSize - 1) {}
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// A span within the current one, from its construction to its end, and the current one of the
/// thread meanwhile. Does nothing if nothing is recorded. Used by the thread that constructs it.
///
///   ActiveSpan span("validation");
class ActiveSpan {
 public:
  explicit ActiveSpan(SpanName name) {
    const SpanPosition* const within = current_span();
    if (within != nullptr && within->trace->is_recorded()) state_.emplace(*within, name.text());
  }
  ActiveSpan(std::string_view name, SpanKind kind) {
    if (const SpanPosition* within = current_span()) begin(within, name, kind);
  }
  /// Within a position that may not be the current one. The span may outlive its request.
  ActiveSpan(const SpanPosition& within, std::string_view name) : trace_(within.trace->share()) {
    begin(&within, name, SpanKind::internal);
  }
  /// An exception that leaves the scope fails the span.
  ~ActiveSpan() {
    if (state_) end();
  }
  ActiveSpan(const ActiveSpan&) = delete;
  ActiveSpan& operator=(const ActiveSpan&) = delete;

  bool is_recorded() const { return state_.has_value(); }
  /// Only of a span that is recorded.
  base::SpanId id() const { return state_->position.id(); }
  void set(std::string_view attribute, const SpanValue& value) {
    if (state_) state_->required_record().set(attribute, value);
  }
  void fail(std::string_view type) {
    if (state_) state_->required_record().fail(type);
  }
  /// Ends the span early.
  void end() noexcept;
  /// Ends the span as if it had not begun.
  void discard() noexcept;
  /// The header for a request to another service, with this span as its parent.
  std::string traceparent() const;

 private:
  /// It is in the list of the thread from its construction until `leave`.
  struct State {
    State(const SpanPosition& within, std::string_view literal)
        : position{.trace = within.trace,
                   .span = within.trace->new_span_number(),
                   .outer = t_current_span},
          parent(within.span),
          name(literal) {
      t_current_span = &position;
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    /// For what a plain span does not have.
    SpanRecord& required_record() {
      if (!record) make_record();
      return *record;
    }
    void make_record();

    SpanPosition position;
    const SpanNumber parent;
    const std::string_view name;                        ///< a literal
    OwnedSpan record;                                   ///< null: a plain span
    const int exceptions = std::uncaught_exceptions();  ///< in progress at the construction
    const SpanRecord::Clock::time_point begin = SpanRecord::Clock::now();
  };

  void begin(const SpanPosition* within, std::string_view name, SpanKind kind) noexcept;

  SharedTrace trace_;  ///< none if another one owns the trace meanwhile
  std::optional<State> state_;
};

/// For a position in which the main span cannot begin.
template <class Work>
[[gnu::noinline]] void run_in_usual_span(SpanName name, const Work& work) {
  const ActiveSpan span(name);
  work();
}

/// A span during `work`, which is the main span of the request if that is allowed.
template <class Work>
[[gnu::always_inline]] inline void run_in_span(SpanName name, const Work& work) {
  const SpanPosition* const within = current_span();
  if (within == nullptr) return work();
  RequestTrace& trace = *within->trace;
  // The position of the span of a request is in a scope, which does not end before this one.
  if (within->span != RequestTrace::kOwnSpan || !trace.begin_main_span(name.text())) {
    return run_in_usual_span(name, work);
  }
  within->span = RequestTrace::kMainSpan;
  try {
    work();
  } catch (...) {
    within->span = RequestTrace::kOwnSpan;
    trace.end_main_span(true);
    throw;
  }
  within->span = RequestTrace::kOwnSpan;
  trace.end_main_span(false);
}

/// Adds a span within the current one that has ended already.
void add_past_span(std::string_view name, SpanRecord::Clock::time_point begin,
                   SpanRecord::Clock::time_point end) noexcept;

/// The header for a request to another service whose parent is a position.
std::string traceparent_of(const SpanPosition& position);

}  // namespace fw::detail
