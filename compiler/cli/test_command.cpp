// fairway test: builds a project and runs its tests, once or after each change.
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "dev/cmake_project.hpp"
#include "dev/test_session.hpp"
#include "project/installation.hpp"

namespace fairway::cli {
namespace {

struct TestCommandOptions {
  std::string filter;
  bool watches = false;
  std::filesystem::path build_dir = dev::kDefaultBuildFolder;
  bool polls = false;
  Color color = Color::automatic;
};

int run_tests(const TestCommandOptions& options) {
  dev::TestSession session(
      dev::CmakeProject(std::filesystem::current_path(), options.build_dir, {}),
      {.filter = options.filter,
       .watches = options.watches,
       .polls = options.polls,
       .has_colors = use_color(options.color, STDERR_FILENO),
       .configure_flags = project::flags_to_find_fairway()});
  return session.run() ? command::kClean : command::kFindings;
}

}  // namespace

void declare_test(command::Command& command) {
  const auto options = std::make_shared<TestCommandOptions>();
  command.synopsis = "[options]";
  command.description =
      "Configures and builds the CMake project in the working directory with its tests, as "
      "'fairway dev' does, and runs the tests with ctest. May run beside 'fairway dev': they use "
      "the same build directory, and one waits until the other has built.";
  command.examples = {
      {"fairway test", "build the project and run all tests"},
      {"fairway test --watch --filter contract",
       "run the tests whose names contain 'contract', and again after each change"}};
  const command::OptionGroup tests = command.group("Tests");
  tests.path("--filter", "REGEX", options->filter,
             "run only the tests of CTest whose names match the regular expression");
  tests.flag("--watch", options->watches, "build and run the tests again after each change");
  const command::OptionGroup build = command.group("Build");
  build.path("-p", "DIR", options->build_dir, "build directory; default: build/dev");
  build.flag("--poll", options->polls,
             "with --watch: check for changes twice a second, for file systems without "
             "notifications");
  declare_color(build, options->color);
  command.clean = "all tests passed; with --watch, stopped by Ctrl-C or SIGTERM";
  command.findings = "an error of the build, a test that failed, or no test";
  command.run = [options](std::span<const std::string>) { return run_tests(*options); };
}

}  // namespace fairway::cli
