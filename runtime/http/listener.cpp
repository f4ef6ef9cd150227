#include "http/listener.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

#if FAIRWAY_EPOLL
#include <linux/filter.h>
#endif

#include "base/origin.hpp"

namespace fw::http {
namespace {

#if FAIRWAY_EPOLL
/// Drops only the packets that begin a connection (SYN without ACK), by a packet filter. Does
/// nothing if the kernel does not allow it.
void drop_first_packets(int listening_socket) {
  constexpr std::uint32_t kFlagsOffset = 13;
  constexpr std::uint32_t kSyn = 0x02;
  constexpr std::uint32_t kAck = 0x10;
  std::array<sock_filter, 5> program = {{
      {BPF_LD | BPF_B | BPF_ABS, 0, 0, kFlagsOffset},
      {BPF_ALU | BPF_AND | BPF_K, 0, 0, kSyn | kAck},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, kSyn},
      {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, 0xFFFF'FFFF},
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  // If the kernel does not allow it, connections between the last accept and the close are reset.
  setsockopt(listening_socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}
#endif

/// Time for a client to complete the TCP handshake after the response to its first packet.
constexpr std::chrono::milliseconds kHandshakeTime{100};
/// On loopback, the kernel does both steps, but it may be interrupted between them.
constexpr std::chrono::milliseconds kLoopbackHandshakeTime{20};

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void set_option(const FileDescriptor& fd, int level, int option, int value) {
  if (setsockopt(fd.get(), level, option, &value, sizeof value) != 0) {
    fail("cannot set up the listening socket");
  }
}

sockaddr_storage bound_address(const FileDescriptor& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  return address;
}

bool is_loopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  return (ntohl(v4.s_addr) >> 24) == IN_LOOPBACKNET;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    fail("cannot listen on " + path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

/// Removes the socket file of a process that no longer exists.
void remove_stale_socket(const std::string& path, const sockaddr_un& address) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) {
    errno = EEXIST;
    fail("cannot listen on " + path + ": the path exists and is not a socket");
  }
  const FileDescriptor probe = open_socket(AF_UNIX);
  if (!probe) fail("cannot open a socket for " + path);
  const int result =
      connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (result != 0 && errno == ECONNREFUSED) {
    unlink(path.c_str());
  } else if (result == 0 || errno == EAGAIN) {
    errno = EADDRINUSE;
    fail("cannot listen on " + path + ": another process listens on it");
  } else {
    fail("cannot listen on " + path);
  }
}

}  // namespace

Listener Listener::open(const AdapterOptions& options) {
  return options.unix_socket.empty() ? open_port(options) : open_path(options);
}

Listener Listener::inherit(int fd) {
  Listener listener{FileDescriptor(fd)};
  listener.is_inherited_ = true;
  return listener;
}

Listener Listener::open_port(const AdapterOptions& options) {
  const std::string& host = options.host;
  const std::string port = std::to_string(options.port);
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string endpoint = base::host_and_port(host, options.port);
  addrinfo hints{};
  hints.ai_family = is_ipv6 ? AF_INET6 : AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) {
    errno = EADDRNOTAVAIL;
    fail("cannot listen on " + endpoint + ": the host is not an address");
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> address(found, &freeaddrinfo);
  FileDescriptor fd = open_socket(address->ai_family);
  if (!fd) fail("cannot open a socket for " + endpoint);
  set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (options.reuse_port) set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  // On Linux, accepted sockets inherit this option, which saves a call for each.
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  if (is_ipv6) set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, host == "::" ? 0 : 1);
  if (bind(fd.get(), address->ai_addr, address->ai_addrlen) != 0 ||
      listen(fd.get(), options.backlog) != 0) {
    fail("cannot listen on " + endpoint);
  }
  return Listener(std::move(fd));
}

Listener Listener::open_path(const AdapterOptions& options) {
  const std::string& path = options.unix_socket;
  const sockaddr_un address = address_of(path);
  remove_stale_socket(path, address);
  FileDescriptor fd = open_socket(AF_UNIX);
  if (!fd) fail("cannot open a socket for " + path);
  // Linux creates the file with the mode of the socket, so that no client can connect before
  // `chmod`.
  fchmod(fd.get(), S_IRUSR | S_IWUSR);
  struct stat status = {};
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      lstat(path.c_str(), &status) != 0) {
    fail("cannot listen on " + path);
  }
  Listener listener(std::move(fd));
  listener.path_ = path;
  listener.device_ = status.st_dev;
  listener.file_ = status.st_ino;
  if (listen(listener.socket_.get(), options.backlog) != 0 ||
      chmod(path.c_str(), options.unix_socket_mode) != 0) {
    fail("cannot listen on " + path);
  }
  return listener;
}

std::uint16_t Listener::port() const {
  const sockaddr_storage address = bound_address(socket_);
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  }
  if (address.ss_family != AF_INET) return 0;
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

std::chrono::milliseconds Listener::stop_accepting() {
  using std::chrono::milliseconds;
  if (is_inherited_ || !socket_) return milliseconds(0);
  const sockaddr_storage address = bound_address(socket_);
  if (address.ss_family == AF_UNIX) {
    remove_path();
    return milliseconds(0);
  }
#if FAIRWAY_EPOLL
  drop_first_packets(socket_.get());
#endif
  return is_loopback(address) ? kLoopbackHandshakeTime : kHandshakeTime;
}

void Listener::close() {
  remove_path();
  socket_.close();
}

/// Removes the file unless it belongs to the socket of another process.
void Listener::remove_path() {
  if (path_.empty()) return;
  struct stat status = {};
  const bool is_own =
      lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == file_;
  if (is_own) unlink(path_.c_str());
  path_.clear();
}

}  // namespace fw::http
