// How Clang is started.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/FrontendAction.h>

#include <memory>
#include <string>
#include <vector>

#include "frontend/parse.hpp"
#include "frontend/source_files.hpp"

namespace fairway::frontend {

/// The driver's arguments for `source`, an absolute path.
std::vector<std::string> command_line(const CompileFlags& flags, const std::string& source);

/// Runs the action on `source`. Whether it succeeded is for the action and the diagnostics to say.
void run_clang(const CompileFlags& flags, const std::string& source,
               const llvm::IntrusiveRefCntPtr<SourceFiles>& files,
               std::unique_ptr<clang::FrontendAction> action,
               clang::DiagnosticConsumer& diagnostics);

/// A path that Clang reports, which may be relative to `directory`, without "." and "..". Where a
/// ".." follows a symbolic link, so that the rest cannot be read off the text, links are resolved.
std::string absolute(const std::string& directory, const std::string& path);

/// The same, relative to the working directory where it is below that: as diagnostics show it.
std::string shown_path(const std::string& directory, const std::string& path);

// resource_directory.cpp: The folder of the compiler's own headers: <stddef.h>, <limits.h>, the
// intrinsics.

/// That of the Clang that the route compiler was built with, or what FAIRWAY_RESOURCE_DIR in the
/// environment names. Throws EnvironmentError when it is not there or of another version.
const std::string& resource_directory();

}  // namespace fairway::frontend
