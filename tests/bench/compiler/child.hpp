// Running programs and seeing what they cost.
#pragma once

#include <string>
#include <vector>

namespace fairway::bench {

struct Cost {
  double cpu_seconds = 0;  ///< user and system
  double wall_seconds = 0;
  double peak_mib = 0;  ///< largest resident set

  /// One after the other: times add up, the peak is the larger one.
  Cost& operator+=(const Cost& other);
};

/// Runs a program to its end, its output thrown away. Throws std::runtime_error with the command
/// when it does not succeed.
Cost run(const std::vector<std::string>& command);

}  // namespace fairway::bench
