// Web origins (RFC 6454): the scheme, host and port that a page comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fw::base {

/// Whether the text can be the host of a URL: a name, an IPv4 address, or an IPv6 address in
/// brackets.
bool is_host(std::string_view text);

/// "https://app.example:8443" in the form of browsers: in lower case, without the default port of
/// the scheme. Empty for a string with a path, without a scheme, or with an invalid host.
std::optional<std::string> parse_origin(std::string_view text);

/// "example.com:80", and with brackets for an IPv6 address: "[::1]:80". `host` has none.
std::string host_and_port(std::string_view host, std::uint16_t port);

}  // namespace fw::base
