// `fairway test`: builds, runs the tests, and does so again after each change.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dev/build_lock.hpp"
#include "dev/cmake_project.hpp"
#include "dev/project_build.hpp"
#include "process/console.hpp"
#include "process/file_watcher.hpp"
#include "process/main_loop.hpp"

namespace fairway::dev {

struct TestOptions {
  std::string filter = {};  ///< a regular expression for the names of tests; empty: all tests
  bool watches = false;     ///< files, and tests again after each change
  bool polls = false;       ///< files, instead of using inotify
  bool has_colors = false;
  std::vector<std::string> configure_flags = {};  ///< for a build folder that is new
};

class TestSession {
 public:
  /// Throws UserError.
  TestSession(CmakeProject project, TestOptions options);

  /// Returns when the tests have ended or, if it watches files, when SIGINT, SIGTERM or SIGHUP has
  /// stopped it. Whether the tests have passed the last time.
  bool run();

 private:
  void begin_work();
  void on_changes(const std::set<std::filesystem::path>& paths);
  void after_build(const std::optional<ProjectBuild::Failure>& failure);
  void start_tests();
  void after_tests(int status);
  void end_work(bool has_passed, std::string_view result);

  CmakeProject project_;
  TestOptions options_;
  BuildLock lock_;
  process::MainLoop main_;
  process::Console console_;
  ProjectBuild build_;
  std::unique_ptr<process::FileWatcher> watcher_;

  pid_t tests_ = 0;
  bool must_begin_again_ = false;  ///< something has changed since the tests began
  std::string output_;             ///< of the tests
  bool has_passed_ = false;
};

}  // namespace fairway::dev
