// The header `tracestate` of W3C Trace Context, level 2: what vendors add to a trace.
#pragma once

#include <string>
#include <string_view>

namespace fw::base {

/// What is passed on of a header, whose lines were joined: its members up to 512 characters. If it
/// is longer, members of more than 128 characters are dropped first, then the last ones. Empty for
/// a malformed header.
std::string passed_tracestate(std::string_view text);

}  // namespace fw::base
