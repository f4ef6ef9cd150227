// The span of a request: how it begins and ends (docs/tracing.md).
#pragma once

#include <chrono>
#include <exception>
#include <string_view>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// Begins the trace of a request, or continues the trace of its caller. The application must have a
/// tracer.
void begin_trace(Exchange& exchange);

/// Adds the waits before the request was handled, which is now. `exchange.began` is set, and its
/// span is current.
void add_waits(Exchange& exchange, std::chrono::steady_clock::time_point now) noexcept;

/// The response is ready: ends the span, or lets it end together with a stream or socket. `error`
/// is the exception that the response reports, or null. Without effect if there is no trace, or if
/// it has ended.
void end_trace(Exchange& exchange, const std::exception_ptr& error) noexcept;

/// Ends the span of a request that gets another response than the exchange has, which other threads
/// may be changing. `type` is the type of the error.
void end_trace_with(Exchange& exchange, int status, std::string_view type) noexcept;

}  // namespace fw::detail
