// Files as GCC reads them: what depends on flags and on other inputs.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "frontend/parse.hpp"
#include "temporary_directory.hpp"

namespace gcc_readings_test {
namespace {

using fairway::test::TemporaryDirectory;

fairway::frontend::ParseResult parse(const TemporaryDirectory& directory, const char* standard) {
  const auto flags = fairway::frontend::fixed_flags({standard, "-I" FAIRWAY_INCLUDE_DIR}, "");
  return fairway::frontend::parse_file(
      {.source_dir = directory.path().string(), .path = "a.cpp", .flags = flags->flags_for("")});
}

std::string routes(const std::string& condition) {
  return "#include <fairway/fairway.hpp>\n" + condition +
         "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
         "  app.get(PREFIX \"/x\", [](fw::Request&, fw::Response&) {});\n"
         "});\n";
}

}  // namespace

TEST_CASE("gcc readings: GCC 12 has another __cplusplus than Clang with C++23") {
  const TemporaryDirectory directory;
  directory.write("a.cpp", routes("#if __cplusplus >= 202302L\n"
                                  "#define PREFIX \"/new\"\n"
                                  "#else\n"
                                  "#define PREFIX\n"
                                  "#endif\n"));
  const auto file = parse(directory, "-std=c++23").file;
  REQUIRE(file.diagnostics.size() == 2);
  CHECK(file.diagnostics[0].message == "with GCC, the program has no route 'GET /new/x'");
  CHECK(file.diagnostics[1].message == "with GCC, the program also has the route 'GET /x'");
  CHECK(parse(directory, "-std=c++20").file.diagnostics.empty());
}

TEST_CASE("gcc readings: a header that only GCC includes is an input of the file") {
  const TemporaryDirectory directory;
  directory.write("of_gcc.hpp", "#pragma once\n");
  directory.write("a.cpp", routes("#define PREFIX\n"
                                  "#ifndef __clang__\n"
                                  "#include \"of_gcc.hpp\"\n"
                                  "#endif\n"));
  const auto result = parse(directory, "-std=c++20");
  CHECK(result.file.diagnostics.empty());
  const auto is_header = [](const std::string& path) { return path.ends_with("/of_gcc.hpp"); };
  CHECK(std::ranges::any_of(result.file.dependencies, is_header));
  CHECK(std::ranges::any_of(result.inputs,
                            [&](const auto& input) { return is_header(input.first); }));
}

}  // namespace gcc_readings_test
