// The span of a request: how it begins and ends (docs/tracing.md).
#pragma once

#include <chrono>
#include <exception>
#include <string_view>
#include <utility>

#include "exchange/exchange.hpp"
#include "observe/tracer.hpp"

namespace fw::detail {

/// Begins the trace of a request, or continues the trace of its caller. The application must have a
/// tracer. The request is handled from `now` on.
void begin_trace(Exchange& exchange, std::chrono::steady_clock::time_point now) noexcept;

// What each request needs of the following is inlined.

/// Whether there is something for `add_waits`.
inline bool may_have_waited(const Exchange& exchange) {
  return exchange.plan() != nullptr || exchange.transaction->queued_for().count() > 0;
}
/// Adds the waits before the request was handled, which is now. `exchange.began` is set, and its
/// span is current.
void add_waits(Exchange& exchange) noexcept;

/// For requests of which only some are sent.
bool is_slow(const Exchange& exchange);
/// Ends the span of a request that is sent.
void end_sent_trace(Exchange& exchange, const std::exception_ptr& error) noexcept;

/// The response is ready: ends the span, or lets it end together with a stream or socket. `error`
/// is the exception that the response reports, or null. Without effect if there is no trace, or if
/// it has ended.
inline void end_trace(Exchange& exchange, const std::exception_ptr& error) noexcept {
  const SharedTrace& trace = exchange.context.span.shared_trace();
  if (!trace) return;
  const Tracer& tracer = *exchange.env.tracer;
  const bool may_be_sent = tracer.may_keep(*trace, exchange.outgoing.status);
  if (may_be_sent && (tracer.keeps(*trace, exchange.outgoing.status) || is_slow(exchange))) {
    end_sent_trace(exchange, error);
  } else {
    trace->drop();
  }
}

/// Ends the span of a request that gets another response than the exchange has, which other threads
/// may be changing. `type` is the type of the error.
void end_trace_with(Exchange& exchange, int status, std::string_view type) noexcept;

}  // namespace fw::detail
