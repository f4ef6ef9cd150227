// The files of an application on disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fairway::cli {

struct SourceTree {
  /// The '.cpp' files of routes/, middlewares/ and plugins/: below the source directory, with '/',
  /// sorted.
  std::vector<std::string> files;
  /// Files of routes/ with another ending of C++ sources, as diagnostics show them, sorted.
  std::vector<std::string> ignored;
};

/// Links are followed; names that begin with '.' are skipped, as editors keep locks and backups
/// there. Throws frontend::EnvironmentError with one line for each thing that cannot be read.
SourceTree find_sources(const std::filesystem::path& directory);

/// Relative to the working directory where the path is below it.
std::string display_path(const std::filesystem::path& path);

}  // namespace fairway::cli
