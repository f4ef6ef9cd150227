// How many requests handlers have answered: told at the end, in the log.
#pragma once

#include <atomic>
#include <cstddef>

struct RequestCount {
  std::atomic<std::size_t> value{0};
};
