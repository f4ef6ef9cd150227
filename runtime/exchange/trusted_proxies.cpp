#include "exchange/trusted_proxies.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <string>

#include "base/ascii.hpp"
#include "http/connection_budget.hpp"

namespace fw::detail {
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

/// "[::1]:80" and "192.0.2.1:80" without brackets and port.
std::string_view without_port(std::string_view address) {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const auto colon = address.find(':');
  const bool is_port =
      colon != std::string_view::npos && address.find(':', colon + 1) == std::string_view::npos;
  return is_port ? address.substr(0, colon) : address;
}

}  // namespace

std::optional<IpNetwork::Bytes> IpNetwork::parse_address(std::string_view text) {
  const std::string terminated(text);
  if (terminated.size() != std::string_view(terminated.c_str()).size()) return std::nullopt;
  Bytes bytes{};
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return bytes;
  bytes[10] = bytes[11] = 0xFF;
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data() + 12) == 1) return bytes;
  return std::nullopt;
}

std::optional<IpNetwork> IpNetwork::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto bytes = parse_address(text.substr(0, slash));
  if (!bytes) return std::nullopt;
  const bool is_ipv4 = text.substr(0, slash).find(':') == std::string_view::npos;
  const unsigned most = is_ipv4 ? 32 : 128;
  unsigned prefix = most;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
    if (error != std::errc() || end != digits.data() + digits.size() || prefix > most) {
      return std::nullopt;
    }
  }
  IpNetwork network;
  network.bytes_ = *bytes;
  network.prefix_ = prefix + (128 - most);
  return network;
}

bool IpNetwork::contains(std::string_view address) const {
  const auto bytes = parse_address(without_port(address));
  if (!bytes) return false;
  for (unsigned bit = 0; bit < prefix_; bit += 8) {
    const unsigned difference = bytes_[bit / 8] ^ (*bytes)[bit / 8];
    const unsigned counted = std::min(prefix_ - bit, 8U);
    if (difference >> (8U - counted) != 0) return false;
  }
  return true;
}

bool is_loopback(std::string_view host) {
  if (base::equal_ignoring_case(without_port(host), "localhost")) return true;
  const auto networks = {IpNetwork::parse("127.0.0.0/8"), IpNetwork::parse("::1")};
  return std::any_of(networks.begin(), networks.end(),
                     [&](const auto& network) { return network->contains(host); });
}

std::string client_group(std::string_view address) {
  if (address == kUnixClients) return std::string(kUnixClients);
  std::string group = http::address_group(without_port(address));
  return group.empty() ? "other" : group;
}

TrustedProxies::TrustedProxies(const TrustProxy& config)
    : mode_(config.mode()), hops_(config.hops()) {
  for (const std::string& entry : config.networks()) {
    if (entry == kUnixClients) {
      trusts_unix_ = true;
    } else if (auto network = IpNetwork::parse(entry)) {
      networks_.push_back(*network);
    }
  }
}

bool TrustedProxies::trusts(std::string_view address, int hop) const {
  if (mode_ == TrustProxy::Mode::hops) return hop < hops_;
  if (hop == 0 && trusts_unix_ && address == kUnixClients) return true;
  return std::any_of(networks_.begin(), networks_.end(),
                     [&](const IpNetwork& network) { return network.contains(address); });
}

bool TrustedProxies::trusts_peer(std::string_view peer) const {
  if (mode_ == TrustProxy::Mode::none) return false;
  return mode_ == TrustProxy::Mode::all || trusts(peer, 0);
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

}  // namespace fw::detail
