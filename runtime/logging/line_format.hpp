// The two formats of log lines (reference: Access log rules 9 and 10).
#pragma once

#include <fairway/logger.hpp>

#include <string>

namespace fw::detail {

/// `{"level":30,"time":…,"pid":…,"hostname":…,<bindings>,"requestId":…,<fields>,"msg":…}` and a
/// line feed.
void append_json_line(std::string& out, const LogRecord& record);

/// `[HH:MM:SS.mmm] LEVEL: message`, local time, then fields as JSON, and a line feed. Only the
/// label is coloured.
void append_pretty_line(std::string& out, const LogRecord& record, bool color);

/// ISO 8601, UTC, with milliseconds: "2024-05-01T12:00:00.000Z".
void append_iso_time(std::string& out, std::chrono::system_clock::time_point time);

}  // namespace fw::detail
