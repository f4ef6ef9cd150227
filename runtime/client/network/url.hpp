// The URLs of outbound requests.
#pragma once

#include <string>
#include <string_view>

namespace fw::client {

/// An absolute http or https URL.
struct Url {
  std::string text;    ///< normalised, without fragment; with the host localhost for a unix socket
  std::string origin;  ///< scheme, host and port: "https://api.example.com:443"
  std::string unix_socket;  ///< path of the socket to connect to instead of the host, or empty
  bool is_https() const { return origin.starts_with("https:"); }
  /// "/path?query"
  std::string_view target() const {
    return std::string_view(text).substr(text.find('/', text.find("://") + 3));
  }
};

/// Throws std::invalid_argument if the text is not an absolute http or https URL, or contains a
/// user name, and std::runtime_error if libcurl, which parses it, cannot be loaded. The bytes of
/// the query are kept.
Url parse_url(std::string_view text);

/// Resolves `reference`, such as a Location, relative to `base`. Throws like `parse_url`.
Url resolve_url(const Url& base, std::string_view reference);

/// The URL of a server and the socket that it listens on, if any.
struct BaseUrl {
  std::string text;         ///< with the host localhost for a unix socket
  std::string unix_socket;  ///< an absolute path, or empty
};

/// The base URL of a configuration: `http://unix:/run/app.sock:/path` is `/path` on a server on a
/// unix socket. URLs of calls cannot have this form, because they may come from others. Throws like
/// `parse_url`.
BaseUrl parse_base_url(std::string_view text);

/// Makes the request go to a server on a unix socket. Throws std::invalid_argument unless `path` is
/// absolute.
void use_unix_socket(Url& url, std::string path);

}  // namespace fw::client
