// Where an exception was thrown, for the error page of development.
#pragma once

#include <exception>
#include <vector>

namespace fw::detail {

/// From now on each thread remembers the call stacks of its latest throws, for the whole process.
/// Costs some microseconds per throw, and nothing before. Returns false where the C++ runtime
/// cannot be hooked (sanitizers, no execinfo.h): nothing is remembered then.
bool record_throws() noexcept;

/// Return addresses of the throw, innermost first; empty when it was not recorded by this thread.
std::vector<void*> throw_trace(const std::exception_ptr& error);

}  // namespace fw::detail
