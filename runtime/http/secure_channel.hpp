// The boundary to TLS: engines know encrypted connections by these interfaces only.
#pragma once

#include <fairway/client_certificate.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <sys/uio.h>

#include "http/socket.hpp"

namespace fw::http {

/// The encryption of one connection. It does not own the socket. Thread-safe, because one thread
/// may respond while another reads the body.
class SecureChannel {
 public:
  virtual ~SecureChannel() = default;

  /// Like `http::receive`: a result smaller than the buffer means that nothing else has arrived,
  /// unless `has_more_input`.
  /// The first calls perform the handshake, during which they return `would_block`.
  virtual Received receive(std::span<char> buffer) = 0;
  /// Whether the last call of `receive` has ended before the socket was empty, because the client
  /// sends far more bytes than data.
  virtual bool has_more_input() const = 0;
  /// Like `http::send_some`. After `would_block`, the next call must begin with the bytes that were
  /// not sent, because a part of them may be encrypted already: see `has_begun_to_send`.
  virtual IoStatus send_some(std::span<const iovec> parts, std::size_t& sent) = 0;
  /// Whether the last call of `send_some` has encrypted bytes that it did not count as sent.
  virtual bool has_begun_to_send() const = 0;
  /// Whether the handshake is complete.
  virtual bool is_established() const = 0;
  /// Whether client and server have agreed on HTTP/2 (ALPN).
  virtual bool has_agreed_on_http2() const = 0;
  /// The certificate that the client has shown; null if it has shown none, or before the handshake
  /// is complete. It does not change afterwards.
  virtual std::shared_ptr<const ClientCertificate> client_certificate() const = 0;
  /// Whether `receive` returned `would_block` because the socket had no room for the handshake.
  virtual bool waits_for_output() const = 0;
  /// Whether the client's first bytes are a request without TLS, which must get an error in
  /// cleartext. The channel is of no use then, and these bytes are unread.
  virtual bool is_cleartext() const = 0;
  /// Tells the client that no more will be sent, so that it can tell the end from a broken
  /// connection.
  virtual void close_output() noexcept = 0;
};

/// The TLS settings of a server.
class SecureServer {
 public:
  virtual ~SecureServer() = default;
  /// The channel of a new connection. Thread-safe. Throws std::bad_alloc.
  virtual std::unique_ptr<SecureChannel> accept(int fd) = 0;
  /// Looks for changed certificates; called regularly by one thread at a time.
  virtual void refresh() noexcept = 0;
};

}  // namespace fw::http
