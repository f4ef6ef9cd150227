// Call stacks of throws, for the error page in development.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <vector>

namespace fw::detail {

/// Makes all threads of the process record the call stacks of their latest throws. Costs some
/// microseconds per throw. Returns false without an effect if the C++ runtime cannot be hooked
/// (sanitizers, no execinfo.h).
bool record_throws() noexcept;

/// Return addresses of the throw, innermost first; empty if this thread did not record it.
std::vector<void*> throw_trace(const std::exception_ptr& error);

struct StackFrame {
  std::string function;  ///< demangled; "??" if unknown
  std::string source;    ///< "src/routes/users.cpp:12", or the executable or library
};

/// Functions and source locations of return addresses, including inlined calls. Needs debug
/// information and the program `addr2line`; otherwise only names of exported functions are found.
/// Slow, because it runs a program for each executable and library.
std::vector<StackFrame> symbolize(std::span<void* const> addresses);

/// The frames of application code, without frames of the framework around it and without helpers of
/// the C++ library, and with "lambda" for what compilers call closures. All frames if there is no
/// application code.
std::vector<StackFrame> application_frames(std::vector<StackFrame> frames);

}  // namespace fw::detail
