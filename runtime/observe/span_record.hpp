// A span that is recorded: what takes time in a request.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/traceparent.hpp"

namespace fw::detail {

/// With the numbers of OTLP.
enum class SpanKind : std::uint8_t { internal = 1, server = 2, client = 3 };

using SpanValue = std::variant<std::string, std::int64_t, double, bool>;
using SpanAttributes = std::vector<std::pair<std::string, SpanValue>>;

/// Something that happened at one time during a span.
struct SpanEvent {
  std::chrono::nanoseconds time{0};  ///< since 1970
  std::string name = {};
  std::uint32_t dropped_attributes = 0;
  SpanAttributes attributes = {};

  /// Sets an attribute, within the same bounds as one of a span.
  void set(std::string_view attribute, SpanValue value);
  /// Its memory, approximately.
  std::size_t bytes() const;
};

struct SpanRecord {
  using Clock = std::chrono::steady_clock;

  base::TraceId trace = {};
  base::SpanId id = {};
  base::SpanId parent = {};        ///< not set: the span has none
  bool has_remote_parent = false;  ///< the parent is in another process
  SpanKind kind = SpanKind::internal;
  bool has_failed = false;
  std::uint32_t dropped_attributes = 0;
  std::string name = {};
  std::string tracestate = {};
  Clock::time_point begin = {};
  Clock::time_point end = {};
  /// What is added to the times, which count from the start of the machine, for those since 1970.
  std::chrono::nanoseconds to_unix_time{0};
  SpanAttributes attributes = {};
  std::vector<SpanEvent> events = {};
  std::uint32_t dropped_events = 0;

  /// Sets an attribute. There are few, and texts are cut, so that a span has a bound of bytes.
  void set(std::string_view attribute, SpanValue value);
  /// Marks it as failed; `type` is one of few names, such as the type of an exception.
  void fail(std::string_view type);
  /// Sets the name, which is cut.
  void rename(std::string_view text);
  /// Its memory, approximately.
  std::size_t bytes() const;
};

}  // namespace fw::detail
