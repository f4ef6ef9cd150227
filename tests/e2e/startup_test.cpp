// Errors that must keep a program from starting, as its user sees them.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace startup_test {

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("start: a route missing from the table names its file and the rebuild command") {
  fairway::test::TemporaryDirectory directory;
  e2e::ChildProcess process(FAIRWAY_STALE_PROGRAM, {"--port", "0"}, directory.path());
  CHECK(process.wait() == 1);
  const std::string message = process.standard_error();
  CAPTURE(message);
  CHECK(contains(message, "src/routes/things.cpp"));
  CHECK(contains(message, "/things/added"));
  CHECK(contains(message, "rebuild"));
}

TEST_CASE("start: every invalid key of a configuration file is reported with its JSON pointer") {
  fairway::test::TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "config");
  std::ofstream(directory.path() / "config/default.json")
      << R"({"port": "many", "response": {"warp": true}})";
  e2e::ChildProcess process(FAIRWAY_HELLO_PROGRAM, {}, directory.path());
  CHECK(process.wait() == 1);
  const std::string message = process.standard_error();
  CAPTURE(message);
  CHECK(contains(message, "config/default.json"));
  CHECK(contains(message, "/port"));
  CHECK(contains(message, "/response/warp"));
}

}  // namespace startup_test
