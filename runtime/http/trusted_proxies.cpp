#include "http/trusted_proxies.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "http/connection_budget.hpp"

namespace fw::http {
namespace {

std::string_view first_of_list(std::string_view list) {
  return base::trim_ows(list.substr(0, list.find(',')));
}

/// Removes and returns the last item of a list, which may be empty.
std::string_view take_last(std::string_view& list) {
  const auto comma = list.rfind(',');
  const std::string_view item = comma == std::string_view::npos ? list : list.substr(comma + 1);
  list = comma == std::string_view::npos ? std::string_view() : list.substr(0, comma);
  return base::trim_ows(item);
}

}  // namespace

bool is_loopback(std::string_view host) {
  if (base::equal_ignoring_case(base::without_port(host), "localhost")) return true;
  const auto networks = {base::IpNetwork::parse("127.0.0.0/8"), base::IpNetwork::parse("::1")};
  return std::any_of(networks.begin(), networks.end(),
                     [&](const auto& network) { return network->contains(host); });
}

std::string client_group(std::string_view address) {
  if (address == base::kUnixClients) return std::string(base::kUnixClients);
  std::string group = address_group(base::without_port(address));
  return group.empty() ? "other" : group;
}

TrustedProxies::TrustedProxies(const TrustProxy& config)
    : mode_(config.mode()), hops_(config.hops()) {
  for (const std::string& entry : config.networks()) {
    if (entry == base::kUnixClients) {
      trusts_unix_ = true;
    } else if (auto network = base::IpNetwork::parse(entry)) {
      networks_.push_back(*network);
    }
  }
}

bool TrustedProxies::trusts(std::string_view address, int hop) const {
  if (mode_ == TrustProxy::Mode::hops) return hop < hops_;
  if (hop == 0 && trusts_unix_ && address == base::kUnixClients) return true;
  return std::any_of(networks_.begin(), networks_.end(),
                     [&](const base::IpNetwork& network) { return network.contains(address); });
}

bool TrustedProxies::trusts_peer(std::string_view peer) const {
  if (mode_ == TrustProxy::Mode::none) return false;
  return mode_ == TrustProxy::Mode::all || trusts(peer, 0);
}

bool TrustedProxies::Client::uses_https(bool is_secure) const {
  return protocol.empty() ? is_secure : base::equal_ignoring_case(protocol, "https");
}

TrustedProxies::Client TrustedProxies::client(std::string_view peer, std::string_view forwarded_for,
                                              std::string_view forwarded_protocol) const {
  if (mode_ == TrustProxy::Mode::none) return {peer, {}};
  if (mode_ == TrustProxy::Mode::all) {
    const std::string_view first = first_of_list(forwarded_for);
    return {first.empty() ? peer : first, first_of_list(forwarded_protocol)};
  }
  // Walks back from the connection, and accepts the previous address as long as the current one is
  // trusted.
  Client client{peer, {}};
  int hop = 0;
  while (trusts(client.address, hop)) {
    ++hop;
    if (!forwarded_protocol.empty()) client.protocol = take_last(forwarded_protocol);
    const std::string_view before = take_last(forwarded_for);
    if (before.empty()) break;
    client.address = before;
  }
  return client;
}

}  // namespace fw::http
