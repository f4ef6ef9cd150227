#include "files/whole_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "files/user_error.hpp"

namespace fairway::files {
namespace {

namespace fs = std::filesystem;

std::string_view remedy(const std::error_code& reason) {
  if (reason == std::errc::no_space_on_device || reason.value() == EDQUOT) {
    return "free space on the disk, or use another path";
  }
  if (reason == std::errc::not_a_directory || reason == std::errc::file_exists) {
    return "a part of the path is not a directory: remove it, or use another path";
  }
  if (reason == std::errc::is_a_directory)
    return "it is a directory: remove it, or use another path";
  if (reason == std::errc::permission_denied || reason == std::errc::operation_not_permitted ||
      reason == std::errc::read_only_file_system) {
    return "make its directory writable, or use another path";
  }
  return "use another path";
}

[[noreturn]] void fail(const fs::path& path, const std::error_code& reason) {
  throw UserError(
      fmt::format("cannot write '{}': {}: {}", path.string(), reason.message(), remedy(reason)));
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// In the same directory, so that it can be renamed; unique to this thread.
fs::path temporary_name(const fs::path& path) {
  return fmt::format("{}.{}.{:x}.tmp", path.string(), getpid(),
                     std::hash<std::thread::id>()(std::this_thread::get_id()));
}

/// A new file in the directory of `path`. It has no name until it is complete, so that nothing
/// remains if the program is killed. If the file system does not support this, it has a temporary
/// name.
class NewFile {
 public:
  explicit NewFile(const fs::path& path) : path_(path), temporary_(temporary_name(path)) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    constexpr mode_t kMode = 0666;  // modified by the umask
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
    if (descriptor_ < 0) {
      descriptor_ = ::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, kMode);
      is_named_ = descriptor_ >= 0;
    }
    if (descriptor_ < 0) fail(path_, last_error());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (is_named_) ::unlink(temporary_.c_str());
  }

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t count = ::write(descriptor_, content.data(), content.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(path_, last_error());
      content.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  /// Replaces the file at the path and takes over its permissions.
  void replace() {
    struct stat former{};
    constexpr mode_t kPermissions = 07777;
    if (::stat(path_.c_str(), &former) == 0) {
      (void)::fchmod(descriptor_, former.st_mode & kPermissions);
    }
    if (!is_named_) {
      ::unlink(temporary_.c_str());  // left by a dead process with the same id
      const std::string source = fmt::format("/proc/self/fd/{}", descriptor_);
      if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) !=
          0) {
        fail(path_, last_error());
      }
      is_named_ = true;
    }
    if (::close(std::exchange(descriptor_, -1)) != 0 ||
        ::rename(temporary_.c_str(), path_.c_str()) != 0) {
      fail(path_, last_error());
    }
    is_named_ = false;
  }

 private:
  fs::path path_;
  fs::path temporary_;
  int descriptor_ = -1;
  bool is_named_ = false;
};

/// Writes to a device or a pipe, which cannot be replaced: '-o /dev/stdout'.
void write_into(const fs::path& path, std::string_view content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) fail(path, last_error());
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  std::string text;
  const auto size = file.tellg();
  if (size > 0) text.resize(static_cast<std::size_t>(size));
  file.seekg(0);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void replace_file(const fs::path& path, std::string_view content) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) fail(path, error);
  const auto former = fs::status(path, error);
  if (fs::exists(former) && !fs::is_regular_file(former) && !fs::is_directory(former)) {
    return write_into(path, content);
  }
  // The target of a symbolic link is replaced, not the link.
  const fs::path target = fs::is_symlink(path, error) ? fs::canonical(path, error) : path;
  NewFile file(target.empty() ? path : target);
  file.write(content);
  file.replace();
}

}  // namespace fairway::files
