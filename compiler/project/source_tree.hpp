// Finds the source files of an application.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "files/input.hpp"

namespace fairway::project {

struct SourceTree {
  /// The '.cpp' files of routes/, middlewares/ and plugins/: below the source directory, with '/',
  /// sorted.
  std::vector<std::string> files;
  /// The templates, scripts and style sheets of pages/: '.html', '.js' and '.css', below the source
  /// directory, sorted.
  std::vector<std::string> pages;
  /// Files of routes/ with another C++ extension, as paths for diagnostics, sorted.
  std::vector<std::string> ignored;
};

/// Follows symbolic links. Skips names that begin with '.', because editors use them for locks and
/// backups. The tree includes `unsaved` files that do not exist yet; null if there are none. Throws
/// frontend::EnvironmentError with one line for each file or directory that cannot be read.
SourceTree find_sources(const std::filesystem::path& directory,
                        const files::UnsavedFiles* unsaved = nullptr);

/// Relative to the working directory if the path is below it.
std::string display_path(const std::filesystem::path& path);

}  // namespace fairway::project
