// Configures and builds a project.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "dev/build_inputs.hpp"
#include "dev/build_lock.hpp"
#include "dev/build_run.hpp"
#include "dev/cmake_project.hpp"
#include "process/console.hpp"
#include "process/main_loop.hpp"

namespace fairway::dev {

/// One build at a time, which other processes of `fairway` wait for.
class ProjectBuild {
 public:
  enum class Scope {
    program,  ///< the target of the project
    all,      ///< with the tests
  };
  struct Options {
    Scope scope = Scope::program;
    std::vector<std::string> configure_flags = {};  ///< for a build folder that is new
  };
  struct Failure {
    std::string title;  ///< "The build failed after 0.3 s"
    std::string text;   ///< the diagnostics, with colors
  };
  using Done = std::function<void(const std::optional<Failure>& failure)>;

  /// All but `options` and `done` must outlive the object; `lock` must be older than `main`, whose
  /// guard has it, too.
  ProjectBuild(process::MainLoop& main, BuildLock& lock, process::Console& console,
               const CmakeProject& project, Options options, Done done);

  /// A build that is running is outdated: it is stopped first, and `done` is not called for it. If
  /// `begin` is called while the build waits for another process, there is only one.
  void begin();
  /// Whether `done` will be called.
  bool is_running() const { return process_ != 0 || lock_timer_ != 0; }

  // Of the last build.

  std::chrono::steady_clock::time_point began() const { return work_began_; }
  std::vector<BuildOutput::Phase> phases() const { return output_->phases(); }
  /// Calls `found` with the files that it has read, and the time before it has read them. After a
  /// build that failed, also with the files of the last one that succeeded.
  void read_inputs(
      std::function<void(const BuildInputs::Files&, std::filesystem::file_time_type)> found);

 private:
  using Clock = std::chrono::steady_clock;

  void wait_for_lock();
  void configure();
  void check_next_compiler();
  void configure_with(const std::optional<CompilerCandidate>& compiler);
  void after_configure(int status, const std::optional<CompilerCandidate>& compiler);
  void build();
  /// Calls `done` with the status of waitpid, unless the build is stopped or begins again.
  void run_tool(const std::vector<std::string>& command, std::function<void(int)> done);
  void show_progress();
  void fail();
  void end(const std::optional<Failure>& failure);

  process::MainLoop& main_;
  BuildLock& lock_;
  process::Console& console_;
  const CmakeProject& project_;
  Options options_;
  Done done_;
  BuildInputs inputs_;
  BuildInputs::Files known_inputs_;  ///< of the last build that succeeded and those since then

  pid_t process_ = 0;
  process::EventLoop::TimerId lock_timer_ = 0;
  bool has_failed_ = false;
  bool must_begin_again_ = false;  ///< something has changed since the build began
  Clock::time_point work_began_;
  std::filesystem::file_time_type files_read_;  ///< at the earliest
  std::vector<CompilerCandidate> candidates_;   ///< that have not been checked
  std::optional<BuildOutput> output_;
  Clock::time_point tool_began_;
  process::EventLoop::TimerId progress_timer_ = 0;
};

}  // namespace fairway::dev
