// The certificate that a client has shown (docs/tls.md).
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace fw {

/// A certificate of a client. The server has verified that one of the authorities of
/// `server.tls.clientCertificates.ca` has issued it, and that the client has its private key.
struct ClientCertificate {
  std::string subject = {};             ///< in the form of RFC 2253: "CN=billing,O=Example"
  std::vector<std::string> names = {};  ///< hosts, addresses, mailboxes and URIs that it is for
  std::string fingerprint = {};         ///< SHA-256 of the certificate, in lower-case hexadecimal
  std::chrono::system_clock::time_point end = {};  ///< it is not valid after this time
};

}  // namespace fw
