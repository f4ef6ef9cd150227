#include "process/file_watcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/inotify.h>
#include <system_error>

namespace fairway::process {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPollInterval{500};
/// Editors write several files for one save.
constexpr std::chrono::milliseconds kSettleTime{20};
constexpr std::uint32_t kEvents =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;

constexpr std::array<std::string_view, 3> kPageEndings = {".html", ".css", ".js"};
constexpr std::array<std::string_view, 3> kDataEndings = {".json", ".yaml", ".yml"};
/// Folders that the route compiler reads, with links to others.
constexpr std::array<std::string_view, 4> kRouteFolders = {"routes", "middlewares", "plugins",
                                                           "pages"};
constexpr std::string_view kCache = "CMakeCache.txt";
constexpr std::string_view kCmakeFiles = "CMakeFiles";

/// The same for hidden files.
bool is_hidden(const fs::path& name) { return name.native().starts_with('.'); }

bool has_component(const fs::path& path, const auto& names) {
  return std::ranges::any_of(path, [&](const fs::path& component) {
    return std::ranges::count(names, component.native()) > 0;
  });
}

}  // namespace

bool is_within(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

Relevance relevance_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (is_hidden(name) && name != ".fairway.json") return Relevance::none;
  if (std::ranges::any_of(path.parent_path(), is_hidden)) return Relevance::none;
  const std::string ending = path.extension().string();
  const std::string top = path.begin()->string();
  if (top == "config" || top == "locales") {
    return std::ranges::count(kDataEndings, ending) > 0 ? Relevance::restart : Relevance::none;
  }
  const bool is_page = std::ranges::count(kPageEndings, ending) > 0 &&
                       has_component(path.parent_path(), std::array{std::string_view("pages")});
  const bool is_source = name == "CMakeLists.txt" || name == "CMakePresets.json" ||
                         name == "CMakeUserPresets.json" || name == ".fairway.json" ||
                         std::ranges::count(kSourceEndings, ending) > 0;
  return is_page || is_source ? Relevance::build : Relevance::none;
}

std::string changes_text(const std::set<fs::path>& paths) {
  std::string text = paths.begin()->string();
  if (paths.size() > 1) text += fmt::format(" and {} more", paths.size() - 1);
  return text + " changed";
}

FileWatcher::FileWatcher(EventLoop& loop, fs::path folder, fs::path build_folder, bool polls,
                         Changed changed)
    : loop_(loop),
      folder_(std::move(folder)),
      build_folder_(std::move(build_folder)),
      changed_(std::move(changed)) {
  if (!polls) inotify_ = fw::base::FileDescriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
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

/// A build folder has CMakeFiles/ before CMakeCache.txt. If the project itself is the build folder,
/// its subfolders have CMakeFiles/, too.
bool FileWatcher::is_left_out(const fs::path& folder) const {
  const fs::path name = folder.filename();
  if (is_hidden(name) || name == kCmakeFiles || folder == "node_modules") return true;
  const fs::path path = folder_ / folder;
  std::error_code error;
  return path == build_folder_ || fs::exists(path / kCache, error) ||
         (fs::exists(path / kCmakeFiles, error) && !fs::exists(folder_ / kCache, error));
}

bool FileWatcher::is_entered(const fs::directory_entry& entry, const fs::path& path) const {
  std::error_code error;
  if (!entry.is_symlink(error)) return !is_left_out(path);
  if (!has_component(path, kRouteFolders) || is_left_out(path)) return false;
  // A link to a folder that contains it has no end.
  const fs::path target = fs::canonical(folder_ / path, error);
  if (error || is_within(folder_, target)) return false;
  for (fs::path parent = path.parent_path(); !parent.empty(); parent = parent.parent_path()) {
    if (fs::canonical(folder_ / parent, error) == target) return false;
  }
  return true;
}

bool FileWatcher::visit(const fs::path& relative,
                        const std::function<bool(const fs::path& folder)>& folder,
                        const std::function<void(const fs::path& file)>& file) const {
  if (!folder(relative)) return false;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_ / relative, error)) {
    const fs::path path = relative / entry.path().filename();
    if (!entry.is_directory(error)) {
      file(path);
    } else if (is_entered(entry, path) && !visit(path, folder, file)) {
      return false;
    }
  }
  return true;
}

bool FileWatcher::add_folder(const fs::path& relative, bool reports_files) {
  return visit(
      relative, [this](const fs::path& folder) { return add_watch(folder); },
      [this, reports_files](const fs::path& file) {
        if (reports_files) note(file);  // written before the folder was watched
      });
}

