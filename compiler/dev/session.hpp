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

#include "dev/build_lock.hpp"
#include "dev/build_run.hpp"
#include "dev/cmake_project.hpp"
#include "dev/dev_proxy.hpp"
#include "dev/lint_run.hpp"
#include "dev/project_build.hpp"
#include "dev/request_log.hpp"
#include "dev/request_pages.hpp"
#include "dev/span_receiver.hpp"
#include "process/console.hpp"
#include "process/event_loop.hpp"
#include "process/file_watcher.hpp"
#include "process/main_loop.hpp"

namespace fairway::dev {

struct SessionOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 3000;
  std::chrono::seconds max_wait{60};  ///< of a request, for a build and a start
  bool polls = false;                 ///< files, instead of using inotify
  bool stops_first = false;           ///< the old server, before the new one starts
  bool is_https = false;
  bool has_colors = false;
  std::vector<std::string> configure_flags = {};  ///< for a build folder that is new
  LintRun::Commands lint_commands = {};
  std::string editor = "vscode://file{file}:{line}";  ///< for `editor_url`
  /// The path of the documentation viewer; empty if there is none.
  std::function<std::string()> docs_path = {};
  /// The folders of the route files.
  std::function<std::vector<std::filesystem::path>()> source_dirs = {};
  /// What `fairway doctor --explain` says about a rule; nothing if there is no such rule.
  std::function<std::optional<std::string>(const std::string& id)> explain = {};
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
    bool is_reported_slow = false;
    std::string errors;  ///< the end of its standard error
  };
  /// By which a changed program is recognised.
  struct ProgramFile {
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;
    bool operator==(const ProgramFile&) const = default;
  };

  void on_changes(const std::set<std::filesystem::path>& paths);
  void begin_work();
  void after_build(const std::optional<ProjectBuild::Failure>& failure);

  void start_server();
  void wait_for_server(pid_t process);
  void start_on_other_port();
  void on_server_output(pid_t process, std::string_view text);
  void on_ready();
  void on_server_end(pid_t process, int status);
  void stop_server(const Server& server);

  void succeed(std::string_view remark = {});
  void fail(const std::string& title, const std::string& text);
  std::unique_ptr<TlsContext> make_tls();
  std::string times() const;
  std::string url() const;

  void on_requests_changed();
  Decision decide(const ProxyRequest& request) const;
  Reply overlay() const;
  Reply rule(const std::string& id) const;
  /// Of the last program that was started.
  void read_project();
  ProjectView project_view() const;

  CmakeProject project_;
  SessionOptions options_;
  BuildLock lock_;
  process::MainLoop main_;
  process::Console console_;
  ProjectBuild build_;
  LintRun lints_;
  RequestLog requests_;
  RequestPages pages_;
  SpanReceiver spans_;
  std::unique_ptr<DevProxy> proxy_;  // after the log, which its connections use
  std::unique_ptr<process::FileWatcher> watcher_;

  std::string docs_path_;
  std::string shown_docs_path_;  ///< in the terminal
  std::vector<std::filesystem::path> source_dirs_;
  Phase phase_ = Phase::working;
  unsigned version_ = 0;  ///< counts the times that `phase_` became ready or failed
  std::string title_;     ///< of the failure
  std::string body_;      ///< its page, as HTML

  bool must_lint_ = false;     ///< when the program of the last build is ready
  bool must_restart_ = false;  ///< whether the program has changed or not
  Clock::time_point work_began_;
  std::vector<BuildOutput::Phase> phases_;
  Clock::time_point start_began_;

  std::optional<Server> current_;  ///< gets the requests
  std::optional<Server> next_;     ///< is starting
  std::optional<ProgramFile> started_program_;
  pid_t awaited_ = 0;  ///< with `stops_first`: the old server, until it has ended
  bool was_restarted_after_crash_ = false;
  process::EventLoop::TimerId ready_timer_ = 0;
  process::EventLoop::TimerId requests_timer_ = 0;  ///< 0: no change has to be announced
  unsigned port_changes_ = 0;                       ///< of the program that is starting
};

}  // namespace fairway::dev
