// The body of an OTLP request (ExportTraceServiceRequest), and what is read of the response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/traceparent.hpp"
#include "observe/span_batch.hpp"

namespace fw::detail {

std::string otlp_json(std::string_view service_name, const SpanBatch& batch);
std::string otlp_protobuf(std::string_view service_name, const SpanBatch& batch);

/// `partial_success` of an ExportTraceServiceResponse.
struct OtlpRejection {
  std::size_t spans = 0;
  std::string message = {};
};
/// Of a response in protobuf; without spans if it is malformed, or has a negative number of them.
OtlpRejection otlp_rejection(std::string_view response);

/// The member `flags` of a span.
inline std::uint32_t otlp_flags(const base::SpanId& parent, bool has_remote_parent) {
  // Of the parent: "it is known whether it is remote", and "it is".
  constexpr std::uint32_t kParentIsKnown = 0x100;
  constexpr std::uint32_t kParentIsRemote = 0x200;
  // The others are the flags of the traceparent: only what is sampled, or would be, is sent.
  std::uint32_t flags = base::TraceParent::kSampled;
  if (parent.is_set()) flags |= kParentIsKnown;
  if (has_remote_parent) flags |= kParentIsRemote;
  return flags;
}

}  // namespace fw::detail
