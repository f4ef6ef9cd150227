// Counts allocations, for tests of what must not allocate or keep memory, has large ones fail, and
// calls a test back between two steps of what is tested.
#pragma once

#include <cstddef>

namespace fw::support {

/// Calls of operator new by this thread so far.
std::size_t allocation_count();
/// Bytes from operator new that are in use, of all threads.
std::size_t allocated_bytes();

/// While it lives, operator new throws std::bad_alloc for `size` bytes and more, on every thread.
class FailingAllocations {
 public:
  explicit FailingAllocations(std::size_t size);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

/// While it lives, `action` is called within the `number`-th operator new of this thread from now
/// on, which fails if it returns false.
class AtAllocation {
 public:
  AtAllocation(std::size_t number, bool (*action)());
  ~AtAllocation();
  AtAllocation(const AtAllocation&) = delete;
  AtAllocation& operator=(const AtAllocation&) = delete;
};

}  // namespace fw::support
