// The bytes of event streams (WHATWG HTML, 9.2.5 and 9.2.6).
#pragma once

#include <fairway/events.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace fw::detail {

/// What keeps an event stream alive: a comment.
inline constexpr std::string_view kEventHeartbeat = ":\n\n";
/// What keeps a stream of lines alive: an empty line, which readers of NDJSON skip.
inline constexpr std::string_view kLineHeartbeat = "\n";

/// An event. Its data may have several lines, separated by CR LF, LF or CR. Clients that know no
/// name call it "message", so this name is left out. Throws std::invalid_argument for a name or an
/// id with a line break or NUL, and for a `retry` that is negative.
std::string format_event(std::string_view name, std::string_view data, const EventFields& fields);

/// Tells the client after how long it connects again.
std::string format_retry(std::chrono::milliseconds time);

}  // namespace fw::detail
