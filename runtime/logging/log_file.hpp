// The output of the log: a file, which may be replaced while it is open, or standard output.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fw::detail {

/// Not thread-safe.
class LogFile {
 public:
  /// Standard output if `path` is empty. Throws std::system_error.
  explicit LogFile(const std::string& path) {
    if (path.empty()) return;
    descriptor_ = open(path);
    if (descriptor_ < 0) {
      throw std::system_error(errno, std::generic_category(),
                              "logger.file: cannot open '" + path + "' for appending");
    }
    struct stat opened{};
    // Pipes and devices are not rotated.
    if (fstat(descriptor_, &opened) != 0 || !S_ISREG(opened.st_mode)) return;
    note(opened);
    // The process may change its working directory.
    std::error_code error;
    path_ = std::filesystem::absolute(path, error);
  }
  ~LogFile() {
    if (descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  int descriptor() const { return descriptor_; }

  /// If the file has been renamed or removed, opens the one that has its path now, or creates it.
  /// Returns whether it did. Keeps the old file if that fails.
  bool follow_rotation() {
    if (path_.empty()) return false;
    struct stat current{};
    const bool exists = ::stat(path_.c_str(), &current) == 0;
    if (exists && current.st_dev == device_ && current.st_ino == inode_) return false;
    if (exists ? !S_ISREG(current.st_mode) : errno != ENOENT) return false;
    const int replacement = open(path_);
    if (replacement < 0) return false;
    if (fstat(replacement, &current) == 0) note(current);
    ::close(std::exchange(descriptor_, replacement));
    return true;
  }

 private:
  static int open(const std::string& path) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
  void note(const struct stat& opened) {
    device_ = opened.st_dev;
    inode_ = opened.st_ino;
  }

  int descriptor_ = STDOUT_FILENO;
  std::string path_;  ///< absolute; empty if the output is not a regular file
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace fw::detail
