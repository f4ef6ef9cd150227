#include "observe/tracer.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "base/traceparent.hpp"

namespace fw::detail {

std::uint64_t Tracer::first_sampled(double ratio) {
  constexpr auto kAll = static_cast<double>(std::uint64_t{1} << kRandomBits);
  return static_cast<std::uint64_t>(std::ceil((1 - ratio) * kAll));
}

SharedTrace Tracer::begin() const {
  if (SharedTrace trace = begin_in_spare()) return trace;
  base::TraceParent self = base::make_traceparent();
  const RequestTrace::Recording recording = recording_of_new(self);
  return RequestTrace::begin(queue_, self, {}, {}, recording, options_.hide_secrets);
}

SharedTrace Tracer::begin(std::string_view traceparent,
                          std::optional<std::string_view> tracestate) const {
  const auto caller = base::parse_traceparent(traceparent);
  if (!caller) return begin();
  base::TraceParent self = *caller;
  self.span = base::make_span_id();
  return RequestTrace::begin(
      queue_, self, caller->span, tracestate ? base::passed_tracestate(*tracestate) : std::string(),
      self.is_sampled() ? RequestTrace::Recording::for_good : unless_sampled_,
      options_.hide_secrets);
}

}  // namespace fw::detail
