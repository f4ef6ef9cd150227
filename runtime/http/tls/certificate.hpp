// Certificates and private keys of a server, from PEM files.
#pragma once

#include <fairway/client_certificate.hpp>
#include <fairway/config.hpp>

#include <chrono>
#include <memory>
#include <openssl/types.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::http {

struct FreeSslContext {
  void operator()(SSL_CTX* context) const;
};
using SslContext = std::unique_ptr<SSL_CTX, FreeSslContext>;

/// What is wrong with the files of a certificate.
struct CertificateError {
  std::string_view member;  ///< "certificate" or "key"
  std::string message;      ///< begins with the path
};

/// What an operator needs to know of a certificate.
struct CertificateFacts {
  std::string subject;
  std::vector<std::string> names;             ///< host names and IP addresses
  std::chrono::system_clock::time_point end;  ///< not valid after it
};

/// Gives the context a certificate and its key. Returns the errors: a file that cannot be read, a
/// key that does not fit, a chain whose certificates did not sign each other, a certificate that is
/// not valid at this time, or one that OpenSSL considers too weak.
std::vector<CertificateError> load_certificate(SSL_CTX& context, const TlsCertificateConfig& files);

/// The facts of the context's certificate. The context must have one.
CertificateFacts facts_of(const SSL_CTX& context);

/// Makes the context ask clients for certificates of these authorities, and refuse handshakes with
/// others. Returns what is wrong with the file, if anything, beginning with its path.
std::optional<std::string> ask_for_certificates(SSL_CTX& context,
                                                const TlsClientCertificatesConfig& config);
/// The facts of the authorities whose certificates the context asks for.
std::vector<CertificateFacts> facts_of_authorities(const SSL_CTX& context);

/// The certificate that the client has shown in a complete handshake; null if it has shown none.
std::shared_ptr<const ClientCertificate> certificate_of_client(const SSL& connection);

/// "2027-01-31"
std::string date_of(std::chrono::system_clock::time_point time);

}  // namespace fw::http
