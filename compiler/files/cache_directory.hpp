// A directory of things that can be made again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::files {

/// Keeps bytes under names for later runs. What cannot be read, is damaged or cannot be stored is
/// done without: nothing here throws. Thread-safe; several processes may use one directory.
class CacheDirectory {
 public:
  explicit CacheDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::optional<std::string> load(std::string_view name) const;
  void store(std::string_view name, std::string_view bytes) const;
  /// Keeps a file from being removed as unused; `load` does so by itself.
  void mark_used(const std::filesystem::path& file) const;
  /// Removes what nobody has used for a month, and what interrupted runs have left.
  void remove_unused() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace fairway::files
