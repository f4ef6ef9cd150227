// Return addresses as people read them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fw::detail {

struct StackFrame {
  std::string function;  ///< demangled; "??" when unknown
  std::string place;     ///< "src/routes/users.cpp:12", else the file of the code
};

/// Functions and places of return addresses, inlined calls included. Places need debug information
/// and the program `addr2line`; without them the names of exported functions remain. Slow: it runs
/// a program for each executable and library that the addresses lie in.
std::vector<StackFrame> symbolize(std::span<void* const> addresses);

/// The frames of the application's own code, from where it called the framework to where the
/// framework called it, without the C++ library's helpers. All frames when none is its own.
std::vector<StackFrame> application_frames(std::vector<StackFrame> frames);

}  // namespace fw::detail
