// The few socket operations that adapters are made of, with errors as values where they are
// ordinary.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/uio.h>
#include <utility>

namespace fw::http {

/// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  void close();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Milliseconds of a monotonic clock that is cheap to read and a few milliseconds coarse.
std::int64_t coarse_now();

/// A stream socket that does not wait and that children of the process do not inherit.
FileDescriptor open_socket(int family);

struct AcceptedSocket {
  FileDescriptor fd;
  std::string remote_address;  ///< as by `peer_address`
};

/// IPv4 addresses of a dual-stack listener in IPv4 form; "unix" for a unix socket; empty for a
/// connection that is gone.
std::string peer_address(int fd);

/// The next waiting connection, if any; `error` is the errno of a failed accept, 0 otherwise.
std::optional<AcceptedSocket> accept_connection(const FileDescriptor& listener, int& error);

enum class IoStatus { done, would_block, closed };

struct Received {
  IoStatus status;  ///< `closed`: the peer sends no more, or the connection broke
  std::size_t size = 0;
};

/// Receives what is there, without waiting.
Received receive(int fd, std::span<char> buffer);

/// Sends as much as the socket takes, without waiting; `sent` says how much that was.
IoStatus send_some(int fd, std::span<const iovec> parts, std::size_t& sent);

/// Waits until the socket is readable or `timeout` is over; false for the latter.
bool wait_readable(int fd, std::chrono::milliseconds timeout);
/// Waits until the socket has room to send or `timeout` is over.
void wait_writable(int fd, std::chrono::milliseconds timeout);
/// Whether bytes have arrived that were not received.
bool has_unread(int fd);

}  // namespace fw::http
