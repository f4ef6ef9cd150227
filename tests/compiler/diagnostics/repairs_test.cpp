#include "diagnostics/repairs.hpp"

#include <doctest/doctest.h>

namespace repairs_test {

using fairway::diagnostics::plan_repairs;
using fairway::diagnostics::RepairPlan;
using fairway::model::Diagnostic;
using fairway::model::Diagnostics;
using fairway::model::FixIt;

namespace {

Diagnostic finding(std::vector<FixIt> fixes) {
  Diagnostic diagnostic;
  diagnostic.id = "bad-schema";
  diagnostic.fixes = std::move(fixes);
  return diagnostic;
}

FixIt replace(unsigned line, unsigned column, unsigned end_column, std::string text) {
  return {{"a.cpp", line, column, line, end_column}, std::move(text)};
}

RepairPlan plan(const Diagnostics& findings, const std::string& text) {
  return plan_repairs(findings, [&](const std::string& path) -> std::optional<std::string> {
    if (path == "/elsewhere.hpp") return std::nullopt;
    return text;
  });
}

}  // namespace

TEST_CASE("fixes: replacements, insertions and removals are applied") {
  const auto result =
      plan({finding({replace(2, 3, 8, "string")}), finding({replace(1, 1, 1, "// ")}),
            finding({{{"a.cpp", 3, 1, 4, 1}, ""}})},
           "first\nx strin y\ngone\nlast");
  CHECK(result.files.at("a.cpp") == "// first\nx string y\nlast");
  CHECK(result.repaired.size() == 3);
  CHECK(result.skipped.empty());
}

TEST_CASE("fixes: findings without a fix are left alone") {
  const auto result = plan({finding({})}, "x");
  CHECK(result.files.empty());
  CHECK(result.repaired.empty());
}

TEST_CASE("fixes: of overlapping fixes the first is applied and the second reported") {
  const auto result =
      plan({finding({replace(1, 1, 4, "one")}), finding({replace(1, 3, 6, "two")}),
            finding({replace(1, 4, 7, "three")}), finding({replace(1, 1, 1, "four")})},
           "abcdef");
  CHECK(result.files.at("a.cpp") == "onethree");
  REQUIRE(result.skipped.size() == 2);
  CHECK(result.skipped[0].finding.fixes[0].text == "two");
  CHECK(result.skipped[0].reason == "it overlaps with another fix");
  CHECK(result.skipped[0].overlaps);
  CHECK(result.skipped[1].finding.fixes[0].text == "four");
}

TEST_CASE("fixes: the replacements of a finding are applied all or not at all") {
  const auto result = plan(
      {finding({replace(1, 1, 2, "A")}), finding({replace(1, 5, 6, "E"), replace(1, 1, 3, "AB")})},
      "abcdef");
  CHECK(result.files.at("a.cpp") == "Abcdef");
  CHECK(result.skipped.size() == 1);
  CHECK(plan({finding({replace(1, 1, 3, "x"), replace(1, 2, 4, "y")})}, "abc").files.empty());
}

TEST_CASE("fixes: the same fix of two findings is applied once") {
  const auto result =
      plan({finding({replace(1, 1, 2, "A")}), finding({replace(1, 1, 2, "A")})}, "abc");
  CHECK(result.files.at("a.cpp") == "Abc");
  CHECK(result.repaired.size() == 2);
}

TEST_CASE("fixes: line endings are kept, also in inserted text") {
  CHECK(plan({finding({replace(2, 1, 2, "B\nC")})}, "a\r\nb\r\n").files.at("a.cpp") ==
        "a\r\nB\r\nC\r\n");
  CHECK(plan({finding({{{"a.cpp", 1, 1, 2, 1}, ""}})}, "a\r\nb\r\n").files.at("a.cpp") == "b\r\n");
  CHECK(plan({finding({replace(1, 1, 2, "B\nC")})}, "b\n").files.at("a.cpp") == "B\nC\n");
}

TEST_CASE("fixes: foreign files and changed locations are not edited") {
  const auto foreign = plan({finding({{{"/elsewhere.hpp", 1, 1, 1, 2}, "x"}})}, "abc");
  CHECK(foreign.files.empty());
  CHECK(foreign.skipped[0].reason == "'/elsewhere.hpp' is not a file of this project");
  for (const FixIt& gone : {replace(9, 1, 2, "x"), replace(1, 9, 9, "x"), replace(0, 0, 0, "x")}) {
    const auto result = plan({finding({gone})}, "abc");
    CHECK(result.files.empty());
    CHECK(result.skipped[0].reason == "'a.cpp' has changed since it was read");
  }
}

}  // namespace repairs_test
