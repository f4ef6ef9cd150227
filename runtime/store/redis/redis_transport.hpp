// A connection to a Redis server, with or without TLS.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/redis_url.hpp"
#include "http/socket.hpp"

namespace fw::store {

// tls_codec.cpp

/// A TLS client without a socket: converts between encrypted and plain bytes. Not thread-safe.
/// Errors of OpenSSL become StoreErrors with the reason.
class TlsCodec {
 public:
  /// The certificate of the server must be valid for `host`. `ca_file` contains the trusted
  /// certificates; empty for the certificates of the system.
  TlsCodec(const std::string& host, const std::string& ca_file);
  ~TlsCodec();
  TlsCodec(const TlsCodec&) = delete;
  TlsCodec& operator=(const TlsCodec&) = delete;

  /// Continues the handshake and returns whether it is complete. take_output returns the bytes to
  /// send.
  bool shake_hands();
  void encrypt(std::string_view plain);
  /// Decrypts bytes from the socket and appends the plain text. Returns false if the peer has ended
  /// the connection.
  bool decrypt(std::string_view received, std::string& plain);
  /// The bytes to send.
  std::string take_output();

  /// Adds bytes from the socket for shake_hands.
  void feed(std::string_view received);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// redis_transport.cpp

/// One thread may send while another one receives. All functions throw StoreError.
class RedisTransport {
 public:
  using Clock = std::chrono::steady_clock;

  /// Connects, with a TLS handshake if the URL requires it. The lookup of the host may exceed the
  /// deadline.
  RedisTransport(const base::RedisUrl& url, const std::string& ca_file, Clock::time_point deadline);

  void send(std::string_view bytes, Clock::time_point deadline);
  /// Appends the available bytes without blocking. Returns false if the server has closed the
  /// connection.
  bool receive(std::string& bytes);
  /// Waits until bytes arrive; returns false if the deadline expires.
  bool wait_readable(Clock::time_point deadline) const;
  /// For poll.
  int descriptor() const { return socket_.get(); }
  /// Shuts down both directions, so that waiting calls return.
  void shut_down() const;

 private:
  void shake_hands(Clock::time_point deadline);
  void send_raw(std::string_view bytes, Clock::time_point deadline) const;
  /// Receives the available bytes; empty if the connection has ended.
  std::optional<std::string_view> receive_raw();

  http::FileDescriptor socket_;
  std::unique_ptr<TlsCodec> tls_;
  std::mutex tls_mutex_;
  std::string buffer_;
};

}  // namespace fw::store
