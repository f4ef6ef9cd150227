#include "base/ip_network.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <string>

#include "base/parse_number.hpp"

namespace fw::base {

std::string_view without_port(std::string_view address) {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const auto colon = address.find(':');
  const bool is_port =
      colon != std::string_view::npos && address.find(':', colon + 1) == std::string_view::npos;
  return is_port ? address.substr(0, colon) : address;
}

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
  const auto prefix = slash == std::string_view::npos
                          ? std::optional(most)
                          : parse_number<unsigned>(text.substr(slash + 1));
  if (!prefix || *prefix > most) return std::nullopt;
  IpNetwork network;
  network.bytes_ = *bytes;
  network.prefix_ = *prefix + (128 - most);
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

}  // namespace fw::base
