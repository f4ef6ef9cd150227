// Reads a file with the macros of another compiler.
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <memory>

namespace fairway::frontend {

/// A compiler that may build the program.
struct Compiler {
  enum class Family { gcc, clang } family = Family::gcc;
  int version = 0;
  /// Whether it has all builtins and attributes for which conditions ask.
  bool has_everything = false;
};
/// Without optimisation; the other versions optimise.
inline constexpr int kOldestGcc = 12;
/// After all versions that are known.
inline constexpr int kNewestVersion = 99;

/// Whether a location is in no header of the system or of the framework.
bool is_in_file_of_user(const clang::SourceManager& sources, clang::SourceLocation location);

/// Defines the macros of the compiler in the files of the user. Other headers are read with
/// Clang's, because Clang cannot parse all that they contain for GCC.
std::unique_ptr<clang::PPCallbacks> define_macros(clang::Preprocessor& preprocessor,
                                                  const Compiler& compiler);

}  // namespace fairway::frontend
