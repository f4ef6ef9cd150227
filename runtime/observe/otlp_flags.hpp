// The member `flags` of a span of OTLP.
#pragma once

#include <cstdint>

#include "base/traceparent.hpp"
#include "observe/span_record.hpp"

namespace fw::detail {

inline std::uint32_t otlp_flags(const SpanRecord& span) {
  // Of the parent: "it is known whether it is remote", and "it is".
  constexpr std::uint32_t kParentIsKnown = 0x100;
  constexpr std::uint32_t kParentIsRemote = 0x200;
  // The others are the flags of the traceparent: only what is sampled, or would be, is sent.
  std::uint32_t flags = base::TraceParent::kSampled;
  if (span.parent.is_set()) flags |= kParentIsKnown;
  if (span.has_remote_parent) flags |= kParentIsRemote;
  return flags;
}

}  // namespace fw::detail
