// Begins the traces of requests, and decides which are sent (docs/tracing.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/traceparent.hpp"
#include "observe/request_trace.hpp"
#include "observe/span_queue.hpp"

namespace fw::detail {

/// Thread-safe.
class Tracer {
 public:
  struct Options {
    double ratio = 1;                   ///< of new traces that are sent
    bool errors = true;                 ///< requests with a status from 500 on are always sent
    std::chrono::milliseconds slow{0};  ///< and those that take longer; 0: none
    std::size_t queue_size = 2'048;     ///< spans
    /// Null if lines of the log are no events of the spans of their requests.
    std::shared_ptr<const RequestTrace::HideSecrets> hide_secrets = {};
  };
  explicit Tracer(Options options)
      : options_(std::move(options)),
        first_sampled_(first_sampled(options_.ratio)),
        records_all_(options_.errors || options_.slow.count() > 0),
        queue_(std::make_shared<SpanQueue>(options_.queue_size)) {}

  /// Continues the trace of the fields of a request, or begins a new one if there is none, or a
  /// malformed one. Throws std::system_error.
  SharedTrace begin(std::optional<std::string_view> traceparent,
                    std::optional<std::string_view> tracestate) const;
  /// Whether a request is sent that ends like this.
  bool keeps(const RequestTrace& trace, int status,
             std::chrono::steady_clock::duration duration) const {
    if (trace.is_sent()) return true;
    if (options_.errors && status >= 500) return true;
    return options_.slow.count() > 0 && duration > options_.slow;
  }

  const std::shared_ptr<SpanQueue>& queue() const { return queue_; }

 private:
  static std::uint64_t first_sampled(double ratio);
  bool is_sampled(const base::TraceId& trace) const;

  const Options options_;
  const std::uint64_t first_sampled_;  ///< of the random parts of ids
  const bool records_all_;             ///< whether a request is sent may depend on its end
  const std::shared_ptr<SpanQueue> queue_;
};

}  // namespace fw::detail
