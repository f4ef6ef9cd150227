// Sends the spans of an application to the collector of `tracing` (docs/tracing.md).
#pragma once

#include <chrono>
#include <memory>

#include "client/span_sender.hpp"
#include "exchange/environment.hpp"
#include "observe/span_exporter.hpp"
#include "observe/tracer.hpp"

namespace fw::detail {

std::unique_ptr<Tracer> make_tracer(const TracingConfig& config, const LoggerConfig& logger);

class TraceExport {
 public:
  /// The environment has a tracer, and outlives this. Throws std::system_error.
  explicit TraceExport(const Environment& env);

  /// See `SpanExporter::stop`. Thread-safe together with requests.
  void stop(std::chrono::milliseconds most) { exporter_.stop(most); }

 private:
  SpanSender sender_;
  SpanExporter exporter_;  // last, because its thread uses the sender
};

}  // namespace fw::detail
