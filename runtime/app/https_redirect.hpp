// The port for cleartext that redirects to HTTPS: `server.tls.redirectFrom`.
#pragma once

#include <cstdint>
#include <memory>

#include "exchange/environment.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

/// Responds to each request with 308 and the same URL with https. The destructor closes the port.
class HttpsRedirect {
 public:
  /// `https_port` is the port of the server. `env` must outlive it. Throws std::system_error if the
  /// port cannot be opened.
  HttpsRedirect(const Environment& env, std::uint16_t https_port);

 private:
  std::unique_ptr<http::Adapter> adapter_;
};

/// The URL to redirect to: "https://shop.example.com/orders?page=2". Empty if `host`, the field of
/// the request, is not a host with an optional port, or `target` is not a path.
std::string https_url(std::string_view host, std::string_view target, std::uint16_t https_port);

}  // namespace fw::detail
