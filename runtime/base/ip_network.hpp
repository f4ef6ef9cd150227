// IP addresses and networks, as configuration and headers of proxies spell them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fw::base {

/// What stands for the address of clients of a unix socket, which have none.
inline constexpr std::string_view kUnixClients = "unix";

/// "[::1]:80" and "192.0.2.1:80" without brackets and port.
std::string_view without_port(std::string_view address);

/// An IP address or network. IPv4 addresses are kept in their mapped form (::ffff:0:0/96), so that
/// both spellings are the same address.
class IpNetwork {
 public:
  /// Parses "10.0.0.0/8" or "::1"; empty for other strings.
  static std::optional<IpNetwork> parse(std::string_view text);

  /// `address` is one address; a port after it, as some proxies add one, is ignored.
  bool contains(std::string_view address) const;

 private:
  using Bytes = std::array<std::uint8_t, 16>;
  static std::optional<Bytes> parse_address(std::string_view text);

  Bytes bytes_{};
  unsigned prefix_ = 0;  ///< number of significant bits of `bytes_`
};

}  // namespace fw::base
