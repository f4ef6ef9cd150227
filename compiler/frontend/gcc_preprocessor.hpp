// Reads a file with the macros of GCC.
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <memory>

namespace fairway::frontend {

/// The versions and flags between which the compiler of the program is.
enum class Gcc {
  oldest,  ///< GCC 12, without optimisation
  newest,  ///< after all that are known, with optimisation
};

/// Whether a location is in no header of the system or of the framework.
bool is_in_file_of_user(const clang::SourceManager& sources, clang::SourceLocation location);

/// Defines the macros of GCC in the files of the user. Other headers are read with Clang's, because
/// Clang cannot parse all that they contain for GCC.
std::unique_ptr<clang::PPCallbacks> define_gcc_macros(clang::Preprocessor& preprocessor, Gcc gcc);

}  // namespace fairway::frontend
