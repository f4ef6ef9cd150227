// A client of TLS for the tests, on a blocking socket.
#pragma once

#include <memory>
#include <mutex>
#include <openssl/ssl.h>
#include <string>
#include <string_view>

#include "loopback.hpp"
#include "support/certificates.hpp"

namespace fw::http::test {

struct TlsClientOptions {
  std::string host = "localhost";  ///< for SNI; empty: none
  int max_version = TLS1_3_VERSION;
  std::string protocols = {};      ///< for ALPN: "h2,http/1.1"; empty: none
  std::string groups = {};         ///< for the key exchange; empty: OpenSSL's
  SSL_SESSION* resumed = nullptr;  ///< a session to resume
  /// The certificate of the client.
  const fw::test::TestCertificate* certificate = nullptr;
};

class TlsClientChannel final : public ClientChannel {
 public:
  /// Performs the handshake; `is_open` says whether it succeeded. Verifies no certificate.
  explicit TlsClientChannel(int fd, const TlsClientOptions& options = {});
  ~TlsClientChannel() override;

  bool is_open() const { return is_open_; }
  SSL* get() const { return ssl_.get(); }
  /// The common name of the certificate of the server.
  std::string name_of_server() const;

  ssize_t send(std::string_view bytes) override;
  ssize_t receive(char* buffer, std::size_t size) override;
  /// Sends close_notify.
  void end_sending() override;
  /// Whether the server has sent close_notify.
  bool has_clean_end() const;

 private:
  template <class Operation>
  int run(const Operation& operation);

  std::mutex mutex_;  ///< guards ssl_
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  bool is_open_ = false;
};

}  // namespace fw::http::test
