// Child processes: builds, servers, tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/file_descriptor.hpp"
#include "process/event_loop.hpp"

namespace fairway::process {

// group_guard.cpp: Ends the processes that this one has started, if it cannot do so itself.

/// From SIGTERM to SIGKILL. A server completes its requests within `shutdown.timeout`, 10 seconds
/// unless it is configured.
inline constexpr std::chrono::milliseconds kStopTime{12'000};

/// A process of its own that waits for the end of this one, which may be killed. Then it sends
/// SIGTERM to the process groups that are left, and after a while SIGKILL. The death signal of
/// prctl(2) does not reach the children of a child: cmake would end, and its ninja would remain.
class GroupGuard {
 public:
  /// Descriptors that are open now stay open in the guard.
  GroupGuard();
  ~GroupGuard();
  GroupGuard(const GroupGuard&) = delete;
  GroupGuard& operator=(const GroupGuard&) = delete;

  // Also for a new process before it executes a program: then no group is missed.

  void add(pid_t group) const;
  void remove(pid_t group) const;

 private:
  fw::base::FileDescriptor messages_;
  pid_t process_ = -1;
};

// processes.cpp

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

// local_port.cpp: Ports of this machine, on which programs listen that this one starts.

/// A free port of 127.0.0.1.
std::uint16_t free_port();

/// Whether a process listens on that port of 127.0.0.1.
bool accepts_connections(std::uint16_t port);

/// Whether a process of the process group listens on that port: another program may have taken it.
bool listens_on(pid_t group, std::uint16_t port);

}  // namespace fairway::process
