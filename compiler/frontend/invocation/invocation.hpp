// Runs Clang.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/FrontendAction.h>

#include <memory>
#include <string>
#include <vector>

#include "frontend/invocation/flags.hpp"
#include "frontend/invocation/source_files.hpp"

namespace fairway::frontend {

/// The variables of the environment by which Clang finds headers or sets macros, with their values.
/// A part of the keys of all caches.
std::string include_environment();

/// The driver's arguments for `source`, an absolute path.
std::vector<std::string> command_line(const CompileFlags& flags, const std::string& source);

/// Runs the action on `source`. The action and the diagnostics report whether it succeeded.
void run_clang(const CompileFlags& flags, const std::string& source,
               const llvm::IntrusiveRefCntPtr<SourceFiles>& files,
               std::unique_ptr<clang::FrontendAction> action,
               clang::DiagnosticConsumer& diagnostics);

/// Converts a path from Clang, which may be relative to `directory`, to an absolute path without
/// "." and "..". If a ".." follows a symbolic link, resolves symbolic links.
std::string absolute(const std::string& directory, const std::string& path);

/// The same, but relative to the working directory if it is below it, for diagnostics.
std::string shown_path(const std::string& directory, const std::string& path);

// resource_directory.cpp: Finds the directory of the compiler's own headers: <stddef.h>,
// <limits.h>, the intrinsics.

/// The directory of the Clang with which the route compiler was built, or the value of the
/// environment variable FAIRWAY_RESOURCE_DIR. Throws EnvironmentError if it does not exist or
/// belongs to another version.
const std::string& resource_directory();

}  // namespace fairway::frontend
