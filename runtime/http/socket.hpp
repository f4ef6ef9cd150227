// The socket operations of the adapters. Expected errors are return values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <sys/uio.h>

#include "base/file_descriptor.hpp"

namespace fw::http {

using base::FileDescriptor;

/// Milliseconds of a monotonic clock that is cheap to read and has a resolution of a few
/// milliseconds.
std::int64_t coarse_now();

/// A non-blocking stream socket that child processes do not inherit.
FileDescriptor open_socket(int family);

struct AcceptedSocket {
  FileDescriptor fd;
  std::string remote_address;  ///< as returned by `peer_address`
};

/// The address of the peer. For a dual-stack listener, IPv4 addresses are in IPv4 form. "unix" for
/// a unix socket; empty for a closed connection.
std::string peer_address(int fd);

/// The next waiting connection, if any; `error` is the errno of a failed accept, 0 otherwise.
std::optional<AcceptedSocket> accept_connection(const FileDescriptor& listener, int& error);

enum class IoStatus { done, would_block, closed };

struct Received {
  IoStatus status;  ///< `closed`: the peer has closed its side, or the connection failed
  std::size_t size = 0;
  int error = 0;  ///< errno if the connection failed
};

/// Receives the available bytes without blocking.
Received receive(int fd, std::span<char> buffer);

/// Sends as many bytes as the socket accepts without blocking; `sent` is their number. If more
/// follows at once, the system may hold back a partial packet until then.
IoStatus send_some(int fd, std::span<const iovec> parts, std::size_t& sent,
                   bool more_follows = false);

/// Waits until the socket is readable or `timeout` is over; returns false for the latter.
bool wait_readable(int fd, std::chrono::milliseconds timeout);
/// Likewise, for room to send.
bool wait_writable(int fd, std::chrono::milliseconds timeout);
/// Whether there are unreceived bytes.
bool has_unread(int fd);
/// Whether the peer has closed its side, or the connection has failed. Bytes before the end may be
/// unreceived, such as those with which TLS announces it; only on Linux and FreeBSD.
bool has_ended(int fd);

}  // namespace fw::http
