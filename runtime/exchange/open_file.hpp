// Files that are sent: by a path of the application's, or below a directory by a path of a
// client's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fw::detail {

/// An open file; closes it when destroyed. Used by one thread at a time.
class OpenFile {
 public:
  /// Nothing when there is no such file, or it is a directory. Throws std::system_error when it
  /// cannot be opened for another reason.
  static std::optional<OpenFile> open(const std::string& path);

  /// As `fw::file_below`.
  static std::optional<OpenFile> open_below(const std::string& root, std::string_view relative);

  OpenFile(OpenFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~OpenFile();

  /// Bytes of a regular file when it was opened; nothing for a pipe or a device.
  std::optional<std::uint64_t> size() const { return size_; }

  /// Fills the buffer and returns how much; 0 at the end. Throws std::system_error.
  std::size_t read(std::span<char> buffer) const;

 private:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  /// The file of a descriptor, unless it is a directory.
  static std::optional<OpenFile> take(int descriptor);

  int descriptor_;
  std::optional<std::uint64_t> size_;
};

/// How `open_below` keeps a path below its root.
enum class Confinement {
  kernel,       ///< openat2 with RESOLVE_BENEATH; `by_segments` where there is none
  by_segments,  ///< each segment opened by itself: no `..`, no symbolic link at all
};

/// Opens `relative` for reading; a descriptor, or -1 with errno. For `open_below` and its tests.
int open_beneath(int root, const std::string& relative, Confinement confinement);

}  // namespace fw::detail
