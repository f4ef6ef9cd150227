#include "client/outbound_client.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <stdexcept>

#include "base/random.hpp"
#include "client/fetch_exchange.hpp"
#include "client/network/url.hpp"

namespace fw::detail {
namespace {

std::string via_name(const std::string& configured) {
  return configured.empty() ? "fairway-" + base::make_uuid() : configured;
}

}  // namespace

std::vector<std::string> OutboundClient::config_errors(const FetchConfig& config, bool has_http2) {
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < config.proxy.size(); ++i) {
    try {
      outbound::parse_base_url(config.proxy[i].base_url);
    } catch (const std::exception& error) {
      errors.push_back(fmt::format("configuration: /fetch/proxy/{}/baseURL: {}", i, error.what()));
    }
  }
  if (config.tls.certificate_file.empty() != config.tls.key_file.empty()) {
    errors.emplace_back(
        "configuration: /fetch/tls: certificateFile and keyFile belong together: set both");
  }
  if (config.http2.enabled.value_or(false) && !has_http2) {
    errors.emplace_back(
        "configuration: /fetch/http2/enabled: the installed libcurl has no HTTP/2, or this build "
        "of "
        "Fairway has no outbound client (FAIRWAY_FETCH)");
  }
  return errors;
}

OutboundClient::OutboundClient(const Environment& environment)
    : env_(environment),
      via_(via_name(environment.config.fetch.via)),
      metrics_(environment.config.admin.is_enabled() ? std::make_unique<OutboundMetrics>()
                                                     : nullptr) {}

std::shared_ptr<outbound::Transport> OutboundClient::transport(const Operation& operation) {
  const std::lock_guard lock(mutex_);
  if (stopped_) throw std::logic_error("app.fetch: the application has ended");
  if (!transport_) {
    const FetchTlsConfig& tls = env_.config.fetch.tls;
    try {
      transport_ =
          outbound::make_transport({.ca_file = tls.ca_file,
                                    .certificate_file = tls.certificate_file,
                                    .key_file = tls.key_file,
                                    .http2 = env_.config.fetch.http2.enabled.value_or(true)});
    } catch (const std::runtime_error& error) {
      const CallName name{operation.caller, operation.method, operation.url, operation.timeout};
      name.throw_failure({.message = error.what()});
    }
  }
  return transport_;
}

void OutboundClient::set_transport(std::shared_ptr<outbound::Transport> transport) {
  const std::lock_guard lock(mutex_);
  transport_.swap(transport);  // the earlier one ends when its calls do
}

void OutboundClient::stop() {
  std::shared_ptr<outbound::Transport> transport;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    transport.swap(transport_);
  }
  if (transport) transport->stop();
}

}  // namespace fw::detail
