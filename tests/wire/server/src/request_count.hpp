// The number of requests with a response: reported at the end, in the log.
#pragma once

#include <atomic>
#include <cstddef>

struct RequestCount {
  std::atomic<std::size_t> value{0};
};
