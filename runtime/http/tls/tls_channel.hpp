// The encryption of one connection, with OpenSSL.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <openssl/bio.h>
#include <utility>

#include "http/secure_channel.hpp"

namespace fw::http {

struct FreeSsl {
  void operator()(SSL* ssl) const;
};

class TlsChannel final : public SecureChannel {
 public:
  /// `certificates` lives as long as the channel, because callbacks of the context use it.
  TlsChannel(std::shared_ptr<const void> certificates, SSL_CTX* context, int fd)
      : certificates_(std::move(certificates)), context_(context), fd_(fd) {}

  Received receive(std::span<char> buffer) override;
  IoStatus send_some(std::span<const iovec> parts, std::size_t& sent) override;
  bool has_more_input() const override { return has_more_input_.load(); }
  bool has_begun_to_send() const override { return has_begun_to_send_.load(); }
  bool is_established() const override { return state_.load() == State::established; }
  bool has_agreed_on_http2() const override { return has_agreed_on_http2_.load(); }
  std::shared_ptr<const ClientCertificate> client_certificate() const override;
  bool waits_for_output() const override { return waits_for_output_.load(); }
  bool is_cleartext() const override { return state_.load() == State::cleartext; }
  void close_output() noexcept override;

 private:
  enum class State {
    new_client,  ///< nothing has arrived
    handshake,
    established,
    cleartext,  ///< the client does not use TLS
    failed,
  };

  static const BIO_METHOD* socket_method();
  static int read_socket(BIO* bio, char* data, int size);
  static int write_socket(BIO* bio, const char* data, int size);
  static void count_key_updates(int is_sent, int, int type, const void* message, std::size_t size,
                                SSL*, void* channel);
  Received receive_first();
  void begin_handshake();
  IoStatus status_of(int result);
  IoStatus send_record(std::span<const char> bytes, std::size_t& written);

  const std::shared_ptr<const void> certificates_;
  SSL_CTX* const context_;
  mutable std::mutex mutex_;           ///< guards the members up to `fd_`
  std::unique_ptr<SSL, FreeSsl> ssl_;  ///< from the first byte on, so that waiting costs nothing
  bool socket_is_empty_ = false;       ///< a read of this call of `receive` was short
  std::shared_ptr<const ClientCertificate> client_certificate_;
  std::ptrdiff_t left_to_read_ = 0;  ///< bytes of the socket, in this call of `receive`
  std::uint64_t received_ = 0;       ///< bytes of data
  std::uint64_t key_updates_ = 0;    ///< of the client
  const int fd_;
  std::atomic<State> state_{State::new_client};
  std::atomic<bool> has_agreed_on_http2_{false};
  std::atomic<bool> has_begun_to_send_{false};
  std::atomic<bool> waits_for_output_{false};
  std::atomic<bool> has_more_input_{false};
};

}  // namespace fw::http
