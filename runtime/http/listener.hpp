// A listening socket on a TCP port or on a path in the file system.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <sys/types.h>

#include "http/adapter.hpp"
#include "http/socket.hpp"

namespace fw::http {

/// The destructor closes the socket and removes the path that it created. Child processes do not
/// inherit it.
class Listener {
 public:
  /// Listens on `unix_socket` if it is set; otherwise on an IPv6 address if `host` contains a colon
  /// ("::" includes IPv4), or on an IPv4 address or name. Throws std::system_error with the path or
  /// the endpoint.
  static Listener open(const AdapterOptions& options);
  /// Uses a socket that another process has opened and may also use.
  static Listener inherit(int fd);

  Listener(Listener&& other) noexcept = default;
  Listener& operator=(Listener&& other) = delete;
  ~Listener() { close(); }

  const FileDescriptor& socket() const { return socket_; }
  /// The bound port; 0 for a path.
  std::uint16_t port() const;

  /// Drops new connections, so that the socket can be closed without resetting a new connection:
  /// connections that the kernel has completed, or completes within the returned time, must still
  /// be accepted. Clients that connect later retry after a second and reach another process on the
  /// port, or none. Does nothing for an inherited socket, because another process owns it.
  std::chrono::milliseconds stop_accepting();
  void close();

 private:
  explicit Listener(FileDescriptor socket) : socket_(std::move(socket)) {}
  static Listener open_port(const AdapterOptions& options);
  static Listener open_path(const AdapterOptions& options);
  void remove_path();

  FileDescriptor socket_;
  bool is_inherited_ = false;
  std::string path_;  ///< the path to remove; empty if there is none
  dev_t device_ = 0;  ///< identifies the file at `path_` that belongs to this socket
  ino_t file_ = 0;
};

}  // namespace fw::http
