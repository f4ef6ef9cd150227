// The URLs of outbound requests.
#pragma once

#include <string>
#include <string_view>

namespace fw::outbound {

/// An absolute http or https URL.
struct Url {
  std::string text;         ///< normalised, without fragment; of a unix socket, with host localhost
  std::string origin;       ///< scheme, host and port: "https://api.example.com:443"
  std::string unix_socket;  ///< path to connect to instead of the host; or empty
  bool is_https() const { return origin.starts_with("https:"); }
};

/// `http://unix:/run/app.sock:/path` is a path behind a unix socket. Throws std::invalid_argument
/// for what is no absolute http or https URL, and for one with a user name.
Url parse_url(std::string_view text);

/// What `reference`, a Location, means seen from `base`. Throws as `parse_url`.
Url resolve_url(const Url& base, std::string_view reference);

}  // namespace fw::outbound
