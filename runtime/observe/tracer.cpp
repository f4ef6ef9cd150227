#include "observe/tracer.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

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
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&right, &trace.bytes[sizeof right], sizeof right);
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kRandomBits) - 1;
  return (__builtin_bswap64(right) & kMask) >= first_sampled_;
}

SharedTrace Tracer::begin(std::optional<std::string_view> traceparent,
                          std::optional<std::string_view> tracestate) const {
  using Recording = RequestTrace::Recording;
  const Recording unless_sampled = records_all_ ? Recording::for_now : Recording::none;
  if (traceparent) {
    if (const auto caller = base::parse_traceparent(*traceparent)) {
      base::TraceParent self = *caller;
      self.span = base::make_span_id();
      return RequestTrace::begin(queue_, self, caller->span,
                                 tracestate ? base::passed_tracestate(*tracestate) : std::string(),
                                 self.is_sampled() ? Recording::for_good : unless_sampled,
                                 options_.hide_secrets);
    }
  }
  base::TraceParent self = base::make_traceparent();
  const bool is_sent = is_sampled(self.trace);
  if (!is_sent) self.flags = base::TraceParent::kRandom;
  return RequestTrace::begin(queue_, self, base::SpanId(), {},
                             is_sent ? Recording::for_good : unless_sampled, options_.hide_secrets);
}

}  // namespace fw::detail
