#include "dev/file_watcher.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <string_view>
#include <sys/inotify.h>
#include <system_error>

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPollInterval{500};
/// Editors write several files for one save.
constexpr std::chrono::milliseconds kSettleTime{20};
constexpr std::uint32_t kEvents =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;

constexpr std::array<std::string_view, 3> kDataEndings = {".json", ".yaml", ".yml"};

/// A folder whose content does not matter.
bool is_ignored_folder(std::string_view name) {
  return name.starts_with('.') || name == "build" || name.starts_with("build-") ||
         name.starts_with("cmake-build-") || name == "node_modules";
}

}  // namespace

Relevance relevance_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.starts_with('.') && name != ".fairway.json") return Relevance::none;
  for (const fs::path& folder : path.parent_path()) {
    if (is_ignored_folder(folder.string())) return Relevance::none;
  }
  const std::string ending = path.extension().string();
  const std::string top = path.begin()->string();
  if (top == "config" || top == "locales") {
    return std::ranges::count(kDataEndings, ending) > 0 ? Relevance::restart : Relevance::none;
  }
  const bool is_source = name == "CMakeLists.txt" || name == "CMakePresets.json" ||
                         name == "CMakeUserPresets.json" || name == ".fairway.json" ||
                         std::ranges::count(kSourceEndings, ending) > 0;
  return is_source ? Relevance::build : Relevance::none;
}

FileWatcher::FileWatcher(EventLoop& loop, fs::path folder, bool polls, Changed changed)
    : loop_(loop), folder_(std::move(folder)), changed_(std::move(changed)) {
  if (!polls) inotify_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_ || !add_folder({}, false)) {
    use_polling();
    return;
  }
  loop_.watch(inotify_.get(), POLLIN, [this](short) { read_events(); });
}

FileWatcher::~FileWatcher() {
  if (inotify_) loop_.forget(inotify_.get());
  loop_.cancel(poll_timer_);
  loop_.cancel(report_timer_);
}

bool FileWatcher::add_folder(const fs::path& relative, bool reports_files) {
  const fs::path folder = folder_ / relative;
  const int number = ::inotify_add_watch(inotify_.get(), folder.c_str(), kEvents);
  if (number < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
  folders_[number] = relative;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path path = relative / entry.path().filename();
    if (entry.is_directory(error) && !entry.is_symlink(error)) {
      if (!is_ignored_folder(path.filename().string()) && !add_folder(path, reports_files)) {
        return false;
      }
    } else if (reports_files) {
      note(path);  // written before the folder was watched
    }
  }
  return true;
}

void FileWatcher::read_events() {
  alignas(inotify_event) std::array<char, 16'384> buffer;
  while (true) {
    const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    for (std::size_t offset = 0; offset < static_cast<std::size_t>(size);) {
      const auto& event = *reinterpret_cast<const inotify_event*>(buffer.data() + offset);
      offset += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        note("CMakeLists.txt");  // some change has been missed: the build finds out which
        continue;
      }
      const auto folder = folders_.find(event.wd);
      if (folder == folders_.end()) continue;
      if ((event.mask & IN_IGNORED) != 0) {
        folders_.erase(folder);
        continue;
      }
      if (event.len == 0) continue;
      const fs::path path = folder->second / event.name;
      if ((event.mask & IN_ISDIR) == 0) {
        // A new file is reported when it has been written, a link at once.
        std::error_code error;
        const bool is_being_written = (event.mask & IN_CREATE) != 0 &&
                                      !fs::is_symlink(folder_ / path, error) &&
                                      fs::hard_link_count(folder_ / path, error) == 1;
        if (!is_being_written) note(path);
      } else if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
        if (!is_ignored_folder(event.name) && !add_folder(path, true)) {
          use_polling();
          return;
        }
      } else {
        note(path / "CMakeLists.txt");  // a folder with unknown content is gone
      }
    }
  }
}

void FileWatcher::note(const fs::path& relative) {
  if (relevance_of(relative) == Relevance::none) return;
  pending_.insert(relative);
  loop_.cancel(report_timer_);
  report_timer_ = loop_.after(kSettleTime, [this] {
    report_timer_ = 0;
    changed_(std::exchange(pending_, {}));
  });
}

void FileWatcher::use_polling() {
  if (inotify_) loop_.forget(inotify_.get());
  inotify_.close();
  snapshot_ = take_snapshot();
  poll_timer_ = loop_.after(kPollInterval, [this] { compare_snapshots(); });
}

void FileWatcher::compare_snapshots() {
  Snapshot now = take_snapshot();
  for (const auto& [path, state] : now) {
    const auto before = snapshot_.find(path);
    if (before == snapshot_.end() || before->second != state) note(path);
  }
  for (const auto& [path, state] : snapshot_) {
    if (!now.contains(path)) note(path);
  }
  snapshot_ = std::move(now);
  poll_timer_ = loop_.after(kPollInterval, [this] { compare_snapshots(); });
}

FileWatcher::Snapshot FileWatcher::take_snapshot() const {
  Snapshot snapshot;
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(
      folder_, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(error)) {
    if (entry->is_directory(error)) {
      if (is_ignored_folder(entry->path().filename().string())) entry.disable_recursion_pending();
      continue;
    }
    const fs::path path = entry->path().lexically_relative(folder_);
    if (relevance_of(path) == Relevance::none) continue;
    const auto time = entry->last_write_time(error);
    if (!error) snapshot[path] = {time, entry->file_size(error)};
  }
  return snapshot;
}

}  // namespace fairway::dev
