// The warnings of `fairway doctor` in `fairway dev`.
#include "dev/lint_run.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "dev/dev_project.hpp"
#include "dev/terminal.hpp"

namespace dev_test {

TEST_CASE("dev: warning lines are extracted from the output of doctor") {
  CHECK(fairway::dev::warnings_in(
            "src/a.cpp:3:7: warning: the route has no 'docs.summary' [missing-docs-summary]\n"
            "    3 |   app.get(\n"
            "  route: GET /a\n"
            "\x1b[1msrc/b.cpp: \x1b[0m\x1b[35mwarning: \x1b[0mtwo\n"
            "2 warnings in 2 files\n") ==
        std::vector<std::string>{
            "src/a.cpp:3:7: warning: the route has no 'docs.summary' [missing-docs-summary]",
            "\x1b[1msrc/b.cpp: \x1b[0m\x1b[35mwarning: \x1b[0mtwo"});
}

TEST_CASE("dev: reports the warnings of the routes when they change") {
  const Dev dev;
  const auto write_route = [&](const std::string& docs) {
    dev.write("src/routes/index.cpp",
              "#include <fairway/fairway.hpp>\n"
              "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
              "  app.get(\"/\", {.docs = {" +
                  docs +
                  ".operation_id = \"hello\"}},\n"
                  "          [](fw::Request&, fw::Response& res) { res.text(\"hello\"); });\n"
                  "});\n");
  };
  write_route("");
  // What fairway_add_app writes; the routes are not compiled.
  dev.write("CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\n"
            "project(echo LANGUAGES C CXX)\n"
            "add_executable(echo src/main.c)\n"
            "add_library(routes OBJECT EXCLUDE_FROM_ALL src/routes/index.cpp)\n"
            "target_compile_features(routes PRIVATE cxx_std_20)\n"
            "target_compile_options(routes PRIVATE " FAIRWAY_FLAGS
            ")\n"
            "file(WRITE ${CMAKE_BINARY_DIR}/fairway/routes/add_app.json\n"
            "  \"{\\\"directory\\\": \\\"${CMAKE_BINARY_DIR}\\\", \\\"arguments\\\": [],\"\n"
            "  \"\\\"source_dir\\\": \\\"${CMAKE_SOURCE_DIR}/src\\\"}\")\n");
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("ready in "));
  REQUIRE(terminal.shows("fairway: 1 warning; 'fairway doctor' explains them\n"));
  REQUIRE(terminal.shows(" [missing-docs-summary]\n"));
  dev.set_message("second");
  REQUIRE(terminal.shows("ready in "));
  REQUIRE(terminal.shows("fairway: 1 warning, as before\n"));
  write_route(".summary = \"Say hello\", ");
  REQUIRE(terminal.shows("fairway: no warnings are left\n"));
}

}  // namespace dev_test
