// The connections of a server in this process, as the kernel sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/socket.h>

/// Those that the server has accepted on an IPv4 port and not closed.
struct ServerConnections {
  std::size_t open = 0;    ///< their clients have not closed them
  std::size_t unread = 0;  ///< among these, those with bytes that the server has not read
  std::size_t left = 0;    ///< their clients have closed them

  explicit ServerConnections(std::uint16_t port) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      const int fd = std::stoi(entry.path().filename());
      sockaddr_in local{};
      socklen_t size = sizeof(local);
      if (::getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size) != 0) continue;
      if (local.sin_family != AF_INET || ntohs(local.sin_port) != port) continue;
      tcp_info info{};
      size = sizeof(info);
      if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) continue;
      if (info.tcpi_state == TCP_ESTABLISHED) {
        ++open;
        int bytes = 0;
        if (::ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0) ++unread;
      }
      if (info.tcpi_state == TCP_CLOSE_WAIT) ++left;
    }
  }
};
