#include "tls_client.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <poll.h>

#include "base/ascii.hpp"

namespace fw::http::test {

TlsClientChannel::TlsClientChannel(int fd, const TlsClientOptions& options)
    : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
      ssl_(SSL_new(context_.get()), SSL_free) {
  std::signal(SIGPIPE, SIG_IGN);
  SSL* const ssl = ssl_.get();
  SSL_set_max_proto_version(ssl, options.max_version);
  if (!options.host.empty()) SSL_set_tlsext_host_name(ssl, options.host.c_str());
  if (!options.protocols.empty()) {
    std::string list;
    base::for_each_token(options.protocols, ',', [&](std::string_view protocol) {
      list.append(1, static_cast<char>(protocol.size())).append(protocol);
    });
    SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(list.data()),
                        static_cast<unsigned>(list.size()));
  }
  if (!options.groups.empty()) SSL_set1_groups_list(ssl, options.groups.c_str());
  if (options.certificate != nullptr) {
    SSL_use_certificate_file(ssl, options.certificate->certificate_file().c_str(),
                             SSL_FILETYPE_PEM);
    SSL_use_PrivateKey_file(ssl, options.certificate->key_file().c_str(), SSL_FILETYPE_PEM);
  }
  if (options.resumed != nullptr) SSL_set_session(ssl, options.resumed);
  SSL_set_fd(ssl, fd);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  is_open_ = run([&] { return SSL_connect(ssl); }) == 1;
}

/// Sends nothing, but otherwise OpenSSL would not resume the session.
TlsClientChannel::~TlsClientChannel() { SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN); }

/// Repeats an operation until it does not have to wait, or for a minute, after which errno is
/// EAGAIN. Two threads may use the channel.
template <class Operation>
int TlsClientChannel::run(const Operation& operation) {
  while (true) {
    short events = 0;
    {
      const std::lock_guard lock(mutex_);
      ERR_clear_error();
      errno = 0;
      const int result = operation();
      const int error = SSL_get_error(ssl_.get(), result);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
        ERR_clear_error();
        return result;
      }
      events = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    }
    pollfd entry{SSL_get_fd(ssl_.get()), events, 0};
    if (poll(&entry, 1, 60'000) == 1) continue;
    errno = EAGAIN;
    return -1;
  }
}

std::string TlsClientChannel::name_of_server() const {
  const X509* certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) return "(none)";
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}

ssize_t TlsClientChannel::send(std::string_view bytes) {
  const int sent =
      run([&] { return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())); });
  return sent > 0 ? sent : -1;
}

ssize_t TlsClientChannel::receive(char* buffer, std::size_t size) {
  const int received = run([&] { return SSL_read(ssl_.get(), buffer, static_cast<int>(size)); });
  if (received > 0) return received;
  if (errno == EAGAIN) return -1;
  // As with a socket: 0 is an end that was announced.
  if (has_clean_end()) return 0;
  errno = ECONNRESET;
  return -1;
}

void TlsClientChannel::end_sending() {
  const std::lock_guard lock(mutex_);
  SSL_shutdown(ssl_.get());
}

bool TlsClientChannel::has_clean_end() const {
  return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

}  // namespace fw::http::test
