// An on-disk cache of derived data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::files {

/// Stores bytes by name for later runs. I/O errors and damaged files count as cache misses; nothing
/// throws. Thread-safe; several processes may use one directory.
class CacheDirectory {
 public:
  explicit CacheDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::optional<std::string> load(std::string_view name) const;
  void store(std::string_view name, std::string_view bytes) const;
  /// Marks a file as used, so that it is not removed; `load` does so, too.
  void mark_used(const std::filesystem::path& file) const;
  /// Removes files that were not used for a month, temporary files of interrupted runs, and, if the
  /// others have more bytes than `most`, the least recently used of them.
  void remove_unused(std::uintmax_t most = kMaxBytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  static constexpr std::uintmax_t kMaxBytes = std::uintmax_t{2} << 30U;

  std::filesystem::path path_;
};

}  // namespace fairway::files
