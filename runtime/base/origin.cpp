#include "base/origin.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"

namespace fw::base {
namespace {

bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '+' || c == '-' || c == '.'; });
}

std::optional<unsigned> parse_port(std::string_view digits) {
  const auto port = parse_number<unsigned>(digits);
  return port && *port > 0 && *port <= 65'535 ? port : std::nullopt;
}

}  // namespace

bool is_host(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) {
    const std::string_view address = text.substr(1, text.size() - 2);
    return !address.empty() && std::all_of(address.begin(), address.end(), [](char c) {
      return is_hex_digit(c) || c == ':' || c == '.';
    });
  }
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
  });
}

std::optional<std::string> parse_origin(std::string_view text) {
  constexpr std::string_view kSeparator = "://";
  const auto separator = text.find(kSeparator);
  if (separator == std::string_view::npos) return std::nullopt;
  const std::string scheme = lower_case(text.substr(0, separator));
  std::string_view host = text.substr(separator + kSeparator.size());
  const auto colon = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  std::optional<unsigned> port;
  if (colon != std::string_view::npos) {
    port = parse_port(host.substr(colon + 1));
    if (!port) return std::nullopt;
    host = host.substr(0, colon);
  }
  if (!is_scheme(scheme) || !is_host(host)) return std::nullopt;
  const bool is_default = (scheme == "http" && port == 80U) || (scheme == "https" && port == 443U);
  std::string origin = scheme + std::string(kSeparator) + lower_case(host);
  if (port && !is_default) origin += ":" + std::to_string(*port);
  return origin;
}

std::string host_and_port(std::string_view host, std::uint16_t port) {
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  const std::string name(host);
  return (is_ipv6 ? "[" + name + "]" : name) + ":" + std::to_string(port);
}

}  // namespace fw::base
