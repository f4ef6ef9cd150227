// Counts allocations, for tests of what must not allocate, and has large ones fail.
#pragma once

#include <cstddef>

namespace fw::support {

/// Calls of operator new by this thread so far.
std::size_t allocation_count();

/// While it lives, operator new throws std::bad_alloc for `size` bytes and more, on every thread.
class FailingAllocations {
 public:
  explicit FailingAllocations(std::size_t size);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

}  // namespace fw::support
