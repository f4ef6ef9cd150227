#include "base/open_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#if FAIRWAY_EPOLL
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

namespace fw::detail {
namespace {

// A pipe without a writer must not block; for regular files, the flag has no effect.
constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

/// Maximum number of attempts to open a file during renames.
[[maybe_unused]] constexpr int kMaxAttempts = 100;

bool means_not_found(int error) {
  return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP;
}

[[noreturn]] void fail(int error, const std::string& path) {
  throw std::system_error(error, std::generic_category(), "cannot open '" + path + "'");
}

int open_by_segments(int root, std::string_view relative) {
  base::FileDescriptor directory;
  int at = root;
  while (true) {
    const auto slash = relative.find('/');
    const std::string segment(relative.substr(0, slash));
    if (segment.empty() || segment == ".." || segment == ".") {
      errno = ENOENT;
      return -1;
    }
    if (slash == std::string_view::npos) return openat(at, segment.c_str(), kFlags | O_NOFOLLOW);
    const int next = openat(at, segment.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (next < 0) return -1;
    directory = base::FileDescriptor(next);
    at = next;
    relative.remove_prefix(slash + 1);
  }
}

}  // namespace

int open_beneath(int root, const std::string& relative, Confinement confinement) {
#if FAIRWAY_EPOLL
  if (confinement == Confinement::kernel) {
    open_how how{};
    how.flags = kFlags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    for (int attempts = 0; attempts < kMaxAttempts; ++attempts) {
      const long result = syscall(SYS_openat2, root, relative.c_str(), &how, sizeof how);
      if (result >= 0) return static_cast<int>(result);
      // EAGAIN: a file was renamed meanwhile, so the kernel could not check the path.
      if (errno == EINTR || errno == EAGAIN) continue;
      // An old kernel or a sandbox does not support the call.
      if (errno == ENOSYS || errno == EPERM) return open_by_segments(root, relative);
      return -1;
    }
    return -1;
  }
#endif
  static_cast<void>(confinement);
  return open_by_segments(root, relative);
}

Directory::Directory(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  struct stat status = {};
  if (!descriptor_ || fstat(descriptor(), &status) != 0) fail(errno, path);
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

bool Directory::is_at(const std::string& path) const {
  // The inode is not used again for another directory as long as this one is open.
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

std::shared_ptr<const Directory> KeptDirectory::get() const {
  std::shared_ptr<const Directory> directory;
  {
    const std::lock_guard lock(mutex_);
    directory = directory_;
  }
  if (directory && directory->is_at(path_)) return directory;
  directory = std::make_shared<const Directory>(path_);
  const std::lock_guard lock(mutex_);
  directory_ = directory;
  return directory;
}

std::optional<OpenFile> OpenFile::take(int descriptor) {
  OpenFile file(descriptor);
  struct stat status = {};
  if (fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) return std::nullopt;
  if (S_ISREG(status.st_mode)) file.size_ = static_cast<std::uint64_t>(status.st_size);
  file.modified_ = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return file;
}

std::optional<OpenFile> OpenFile::open(const std::string& path) {
  if (path.find('\0') != std::string::npos) return std::nullopt;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor >= 0) return take(descriptor);
  if (!means_not_found(errno)) fail(errno, path);
  return std::nullopt;
}

std::optional<OpenFile> OpenFile::open_below(const Directory& root, std::string_view relative) {
  if (relative.empty() || relative.find('\0') != std::string_view::npos) return std::nullopt;
  const int descriptor =
      open_beneath(root.descriptor(), std::string(relative), Confinement::kernel);
  if (descriptor < 0) {
    const int error = errno;
    if (error == EMFILE || error == ENFILE || error == ENOMEM) fail(error, std::string(relative));
    return std::nullopt;  // does not exist, is not readable, or is not below the root
  }
  auto file = take(descriptor);
  if (file && !file->size()) return std::nullopt;
  return file;
}

std::size_t OpenFile::read(std::span<char> buffer) const {
  while (true) {
    const ssize_t count = ::read(descriptor(), buffer.data(), buffer.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(),
                              "the source of a streamed response cannot be read");
    }
  }
}

}  // namespace fw::detail
