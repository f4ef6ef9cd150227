// For what must not be lost when memory is short.
#pragma once

#include <chrono>
#include <new>
#include <thread>

namespace fw::base {

/// Calls `action`, and calls it again while it throws std::bad_alloc, in which case it must have
/// had no effect. It must throw nothing else.
template <class Action>
void wait_for_memory(const Action& action) noexcept {
  while (true) {
    try {
      return action();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

}  // namespace fw::base
