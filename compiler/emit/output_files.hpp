// The output files of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fairway::emit {

/// Writes files below one directory, atomically and only if their content has changed, so that
/// nothing is rebuilt without need. Throws UserError with the name of the file.
class OutputFiles {
 public:
  explicit OutputFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// `path` is relative to the directory.
  void write(const std::filesystem::path& path, const std::string& content);
  /// The same, unless the file exists.
  void write_missing(const std::filesystem::path& path, const std::string& content);
  /// Removes the files below `folder` with this ending that this run did not write.
  void remove_stale(const std::filesystem::path& folder, const std::string& ending) const;
  /// Removes the files of `files` that are in the directory and that this run did not write.
  void remove_stale(const std::vector<std::filesystem::path>& files) const;
  /// All files of this run, including unchanged ones, with the `files::content_hash` of what was
  /// written: another process may have replaced a file since.
  std::map<std::filesystem::path, std::uint64_t> contents() const;

 private:
  std::filesystem::path directory_;
  std::map<std::filesystem::path, std::uint64_t> written_;
};

}  // namespace fairway::emit
