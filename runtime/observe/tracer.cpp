#include "observe/tracer.hpp"

#include <cmath>
#include <cstdint>

#include "base/tracestate.hpp"

namespace fw::detail {

namespace {

constexpr int kRandomBits = 56;

}  // namespace

std::uint64_t Tracer::first_sampled(double ratio) {
  constexpr auto kAll = static_cast<double>(std::uint64_t{1} << kRandomBits);
  return static_cast<std::uint64_t>(std::ceil((1 - ratio) * kAll));
}

/// By the random part of the id, so that other services with the same ratio decide likewise.
bool Tracer::is_sampled(const base::TraceId& trace) const {
  std::uint64_t right = 0;
  for (std::size_t i = sizeof right; i < trace.bytes.size(); ++i) {
    right = right << 8U | trace.bytes[i];
  }
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kRandomBits) - 1;
  return (right & kMask) >= first_sampled_;
}

SharedTrace Tracer::begin(std::optional<std::string_view> traceparent,
                          std::optional<std::string_view> tracestate) const {
  using base::TraceParent;
  const auto caller = traceparent ? base::parse_traceparent(*traceparent) : std::nullopt;
  TraceParent self = caller.value_or(TraceParent());
  if (!caller) {
    self = base::make_traceparent();
    if (!is_sampled(self.trace)) self.flags = TraceParent::kRandom;
  } else {
    self.span = base::make_span_id();
  }
  using Recording = RequestTrace::Recording;
  Recording recording = records_all_ ? Recording::for_now : Recording::none;
  if (self.is_sampled()) recording = Recording::for_good;
  return RequestTrace::begin(
      queue_, self, caller ? caller->span : base::SpanId(),
      caller && tracestate ? base::passed_tracestate(*tracestate) : std::string(), recording,
      options_.hide_secrets);
}

}  // namespace fw::detail
