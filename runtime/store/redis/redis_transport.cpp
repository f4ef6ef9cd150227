#include "store/redis/redis_transport.hpp"

#include <fairway/store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>

namespace fw::store {
namespace {

using Clock = RedisTransport::Clock;
using std::chrono::milliseconds;

constexpr std::size_t kBufferSize = 64 * 1024;

milliseconds remaining(Clock::time_point deadline) {
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(deadline - Clock::now()));
}

[[noreturn]] void fail_to_connect(const base::RedisUrl& url, std::string_view reason) {
  const std::string address =
      url.unix_socket.empty() ? fmt::format("{}:{}", url.host, url.port) : url.unix_socket;
  throw StoreError(fmt::format("Redis: cannot connect to {}: {}", address, reason));
}

/// Connects the socket. Returns the error, or an empty string.
std::string connect(const http::FileDescriptor& socket, const sockaddr* address, socklen_t size,
                    Clock::time_point deadline) {
  if (!socket) return std::strerror(errno);
  if (::connect(socket.get(), address, size) == 0) return "";
  if (errno != EINPROGRESS && errno != EINTR) return std::strerror(errno);
  http::wait_writable(socket.get(), remaining(deadline));
  if (Clock::now() >= deadline) return "timed out";
  int error = 0;
  socklen_t error_size = sizeof error;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &error_size);
  return error == 0 ? "" : std::strerror(error);
}

http::FileDescriptor connect_unix(const base::RedisUrl& url, Clock::time_point deadline) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (url.unix_socket.size() >= sizeof address.sun_path) {
    fail_to_connect(url, "the path is too long");
  }
  url.unix_socket.copy(address.sun_path, sizeof address.sun_path - 1);
  auto socket = http::open_socket(AF_UNIX);
  const std::string error =
      connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address, deadline);
  if (!error.empty()) fail_to_connect(url, error);
  return socket;
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

http::FileDescriptor connect_host(const base::RedisUrl& url, Clock::time_point deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failure =
      getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &list);
  if (failure != 0) fail_to_connect(url, gai_strerror(failure));
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(list);
  std::string error = "it has no address";
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    auto socket = http::open_socket(each->ai_family);
    error = connect(socket, each->ai_addr, each->ai_addrlen, deadline);
    if (!error.empty()) continue;
    const int on = 1;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return socket;
  }
  fail_to_connect(url, error);
}

}  // namespace

RedisTransport::RedisTransport(const base::RedisUrl& url, const std::string& ca_file,
                               Clock::time_point deadline)
    : socket_(url.unix_socket.empty() ? connect_host(url, deadline) : connect_unix(url, deadline)),
      buffer_(kBufferSize, '\0') {
  if (!url.uses_tls) return;
  tls_ = std::make_unique<TlsCodec>(url.host, ca_file);
  shake_hands(deadline);
}

void RedisTransport::shake_hands(Clock::time_point deadline) {
  while (true) {
    const bool is_complete = tls_->shake_hands();
    send_raw(tls_->take_output(), deadline);
    if (is_complete) return;
    if (!wait_readable(deadline)) throw StoreError("Redis: the TLS handshake timed out");
    const auto received = receive_raw();
    if (!received) throw StoreError("Redis: the server ended the TLS handshake");
    tls_->feed(*received);
  }
}

void RedisTransport::send(std::string_view bytes, Clock::time_point deadline) {
  if (!tls_) return send_raw(bytes, deadline);
  std::string encrypted;
  {
    const std::lock_guard lock(tls_mutex_);
    tls_->encrypt(bytes);
    encrypted = tls_->take_output();
  }
  send_raw(encrypted, deadline);
}

void RedisTransport::send_raw(std::string_view bytes, Clock::time_point deadline) const {
  while (!bytes.empty()) {
    const iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    std::size_t sent = 0;
    switch (http::send_some(socket_.get(), {&part, 1}, sent)) {
      case http::IoStatus::done:
        bytes.remove_prefix(sent);
        break;
      case http::IoStatus::would_block:
        if (Clock::now() >= deadline)
          throw StoreError("Redis: a command could not be sent in time");
        http::wait_writable(socket_.get(), remaining(deadline));
        break;
      case http::IoStatus::closed:
        throw StoreError("Redis: the connection was closed");
    }
  }
}

std::optional<std::string_view> RedisTransport::receive_raw() {
  const http::Received received = http::receive(socket_.get(), buffer_);
  if (received.status == http::IoStatus::closed) return std::nullopt;
  return std::string_view(buffer_).substr(0, received.size);
}

bool RedisTransport::receive(std::string& bytes) {
  const auto received = receive_raw();
  if (!received) return false;
  if (!tls_) {
    bytes += *received;
    return true;
  }
  const std::lock_guard lock(tls_mutex_);
  return tls_->decrypt(*received, bytes);
}

bool RedisTransport::wait_readable(Clock::time_point deadline) const {
  return http::wait_readable(socket_.get(), remaining(deadline));
}

void RedisTransport::shut_down() const { ::shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace fw::store
