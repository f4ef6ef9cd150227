// A port for a server of a test that is a process of its own.
#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <random>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace fairway::test {

/// A port of the loopback interface that nothing listens on. It is below those from which systems
/// choose by themselves: until the server has it, no connection of another test takes it.
inline std::uint16_t free_port() {
  std::random_device random;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const auto port = std::uniform_int_distribution<std::uint16_t>(10'000, 32'000)(random);
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
