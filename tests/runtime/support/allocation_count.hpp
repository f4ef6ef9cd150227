// Counts allocations, for tests of what must not allocate.
#pragma once

#include <cstddef>

namespace fw::support {

/// Calls of operator new by this thread so far.
std::size_t allocation_count();

}  // namespace fw::support
