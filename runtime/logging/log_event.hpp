// Lines of the log as events in the traces of their requests (`tracing.logs`).
#pragma once

#include <fairway/logger.hpp>

#include "observe/request_trace.hpp"

namespace fw::detail {

/// Adds a line to the span of its request, if the trace has lines of the log, with the fields that
/// the log shows.
void add_log_event(RequestTrace& trace, const LogRecord& record) noexcept;

}  // namespace fw::detail
