// The warnings of `fairway doctor` after a build.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dev/cmake_project.hpp"
#include "process/console.hpp"
#include "process/main_loop.hpp"
#include "process/processes.hpp"

namespace fairway::dev {

class LintRun {
 public:
  using Command = std::vector<std::string>;
  /// The commands for the applications of the project, as its last build was configured.
  using Commands = std::function<std::vector<Command>()>;

  /// `main`, `console` and `project` must outlive the object.
  LintRun(process::MainLoop& main, process::Console& console, const CmakeProject& project,
          Commands commands)
      : main_(main),
        console_(console),
        project_(project),
        commands_(std::move(commands)),
        process_(main.processes()) {}

  /// Runs the commands one after the other, and reports their warnings, of which each is one line:
  /// the first ones, or only their number if they are the same as last time.
  void begin();
  /// Ends the commands that are running, of a build that is outdated.
  void cancel();

 private:
  void run_next();
  void report();

  process::MainLoop& main_;
  process::Console& console_;
  const CmakeProject& project_;
  Commands commands_;
  std::vector<Command> left_;
  process::CapturedProcess process_;
  std::string output_;
  std::vector<std::string> reported_;  ///< the last time, without line numbers
};

/// The lines with warnings in the output of `fairway doctor`.
std::vector<std::string> warnings_in(std::string_view output);

}  // namespace fairway::dev
