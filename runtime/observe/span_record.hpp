// A span that is recorded: what takes time in a request.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/traceparent.hpp"

namespace fw::detail {

/// With the numbers of OTLP.
enum class SpanKind : std::uint8_t { internal = 1, server = 2, client = 3 };

using SpanValue = std::variant<std::string_view, std::int64_t, double, bool>;

/// Names with values, in one piece of memory, because each span that is sent has some.
class SpanAttributes {
 public:
  /// Sets one, and cuts texts. Without effect if there are too many; returns whether it was set.
  bool set(std::string_view name, SpanValue value);
  void clear() {
    bytes_.clear();
    count_ = 0;
  }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::size_t size() const { return count_; }
  /// Of the memory.
  std::size_t bytes() const { return bytes_.size(); }
  /// Calls `visit` with each name and value, in the order in which they were set.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t at = 0; at < bytes_.size();) {
      const Entry entry = entry_at(at);
      visit(entry.name, entry.value);
      at = entry.end;
    }
  }

 private:
  struct Entry {
    std::string_view name;
    SpanValue value;
    std::size_t end = 0;
  };
  Entry entry_at(std::size_t at) const;
  /// Removes the one with the name, if there is one.
  void remove(std::string_view name);

  std::string bytes_;
  std::uint32_t count_ = 0;
};

/// Something that happened at one time during a span.
struct SpanEvent {
  std::chrono::nanoseconds time{0};  ///< since 1970
  std::string name = {};
  std::uint32_t dropped_attributes = 0;
  SpanAttributes attributes = {};

  /// Sets an attribute, within the same bounds as one of a span.
  void set(std::string_view attribute, const SpanValue& value);
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
  void set(std::string_view attribute, const SpanValue& value);
  /// Marks it as failed; `type` is one of few names, such as the type of an exception.
  void fail(std::string_view type);
  /// Sets the name, which is cut.
  void rename(std::string_view text);
  /// Its memory, approximately.
  std::size_t bytes() const;
};

/// Spans that are recorded are rarely sent: the thread keeps the memory of some for others.
struct SpanRecycler {
  void operator()(SpanRecord* span) const noexcept;
};
using OwnedSpan = std::unique_ptr<SpanRecord, SpanRecycler>;
/// An internal span without a name and times.
OwnedSpan make_span(const base::TraceId& trace, const base::SpanId& id, const base::SpanId& parent);

}  // namespace fw::detail
