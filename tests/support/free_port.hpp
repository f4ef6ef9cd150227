// A port for a server of a test that is a process of its own.
#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace fairway::test {

/// Whether no other process of a test has chosen the port. It is claimed by a socket with a name of
/// its own, which stays open until this process ends.
inline bool claim_port(std::uint16_t port) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "fairway-test-port-" + std::to_string(port);
  name.copy(address.sun_path + 1,
            sizeof address.sun_path - 1);  // after the 0 of names without a file
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_free =
      ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!is_free) ::close(descriptor);
  return is_free;
}

/// A port of the loopback interface that nothing listens on. It is below the ports from which
/// systems choose by themselves, and from which tests in JavaScript choose: until the server has
/// it, no other test takes it.
inline std::uint16_t free_port() {
  std::random_device random;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const auto port = std::uniform_int_distribution<std::uint16_t>(10'000, 20'999)(random);
    if (!claim_port(port)) continue;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool is_free =
        ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(descriptor);
    if (is_free) return port;
  }
  throw std::runtime_error("no free port");
}

}  // namespace fairway::test
