#include "observe/active_span.hpp"

#include <string>

namespace fw::detail {

void ActiveSpan::State::make_record() {
  record = make_span(position.trace->self().trace, position.id(), position.trace->id_of(parent));
  record->rename(name);
  record->begin = begin;
}

void ActiveSpan::begin(const SpanPosition* within, std::string_view name, SpanKind kind) noexcept {
  if (!within->trace->is_recorded()) return;
  state_.emplace(*within, std::string_view());
  try {
    SpanRecord& record = state_->required_record();
    record.rename(name);
    record.kind = kind;
  } catch (const std::exception&) {
    discard();  // the request is more important than its span
  }
}

void ActiveSpan::end() noexcept {
  if (!state_) return;
  leave_span(state_->position);
  const auto end = SpanRecord::Clock::now();
  const bool has_failed = std::uncaught_exceptions() > state_->exceptions;
  if (state_->record) {
    state_->record->end = end;
    if (has_failed) state_->record->has_failed = true;
    state_->position.trace->add(std::move(state_->record));
  } else {
    state_->position.trace->add({.name = state_->name,
                                 .id = state_->position.id(),
                                 .parent = state_->position.trace->id_of(state_->parent),
                                 .has_failed = has_failed,
                                 .begin = state_->begin,
                                 .end = end});
  }
  state_.reset();
}

void ActiveSpan::discard() noexcept {
  if (!state_) return;
  leave_span(state_->position);
  state_.reset();
}

std::string ActiveSpan::traceparent() const { return traceparent_of(state_->position); }

void add_past_span(std::string_view name, SpanRecord::Clock::time_point begin,
                   SpanRecord::Clock::time_point end) noexcept {
  const SpanPosition* const within = current_span();
  if (within == nullptr || !within->trace->is_recorded()) return;
  try {
    OwnedSpan span = within->trace->new_span(within->span);
    span->rename(name);
    span->begin = begin;
    span->end = end;
    within->trace->add(std::move(span));
  } catch (const std::exception&) {
  }
}

std::string traceparent_of(const SpanPosition& position) {
  base::TraceParent parent = position.trace->self();
  parent.span = position.id();
  return base::to_string(parent);
}

}  // namespace fw::detail
