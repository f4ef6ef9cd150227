// The trace of one request, and the spans that were recorded for it.
#pragma once

#include <fairway/json.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/short_mutex.hpp"
#include "base/traceparent.hpp"
#include "observe/span_queue.hpp"
#include "observe/span_record.hpp"

namespace fw::detail {

/// Threads add spans that have ended, also after the request. They wait here until it is known
/// whether the request is sent. Thread-safe.
class RequestTrace {
 public:
  enum class Recording : std::uint8_t {
    none,      ///< it only has ids
    for_now,   ///< it may be sent, depending on how the request ends
    for_good,  ///< it is sent
  };

  /// Hides secrets in the fields of a line of the log.
  using HideSecrets = std::function<void(Json& fields)>;

  /// `self` is the span of the request, and `parent` the span of its caller. `hide_secrets` is null
  /// if lines of the log are no events.
  RequestTrace(std::shared_ptr<SpanQueue> queue, const base::TraceParent& self,
               const base::SpanId& parent, std::string tracestate, Recording recording,
               std::shared_ptr<const HideSecrets> hide_secrets = nullptr);
  /// What has not ended is not sent.
  ~RequestTrace() = default;
  RequestTrace(const RequestTrace&) = delete;
  RequestTrace& operator=(const RequestTrace&) = delete;

  const base::TraceParent& self() const { return self_; }
  const std::string& tracestate() const { return tracestate_; }
  /// The id of the trace.
  std::string_view id_text() const { return {id_text_.data(), id_text_.size()}; }
  bool is_recorded() const { return recording_ != Recording::none; }
  /// Null unless lines of the log are events of the span of the request.
  const HideSecrets* hide_secrets() const { return is_recorded() ? hide_secrets_.get() : nullptr; }
  bool is_sent() const { return recording_ == Recording::for_good; }
  /// Whether the collector gets the span of the request, as far as is known.
  bool is_kept() const noexcept;

  /// A span of the request, without a name.
  SpanRecord own_span() const;
  /// Another span of the trace, with a new id. Throws std::system_error.
  SpanRecord new_span(const base::SpanId& parent) const;
  /// Adds a span that has ended.
  void add(SpanRecord&& span) noexcept;
  /// Adds an event to the span of the request. A request has few, and a bound of bytes for them;
  /// others are only counted.
  void add_event(SpanEvent event) noexcept;
  /// Sends what was added, and what is added from now on at once: the request is sent, but its span
  /// may last for hours, as the span of a socket does.
  void flush() noexcept;
  /// Ends the span of the request, and sends all that were added. Without effect if the trace has
  /// ended.
  void end(SpanRecord own) noexcept;
  /// Ends the trace without sending it.
  void drop() noexcept;

 private:
  using Spans = std::vector<SpanRecord>;
  enum class State : std::uint8_t {
    open,
    flushed,  ///< only the span of the request is missing
    sent,
    dropped,
  };

  /// Sends what was added and `own`, if it is not null. `next` is the state from then on.
  void push_all(State next, SpanRecord* own) noexcept;

  const std::shared_ptr<SpanQueue> queue_;
  const base::TraceParent self_;
  const base::SpanId parent_;
  const std::string tracestate_;
  const Recording recording_;
  const std::shared_ptr<const HideSecrets> hide_secrets_;
  std::array<char, 32> id_text_;
  std::chrono::nanoseconds to_unix_time_{0};

  mutable base::ShortMutex mutex_;  // guards the following members
  State state_ = State::open;
  Spans spans_;
  std::size_t bytes_ = 0;
  std::size_t lost_ = 0;
  std::vector<SpanEvent> events_;  ///< of the span of the request
  std::size_t event_bytes_ = 0;
  std::uint32_t dropped_events_ = 0;
};

}  // namespace fw::detail
