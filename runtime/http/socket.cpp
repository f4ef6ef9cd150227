#include "http/socket.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fw::http {
namespace {

/// Clients on a unix socket have no address.
constexpr const char* kUnixAddress = "unix";

#ifndef MSG_MORE
constexpr int MSG_MORE = 0;  // the head of a response may be a packet of its own
#endif

#ifndef MSG_NOSIGNAL
constexpr int MSG_NOSIGNAL = 0;  // the process ignores SIGPIPE
#endif

#ifndef SOCK_NONBLOCK
/// Replaces a flag that other systems have. A child process that is started in between inherits the
/// descriptor.
int without_waiting(int fd) {
  if (fd < 0) return fd;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}
#endif

int accept_without_waiting(int listener, sockaddr* address, socklen_t* size) {
#ifdef SOCK_NONBLOCK
  return accept4(listener, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
  return without_waiting(accept(listener, address, size));
#endif
}

std::string text_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_UNIX) return kUnixAddress;
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
  return ready < 0 && errno == EINTR
             ? 1
             : ready;  // an interruption counts as an event, so that the caller checks again
}

}  // namespace

std::int64_t coarse_now() {
  timespec now{};
#ifdef CLOCK_MONOTONIC_COARSE
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

FileDescriptor open_socket(int family) {
#ifdef SOCK_NONBLOCK
  return FileDescriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
#else
  return FileDescriptor(without_waiting(::socket(family, SOCK_STREAM, 0)));
#endif
}

std::string peer_address(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  return text_of(address);
}

std::optional<AcceptedSocket> accept_connection(const FileDescriptor& listener, int& error) {
  while (true) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int fd =
        accept_without_waiting(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    error = 0;
    if (fd >= 0) return AcceptedSocket{FileDescriptor(fd), text_of(address)};
    // A connection that failed in the backlog is not an error of the listener.
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
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoStatus::would_block};
    return {IoStatus::closed, 0, errno};
  }
}

IoStatus send_some(int fd, std::span<const iovec> parts, std::size_t& sent, bool more_follows) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  sent = 0;
  const int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (more_follows ? MSG_MORE : 0);
  while (true) {
    // For one part, `send` is cheaper: the kernel copies no message header.
    const auto size = parts.size() == 1 ? ::send(fd, parts[0].iov_base, parts[0].iov_len, flags)
                                        : sendmsg(fd, &message, flags);
    if (size >= 0) {
      sent = static_cast<std::size_t>(size);
      return IoStatus::done;
    }
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK ? IoStatus::would_block : IoStatus::closed;
  }
}

bool wait_readable(int fd, std::chrono::milliseconds timeout) {
  return poll_for(fd, POLLIN, timeout) > 0;
}

bool wait_writable(int fd, std::chrono::milliseconds timeout) {
  return poll_for(fd, POLLOUT, timeout) > 0;
}

bool has_unread(int fd) {
  int size = 0;
  return ioctl(fd, FIONREAD, &size) == 0 && size > 0;
}

bool has_ended(int fd) {
#ifdef POLLRDHUP
  pollfd state{fd, POLLRDHUP, 0};
  return poll(&state, 1, 0) > 0;
#else
  char byte = 0;
  const auto size = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
#endif
}

}  // namespace fw::http
