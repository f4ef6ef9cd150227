// Waiting for something that another thread or process does.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace fairway::test {

/// How long tests wait for what must come: a bound for tests that fail, on busy machines too, not a
/// measure of speed.
inline constexpr std::chrono::seconds kPatience{60};

/// Returns false if the condition does not hold within `kPatience`.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace fairway::test
