#include "app/trace_export.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/counted.hpp"
#include "base/utf8.hpp"
#include "logging/redaction.hpp"
#include "observe/otlp.hpp"

namespace fw::detail {
namespace {

/// As OpenTelemetry names a service without a name.
std::string service_name_of(const TracingConfig& config) {
  if (!config.service_name.empty()) return config.service_name;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "unknown_service" : "unknown_service:" + program.filename().string();
}

/// Logs that spans cannot be sent, or are sent again: once each.
void report_export(const Logger& logger, const std::string& reason) {
  if (reason.empty()) {
    logger.info("traces are sent to the collector again");
  } else {
    logger.warn(fmt::format("traces cannot be sent to the collector: {}", reason));
  }
}

void log_rejection(const Logger& logger, std::size_t rejected, std::size_t spans,
                   const std::string& reason) {
  constexpr std::size_t kMaxReason = 500;
  logger.warn(fmt::format("the collector rejected {} of {}{}{}", rejected,
                          base::counted(spans, "span"), reason.empty() ? "" : ": ",
                          base::valid_utf8(reason.substr(0, kMaxReason))));
}

}  // namespace

std::unique_ptr<Tracer> make_tracer(const TracingConfig& config, const LoggerConfig& logger) {
  std::shared_ptr<const RequestTrace::HideSecrets> hide_secrets;
  if (config.logs) {
    hide_secrets = std::make_shared<const RequestTrace::HideSecrets>(
        [redaction = Redaction(logger)](Json& fields) { redaction.apply(fields); });
  }
  return std::make_unique<Tracer>(
      Tracer::Options{.ratio = config.ratio,
                      .errors = config.errors,
                      .slow = std::chrono::milliseconds(config.slow_threshold),
                      .queue_size = static_cast<std::size_t>(config.queue_size),
                      .hide_secrets = std::move(hide_secrets)});
}

TraceExport::TraceExport(const Environment& env)
    : sender_(env.config.tracing, env.config.fetch.tls),
      exporter_(
          env.tracer->queue(),
          {.service_name = service_name_of(env.config.tracing),
           .encode =
               env.config.tracing.encoding == TraceEncoding::protobuf ? otlp_protobuf : otlp_json,
           .interval = std::chrono::milliseconds(env.config.tracing.export_interval),
           .report_rejection =
               [&env](std::size_t rejected, std::size_t spans, const std::string& reason) {
                 log_rejection(env.logger, rejected, spans, reason);
               }},
          [this](const std::shared_ptr<const std::string>& body, std::chrono::milliseconds most,
                 std::stop_token stop) { return sender_.send(body, most, std::move(stop)); },
          [&env](const std::string& reason) { report_export(env.logger, reason); }) {}

}  // namespace fw::detail
