#include "client/public_address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <span>
#include <sys/socket.h>

namespace fw::client {
namespace {

struct Network4 {
  std::array<std::uint8_t, 4> bytes;
  unsigned prefix;
};
struct Network6 {
  std::array<std::uint8_t, 16> bytes;
  unsigned prefix;
};

constexpr std::array kNotPublic4 = {
    Network4{{0, 0, 0, 0}, 8},         // this network
    Network4{{10, 0, 0, 0}, 8},        // private
    Network4{{100, 64, 0, 0}, 10},     // of carriers
    Network4{{127, 0, 0, 0}, 8},       // loopback
    Network4{{168, 63, 129, 16}, 32},  // the platform of a cloud
    Network4{{169, 254, 0, 0}, 16},    // link-local, with the metadata services of clouds
    Network4{{172, 16, 0, 0}, 12},     // private
    Network4{{192, 0, 0, 0}, 24},      // of protocols
    Network4{{192, 0, 2, 0}, 24},      // documentation
    Network4{{192, 88, 99, 0}, 24},    // relays
    Network4{{192, 168, 0, 0}, 16},    // private
    Network4{{198, 18, 0, 0}, 15},     // benchmarks
    Network4{{198, 51, 100, 0}, 24},   // documentation
    Network4{{203, 0, 113, 0}, 24},    // documentation
    Network4{{224, 0, 0, 0}, 4},       // multicast
    Network4{{240, 0, 0, 0}, 4},       // reserved, broadcast
};
/// All unicast addresses that are assigned; the others are local, mapped, or reserved.
constexpr Network6 kGlobal6{{0x20}, 3};
constexpr std::array kNotPublic6 = {
    Network6{{0x20, 0x01}, 23},              // of protocols, with Teredo
    Network6{{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    Network6{{0x20, 0x02}, 16},              // 6to4, which contains any IPv4 address
    Network6{{0x3f, 0xff}, 20},              // documentation
};
/// Translated to the IPv4 address at the end (NAT64).
constexpr Network6 kTranslated{{0x00, 0x64, 0xff, 0x9b}, 96};

using Bytes = std::span<const std::uint8_t>;

bool contains(const auto& network, Bytes address) {
  for (unsigned bit = 0; bit < network.prefix; bit += 8) {
    const unsigned bits = std::min(network.prefix - bit, 8U);
    const unsigned mask = 0xFFU << (8 - bits) & 0xFFU;
    if (((network.bytes[bit / 8] ^ address[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

bool is_in_one_of(const auto& networks, Bytes address) {
  return std::any_of(networks.begin(), networks.end(),
                     [&](const auto& network) { return contains(network, address); });
}

bool is_public4(Bytes address) { return !is_in_one_of(kNotPublic4, address); }

bool is_public6(Bytes address) {
  if (contains(kTranslated, address)) return is_public4(address.subspan(12));
  return contains(kGlobal6, address) && !is_in_one_of(kNotPublic6, address);
}

Bytes bytes_of(const auto& address) {
  return {reinterpret_cast<const std::uint8_t*>(&address), sizeof address};
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    return is_public4(bytes_of(reinterpret_cast<const sockaddr_in&>(address).sin_addr));
  }
  if (address.sa_family == AF_INET6) {
    return is_public6(bytes_of(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr));
  }
  return false;
}

bool is_public_address(const std::string& address) {
  in_addr four{};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return is_public4(bytes_of(four));
  in6_addr six{};
  return inet_pton(AF_INET6, address.c_str(), &six) == 1 && is_public6(bytes_of(six));
}

}  // namespace fw::client
