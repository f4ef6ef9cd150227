// Source ranges of values: every byte of a string has its own.
#include <doctest/doctest.h>

#include "support/parse_fixture.hpp"

namespace places_test {

namespace {

fairway::model::ParsedFile parse(const std::string& path_expression) {
  return fairway::test::parse_text(
      "#include <fairway/fairway.hpp>\n"
      "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
      "  app.get(" +
      path_expression +
      ", [](fw::Request&, fw::Response&) {});\n"
      "});\n");
}

}  // namespace

TEST_CASE("source ranges: byte ranges account for escapes, prefixes and adjacent literals") {
  const auto file = parse("\"/a\\tb\"\n    R\"x(/c)x\"");
  REQUIRE(file.registrations.size() == 1);
  const auto& value = file.registrations[0].path_value;
  CHECK(value.text == "/a\tb/c");
  REQUIRE(value.bytes.size() == 6);
  CHECK(value.bytes[0].line == 3);
  CHECK(value.bytes[0].column == 12);
  CHECK(value.bytes[2].column == 14);  // the escape
  CHECK(value.bytes[3].column == 16);  // after it
  CHECK(value.bytes[4].line == 4);
  CHECK(value.bytes[4].column == 9);
  CHECK(value.bytes[5].end_column == 11);
}

TEST_CASE("source ranges: a registration spans the whole call, its method the name") {
  const auto file = parse("\"/a\"");
  REQUIRE(file.registrations.size() == 1);
  const auto& registration = file.registrations[0];
  CHECK(registration.range.line == 3);
  CHECK(registration.range.column == 3);
  CHECK(registration.method_range.column == 7);
  CHECK(registration.method_range.end_column == 10);
  CHECK(file.export_range.line == 2);
  CHECK(registration.path_value.range.column == 11);
  CHECK(registration.path_value.range.end_column == 15);
}

TEST_CASE("source ranges: a string above 4 KiB has no ranges of its bytes") {
  const auto file = parse("\"/" + std::string(5000, 'x') + "\"");
  REQUIRE(file.registrations.size() == 1);
  CHECK(file.registrations[0].path.size() == 5001);
  CHECK(file.registrations[0].path_value.bytes.empty());
}

}  // namespace places_test
