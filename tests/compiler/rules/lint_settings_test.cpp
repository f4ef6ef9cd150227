#include "rules/lint_settings.hpp"

#include <doctest/doctest.h>

namespace lint_settings_test {

using fairway::model::Diagnostics;
using fairway::model::Severity;
using fairway::rules::LintSettings;
using fairway::rules::SettingsError;

namespace {

std::string error_in(std::string_view text) {
  try {
    const LintSettings settings(text, "api/.fairway.json");
    return "none";
  } catch (const SettingsError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("lint settings: without settings a lint is a warning") {
  CHECK(LintSettings().severity_of("body-on-get") == Severity::warning);
  CHECK(LintSettings("{}", "f").severity_of("body-on-get") == Severity::warning);
}

TEST_CASE("lint settings: a lint has the severity of its entry, or else of the star") {
  const LintSettings settings(
      R"({"lints": {"body-on-get": "error", "shadowed-route": "warning", "*": "off"}})", "f");
  CHECK(settings.severity_of("body-on-get") == Severity::error);
  CHECK(settings.severity_of("shadowed-route") == Severity::warning);
  CHECK(settings.severity_of("missing-docs-summary") == std::nullopt);
}

TEST_CASE("lint settings: a retired id sets the severity of the lint that replaced it") {
  const LintSettings settings(R"({"lints": {"header-not-in-cache-key": "error"}})", "f");
  CHECK(settings.severity_of("undeclared-cache-dependency") == Severity::error);
}

TEST_CASE("lint settings: disabled lints are removed, others get their severity, errors stay") {
  Diagnostics all(3);
  all[0].id = "bad-schema";
  all[1].id = "body-on-get";
  all[1].severity = Severity::warning;
  all[2].id = "shadowed-route";
  all[2].severity = Severity::warning;
  LintSettings(R"({"lints": {"body-on-get": "error", "*": "off"}})", "f").apply(all);
  REQUIRE(all.size() == 2);
  CHECK(all[0].id == "bad-schema");
  CHECK(all[1].id == "body-on-get");
  CHECK(all[1].severity == Severity::error);
}

TEST_CASE("lint settings: an invalid settings file is reported with JSON pointer and expectation") {
  CHECK(error_in("{\n  \"lints\": {,\n") ==
        "api/.fairway.json:2:13: this is not JSON: unexpected ','; expected string literal");
  CHECK(error_in("{\"lints\": {\"*\": \"off\",\n  \"*\": \"error\"}}") ==
        "api/.fairway.json:2:3: /lints/*: duplicate key; the first one is at line 1, column 12");
  CHECK(error_in("[]") == "api/.fairway.json: must be an object, for example {\"lints\": {}}");
  CHECK(error_in(R"({"lint": {}})") ==
        "api/.fairway.json: /lint: unknown member: the only member is 'lints'; did you mean "
        "'lints'?");
  CHECK(error_in(R"({"a/b~": {}})") ==
        "api/.fairway.json: /a~1b~0: unknown member: the only member is 'lints'");
  CHECK(error_in(R"({"lints": []})") ==
        "api/.fairway.json: /lints: must be an object of lints and their severities");
  CHECK(error_in(R"({"lints": {"body-on-gte": "off"}})") ==
        "api/.fairway.json: /lints/body-on-gte: unknown lint; did you mean 'body-on-get'?");
  CHECK(error_in(R"({"lints": {"x": "off"}})") ==
        "api/.fairway.json: /lints/x: unknown lint: see 'fairway doctor --list-rules'");
  CHECK(error_in(R"({"lints": {"bad-schema": "off"}})") ==
        "api/.fairway.json: /lints/bad-schema: is an error, and errors cannot be disabled");
  CHECK(error_in(R"({"lints": {"*": "warn"}})") ==
        R"(api/.fairway.json: /lints/*: must be "off", "warning" or "error")");
  CHECK(
      error_in(R"({"lints": {"*": "eror"}})") ==
      R"(api/.fairway.json: /lints/*: must be "off", "warning" or "error"; did you mean 'error'?)");
  CHECK(error_in(R"({"lints": {"*": false}})") ==
        R"(api/.fairway.json: /lints/*: must be "off", "warning" or "error")");
}

}  // namespace lint_settings_test
