// Child processes: builds, servers, tests.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/file_descriptor.hpp"
#include "process/event_loop.hpp"
#include "process/group_guard.hpp"

namespace fairway::process {

/// A word of a command line for a shell, in single quotes.
std::string shell_word(std::string_view text);

/// The folders of PATH, in order.
std::vector<std::filesystem::path> search_path();

bool is_in_path(const std::string& program);

struct ProcessOptions {
  std::vector<std::string> arguments;  ///< the first is the program, found in PATH
  std::filesystem::path directory;
  std::vector<std::string> environment = {};  ///< "NAME=value", in addition to the own one
  bool captures_output = false;               ///< standard output too; else standard error alone
  std::function<void(std::string_view)> output = {};  ///< called with captured output as it arrives
  std::function<void(int status)> ended = {};  ///< with the status of waitpid, after all output
};

/// Each process has a process group of its own, which includes its children: a terminal's Ctrl-C
/// reaches only this process, which decides what happens. They get SIGTERM if this one ends without
/// having ended them.
class Processes {
 public:
  explicit Processes(EventLoop& loop) : loop_(loop) {}
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// Throws UserError if the program cannot be started.
  pid_t start(ProcessOptions options);
  /// Sends the signal to the process and its children.
  void signal(pid_t process, int number) const;
  bool empty() const { return entries_.empty(); }
  std::vector<pid_t> all() const;
  /// Takes note of the processes that have ended; to be called after SIGCHLD.
  void reap();

 private:
  struct Entry {
    ProcessOptions options;
    fw::base::FileDescriptor output;
  };
  void read_output(pid_t process);

  EventLoop& loop_;
  GroupGuard guard_;
  std::map<pid_t, Entry> entries_;
};

/// "exit status 1", "signal 11 (Segmentation fault)".
std::string describe_status(int status);

/// One at a time: a new one replaces the one that is running.
class CapturedProcess {
 public:
  /// `processes` must outlive the object, which must outlive its process.
  explicit CapturedProcess(Processes& processes) : processes_(processes) {}

  /// Calls `done` with all output when the process has ended, unless it was cancelled. Throws
  /// UserError if it cannot be started.
  void start(std::vector<std::string> arguments, std::filesystem::path directory,
             std::function<void(std::string output)> done);
  /// Ends the process, if one is running.
  void cancel();

 private:
  Processes& processes_;
  pid_t process_ = 0;
  std::string output_;
};

}  // namespace fairway::process
