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

  /// From now on nobody new gets in, so that the socket can be closed without resetting somebody
  /// who just did: what has been accepted by the kernel, or is about to be for the time returned,
  /// remains to be accepted. Clients that come now try again after a second, and find another
  /// process on the port, or none. Nothing for an inherited socket: it is not this process's to
  /// close.
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
