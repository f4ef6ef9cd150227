// A listening socket: of a TCP port, or of a path in the file system.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <sys/types.h>

#include "http/adapter.hpp"
#include "http/socket.hpp"

namespace fw::http {

/// Closes its socket at the end; one that made a path also removes it. Children of the process do
/// not inherit it.
class Listener {
 public:
  /// Listens on `unix_socket` if it is set; else on an IPv6 address if `host` has a colon ("::" is
  /// for IPv4, too), on an IPv4 one or a name otherwise. Throws std::system_error that names the
  /// place.
  static Listener open(const AdapterOptions& options);
  /// Takes over a socket that another process has opened and may go on using.
  static Listener inherit(int fd);

  Listener(Listener&& other) noexcept = default;
  Listener& operator=(Listener&& other) = delete;
  ~Listener() { close(); }

  const FileDescriptor& socket() const { return socket_; }
  /// The port it is bound to; 0 for a path.
  std::uint16_t port() const;

  /// Drops new connections, so that the socket can be closed without resetting one that was just
  /// made: those that the kernel has completed, or completes within the time returned, are still
  /// to be accepted. Clients that connect later retry after a second, and reach another process on
  /// the port, or none. Does nothing for an inherited socket, which another process owns.
  std::chrono::milliseconds stop_accepting();
  void close();

 private:
  explicit Listener(FileDescriptor socket) : socket_(std::move(socket)) {}
  static Listener open_port(const AdapterOptions& options);
  static Listener open_path(const AdapterOptions& options);
  void remove_path();

  FileDescriptor socket_;
  bool is_inherited_ = false;
  std::string path_;  ///< to be removed; empty if there is none
  dev_t device_ = 0;  ///< which file at `path_` is this one's
  ino_t file_ = 0;
};

}  // namespace fw::http
