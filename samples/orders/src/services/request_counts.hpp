// The number of responses since the start.
#pragma once

#include <atomic>
#include <cstdint>

struct RequestCounts {
  std::atomic<std::int64_t> responses = 0;
  std::atomic<std::int64_t> errors = 0;  ///< among them
};
