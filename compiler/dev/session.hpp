// `fairway dev`: builds, serves, watches.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "dev/build_inputs.hpp"
#include "dev/build_lock.hpp"
#include "dev/build_run.hpp"
#include "dev/cmake_project.hpp"
#include "dev/event_loop.hpp"
#include "dev/file_watcher.hpp"
#include "dev/front.hpp"
#include "dev/processes.hpp"
#include "diagnostics/progress.hpp"

namespace fairway::dev {

struct SessionOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 3000;
  std::chrono::seconds max_wait{60};  ///< of a request, for a build and a start
  bool polls = false;                 ///< files, instead of using inotify
  bool stops_first = false;           ///< the old server, before the new one starts
  bool has_colors = false;
  std::vector<std::string> configure_flags = {};  ///< for a build folder that is new
};

/// After a change, requests wait until the build has ended and the new server accepts connections;
/// then the old one is stopped. If the build or the start fails, the old one stays, and pages get
/// the error instead.
class Session {
 public:
  /// Throws UserError.
  Session(CmakeProject project, SessionOptions options);

  /// Returns when it has been stopped by SIGINT, SIGTERM or SIGHUP, and no process is left.
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  enum class Phase {
    working,  ///< building or starting
    ready,
    failed,
  };
  struct Server {
    pid_t process = 0;
    std::uint16_t port = 0;
    bool is_ready = false;
    std::string errors;  ///< the end of its standard error
  };
  /// By which a changed program is recognised.
  struct ProgramFile {
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;
    bool operator==(const ProgramFile&) const = default;
  };

  void on_signal();
  void begin_stop();

  void on_changes(const std::set<std::filesystem::path>& paths);
  void begin_work();
  void wait_for_lock();
  void configure();
  void check_next_compiler();
  void configure_with(const std::optional<CompilerCandidate>& compiler);
  void after_configure(int status, const std::optional<CompilerCandidate>& compiler);
  void build();
  /// Calls `done` with the status of waitpid, unless the build is stopped or begins again.
  void run_build_tool(const std::vector<std::string>& command, std::function<void(int)> done);
  void fail_build();
  void watch_inputs();
  void show_progress();
  void after_build();

  void start_server();
  void wait_for_server(pid_t process);
  void start_on_other_port();
  void on_server_output(pid_t process, std::string_view text);
  void on_ready();
  void on_server_end(pid_t process, int status);
  void stop_server(const Server& server);

  void succeed();
  void fail(const std::string& title, const std::string& text);
  std::string times() const;
  void say(std::string_view text);
  std::string url() const;

  Decision decide(const FrontRequest& request) const;
  Reply overlay() const;

  CmakeProject project_;
  SessionOptions options_;
  EventLoop loop_;
  Descriptor signals_;
  BuildLock lock_;  ///< before the processes: see GroupGuard
  Processes processes_;
  BuildInputs inputs_;
  std::unique_ptr<Front> front_;
  std::unique_ptr<FileWatcher> watcher_;

  Phase phase_ = Phase::working;
  unsigned version_ = 0;  ///< counts the times that `phase_` became ready or failed
  std::string title_;     ///< of the failure
  std::string text_;

  pid_t build_process_ = 0;
  EventLoop::TimerId lock_timer_ = 0;
  bool must_build_again_ = false;  ///< something has changed since the build began
  bool must_restart_ = false;      ///< whether the program has changed or not
  Clock::time_point work_began_;
  std::filesystem::file_time_type files_read_;  ///< at the earliest, by the build
  std::vector<CompilerCandidate> candidates_;   ///< that have not been checked
  std::optional<BuildOutput> output_;
  Clock::time_point build_began_;
  diagnostics::ProgressLine progress_line_;
  EventLoop::TimerId progress_timer_ = 0;
  std::vector<BuildOutput::Phase> phases_;
  Clock::time_point start_began_;

  std::optional<Server> current_;  ///< gets the requests
  std::optional<Server> next_;     ///< is starting
  std::optional<ProgramFile> started_program_;
  pid_t awaited_ = 0;  ///< with `stops_first`: the old server, until it has ended
  bool was_restarted_after_crash_ = false;
  EventLoop::TimerId ready_timer_ = 0;
  unsigned port_changes_ = 0;  ///< of the program that is starting
  int stop_signals_ = 0;
};

}  // namespace fairway::dev
