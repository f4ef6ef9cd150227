// The body of an OTLP request (ExportTraceServiceRequest) in JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "observe/span_record.hpp"

namespace fw::detail {

std::string otlp_json(std::string_view service_name, std::span<const SpanRecord> spans);

}  // namespace fw::detail
