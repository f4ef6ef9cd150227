// The TLS settings of a server: certificates by host name, protocol versions, resumption.
#pragma once

#include <fairway/config.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/secure_channel.hpp"

namespace fw::http {

/// An error in the files of the configuration.
struct TlsError {
  std::string pointer;  ///< "/certificate", "/hosts/shop.example.com/key"
  std::string message;
};

/// What an operator must know while the server runs: certificates that were loaded, that could not
/// be, and that end soon. Called on any thread; must not throw.
struct TlsReport {
  std::function<void(const std::string&)> inform;
  std::function<void(const std::string&)> warn;
};

/// Loads and checks the certificates. Returns null and adds to `errors` if it cannot. It looks
/// every two seconds whether files have changed, and uses them for new connections if they are
/// correct; otherwise it reports it and keeps the earlier ones. It reports a certificate that ends
/// within 14 days once a day. `ticket_secret` is a file of `make_ticket_secret_file`, or -1 for a
/// secret of its own. `offers_http2`: clients may choose HTTP/2 (ALPN); they may always choose
/// HTTP/1.1. Without FAIRWAY_TLS, the only result is an error.
std::shared_ptr<SecureServer> make_tls_server(const TlsConfig& config, int ticket_secret,
                                              TlsReport report, std::vector<TlsError>& errors,
                                              bool offers_http2 = false);

/// A line for each certificate: "tls/shop.pem: CN=shop.example.com, for shop.example.com, valid
/// until 2027-01-31", or what is wrong with it.
std::vector<std::string> describe_certificates(const TlsConfig& config);

/// A secret of session tickets, in an anonymous file, for processes that share it. Only on Linux.
FileDescriptor make_ticket_secret_file();

/// Whether this build has TLS.
bool has_tls();

/// Makes the next `refresh` of all servers of the process load the files even if they look
/// unchanged. May be called by a signal handler.
void request_certificate_reload() noexcept;

}  // namespace fw::http
