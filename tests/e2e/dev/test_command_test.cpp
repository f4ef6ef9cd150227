// `fairway test`, alone and beside `fairway dev`.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "dev/dev_project.hpp"
#include "dev/terminal.hpp"

namespace dev_test {

namespace {

/// The project with two tests in one program.
struct Tested : Dev {
  explicit Tested(const std::string& more = {}) {
    set_status(0);
    write("tests/checks.c", "#include \"status.h\"\nint main(void) { return STATUS; }\n");
    set_tests(more);
  }
  void set_tests(const std::string& more) const {
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.25)\n"
          "project(echo LANGUAGES C)\n"
          "add_executable(echo src/main.c)\n"
          "enable_testing()\n"
          "add_executable(checks tests/checks.c)\n"
          "add_test(NAME first COMMAND checks)\n"
          "add_test(NAME second COMMAND checks)\n" +
              more);
  }
  /// Of the program of the tests.
  void set_status(int status) const {
    write("tests/status.h", "#define STATUS " + std::to_string(status) + "\n");
  }
};

std::vector<std::string> test_command(const std::vector<std::string>& options = {}) {
  std::vector<std::string> command = {FAIRWAY_PROGRAM, "test", "--color", "never"};
  command.insert(command.end(), options.begin(), options.end());
  return command;
}

}  // namespace

TEST_CASE("test: builds the project and runs its tests") {
  const Tested project;
  e2e::Terminal terminal(test_command(), project.folder());
  CHECK(terminal.shows("configuring the project"));
  CHECK(terminal.shows("100% tests passed, 0 tests failed out of 2"));
  CHECK(terminal.shows("fairway: all tests passed in "));
  CHECK(terminal.wait() == 0);

  project.set_status(1);
  e2e::Terminal failing(test_command({"--filter", "fir"}), project.folder());
  CHECK(failing.shows("1 tests failed out of 1"));
  CHECK(failing.shows("fairway: the tests failed"));
  CHECK(failing.wait() == 1);

  project.write("tests/status.h", "#error no status\n");
  e2e::Terminal broken(test_command(), project.folder());
  CHECK(broken.shows("The build failed after "));
  CHECK(broken.shows("; no test was run\n"));
  CHECK(broken.shows("no status"));
  CHECK(broken.wait() == 1);
}

TEST_CASE("test: errors for a missing project, missing tests and a filter without a match") {
  const Dev none;
  e2e::Terminal terminal(test_command(), none.folder());
  CHECK(terminal.shows(
      "fairway: the project has no tests: add them with enable_testing() and add_test()"));
  CHECK(terminal.wait() == 1);

  const Tested project;
  e2e::Terminal unmatched(test_command({"--filter", "third"}), project.folder());
  CHECK(unmatched.shows("fairway: no test has a name that matches 'third': 'ctest --test-dir "));
  CHECK(unmatched.wait() == 1);

  e2e::Terminal elsewhere(test_command(), project.folder() / "src");
  CHECK(elsewhere.wait() == 2);
  CHECK(contains(elsewhere.screen(), "there is no CMakeLists.txt here"));
}

TEST_CASE("test: --watch runs beside dev, and a changed test leaves the program running") {
  const Tested project;
  e2e::Terminal dev(project.command, project.folder());
  e2e::Terminal tests(test_command({"--watch"}), project.folder());
  REQUIRE(dev.shows("ready in "));
  REQUIRE(tests.shows("all tests passed in "));
  REQUIRE(tests.shows("waiting for changes, Ctrl-C stops"));

  project.set_status(1);
  REQUIRE(dev.shows("tests/status.h changed"));
  CHECK(dev.shows("; the program has not changed\n"));
  REQUIRE(tests.shows("tests/status.h changed"));
  REQUIRE(tests.shows("the tests failed"));

  project.set_status(0);
  REQUIRE(tests.shows("all tests passed in "));
  REQUIRE(dev.shows("; the program has not changed\n"));
  project.set_message("for both");
  REQUIRE(dev.shows("src/message.h changed"));
  REQUIRE(tests.shows("src/message.h changed"));
  REQUIRE(tests.shows("all tests passed in "));
  CHECK(contains(get(project.port), "for both"));
  tests.type("\x03");
  CHECK(tests.wait() == 0);
}

TEST_CASE("test: a change stops the running tests") {
  const Tested project(
      "add_test(NAME endless COMMAND sh -c \"touch started; exec sleep 1000\"\n"
      "  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})\n");
  e2e::Terminal terminal(test_command({"--watch"}), project.folder());
  while (!fs::exists(project.folder() / "started")) std::this_thread::yield();
  project.set_tests("");
  REQUIRE(terminal.shows("CMakeLists.txt changed"));
  REQUIRE(terminal.shows("all tests passed in "));
}

}  // namespace dev_test
