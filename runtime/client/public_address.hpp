// Which addresses belong to the public Internet, for calls to URLs that come from others.
#pragma once

#include <string>

struct sockaddr;

namespace fw::client {

/// Whether the address can belong to a public server. False for addresses of this machine, of
/// local networks and of links, for multicast and reserved ones (IANA's special-purpose address
/// registries), and for IPv6 forms of such IPv4 addresses.
bool is_public_address(const sockaddr& address);
/// The same for an address as text; false for other texts.
bool is_public_address(const std::string& address);

}  // namespace fw::client
