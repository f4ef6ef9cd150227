// Files that a run writes.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace fairway::emit {

/// Writes files below one directory: whole or not at all, and only those whose content is new, so
/// that nothing is rebuilt without need. Throws UserError naming the file.
class OutputFiles {
 public:
  explicit OutputFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// `path` is relative to the directory.
  void write(const std::filesystem::path& path, const std::string& content);
  /// Removes the files below `folder` with this ending that this run has not written.
  void remove_stale(const std::filesystem::path& folder, const std::string& ending) const;
  /// Removes those of `files` that lie in the directory and that this run has not written.
  void remove_stale(const std::vector<std::filesystem::path>& files) const;
  /// All files of this run, also those that were as they should be.
  std::vector<std::filesystem::path> paths() const;

 private:
  std::filesystem::path directory_;
  std::set<std::filesystem::path> written_;
};

}  // namespace fairway::emit
