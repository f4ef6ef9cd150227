// The two formats of log lines (docs/configuration.md).
#pragma once

#include <fairway/json_writer.hpp>
#include <fairway/logger.hpp>

namespace fw::detail {

/// `{"level":30,"time":…,"pid":…,"hostname":…,<bindings>,"requestId":…,<fields>,"msg":…}` and a
/// line feed.
void write_json_line(JsonWriter& out, const LogRecord& record);

/// `[HH:MM:SS.mmm] LEVEL: message`, local time, then fields as JSON, and a line feed. Only the
/// label is coloured.
void write_pretty_line(TextWriter& out, const LogRecord& record, bool color);

}  // namespace fw::detail
