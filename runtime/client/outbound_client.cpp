#include "client/outbound_client.hpp"

#include <fairway/hooks.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/traceparent.hpp"
#include "client/fetch_exchange.hpp"
#include "client/network/url.hpp"
#include "client/upstream_path.hpp"
#include "exchange/current.hpp"

namespace fw::detail {
namespace {

std::string upper_case(std::string text) {
  for (char& c : text) c = base::to_upper(c);
  return text;
}

}  // namespace

std::string joined_url(std::string_view base, std::string_view path) {
  while (base.ends_with('/')) base.remove_suffix(1);
  return fmt::format("{}{}{}", base, path.starts_with('/') ? "" : "/", path);
}

client::BaseUrl checked_base_url(std::string_view what, const std::string& url) {
  try {
    return client::parse_base_url(url);
  } catch (const std::invalid_argument& error) {
    throw OptionError(fmt::format("{}: {}", what, error.what()));
  }
}

std::vector<std::string> OutboundClient::config_errors(const FetchConfig& config,
                                                       bool (*has_http2)()) {
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < config.proxy.size(); ++i) {
    try {
      client::parse_base_url(config.proxy[i].base_url);
    } catch (const std::exception& error) {
      errors.push_back(fmt::format("configuration: /fetch/proxy/{}/baseURL: {}", i, error.what()));
    }
  }
  if (config.tls.certificate_file.empty() != config.tls.key_file.empty()) {
    errors.emplace_back(
        "configuration: /fetch/tls: certificateFile and keyFile belong together: set both");
  }
  try {
    if (config.http2.enabled.value_or(false) && !has_http2()) {
      throw std::runtime_error(
          "the installed libcurl has no HTTP/2, or this build of Fairway has no outbound client "
          "(FAIRWAY_FETCH)");
    }
  } catch (const std::exception& error) {
    errors.push_back(fmt::format("configuration: /fetch/http2/enabled: {}", error.what()));
  }
  return errors;
}

OutboundClient::OutboundClient(const Environment& environment)
    : env_(environment),
      metrics_(environment.config.admin.is_enabled() ? std::make_unique<OutboundMetrics>()
                                                     : nullptr) {}

std::shared_ptr<client::OutboundTransport> OutboundClient::transport(
    const OutboundCallOptions& call_options) {
  const std::lock_guard lock(mutex_);
  if (stopped_) throw std::logic_error("app.fetch: the application has ended");
  if (!transport_) {
    const FetchTlsConfig& tls = env_.config.fetch.tls;
    try {
      transport_ =
          client::make_transport({.ca_file = tls.ca_file,
                                  .certificate_file = tls.certificate_file,
                                  .key_file = tls.key_file,
                                  .http2 = env_.config.fetch.http2.enabled.value_or(true)});
    } catch (const std::runtime_error& error) {
      const CallName name{call_options.caller, call_options.method, call_options.url,
                          call_options.timeout};
      name.throw_failure({.message = error.what()});
    }
  }
  return transport_;
}

void OutboundClient::propagate_headers(OutboundCallOptions& call_options) const {
  const RequestContext* const context = current_context();
  if (context == nullptr || context->propagated == nullptr) return;
  for (const auto& [name, value] : context->propagated->headers) {
    if (call_options.headers.has(name)) continue;
    call_options.headers.set(name, value);
    call_options.propagated.push_back(name);
  }
  context->propagated->is_used = true;
}

FetchHeaders OutboundClient::inherited_headers(bool with_request_id) const {
  FetchHeaders headers;
  const RequestContext* context = current_context();
  static const PropagatedContext nothing;
  const bool has_context = context != nullptr && context->propagated != nullptr;
  const PropagatedContext& propagated = has_context ? *context->propagated : nothing;
  if (env_.config.fetch.trace_context && current_span() == nullptr) {
    base::TraceParent own = base::make_traceparent();
    if (propagated.traceparent) {
      own.trace = propagated.traceparent->trace;
      own.flags = propagated.traceparent->flags;
    }
    headers.set("traceparent", base::to_string(own));
  }
  if (!propagated.tracestate.empty()) headers.set("tracestate", propagated.tracestate);
  if (context == nullptr) return headers;
  const std::string& header = env_.config.request_id.header;
  if (with_request_id && !context->request_id.empty()) headers.set(header, context->request_id);
  return headers;
}

