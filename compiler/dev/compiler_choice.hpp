// The C++ compiler of a new build folder, if none is chosen: Clang, because it compiles a
// file with a precompiled header in less than half the time of GCC.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fairway::dev {

/// Whether the environment chooses the compiler.
bool has_compiler_in_environment();

struct CompilerCandidate {
  std::string name;         ///< a program in PATH
  unsigned oldest_clang;    ///< the check fails for older versions of Clang, and other compilers
  bool is_default = false;  ///< CMake takes it by default

  /// The C compiler that belongs to it.
  std::string c_compiler() const;
};

/// The compilers to check, in this order, until a check succeeds: the default of CMake, which may
/// be Clang already, and the versions of Clang in PATH, the newest first.
std::vector<CompilerCandidate> compiler_candidates();

/// A command that compiles and links a C++20 program with the standard library of GCC, which
/// Fairway's installed libraries use. Its files are written to `folder`.
std::vector<std::string> check_command(const CompilerCandidate& candidate,
                                       const std::filesystem::path& folder);

}  // namespace fairway::dev