bool FileWatcher::add_watch(const fs::path& folder) {
  const int number = ::inotify_add_watch(inotify_.get(), (folder_ / folder).c_str(), kEvents);
  if (number < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
  auto& paths = folders_[number];
  if (std::ranges::count(paths, folder) == 0) paths.push_back(folder);
  return true;
}

void FileWatcher::forget_folder(const fs::path& folder) {
  for (auto& [number, paths] : folders_) {
    std::erase_if(paths, [&](const fs::path& path) { return is_within(path, folder); });
    if (paths.empty()) ::inotify_rm_watch(inotify_.get(), number);
  }
  std::erase_if(folders_, [](const auto& watched) { return watched.second.empty(); });
  std::erase_if(pending_, [&](const fs::path& path) { return is_within(path, folder); });
}

fs::path FileWatcher::in_project(const fs::path& path) const {
  if (!is_within(path, folder_)) return path;
  return path == folder_ ? fs::path() : path.lexically_relative(folder_);
}

void FileWatcher::watch_inputs(const std::set<fs::path>& files, fs::file_time_type begin) {
  const std::set<fs::path> before = std::exchange(inputs_, files);
  std::map<fs::path, fs::path> folders;  // with the targets of links
  std::error_code error;
  for (const fs::path& file : files) {
    const fs::path folder = file.parent_path();
    const auto [known, is_new] = folders.try_emplace(folder);
    if (is_new) known->second = fs::canonical(folder, error);
    const fs::path target =
        fs::is_symlink(file, error) ? fs::canonical(file, error) : known->second / file.filename();
    if (target == file || target.empty()) continue;
    inputs_.insert(target);
    folders.try_emplace(target.parent_path(), target.parent_path());
  }
  for (const auto& [folder, target] : folders) {
    if (inotify_ && !add_watch(in_project(folder))) use_polling();
  }
  for (const fs::path& file : inputs_) {
    if (!before.contains(file) && fs::last_write_time(file, error) > begin && !error) {
      note(in_project(file));
    }
  }
  if (inotify_) return;
  // The other files may have changed since they were compared, and a missing one may be back.
  for (const fs::path& file : inputs_) {
    const fs::path path = in_project(file);
    if (!before.contains(file) && !snapshot_.contains(path)) add_state(path, snapshot_);
  }
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
      std::vector<fs::path> paths = folder->second;
      for (fs::path& path : paths) path /= event.name;
      // A file is reported once.
      const auto relevant =
          std::ranges::find_if(paths, [this](const fs::path& path) { return is_relevant(path); });
      if (relevant != paths.end()) paths = {*relevant};
      for (const fs::path& path : paths) {
        if (on_event(event.mask, path)) continue;
        use_polling();
        return;
      }
    }
  }
}

bool FileWatcher::on_event(std::uint32_t mask, const fs::path& path) {
  const bool is_new = (mask & (IN_CREATE | IN_MOVED_TO)) != 0;
  std::error_code error;
  if (is_new && (path.filename() == kCache || path.filename() == kCmakeFiles)) {
    const fs::path folder = path.parent_path();
    if (!folder.empty() && is_left_out(folder)) forget_folder(folder);
    return true;
  }
  if (is_new && path.is_relative() && fs::is_directory(folder_ / path, error)) {
    const fs::directory_entry entry(folder_ / path, error);
    if (!is_entered(entry, path)) return true;
    if (entry.is_symlink(error)) report(path);
    return add_folder(path, true);
  }
  const bool is_gone = (mask & (IN_DELETE | IN_MOVED_FROM)) != 0;
  const bool was_folder = std::ranges::any_of(
      folders_, [&](const auto& watched) { return std::ranges::count(watched.second, path) > 0; });
  if (is_gone && was_folder) {
    forget_folder(path);
    report(path);  // its content is not known
  } else if ((mask & IN_ISDIR) == 0) {
    // A new file is reported when it has been written, a link at once.
    const bool is_being_written = (mask & IN_CREATE) != 0 &&
                                  !fs::is_symlink(folder_ / path, error) &&
                                  fs::hard_link_count(folder_ / path, error) == 1;
    if (!is_being_written) note(path);
  }
  return true;
}

bool FileWatcher::is_relevant(const fs::path& path) const {
  const bool is_in_project = path.is_relative();
  return (is_in_project && relevance_of(path) != Relevance::none) ||
         inputs_.contains(folder_ / path);
}

void FileWatcher::note(const fs::path& path) {
  if (is_relevant(path)) report(path);
}

void FileWatcher::report(const fs::path& path) {
  pending_.insert(path);
  loop_.cancel(report_timer_);
  report_timer_ = loop_.after(kSettleTime, [this] {
    report_timer_ = 0;
    if (!pending_.empty()) changed_(std::exchange(pending_, {}));
  });
}

void FileWatcher::use_polling() {
  if (inotify_) loop_.forget(inotify_.get());
  inotify_.close();
  snapshot_ = take_snapshot();
  loop_.cancel(poll_timer_);
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

void FileWatcher::add_state(const fs::path& path, Snapshot& snapshot) const {
  std::error_code error;
  const auto time = fs::last_write_time(folder_ / path, error);
  if (!error) snapshot[path] = {time, fs::file_size(folder_ / path, error)};
}

FileWatcher::Snapshot FileWatcher::take_snapshot() const {
  Snapshot snapshot;
  visit(
      {}, [](const fs::path&) { return true; },
      [&](const fs::path& file) {
        if (is_relevant(file)) add_state(file, snapshot);
      });
  for (const fs::path& file : inputs_) add_state(in_project(file), snapshot);
  return snapshot;
}

}  // namespace fairway::process
