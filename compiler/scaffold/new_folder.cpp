#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <system_error>

#include "files/user_error.hpp"
#include "files/whole_file.hpp"
#include "scaffold/scaffold.hpp"

namespace fairway::scaffold {
namespace {

namespace fs = std::filesystem;

/// Signals that end the process are delivered at the end of the scope.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &previous_);
  }
  ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t previous_{};
};

/// A hidden folder that is removed, unless it gets its name.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& target) : target_(target) {
    const fs::path absolute = fs::absolute(target);
    std::string name =
        (target.parent_path() / fmt::format(".{}.XXXXXX", target.filename().string())).string();
    if (::mkdtemp(name.data()) == nullptr) fail(errno);
    path_ = name;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::chmod(path_.c_str(), 0777 & ~mask);  // what mkdir would have made
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

  /// Fails if the target now exists, unless it is an empty folder.
  void rename_to_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(errno);
    path_.clear();
  }

 private:
  [[noreturn]] void fail(int error) const {
    const bool is_taken = error == ENOTEMPTY || error == EEXIST || error == ENOTDIR;
    throw UserError(fmt::format("cannot create '{}': {}{}", target_.string(),
                                std::generic_category().message(error),
                                is_taken ? "" : ": choose a folder that you may write to"));
  }

  fs::path target_;
  fs::path path_;
};

void require_free(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder, error);
  const fs::path parent = fs::absolute(folder).parent_path();
  if (!fs::is_directory(parent, error)) {
    if (fs::exists(parent, error)) {
      throw UserError(fmt::format("cannot create '{}': '{}' is a file; choose another folder",
                                  folder.string(), folder.parent_path().string()));
    }
    throw UserError(fmt::format("cannot create '{}': there is no folder '{}'; create it first",
                                folder.string(), folder.parent_path().string()));
  }
  if (!fs::exists(status)) return;
  const bool is_folder = fs::is_directory(status);
  if (is_folder && fs::is_empty(folder, error)) return;
  throw UserError(fmt::format(
      "cannot create '{}': {} with that name exists{}; choose another name, "
      "or remove it",
      folder.string(), is_folder ? "a folder" : "a file", is_folder ? " and is not empty" : ""));
}

}  // namespace

void write_new_folder(const fs::path& folder, const std::map<std::string, std::string>& files) {
  require_free(folder);
  const SignalsHeldBack signals;
  TemporaryFolder temporary(folder);
  for (const auto& [path, text] : files) files::replace_file(temporary.path() / path, text);
  temporary.rename_to_target();
}

}  // namespace fairway::scaffold
