// The certificates that servers are verified with.
#pragma once

#include <curl/curl.h>
#include <memory>
#include <openssl/ossl_typ.h>
#include <string>
#include <string_view>

namespace fw::client {

/// Whether a TLS library of libcurl, "OpenSSL/3.0.19", has the same structures as this program's.
bool is_openssl_of_this_program(std::string_view backend);

/// The same for the TLS library that libcurl uses.
bool is_libcurl_with_openssl_of_this_program();

/// Reads the certificates once for all connections, because reading them takes longer than a call.
/// Used by one thread.
class TrustedCertificates {
 public:
  /// The certificates of a PEM file, or of the system if `file` is empty.
  explicit TrustedCertificates(std::string file) : file_(std::move(file)) {}
  TrustedCertificates(const TrustedCertificates&) = delete;
  TrustedCertificates& operator=(const TrustedCertificates&) = delete;

  /// Verifies the server of `curl`, which must not outlive this.
  void use_for(CURL* curl);

 private:
  struct StoreDeleter {
    void operator()(X509_STORE* store) const;
  };

  static CURLcode configure(CURL* curl, void* context, void* certificates);
  void read(const char* file, const char* directory);

  const std::string file_;
  std::unique_ptr<X509_STORE, StoreDeleter> store_;  ///< null if the certificates cannot be read
};

}  // namespace fw::client
