// Begins the traces of requests, and decides which are sent (docs/tracing.md).
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
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
        first_kept_(options_.errors ? 500 : std::numeric_limits<int>::max()),
        first_kept_if_slow_(keeps_slow() ? 0 : first_kept_),
        unless_sampled_(options_.errors || options_.slow.count() > 0
                            ? RequestTrace::Recording::for_now
                            : RequestTrace::Recording::none),
        queue_(std::make_shared<SpanQueue>(options_.queue_size)) {}

  /// Begins a new trace. Throws std::system_error.
  SharedTrace begin() const;
  /// Begins a new trace without a call, as most requests can; otherwise returns none.
  [[gnu::always_inline]] SharedTrace begin_in_spare() const noexcept {
    return RequestTrace::begin_in_spare(
        queue_, [this](base::TraceParent& self) { return recording_of_new(self); });
  }
  /// Continues the trace of the fields of a request, or begins a new one if `traceparent` is
  /// malformed. Throws std::system_error.
  SharedTrace begin(std::string_view traceparent, std::optional<std::string_view> tracestate) const;
  /// Whether the duration of a request decides whether it is sent.
  bool keeps_slow() const { return options_.slow.count() > 0; }
  bool is_slow(std::chrono::steady_clock::duration duration) const {
    return keeps_slow() && duration > options_.slow;
  }
  /// Whether a request is sent that ends with the status, even if it is not slow.
  bool keeps(const RequestTrace& trace, int status) const {
    return trace.is_sent() || status >= first_kept_;
  }

  /// False if a request is not sent that ends with the status, however long it has taken.
  bool may_keep(const RequestTrace& trace, int status) const {
    return trace.is_sent() || status >= first_kept_if_slow_;
  }

  const std::shared_ptr<SpanQueue>& queue() const { return queue_; }

 private:
  static std::uint64_t first_sampled(double ratio);
  /// By the random part of the id, so that other services with the same ratio decide likewise.
  bool is_sampled(const base::TraceId& trace) const {
    std::uint64_t right = 0;
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&right, &trace.bytes[sizeof right], sizeof right);
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kRandomBits) - 1;
    return (__builtin_bswap64(right) & kMask) >= first_sampled_;
  }

  /// Of a new trace, whose first span gets the flags for it.
  RequestTrace::Recording recording_of_new(base::TraceParent& self) const {
    if (is_sampled(self.trace)) return RequestTrace::Recording::for_good;
    self.flags = base::TraceParent::kRandom;
    return unless_sampled_;
  }

  static constexpr int kRandomBits = 56;

  const Options options_;
  const std::uint64_t first_sampled_;  ///< of the random parts of ids
  const int first_kept_;               ///< of the statuses
  const int first_kept_if_slow_;       ///< likewise
  /// `for_now` if whether a request is sent may depend on its end.
  const RequestTrace::Recording unless_sampled_;
  const std::shared_ptr<SpanQueue> queue_;
};

}  // namespace fw::detail
