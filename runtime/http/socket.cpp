#include "http/socket.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <ctime>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace fw::http {
namespace {

/// Long enough for a burst of clients to wait in while the workers are busy.
constexpr int kBacklog = 4096;

void set_option(const FileDescriptor& fd, int level, int option, int value) {
  if (setsockopt(fd.get(), level, option, &value, sizeof value) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot set up the listening socket");
  }
}

std::string text_of(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
      inet_ntop(AF_INET, &v6.s6_addr[12], text, sizeof text);
    } else {
      inet_ntop(AF_INET6, &v6, text, sizeof text);
    }
  }
  return text;
}

int poll_for(int fd, short events, std::chrono::milliseconds timeout) {
  pollfd entry{fd, events, 0};
  const auto limit = std::min<std::chrono::milliseconds::rep>(timeout.count(), 1 << 30);
  const int ready = poll(&entry, 1, static_cast<int>(limit));
  return ready < 0 && errno == EINTR ? 1 : ready;  // an interruption counts as an event: look again
}

}  // namespace

void FileDescriptor::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::int64_t coarse_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

FileDescriptor open_listener(const std::string& host, std::uint16_t port) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string place = (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
  addrinfo hints{};
  hints.ai_family = is_ipv6 ? AF_INET6 : AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    throw std::system_error(EADDRNOTAVAIL, std::generic_category(),
                            "cannot listen on " + place + ": the host is not an address");
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> address(found, &freeaddrinfo);
  FileDescriptor fd(
      ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!fd) {
    throw std::system_error(errno, std::generic_category(), "cannot open a socket for " + place);
  }
  set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  // Linux passes this on to accepted sockets, which saves a call for each.
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  if (is_ipv6) set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, host == "::" ? 0 : 1);
  if (bind(fd.get(), address->ai_addr, address->ai_addrlen) != 0 ||
      listen(fd.get(), kBacklog) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot listen on " + place);
  }
  return fd;
}

std::uint16_t bound_port(const FileDescriptor& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

std::optional<AcceptedSocket> accept_connection(const FileDescriptor& listener, int& error) {
  while (true) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int fd = accept4(listener.get(), reinterpret_cast<sockaddr*>(&address), &size,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
    error = 0;
    if (fd >= 0) return AcceptedSocket{FileDescriptor(fd), text_of(address)};
    // A connection that broke while it waited is not the listener's fault.
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) error = errno;
    return std::nullopt;
  }
}

Received receive(int fd, std::span<char> buffer) {
  while (true) {
    const auto size = recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size > 0) return {IoStatus::done, static_cast<std::size_t>(size)};
    if (size == 0) return {IoStatus::closed};
    if (errno == EINTR) continue;
    return {errno == EAGAIN || errno == EWOULDBLOCK ? IoStatus::would_block : IoStatus::closed};
  }
}

IoStatus send_some(int fd, std::span<const iovec> parts, std::size_t& sent) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  sent = 0;
  while (true) {
    const auto size = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size >= 0) {
      sent = static_cast<std::size_t>(size);
      return IoStatus::done;
    }
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK ? IoStatus::would_block : IoStatus::closed;
  }
}

bool send_all(int fd, std::string_view bytes, std::chrono::milliseconds timeout) {
  while (!bytes.empty()) {
    const iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    std::size_t sent = 0;
    const auto status = send_some(fd, {&part, 1}, sent);
    if (status == IoStatus::closed) return false;
    if (status == IoStatus::would_block && poll_for(fd, POLLOUT, timeout) <= 0) return false;
    bytes.remove_prefix(sent);
  }
  return true;
}

bool wait_readable(int fd, std::chrono::milliseconds timeout) {
  return poll_for(fd, POLLIN | POLLRDHUP, timeout) > 0;
}

}  // namespace fw::http
