// A connection to a Redis server: a socket, plain or with TLS.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "http/socket.hpp"
#include "store/redis/redis_url.hpp"
#include "store/redis/tls_codec.hpp"

namespace fw::detail {

/// One thread may send while another receives. Errors are StoreErrors.
class RedisTransport {
 public:
  using Clock = std::chrono::steady_clock;

  /// Connects, with the TLS handshake where the URL says so. Looking a host up may take longer than
  /// until the deadline.
  RedisTransport(const RedisUrl& url, const std::string& ca_file, Clock::time_point deadline);

  void send(std::string_view bytes, Clock::time_point deadline);
  /// Appends what has arrived, without waiting. False when the server has closed the connection.
  bool receive(std::string& bytes);
  /// Waits until something arrives; false when the deadline has passed.
  bool wait_readable(Clock::time_point deadline) const;
  /// Ends the connection for both directions; calls that wait return.
  void shut_down() const;

 private:
  void shake_hands(Clock::time_point deadline);
  void send_raw(std::string_view bytes, Clock::time_point deadline) const;
  /// Receives what is there; nothing when the connection has ended.
  std::optional<std::string_view> receive_raw();

  http::FileDescriptor socket_;
  std::unique_ptr<TlsCodec> tls_;
  std::mutex tls_mutex_;
  std::string buffer_;
};

}  // namespace fw::detail
