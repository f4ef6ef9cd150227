// Opens files for responses: by a path of the application, or below a directory by a path from a
// client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.hpp"

namespace fw::detail {

/// An open directory, from which files are opened. Threads may share it.
class Directory {
 public:
  /// Throws std::system_error if there is no directory with this path.
  explicit Directory(const std::string& path);

  int descriptor() const { return descriptor_.get(); }
  /// Whether `path` still names this directory.
  bool is_at(const std::string& path) const;

 private:
  base::FileDescriptor descriptor_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
};

/// A directory that is kept open between requests. Threads may share it.
class KeptDirectory {
 public:
  explicit KeptDirectory(std::string path) : path_(std::move(path)) {}

  /// The directory that has the path now, which is another one after a deployment that replaces
  /// it, or changes a symbolic link to it. Throws std::system_error if there is none.
  std::shared_ptr<const Directory> get() const;

 private:
  const std::string path_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Directory> directory_;
};

/// An open file; closes it when destroyed. Used by one thread at a time.
class OpenFile {
 public:
  /// Empty if the file does not exist or is a directory. Throws std::system_error if it cannot be
  /// opened for another reason.
  static std::optional<OpenFile> open(const std::string& path);

  /// Like `fw::file_below`.
  static std::optional<OpenFile> open_below(const Directory& root, std::string_view relative);

  int descriptor() const { return descriptor_.get(); }
  /// The size of a regular file when it was opened; empty for a pipe or a device.
  std::optional<std::uint64_t> size() const { return size_; }
  /// When it was changed last, in nanoseconds since 1970.
  std::int64_t modified() const { return modified_; }

  /// Reads into the buffer and returns the number of bytes; 0 at the end. Throws std::system_error.
  std::size_t read(std::span<char> buffer) const;

 private:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  /// The file of a descriptor, unless it is a directory.
  static std::optional<OpenFile> take(int descriptor);

  base::FileDescriptor descriptor_;
  std::optional<std::uint64_t> size_;
  std::int64_t modified_ = 0;
};

/// The way in which `open_below` confines paths to the root.
enum class Confinement {
  kernel,       ///< openat2 with RESOLVE_BENEATH; `by_segments` if the kernel lacks it
  by_segments,  ///< opens each segment separately; rejects `..` and all symbolic links
};

/// Opens `relative` for reading; a descriptor, or -1 with errno. For `open_below` and its tests.
int open_beneath(int root, const std::string& relative, Confinement confinement);

}  // namespace fw::detail