OutboundCallOptions OutboundClient::make_call_options(const FetchClientOptions* options,
                                                      std::string_view url, FetchInit init) const {
  const FetchConfig& config = env_.config.fetch;
  const FetchClientOptions none;
  const FetchClientOptions& own = options == nullptr ? none : *options;
  const auto timeout = init.timeout ? init.timeout : own.timeout;
  const auto idle_timeout = init.idle_timeout ? init.idle_timeout : own.idle_timeout;
  const auto total_timeout = init.total_timeout ? init.total_timeout : own.total_timeout;
  const auto addresses = init.addresses ? init.addresses : own.addresses;
  const auto retry_delay = init.retry_delay ? init.retry_delay : own.retry_delay;
  OutboundCallOptions call_options{
      .caller = "app.fetch",
      .log_type = "outbound",
      .method = init.method.empty() ? "GET" : upper_case(std::move(init.method)),
      .url = options == nullptr ? std::string(url) : joined_url(own.base_url, url),
      .headers = inherited_headers(init.propagate_request_id),
      .body = encode_body(std::move(init.body)),
      .timeout = checked_timeout(timeout ? timeout->count() : config.timeout),
      .idle_timeout = checked_timeout(idle_timeout ? idle_timeout->count() : config.idle_timeout,
                                      "idleTimeout"),
      .total_timeout = total_timeout ? checked_timeout(total_timeout->count(), "totalTimeout")
                                     : config.total_timeout,
      .retry = checked_retry(init.retry.value_or(own.retry.value_or(config.retry))),
      .retry_delay = checked_delay(retry_delay ? *retry_delay : config.retry_delay),
      .redirect = init.redirect,
      .max_text = config.max_size.bytes(),
      .signal = std::move(init.signal),
      .timer = env_.deadlines,
      .buffers = env_.buffers,
      .cut_off_requests = env_.cut_off_requests,
      .only_public_addresses = addresses == Addresses::public_only,
      .unix_socket = init.unix_socket.empty() ? own.unix_socket : init.unix_socket};
  call_options.has_declared_server = options != nullptr && init.unix_socket.empty();
  if (options != nullptr) check_upstream_path("url", url);
  if (init.max_size) {
    call_options.max_size = init.max_size->bytes();
    call_options.max_text = *call_options.max_size;
  }
  if (!call_options.only_public_addresses || config.trace_context) call_options.continue_trace();
  call_options.headers.merge(own.headers);
  call_options.headers.merge(init.headers);
  // They are for servers that the application knows, not for URLs of others.
  if (!call_options.only_public_addresses) propagate_headers(call_options);
  if (!call_options.body.content_type.empty() && !call_options.headers.has("content-type")) {
    call_options.headers.set("content-type", call_options.body.content_type);
  }
  call_options.check();
  return call_options;
}

FetchResponse OutboundClient::fetch(const FetchClientOptions* options, std::string_view url,
                                    FetchInit init) {
  OutboundCallOptions call_options = make_call_options(options, url, std::move(init));
  const std::string method = call_options.method;
  const std::string full_url = call_options.url;
  const auto transport_in_use = transport(call_options);
  if (env_.hooks.any<hooks::FetchBefore>()) {
    hooks::FetchBefore event{method, full_url, call_options.headers};
    env_.hooks.emit(event, env_.logger);
    call_options.check();
  }
  OutboundCall call(std::move(call_options), transport_in_use, env_.logger, metrics_.get());
  try {
    FetchResponse response = call.run();
    if (env_.hooks.any<hooks::FetchAfter>()) {
      hooks::FetchAfter event{method, full_url, response, call.attempt()};
      env_.hooks.emit(event, env_.logger);
    }
    return response;
  } catch (...) {
    if (env_.hooks.any<hooks::FetchFailed>()) {
      hooks::FetchFailed event{method, full_url, std::current_exception(), call.attempt()};
      env_.hooks.emit(event, env_.logger);
    }
    throw;
  }
}

void OutboundClient::set_transport(std::shared_ptr<client::OutboundTransport> transport) {
  const std::lock_guard lock(mutex_);
  transport_.swap(transport);  // the earlier one ends when its calls do
}

void OutboundClient::stop() {
  std::shared_ptr<client::OutboundTransport> transport;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    transport.swap(transport_);
  }
  if (transport) transport->stop();
}

}  // namespace fw::detail
