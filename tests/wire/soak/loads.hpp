// Kinds of clients, as a server in use has them. Each function does one round and throws
// std::runtime_error for a response that is not what it has to be.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "wire_case.hpp"

namespace wire {

using Random = std::mt19937;

struct Load {
  std::string name;
  std::function<void(std::uint16_t port, Random& random)> round;
};

/// Ordinary, pipelined, chunked, streaming, slow and aborted requests, and the requests of `cases`.
std::vector<Load> all_loads(std::vector<Case> cases);

}  // namespace wire
