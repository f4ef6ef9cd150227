// The URLs of outbound requests.
#pragma once

#include <string>
#include <string_view>

namespace fw::outbound {

/// An absolute http or https URL.
struct Url {
  std::string text;    ///< normalised, without fragment; with the host localhost for a unix socket
  std::string origin;  ///< scheme, host and port: "https://api.example.com:443"
  std::string unix_socket;  ///< path of the socket to connect to instead of the host, or empty
  bool is_https() const { return origin.starts_with("https:"); }
  /// "api.example.com:8080"; without the port if the URL has none.
  std::string_view authority() const {
    const std::size_t begin = authority_begin();
    return std::string_view(text).substr(begin, text.find('/', begin) - begin);
  }
  /// "/path?query"
  std::string_view target() const {
    return std::string_view(text).substr(text.find('/', authority_begin()));
  }

 private:
  std::size_t authority_begin() const { return text.find("://") + 3; }
};

/// `http://unix:/run/app.sock:/path` is `/path` on a server on a unix socket. Throws
/// std::invalid_argument if the text is not an absolute http or https URL, or contains a user name.
Url parse_url(std::string_view text);

/// Resolves `reference`, such as a Location, relative to `base`. Throws like `parse_url`.
Url resolve_url(const Url& base, std::string_view reference);

}  // namespace fw::outbound
