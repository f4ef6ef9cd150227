#include <fairway/request.hpp>
#include <fairway/span.hpp>

#include "exchange/exchange.hpp"
#include "observe/active_span.hpp"

namespace fw {

Span::Span(const detail::SpanPosition* within, std::string_view name) {
  if (within == nullptr || !within->trace->is_recorded()) return;
  active_ = std::make_unique<detail::ActiveSpan>(*within, name);
}

Span::~Span() = default;

void Span::set(std::string_view name, std::string_view text) {
  if (active_) active_->set(name, text);
}

void Span::set(std::string_view name, double number) {
  if (active_) active_->set(name, number);
}

void Span::set_boolean(std::string_view name, bool value) {
  if (active_) active_->set(name, value);
}

void Span::set_integer(std::string_view name, std::int64_t number) {
  if (active_) active_->set(name, number);
}

void Span::fail(std::string_view type) {
  if (active_) active_->fail(type);
}

void Span::end() { active_.reset(); }

Span span(std::string_view name) { return {detail::current_span(), name}; }

std::vector<std::pair<std::string, std::string>> trace_headers() {
  std::vector<std::pair<std::string, std::string>> headers;
  const detail::SpanPosition* const current = detail::current_span();
  if (current == nullptr) return headers;
  headers.emplace_back("traceparent", detail::traceparent_of(*current));
  const std::string& state = current->trace->tracestate();
  if (!state.empty()) headers.emplace_back("tracestate", state);
  return headers;
}

Span Request::span(std::string_view name) const {
  const detail::KeptPosition& own = exchange_.context.span;
  if (!own) return {nullptr, name};
  const detail::SpanPosition* const current = detail::current_span();
  if (current != nullptr && current->trace == own.trace()) return {current, name};
  const detail::SpanPosition position = own.get();
  return {&position, name};
}

}  // namespace fw
