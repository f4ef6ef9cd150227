// Determines the client of a request from the headers of trusted proxies (`trustProxy`).
#pragma once

#include <fairway/config.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "base/ip_network.hpp"

namespace fw::http {

/// Whether a host, with or without a port, is this machine: "localhost" or a loopback address.
/// Names are not looked up.
bool is_loopback(std::string_view host);

/// The key by which clients are counted, from an address with an optional port: an IPv4 address, or
/// the /64 network of an IPv6 address. "other" for strings that are not addresses, because clients
/// may choose them.
std::string client_group(std::string_view address);

/// Immutable: threads may share it.
class TrustedProxies {
 public:
  /// Ignores invalid entries of `config`, which the configuration check reports.
  explicit TrustedProxies(const TrustProxy& config);

  /// The client. Views refer to the arguments.
  struct Client {
    std::string_view address;
    std::string_view protocol;  ///< as reported by a trusted proxy, or empty
    /// `is_secure`: whether the connection has TLS.
    bool uses_https(bool is_secure) const;
  };
  /// `peer` is the other end of the connection; the lists are the values of X-Forwarded-For and
  /// X-Forwarded-Proto, to whose ends each proxy appends.
  Client client(std::string_view peer, std::string_view forwarded_for,
                std::string_view forwarded_protocol) const;
  /// Whether the headers of the other end of the connection are used.
  bool trusts_peer(std::string_view peer) const;

 private:
  bool trusts(std::string_view address, int hop) const;

  TrustProxy::Mode mode_;
  int hops_;
  std::vector<base::IpNetwork> networks_;
  bool trusts_unix_ = false;
};

}  // namespace fw::http
