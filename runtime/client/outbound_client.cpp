#include "client/outbound_client.hpp"

#include <fmt/format.h>

#include <utility>

#include "exchange/current.hpp"

namespace fw::detail {

std::shared_ptr<outbound::Transport> OutboundClient::transport() {
  const std::lock_guard lock(mutex_);
  if (stopped_) throw std::logic_error("app.fetch: the application has ended");
  if (!transport_) {
    const FetchTlsConfig& tls = env_.config.fetch.tls;
    transport_ = outbound::make_transport({.ca_file = tls.ca_file,
                                           .certificate_file = tls.certificate_file,
                                           .key_file = tls.key_file});
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
