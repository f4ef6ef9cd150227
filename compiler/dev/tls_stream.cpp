#include "dev/tls_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "files/user_error.hpp"

namespace fairway::dev {
namespace {

int clamped(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

}  // namespace

void TlsStream::Free::operator()(ssl_st* session) const { SSL_free(session); }

TlsStream::TlsStream(ssl_ctx_st* context, int descriptor) : session_(SSL_new(context)) {
  if (!session_ || SSL_set_fd(session_.get(), descriptor) != 1) throw std::bad_alloc();
  SSL_set_accept_state(session_.get());
}

ssize_t TlsStream::receive(char* buffer, std::size_t size) {
  ERR_clear_error();
  return result_of(SSL_read(session_.get(), buffer, clamped(size)));
}

ssize_t TlsStream::send(const char* bytes, std::size_t size) {
  ERR_clear_error();
  return result_of(SSL_write(session_.get(), bytes, clamped(size)));
}

ssize_t TlsStream::result_of(int result) {
  waits_for_output_ = false;
  if (result > 0) return result;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_WRITE:
      waits_for_output_ = true;
      [[fallthrough]];
    case SSL_ERROR_WANT_READ:
      errno = EAGAIN;
      return -1;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    default:
      errno = ECONNRESET;
      return -1;
  }
}

bool TlsStream::has_pending() const { return SSL_pending(session_.get()) > 0; }

void TlsStream::end_output() {
  ERR_clear_error();
  if (SSL_is_init_finished(session_.get()) == 1) SSL_shutdown(session_.get());
}

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

TlsContext::TlsContext(const LocalCertificate& files) : context_(SSL_CTX_new(TLS_server_method())) {
  SSL_CTX* const context = context_.get();
  if (context == nullptr) throw std::bad_alloc();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const bool is_loaded =
      SSL_CTX_use_certificate_file(context, files.certificate.c_str(), SSL_FILETYPE_PEM) == 1 &&
      SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) == 1;
  if (!is_loaded) {
    throw UserError(
        fmt::format("--https: the certificate '{}' cannot be used", files.certificate.string()));
  }
}

std::unique_ptr<TlsStream> TlsContext::accept(int descriptor) const {
  return std::make_unique<TlsStream>(context_.get(), descriptor);
}

}  // namespace fairway::dev
