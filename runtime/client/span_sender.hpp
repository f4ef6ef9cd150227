// Sends batches of spans to the collector of `tracing` (docs/tracing.md).
#pragma once

#include <fairway/config.hpp>
#include <fairway/logger.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "client/outbound_call.hpp"
#include "client/transfer.hpp"
#include "observe/span_exporter.hpp"

namespace fw::detail {

/// Used by one thread.
class SpanSender {
 public:
  SpanSender(const TracingConfig& tracing, FetchTlsConfig tls);
  ~SpanSender();
  SpanSender(const SpanSender&) = delete;
  SpanSender& operator=(const SpanSender&) = delete;

  /// See `SpanExporter::Send`.
  SpanReply send(std::shared_ptr<const std::string> body, std::chrono::milliseconds most,
                 std::stop_token stop);

  /// The errors that the start reports.
  static std::vector<std::string> config_errors(const TracingConfig& tracing);

 private:
  static OutboundCallOptions make_call_options(const TracingConfig& tracing);

  const TracingConfig tracing_;
  const FetchTlsConfig tls_;
  const Logger silent_;
  std::shared_ptr<client::OutboundTransport> transport_;  ///< null until the first call
};

}  // namespace fw::detail
