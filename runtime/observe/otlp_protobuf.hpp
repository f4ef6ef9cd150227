// The body of an OTLP request (ExportTraceServiceRequest) in protobuf, and what is read of the
// response. The messages are few, so that a writer is shorter than their definitions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "observe/span_record.hpp"

namespace fw::detail {

std::string otlp_protobuf(std::string_view service_name, std::span<const SpanRecord> spans);

/// `partial_success.rejected_spans` of an ExportTraceServiceResponse; 0 for a malformed one.
std::size_t otlp_rejected_spans(std::string_view response);

}  // namespace fw::detail
