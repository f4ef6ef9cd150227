#include "observe/tracer.hpp"

#include <cstdint>

#include "base/tracestate.hpp"

namespace fw::detail {

/// By the random part of the id, so that other services with the same ratio decide likewise.
bool Tracer::is_sampled(const base::TraceId& trace) const {
  constexpr int kRandomBits = 56;
  constexpr std::size_t kRandomBytes = kRandomBits / 8;
  std::uint64_t random = 0;
  for (std::size_t i = trace.bytes.size() - kRandomBytes; i < trace.bytes.size(); ++i) {
    random = random << 8U | trace.bytes[i];
  }
  constexpr auto kAll = static_cast<double>(std::uint64_t{1} << kRandomBits);
  return static_cast<double>(random) >= (1 - options_.ratio) * kAll;
}

SharedTrace Tracer::begin(std::optional<std::string_view> traceparent,
                          std::optional<std::string_view> tracestate) const {
  using base::TraceParent;
  const auto caller = base::parse_traceparent(traceparent.value_or(std::string_view()));
  TraceParent self = caller.value_or(TraceParent());
  if (!caller) {
    self = base::make_traceparent();
    if (!is_sampled(self.trace)) self.flags = TraceParent::kRandom;
  } else {
    self.span = base::make_span_id();
  }
  using Recording = RequestTrace::Recording;
  Recording recording = Recording::none;
  if (options_.errors || options_.slow.count() > 0) recording = Recording::for_now;
  if (self.is_sampled()) recording = Recording::for_good;
  return RequestTrace::begin(
      queue_, self, caller ? caller->span : base::SpanId(),
      caller && tracestate ? base::passed_tracestate(*tracestate) : std::string(), recording,
      options_.hide_secrets);
}

bool Tracer::keeps(const RequestTrace& trace, int status,
                   std::chrono::steady_clock::duration duration) const {
  if (trace.is_sent()) return true;
  if (options_.errors && status >= 500) return true;
  return options_.slow.count() > 0 && duration > options_.slow;
}

}  // namespace fw::detail
