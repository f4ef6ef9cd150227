// The header of W3C Trace Context: "00-<trace>-<span>-<flags>".
#pragma once

#include <string>
#include <string_view>

namespace fw::base {

bool is_traceparent(std::string_view text);

/// The first span of a new, sampled trace.
std::string make_traceparent();

/// A new span of the trace of `parent`, which must be valid.
std::string next_traceparent(std::string_view parent);

}  // namespace fw::base
