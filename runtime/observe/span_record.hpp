// A span that is recorded: what takes time in a request.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ticks.hpp"
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

/// What the spans of many requests have in common. The thread that sends spans makes their name and
/// most of their attributes from this, by the semantic conventions of HTTP. Nothing of it is chosen
/// by the client. The texts are constants, or of the route, which exists as long as spans are sent.
struct RequestKind {
  std::string_view method = {};  ///< empty: unknown
  std::string_view scheme = {};
  std::string_view route = {};  ///< empty: none
  std::string_view file = {};
  std::string_view version = {};
  std::string_view cache = {};  ///< empty: nothing to say
  unsigned line = 0;            ///< 0: unknown
  int status = 0;

  auto operator<=>(const RequestKind&) const = default;
  std::string name() const;
  /// Calls `visit` with the name and value of each attribute.
  template <class Visit>
  void for_each(Visit visit) const {
    visit(std::string_view("http.request.method"),
          SpanValue(method.empty() ? std::string_view("_OTHER") : method));
    visit(std::string_view("url.scheme"), SpanValue(scheme));
    if (!route.empty()) visit(std::string_view("http.route"), SpanValue(route));
    if (line != 0) {
      visit(std::string_view("code.file.path"), SpanValue(file));
      visit(std::string_view("code.line.number"), SpanValue(std::int64_t{line}));
    }
    visit(std::string_view("http.response.status_code"), SpanValue(std::int64_t{status}));
    visit(std::string_view("network.protocol.version"), SpanValue(version));
    if (!cache.empty()) visit(std::string_view("fairway.cache"), SpanValue(cache));
  }
};

/// Calls `visit` with the name and value of each attribute of a request that its kind does not
/// have.
template <class Visit>
void for_each_fact(std::string_view path, std::string_view client, Visit visit) {
  visit(std::string_view("url.path"), SpanValue(path));
  visit(std::string_view("client.address"), SpanValue(client));
}

/// What the span of a request is about.
struct RequestFacts {
  RequestKind kind;
  // Chosen by the client; the address only if a proxy is trusted.
  std::string path;
  std::string client;
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
  std::shared_ptr<const RequestFacts> request = {};  ///< null unless it is the span of a request
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

/// A span whose name is a literal, and which has no attributes, as most spans of the framework.
struct PlainSpan {
  std::string_view name;
  base::SpanId id;
  base::SpanId parent;
  bool has_failed = false;
  SpanRecord::Clock::time_point begin;
  SpanRecord::Clock::time_point end;
};

/// The main span within the span of a request: a plain one whose times are in ticks, because they
/// are only calculated if it is sent.
struct MainSpan {
  static constexpr std::uint64_t kNumber = 1;  ///< see `base::nth_span_id`

  std::string_view name = {};  ///< empty: there is no span
  bool has_failed = false;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  // The times are between these.
  base::TickedTime earliest = {};
  base::TickedTime latest = {};

  PlainSpan plain(const base::SpanId& request) const;
};

/// The span of a request that has only facts, as most do. The thread that sends it makes its
/// record.
struct RequestSpan {
  base::TraceId trace = {};
  base::SpanId id = {};
  base::SpanId parent = {};  ///< in another process; not set: none
  SpanRecord::Clock::time_point begin = {};
  SpanRecord::Clock::time_point end = {};
  RequestKind kind = {};
  // Like the texts of `RequestFacts`, but others own their memory.
  std::string_view path = {};
  std::string_view client = {};

  std::size_t text_size() const { return path.size() + client.size(); }
};
SpanRecord record_of(const RequestSpan& span);
SpanRecord record_of(const PlainSpan& span, const base::TraceId& trace);

/// What is added to the times of spans, whose clock cannot be set, for those since 1970.
std::chrono::nanoseconds current_offset_to_unix_time();

/// A text that a span records, cut to the size that it may have.
/// @{
inline constexpr std::size_t kMaxRecordedText = 1'024;
std::string_view cut_recorded_text(std::string_view text);
inline std::string_view recorded_text(std::string_view text) {
  return text.size() <= kMaxRecordedText ? text : cut_recorded_text(text);
}
/// @}

/// Spans that are recorded are rarely sent: the thread keeps the memory of some for others.
struct SpanRecycler {
  void operator()(SpanRecord* span) const noexcept;
};
using OwnedSpan = std::unique_ptr<SpanRecord, SpanRecycler>;
/// An internal span without a name and times.
OwnedSpan make_span(const base::TraceId& trace, const base::SpanId& id, const base::SpanId& parent);

}  // namespace fw::detail
