#include "dev/build_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "files/whole_file.hpp"

namespace fairway::dev {

BuildLock::BuildLock(std::filesystem::path file) : file_(std::move(file)) { open(); }

void BuildLock::open() {
  constexpr mode_t kMode = 0666;
  std::error_code ignored;
  std::filesystem::create_directories(file_.parent_path(), ignored);
  // Without a file there is no lock: the build will say why it cannot write to its folder.
  descriptor_ =
      fw::base::FileDescriptor(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode));
}

bool BuildLock::try_acquire() {
  struct stat status{};
  const bool is_deleted = ::fstat(descriptor_.get(), &status) != 0 || status.st_nlink == 0;
  if (is_deleted) open();
  // Some network file systems have no locks.
  if (::flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  const std::string text = std::to_string(::getpid());
  [[maybe_unused]] const auto cut = ::ftruncate(descriptor_.get(), 0);
  [[maybe_unused]] const auto written = ::pwrite(descriptor_.get(), text.data(), text.size(), 0);
  return true;
}

void BuildLock::release() { ::flock(descriptor_.get(), LOCK_UN); }

std::string BuildLock::holder() const { return files::read_file(file_).value_or(""); }

}  // namespace fairway::dev
