#include "client/span_sender.hpp"

#include <fairway/fetch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "base/parse_number.hpp"
#include "client/outbound_client.hpp"
#include "observe/otlp.hpp"

namespace fw::detail {
namespace {

using std::chrono::milliseconds;

/// More of a response is not read.
constexpr std::uint64_t kMaxResponse = std::uint64_t{64} * 1024;

/// Of calls whose errors are reported otherwise.
class NoSink : public LogSink {
 public:
  void write(const LogRecord&) override {}
};

bool may_accept_later(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

/// Retry-After in seconds; 0 for a date.
milliseconds retry_after(const FetchResponse& response) {
  const std::string value = response.headers().get("retry-after").value_or("");
  constexpr int kMaxSeconds = 3'600;
  return std::chrono::seconds(
      std::clamp(base::parse_number<int>(value).value_or(0), 0, kMaxSeconds));
}

/// The spans of an accepted batch that were rejected: `partialSuccess.rejectedSpans`, a number or a
/// string. A body that says something else does not matter.
OtlpRejection rejection_in(FetchResponse& response, TraceEncoding encoding) {
  try {
    if (encoding == TraceEncoding::protobuf) return otlp_rejection(response.text());
    const Json body = response.json();
    const Json partial_success = body.value("partialSuccess", Json::object());
    const Json count = partial_success.value("rejectedSpans", Json(0));
    const auto number =
        count.is_string() ? std::stoll(count.get<std::string>()) : count.get<std::int64_t>();
    const Json message = partial_success.value("errorMessage", Json(""));
    return {.spans = static_cast<std::size_t>(std::max<std::int64_t>(number, 0)),
            .message = message.is_string() ? message.get<std::string>() : std::string()};
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

SpanSender::SpanSender(const TracingConfig& tracing, FetchTlsConfig tls)
    : tracing_(tracing),
      tls_(std::move(tls)),
      silent_(std::make_shared<NoSink>(), LogLevel::silent) {}

SpanSender::~SpanSender() {
  if (transport_) transport_->stop();
}

std::vector<std::string> SpanSender::config_errors(const TracingConfig& tracing) {
  if (!tracing.is_enabled()) return {};
  const auto error_at = [](std::string_view member, const std::exception& error) {
    return std::vector{fmt::format("configuration: /tracing/{}: {}", member, error.what())};
  };
  try {
    client::parse_base_url(tracing.endpoint);
  } catch (const std::exception& error) {
    return error_at("endpoint", error);
  }
  try {
    make_call_options(tracing).check();
  } catch (const OptionError& error) {
    return error_at("headers", error);
  }
  return {};
}

OutboundCallOptions SpanSender::make_call_options(const TracingConfig& tracing) {
  auto base = client::parse_base_url(tracing.endpoint);
  OutboundCallOptions call_options{.caller = "tracing",
                                   .log_type = "tracing",
                                   .method = "POST",
                                   .url = joined_url(base.text, "/v1/traces"),
                                   .redirect = Redirect::error,
                                   .limits_body = true,
                                   .max_size = kMaxResponse,
                                   .max_text = kMaxResponse,
                                   .unix_socket = std::move(base.unix_socket)};
  for (const auto& [name, value] : tracing.headers) call_options.headers.set(name, value);
  const bool is_binary = tracing.encoding == TraceEncoding::protobuf;
  call_options.headers.set("content-type",
                           is_binary ? "application/x-protobuf" : "application/json");
  return call_options;
}

SpanReply SpanSender::send(std::shared_ptr<const std::string> body, milliseconds most,
                           std::stop_token stop) {
  using Result = SpanReply::Result;
  try {
    OutboundCallOptions call_options = make_call_options(tracing_);
    call_options.timeout = call_options.idle_timeout = call_options.total_timeout = most.count();
    call_options.body.bytes = std::move(body);
    call_options.signal = std::move(stop);
    call_options.check();
    if (!transport_) {
      transport_ = client::make_transport({.ca_file = tls_.ca_file,
                                           .certificate_file = tls_.certificate_file,
                                           .key_file = tls_.key_file});
    }
    OutboundCall call(std::move(call_options), transport_, silent_, nullptr);
    FetchResponse response = call.run();
    const int status = response.status();
    if (status >= 200 && status < 300) {
      OtlpRejection rejection = rejection_in(response, tracing_.encoding);
      return {.result = Result::accepted,
              .rejected_spans = rejection.spans,
              .reason = std::move(rejection.message)};
    }
    return {.result = may_accept_later(status) ? Result::retry : Result::rejected,
            .retry_after = retry_after(response),
            .reason = fmt::format("the collector responded with {}", status)};
  } catch (const RedirectError& error) {
    return {.result = Result::rejected, .reason = error.what()};
  } catch (const std::exception& error) {
    return {.result = Result::retry, .reason = error.what()};
  }
}

}  // namespace fw::detail
