// Watches the files of a project for changes.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "process/event_loop.hpp"

namespace fairway::process {

/// The extensions of files that are compiled, or may be included.
inline constexpr std::array<std::string_view, 17> kSourceEndings = {
    ".c",   ".cc",  ".cpp", ".cxx", ".h",  ".hh",    ".hpp",   ".hxx", ".inc",
    ".inl", ".ipp", ".tpp", ".def", ".in", ".cmake", ".proto", ".sql"};

/// Whether the path is the folder or below it, by the names of both.
bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The work that a change of a file requires.
enum class Relevance {
  none,     ///< nothing that the program is made of
  build,    ///< sources, pages and build files
  restart,  ///< configuration and translations, which the program reads when it starts
};

/// By the name of a file, whether a build has read it or not. `path` is relative to the folder of
/// the project. Hidden files and backups of editors mean nothing.
Relevance relevance_of(const std::filesystem::path& path);

/// "src/main.cpp and 2 more changed".
std::string changes_text(const std::set<std::filesystem::path>& paths);

/// Watches a project with inotify or, where that does not work, by checking the modification times
/// of all files twice a second: the files of its folder that may be sources, and the inputs of the
/// last build, wherever they are. Folders in which CMake builds, and the project's node_modules,
/// are left out.
class FileWatcher {
 public:
  /// Paths are relative to the folder if they are in it. Changes within a few milliseconds are
  /// reported together.
  using Changed = std::function<void(const std::set<std::filesystem::path>& paths)>;

  /// `build_folder` may not exist yet. `polls`: whether to check modification times instead of
  /// using inotify.
  FileWatcher(EventLoop& loop, std::filesystem::path folder, std::filesystem::path build_folder,
              bool polls, Changed changed);
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  bool uses_inotify() const { return static_cast<bool>(inotify_); }
  /// Replaces the inputs of the last build, which are absolute paths. Those that are new and have
  /// changed since `begin`, the begin of the build, are reported.
  void watch_inputs(const std::set<std::filesystem::path>& files,
                    std::filesystem::file_time_type begin);

 private:
  using Path = std::filesystem::path;
  using Snapshot = std::map<Path, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;

  bool is_left_out(const Path& folder) const;
  bool is_entered(const std::filesystem::directory_entry& entry, const Path& path) const;
  /// Visits a folder of the project and those in it. Ends with false when `folder` returns it.
  bool visit(const Path& relative, const std::function<bool(const Path& folder)>& folder,
             const std::function<void(const Path& file)>& file) const;

  /// False if it cannot be watched.
  bool add_folder(const Path& relative, bool reports_files);
  bool add_watch(const Path& folder);
  void forget_folder(const Path& folder);
  void read_events();
  /// False when folders can no longer be watched.
  bool on_event(std::uint32_t mask, const Path& path);
  bool is_relevant(const Path& path) const;
  /// An absolute path as it is reported.
  Path in_project(const Path& path) const;
  void note(const Path& path);
  void report(const Path& path);
  void use_polling();
  void compare_snapshots();
  Snapshot take_snapshot() const;
  void add_state(const Path& path, Snapshot& snapshot) const;

  EventLoop& loop_;
  Path folder_;
  Path build_folder_;
  Changed changed_;
  fw::base::FileDescriptor inotify_;
  /// By inotify's number. A folder has several paths if there are links to it.
  std::map<int, std::vector<Path>> folders_;
  std::set<Path> inputs_;  ///< absolute, with the targets of links
  Snapshot snapshot_;      ///< when polling
  EventLoop::TimerId poll_timer_ = 0;
  std::set<Path> pending_;
  EventLoop::TimerId report_timer_ = 0;
};

}  // namespace fairway::process
