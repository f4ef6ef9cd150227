#include "observe/active_span.hpp"

#include <exception>
#include <string>
#include <utility>

namespace fw::detail {

void ActiveSpan::begin(const SpanPosition* within, std::string_view name, SpanKind kind) noexcept {
  if (!within->trace->is_recorded()) return;
  try {
    state_.emplace(*within);
    state_->record->rename(name);
  } catch (const std::exception&) {
    return state_.reset();  // the request is more important than its span
  }
  state_->record->kind = kind;
  state_->record->begin = SpanRecord::Clock::now();
  state_->position.id = state_->record->id;
  state_->position.outer = t_current_span;
  t_current_span = &state_->position;
}

/// The spans of the application may end in any order.
void ActiveSpan::leave() noexcept {
  const SpanPosition* const own = &state_->position;
  if (t_current_span == own) {
    t_current_span = own->outer;
    return;
  }
  for (const SpanPosition* each = t_current_span; each != nullptr; each = each->outer) {
    if (each->outer != own) continue;
    each->outer = own->outer;
    return;
  }
}

void ActiveSpan::end() noexcept {
  if (!state_) return;
  leave();
  state_->record->end = SpanRecord::Clock::now();
  if (std::uncaught_exceptions() > state_->exceptions) state_->record->has_failed = true;
  state_->position.trace->add(std::move(state_->record));
  state_.reset();
}

void ActiveSpan::discard() noexcept {
  if (!state_) return;
  leave();
  state_.reset();
}

std::string ActiveSpan::traceparent() const { return traceparent_of(state_->position); }

void add_past_span(std::string_view name, SpanRecord::Clock::time_point begin,
                   SpanRecord::Clock::time_point end) noexcept {
  const SpanPosition* const within = current_span();
  if (within == nullptr || !within->trace->is_recorded()) return;
  try {
    OwnedSpan span = within->trace->new_span(within->id);
    span->rename(name);
    span->begin = begin;
    span->end = end;
    within->trace->add(std::move(span));
  } catch (const std::exception&) {
  }
}

std::string traceparent_of(const SpanPosition& position) {
  base::TraceParent parent = position.trace->self();
  parent.span = position.id;
  return base::to_string(parent);
}

}  // namespace fw::detail
