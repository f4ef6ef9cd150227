// Collects the conditions of the preprocessor while a file is read, and which of them the macros of
// the compiler decide.
#pragma once

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <memory>
#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// The conditions in the files of the user.
struct Conditions {
  std::vector<CompilerCondition> of_compiler;  ///< those that mention a macro of the compiler
  std::vector<CompilerCondition> others;
  /// Whether one mentions `__cplusplus` where GCC 12 has another value than Clang: from C++23 on.
  bool mention_standard = false;
  /// Whether they mention values of version macros.
  bool mention_gcc_version = false;
  bool mention_clang_version = false;
};
/// Collects them while the file is read.
std::unique_ptr<clang::PPCallbacks> observe_conditions(Conditions& conditions,
                                                       clang::Preprocessor& preprocessor);

}  // namespace fairway::frontend
