// What tests of the Redis store ask of it.
#pragma once

#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>

namespace fw::store::test {

/// What an operation throws; empty when it does not.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const StoreError& error) {
    return error.what();
  }
  return "";
}

inline bool works(Store& store) {
  return error_of([&] { store.set("probe", "1", std::chrono::minutes(1)); }).empty();
}

inline void wait_until_it_works(Store& store) {
  while (!works(store)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Makes a socket listen on a free port, and returns the URL of a server there.
inline std::string url_of(int listener) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listener, 8) == 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return "redis://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

}  // namespace fw::store::test
