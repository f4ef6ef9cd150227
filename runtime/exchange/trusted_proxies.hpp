// Which client a request comes from, when proxies say it (`trustProxy`).
#pragma once

#include <fairway/config.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::detail {

/// An IP address or network. IPv4 addresses are kept in their mapped form (::ffff:0:0/96), so that
/// both spellings are the same address.
class IpNetwork {
 public:
  /// "10.0.0.0/8", "::1"; nothing for another string.
  static std::optional<IpNetwork> parse(std::string_view text);

  /// `address` is one address; a port after it, as some proxies add one, is ignored.
  bool contains(std::string_view address) const;

 private:
  using Bytes = std::array<std::uint8_t, 16>;
  static std::optional<Bytes> parse_address(std::string_view text);

  Bytes bytes_{};
  unsigned prefix_ = 0;  ///< bits of `bytes_` that count
};

/// The entry of `trustProxy` for clients of a unix socket, which have no address.
inline constexpr std::string_view kUnixClients = "unix";

/// What counts as one client of an address, which may have a port: an IPv4 address, or the /64
/// network of an IPv6 one. "other" for a string that is no address, which a client may choose.
std::string client_group(std::string_view address);

/// Immutable: threads may share it.
class TrustedProxies {
 public:
  /// Entries of `config` that are no networks are ignored: the configuration has been checked.
  explicit TrustedProxies(const TrustProxy& config);

  /// What is known of the client. Views are parts of the arguments.
  struct Client {
    std::string_view address;
    std::string_view protocol;  ///< as a proxy says; empty when none that is trusted does
  };
  /// `peer` is the other end of the connection; the lists are the values of X-Forwarded-For and
  /// X-Forwarded-Proto, to whose ends each proxy appends.
  Client client(std::string_view peer, std::string_view forwarded_for,
                std::string_view forwarded_protocol) const;

 private:
  bool trusts(std::string_view address, int hop) const;

  TrustProxy::Mode mode_;
  int hops_;
  std::vector<IpNetwork> networks_;
  bool trusts_unix_ = false;
};

}  // namespace fw::detail
