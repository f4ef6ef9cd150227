// The repairs that Clang's own errors carry.
#include <doctest/doctest.h>

#include "support/parse_fixture.hpp"
#include "temporary_directory.hpp"

namespace {

fairway::model::Diagnostics faults(const std::string& source) {
  const fairway::test::TemporaryDirectory directory;
  directory.write("a.cpp", "#include <fairway/fairway.hpp>\n" + source +
                               "\nFW_EXPORT_DEFAULT = fw::define_routes([](fw::Router&) {});\n");
  return fairway::frontend::parse_file({.source_dir = directory.path(),
                                        .path = "a.cpp",
                                        .flags = fairway::test::fixture_flags()})
      .diagnostics;
}

}  // namespace

TEST_CASE("what Clang takes for granted after an error is its repair") {
  const auto missing = faults("int a = 1");
  REQUIRE(missing.size() == 1);
  REQUIRE(missing[0].fixes.size() == 1);
  CHECK(missing[0].fixes[0].text == ";");
  CHECK(missing[0].fixes[0].range.file == missing[0].range.file);
  CHECK(missing[0].fixes[0].range.line == 2);
  CHECK(missing[0].fixes[0].range.column == 10);
  CHECK(missing[0].fixes[0].range.end_column == 10);

  const auto misspelled = faults("constexpr int limit = 1;\nconstexpr int twice = 2 * limt;");
  REQUIRE(misspelled.size() == 1);
  REQUIRE(misspelled[0].fixes.size() == 1);
  CHECK(misspelled[0].fixes[0].text == "limit");
  CHECK(misspelled[0].fixes[0].range.column == 27);
  CHECK(misspelled[0].fixes[0].range.end_column == 31);
}

TEST_CASE("text of macros is not repaired, and most errors have no repair") {
  const auto in_macro = faults("#define LIMIT (2 * limt)\nint limit = 1;\nint twice = LIMIT;");
  REQUIRE(in_macro.size() == 1);
  CHECK(in_macro[0].fixes.empty());
  const auto other = faults("int a = nothing_of_that_name;");
  REQUIRE(other.size() == 1);
  CHECK(other[0].fixes.empty());
}
