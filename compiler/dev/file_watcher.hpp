// Notices changes of the files of a project.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "dev/descriptor.hpp"
#include "dev/event_loop.hpp"

namespace fairway::dev {

/// The extensions of files that are compiled, or may be included.
inline constexpr std::array<std::string_view, 17> kSourceEndings = {
    ".c",   ".cc",  ".cpp", ".cxx", ".h",  ".hh",    ".hpp",   ".hxx", ".inc",
    ".inl", ".ipp", ".tpp", ".def", ".in", ".cmake", ".proto", ".sql"};

/// The work that a change of a file requires.
enum class Relevance {
  none,     ///< nothing that the program is made of
  build,    ///< sources and build files
  restart,  ///< configuration and translations, which the program reads when it starts
};

/// `path` is relative to the folder of the project. Hidden files, backups of editors and build
/// folders mean nothing.
Relevance relevance_of(const std::filesystem::path& path);

/// Watches a folder and its subfolders with inotify or, where that does not work, by checking the
/// modification times of all files twice a second.
class FileWatcher {
 public:
  /// Paths are relative to the folder. Changes within a few milliseconds are reported together.
  using Changed = std::function<void(const std::set<std::filesystem::path>& paths)>;

  /// `polls`: whether to check modification times instead of using inotify.
  FileWatcher(EventLoop& loop, std::filesystem::path folder, bool polls, Changed changed);
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  bool uses_inotify() const { return static_cast<bool>(inotify_); }

 private:
  using Snapshot =
      std::map<std::filesystem::path, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;

  /// False if it cannot be watched.
  bool add_folder(const std::filesystem::path& relative, bool reports_files);
  void read_events();
  void note(const std::filesystem::path& relative);
  void use_polling();
  void compare_snapshots();
  Snapshot take_snapshot() const;

  EventLoop& loop_;
  std::filesystem::path folder_;
  Changed changed_;
  Descriptor inotify_;
  std::map<int, std::filesystem::path> folders_;  ///< by inotify's number
  Snapshot snapshot_;                             ///< when polling
  EventLoop::TimerId poll_timer_ = 0;
  std::set<std::filesystem::path> pending_;
  EventLoop::TimerId report_timer_ = 0;
};

}  // namespace fairway::dev
