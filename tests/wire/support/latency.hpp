// How long responses take, as clients see it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "loopback.hpp"

namespace wire {

using Microseconds = std::chrono::duration<double, std::micro>;

/// The time within which 99 of 100 requests on one connection get their responses, one after the
/// other. Throws std::runtime_error for a response that is not 200.
inline Microseconds p99_of(std::uint16_t port, std::size_t requests) {
  fw::http::test::Client client(port);
  std::vector<Microseconds> times;
  for (std::size_t i = 0; i < requests; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (client.exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").status != 200) {
      throw std::runtime_error("a request did not get a 200");
    }
    times.push_back(std::chrono::steady_clock::now() - begin);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() * 99 / 100];
}

}  // namespace wire
