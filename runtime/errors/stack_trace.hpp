// Where an exception was thrown, for the error page of development.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <vector>

namespace fw::detail {

/// From now on each thread remembers the call stacks of its latest throws, for the whole process.
/// Costs some microseconds per throw, and nothing before. Returns false where the C++ runtime
/// cannot be hooked (sanitizers, no execinfo.h): nothing is remembered then.
bool record_throws() noexcept;

/// Return addresses of the throw, innermost first; empty when it was not recorded by this thread.
std::vector<void*> throw_trace(const std::exception_ptr& error);

struct StackFrame {
  std::string function;  ///< demangled; "??" when unknown
  std::string source;    ///< "src/routes/users.cpp:12", else the file of the code
};

/// Functions and source locations of return addresses, inlined calls included. They need debug
/// information and the program `addr2line`; without them the names of exported functions remain.
/// Slow: it runs a program for each executable and library that the addresses lie in.
std::vector<StackFrame> symbolize(std::span<void* const> addresses);

/// The frames of the application's own code, from where it called the framework to where the
/// framework called it, without the C++ library's helpers. All frames when none is its own.
std::vector<StackFrame> application_frames(std::vector<StackFrame> frames);

}  // namespace fw::detail
