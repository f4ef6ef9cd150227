#include <doctest/doctest.h>
#include <fmt/format.h>

#include "rules/nolint.hpp"

namespace unused_suppression_test {

using fairway::diagnostics::MemorySourceText;
using fairway::model::Diagnostic;
using fairway::model::Diagnostics;
using fairway::model::Severity;
using fairway::rules::apply_suppressions;
using fairway::rules::find_nolints;

namespace {

constexpr auto kFile = "users.cpp";

Diagnostic lint(std::string id, unsigned line) {
  Diagnostic diagnostic;
  diagnostic.id = std::move(id);
  diagnostic.severity = Severity::warning;
  diagnostic.message = "m";
  diagnostic.range = {kFile, line, 1, line, 2};
  return diagnostic;
}

/// "line:column-end id message" of what is left, a line each; messages of the given ones are "m".
std::string left(const std::string& source, Diagnostics diagnostics, bool lints_ran = true) {
  MemorySourceText sources;
  sources.add(kFile, source);
  apply_suppressions(diagnostics, {kFile}, sources, lints_ran);
  std::string list;
  for (const Diagnostic& diagnostic : diagnostics) {
    list += fmt::format("{}:{}-{} {} {}\n", diagnostic.range.line, diagnostic.range.column,
                        diagnostic.range.end_column, diagnostic.id, diagnostic.message);
  }
  return list;
}

/// What is left of the text once all repairs of the added warnings are made, the last one first.
std::string repaired(const std::string& source) {
  MemorySourceText sources;
  sources.add(kFile, source);
  Diagnostics diagnostics;
  apply_suppressions(diagnostics, {kFile}, sources, true);
  REQUIRE(diagnostics.size() == 1);
  if (diagnostics[0].fixes.empty()) return "no fix";
  const auto offset_of = [&](unsigned line, unsigned column) {
    std::size_t begin = 0;
    for (unsigned number = 1; number < line; ++number) begin = source.find('\n', begin) + 1;
    return begin + column - 1;
  };
  const auto& range = diagnostics[0].fixes[0].range;
  const std::size_t begin = offset_of(range.line, range.column);
  std::string text = source;
  return text.erase(begin, offset_of(range.end_line, range.end_column) - begin);
}

}  // namespace

TEST_CASE("NOLINT: the named lints of its line are suppressed") {
  CHECK(left("x; // NOLINT(body-on-get)\n", {lint("body-on-get", 1)}) == "");
  CHECK(left("x; // see below. NOLINT(body-on-get): searched by body\n",
             {lint("body-on-get", 1)}) == "");
  CHECK(left("x; /* NOLINT( shadowed-route , body-on-get ) */\n",
             {lint("body-on-get", 1), lint("shadowed-route", 1)}) == "");
  CHECK(left("x; // NOLINT(body-on-get)\n", {lint("shadowed-route", 1), lint("body-on-get", 1)}) ==
        "1:1-2 shadowed-route m\n");
  CHECK(left("x; // NOLINT(body-on-get)\ny;\n", {lint("body-on-get", 1), lint("body-on-get", 2)}) ==
        "2:1-2 body-on-get m\n");
}

TEST_CASE("NOLINT: a retired id suppresses the lint that replaced it") {
  CHECK(left("x; // NOLINT(header-not-in-cache-key)\n", {lint("undeclared-cache-dependency", 1)}) ==
        "");
  CHECK(left("x; // NOLINT(header-not-in-cache-key)\n", {}) ==
        "1:14-37 unused-suppression NOLINT suppresses no 'header-not-in-cache-key' on line 1\n");
}

TEST_CASE("NOLINTNEXTLINE: the named lints of the following line are suppressed") {
  CHECK(left("// NOLINTNEXTLINE(body-on-get)\nx;\n", {lint("body-on-get", 2)}) == "");
  CHECK(left("// NOLINTNEXTLINE\nx;\n", {lint("body-on-get", 2)}) == "");
}

TEST_CASE("NOLINT: without a list all lints of the line are suppressed, and it is never reported") {
  CHECK(left("x; // NOLINT\n", {lint("body-on-get", 1), lint("shadowed-route", 1)}) == "");
  CHECK(left("x; // NOLINT(*)\n", {lint("body-on-get", 1)}) == "");
  CHECK(left("x; // NOLINT\n", {}) == "");
}

TEST_CASE("NOLINT: other words and text outside comments do not suppress") {
  const std::string reported = "1:1-2 body-on-get m\n";
  CHECK(left("x; // NOLINTBEGIN(body-on-get)\n", {lint("body-on-get", 1)}) == reported);
  CHECK(left("x; // XNOLINT\n", {lint("body-on-get", 1)}) == reported);
  CHECK(left("x(\"// NOLINT\");\n", {lint("body-on-get", 1)}) == reported);
  CHECK(left("R\"(// NOLINT(body-on-get))\"\n", {lint("body-on-get", 1)}) == reported);
  CHECK(left("NOLINT(body-on-get);\n", {lint("body-on-get", 1)}) == reported);
}

TEST_CASE("[unused-suppression] an error cannot be suppressed, and a NOLINT for it is reported") {
  Diagnostic error = lint("bad-schema", 1);
  error.severity = Severity::error;
  CHECK(left("x; // NOLINT\n", {error}) == "1:1-2 bad-schema m\n");
  CHECK(left("x; // NOLINT(bad-schema)\n", {error}, false) ==
        "1:1-2 bad-schema m\n"
        "1:14-24 unused-suppression 'bad-schema' is an error and cannot be suppressed\n");
}

TEST_CASE("[unused-suppression] an unused id is reported, ids of other tools are not") {
  CHECK(left("x; // NOLINT(body-on-get)\n", {}) ==
        "1:14-25 unused-suppression NOLINT suppresses no 'body-on-get' on line 1\n");
  CHECK(left("// NOLINTNEXTLINE(google-explicit-constructor, body-on-get)\n", {}) ==
        "1:48-59 unused-suppression NOLINT suppresses no 'body-on-get' on line 2\n");
  CHECK(left("x; // NOLINT(google-explicit-constructor)\n", {}) == "");
  CHECK(left("x; // NOLINT(body-on-get, shadowed-route)\n", {lint("body-on-get", 1)}) ==
        "1:27-41 unused-suppression NOLINT suppresses no 'shadowed-route' on line 1\n");
}

TEST_CASE("[unused-suppression] nothing is reported if lints did not run") {
  CHECK(left("x; // NOLINT(body-on-get)\n", {}, false) == "");
}

TEST_CASE("[unused-suppression] the warning can be suppressed, unless its NOLINT is unused too") {
  CHECK(left("x; // NOLINT(body-on-get, unused-suppression)\n", {}) == "");
  CHECK(left("x; // NOLINT(body-on-get, unused-suppression)\n", {lint("body-on-get", 1)}) ==
        "1:27-45 unused-suppression NOLINT suppresses no 'unused-suppression' on line 1\n");
}

TEST_CASE("[unused-suppression] the fix removes the id, the comment or the line") {
  CHECK(repaired("x;  // NOLINT(body-on-get)\ny;\n") == "x;\ny;\n");
  CHECK(repaired("x; /* NOLINT(body-on-get) */ y;\n") == "x;  y;\n");
  CHECK(repaired("a;\n  // NOLINTNEXTLINE(body-on-get)\nx;\n") == "a;\nx;\n");
  CHECK(repaired("x; // NOLINT(body-on-get, other)\n") == "x; // NOLINT(other)\n");
  CHECK(repaired("x; // NOLINT(other, body-on-get)\n") == "x; // NOLINT(other)\n");
  CHECK(repaired("x; // NOLINT(body-on-get): it says why\n") == "no fix");
}

TEST_CASE("NOLINT: several comments of a line are read in order") {
  const auto nolints = find_nolints("/* NOLINT(a) */ x; // NOLINTNEXTLINE(b) NOLINT", kFile);
  REQUIRE(nolints.size() == 3);
  CHECK(nolints[0].names[0].id == "a");
  CHECK(nolints[1].target_line == 2);
  CHECK(nolints[2].suppresses_all);
}

}  // namespace unused_suppression_test
