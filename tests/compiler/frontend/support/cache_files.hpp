// The content of a cache directory.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace fairway::test {

/// Files below `directory` with this ending, sorted.
inline std::vector<std::filesystem::path> files_with(const std::filesystem::path& directory,
                                                     const std::string& ending) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, error)) {
    if (entry.path().string().ends_with(ending)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

inline std::size_t count_headers(const std::filesystem::path& directory) {
  return files_with(directory, ".pch").size();
}

}  // namespace fairway::test
