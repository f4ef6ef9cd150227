#include "dev/test_session.hpp"

#include <fmt/format.h>

#include <chrono>
#include <signal.h>
#include <system_error>
#include <utility>

namespace fairway::dev {

namespace fs = std::filesystem;

TestSession::TestSession(CmakeProject project, TestOptions options)
    : project_(std::move(project)),
      options_(std::move(options)),
      lock_(project_.lock_file()),
      console_(options_.has_colors),
      build_(main_, lock_, console_, project_,
             {.scope = ProjectBuild::Scope::all, .configure_flags = options_.configure_flags},
             [this](const auto& failure) { after_build(failure); }) {
  if (!options_.watches) return;
  watcher_ = std::make_unique<process::FileWatcher>(
      main_.events(), project_.folder(), project_.build_folder(), options_.polls,
      [this](const std::set<fs::path>& paths) { on_changes(paths); });
}

bool TestSession::run() {
  begin_work();
  main_.run([this] {
    watcher_.reset();
    has_passed_ = options_.watches;
  });
  return has_passed_;
}

void TestSession::on_changes(const std::set<fs::path>& paths) {
  console_.say(process::changes_text(paths));
  begin_work();
}

/// Tests that are running are outdated: they are stopped first.
void TestSession::begin_work() {
  if (tests_ == 0) {
    must_begin_again_ = false;
    build_.begin();
  } else if (!std::exchange(must_begin_again_, true)) {
    main_.processes().signal(tests_, SIGTERM);
    main_.events().after(process::kStopTime,
                         [this, tests = tests_] { main_.processes().signal(tests, SIGKILL); });
  }
}

void TestSession::after_build(const std::optional<ProjectBuild::Failure>& failure) {
  if (watcher_) {
    build_.read_inputs(
        [this](const auto& files, auto begin) { watcher_->watch_inputs(files, begin); });
  }
  if (failure) {
    console_.say(console_.colored(failure->title, process::Color::red) + "; no test was run");
    console_.write(failure->text);
    end_work(false, "");
  } else {
    start_tests();
  }
}

void TestSession::start_tests() {
  std::error_code error;
  if (!fs::exists(project_.build_folder() / "CTestTestfile.cmake", error)) {
    end_work(false, "the project has no tests: add them with enable_testing() and add_test()");
    return;
  }
  std::vector<std::string> command = {"ctest", "--test-dir", project_.build_folder().string(),
                                      "--output-on-failure", "--no-tests=error"};
  if (!options_.filter.empty()) command.insert(command.end(), {"-R", options_.filter});
  std::vector<std::string> environment;
  if (console_.has_colors()) environment = {"CLICOLOR_FORCE=1"};
  output_.clear();
  tests_ = main_.processes().start({.arguments = std::move(command),
                                    .directory = project_.folder(),
                                    .environment = std::move(environment),
                                    .captures_output = true,
                                    .output =
                                        [this](std::string_view text) {
                                          console_.write(text);
                                          output_ += text;
                                        },
                                    .ended = [this](int status) { after_tests(status); }});
}

void TestSession::after_tests(int status) {
  tests_ = 0;
  if (main_.is_stopping()) return;
  if (must_begin_again_) {
    begin_work();
    return;
  }
  if (status == 0) {
    const auto time = std::chrono::steady_clock::now() - build_.began();
    end_work(true,
             fmt::format("{} in {}", console_.colored("all tests passed", process::Color::green),
                         process::seconds_text(time)));
  } else if (output_.find("No tests were found") != output_.npos) {
    end_work(false, options_.filter.empty()
                        ? std::string("the project has no tests: add them with add_test()")
                        : fmt::format("no test has a name that matches '{}': 'ctest --test-dir {} "
                                      "-N' lists the names",
                                      options_.filter, project_.build_folder().string()));
  } else {
    end_work(false, console_.colored("the tests failed", process::Color::red));
  }
}

void TestSession::end_work(bool has_passed, std::string_view result) {
  if (!result.empty()) console_.say(result);
  has_passed_ = has_passed;
  if (options_.watches) {
    console_.say("waiting for changes, Ctrl-C stops");
  } else {
    main_.stop();
  }
}

}  // namespace fairway::dev
