#include <fairway/store.hpp>

#include <array>
#include <cstddef>

#include "crypto/openssl.hpp"
#include "store/redis/redis_transport.hpp"

namespace fw::store {
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::string reason;
  if (const auto code = ERR_get_error(); code != 0) {
    std::array<char, 256> text{};
    ERR_error_string_n(code, text.data(), text.size());
    reason = ": " + std::string(text.data());
  }
  ERR_clear_error();
  throw StoreError("Redis: " + what + reason);
}

}  // namespace

struct TlsCodec::State {
  struct FreeContext {
    void operator()(SSL_CTX* ssl) const { SSL_CTX_free(ssl); }
  };
  struct FreeSession {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  std::unique_ptr<SSL_CTX, FreeContext> context;
  std::unique_ptr<SSL, FreeSession> session;
  BIO* input = nullptr;   // of the session
  BIO* output = nullptr;  // likewise
};

TlsCodec::TlsCodec(const std::string& host, const std::string& ca_file)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.context.reset(SSL_CTX_new(TLS_client_method()));
  if (!state.context) fail("TLS cannot be used");
  SSL_CTX_set_min_proto_version(state.context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(state.context.get(), SSL_VERIFY_PEER, nullptr);
  const int loaded = ca_file.empty() ? SSL_CTX_set_default_verify_paths(state.context.get())
                                     : SSL_CTX_load_verify_locations(state.context.get(),
                                                                     ca_file.c_str(), nullptr);
  if (loaded != 1) fail("the trusted certificates cannot be read");
  state.session.reset(SSL_new(state.context.get()));
  state.input = BIO_new(BIO_s_mem());
  state.output = BIO_new(BIO_s_mem());
  if (!state.session || state.input == nullptr || state.output == nullptr) {
    fail("TLS cannot be used");
  }
  SSL_set_bio(state.session.get(), state.input, state.output);
  SSL_set_connect_state(state.session.get());
  // Addresses in certificates are checked in another way than names.
  X509_VERIFY_PARAM* const parameters = SSL_get0_param(state.session.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host.c_str()) != 1) {
    ERR_clear_error();
    SSL_set_tlsext_host_name(state.session.get(), host.c_str());
    if (SSL_set1_host(state.session.get(), host.c_str()) != 1) fail("TLS cannot be used");
  }
}

TlsCodec::~TlsCodec() = default;

void TlsCodec::feed(std::string_view received) {
  BIO_write(state_->input, received.data(), static_cast<int>(received.size()));
}

bool TlsCodec::shake_hands() {
  ERR_clear_error();
  const int result = SSL_do_handshake(state_->session.get());
  if (result == 1) return true;
  if (SSL_get_error(state_->session.get(), result) != SSL_ERROR_WANT_READ) {
    fail("the TLS handshake failed");
  }
  return false;
}

void TlsCodec::encrypt(std::string_view plain) {
  ERR_clear_error();
  std::size_t written = 0;
  if (!plain.empty() &&
      SSL_write_ex(state_->session.get(), plain.data(), plain.size(), &written) != 1) {
    fail("TLS failed");
  }
}

bool TlsCodec::decrypt(std::string_view received, std::string& plain) {
  ERR_clear_error();
  feed(received);
  std::array<char, 16 * 1024> buffer;
  std::size_t size = 0;
  while (SSL_read_ex(state_->session.get(), buffer.data(), buffer.size(), &size) == 1) {
    plain.append(buffer.data(), size);
  }
  return SSL_get_error(state_->session.get(), 0) == SSL_ERROR_WANT_READ;
}

std::string TlsCodec::take_output() {
  std::string bytes(BIO_ctrl_pending(state_->output), '\0');
  if (!bytes.empty()) BIO_read(state_->output, bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

}  // namespace fw::store
