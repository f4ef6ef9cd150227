#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "diagnostics/renderers.hpp"
#include "rules/catalogue.hpp"

namespace sarif_renderer_test {

using fairway::diagnostics::MemorySourceText;
using fairway::diagnostics::render_sarif;
using fairway::model::Diagnostic;
using fairway::model::Diagnostics;
using fairway::model::Severity;
using fairway::rules::catalogue;
using nlohmann::json;

namespace {

json run_of(const Diagnostics& diagnostics) {
  MemorySourceText sources;
  sources.add("src/users.cpp", "\xF0\x9F\x9A\xA2 strin\nnext\n");
  const std::string log =
      render_sarif({.files = 1, .routes = 0, .diagnostics = diagnostics}, sources,
                   {.rules = catalogue(), .tool_version = "1.2.3", .working_directory = "/w d"});
  return json::parse(log).at("runs").at(0);
}

Diagnostic bad_schema() {
  Diagnostic diagnostic;
  diagnostic.id = "bad-schema";
  diagnostic.message = "unknown type 'strin'";
  diagnostic.range = {"src/users.cpp", 1, 6, 1, 11};
  return diagnostic;
}

const json kStrinRegion = {{"startLine", 1}, {"startColumn", 4}, {"endLine", 1}, {"endColumn", 9}};

}  // namespace

TEST_CASE("sarif renderer: the log has version, tool, root and column unit") {
  MemorySourceText sources;
  const json log = json::parse(render_sarif(
      {}, sources, {.rules = catalogue(), .tool_version = "1.2.3", .working_directory = "/w d"}));
  CHECK(log["version"] == "2.1.0");
  const json& run = log["runs"][0];
  CHECK(run["tool"]["driver"]["name"] == "fairway");
  CHECK(run["tool"]["driver"]["semanticVersion"] == "1.2.3");
  CHECK_FALSE(run["tool"]["driver"].contains("informationUri"));
  CHECK(run["columnKind"] == "utf16CodeUnits");
  CHECK(run["originalUriBaseIds"]["SRCROOT"]["uri"] == "file:///w%20d/");
  CHECK(run["results"] == json::array());
}

TEST_CASE("sarif renderer: the rules are in the order of the catalogue") {
  const json rules = run_of({})["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == catalogue().size());
  for (std::size_t index = 0; index < rules.size(); ++index) {
    CHECK(rules[index]["id"] == catalogue()[index].id);
    CHECK(rules[index]["shortDescription"]["text"] == catalogue()[index].rule);
    const bool is_error = catalogue()[index].severity == Severity::error;
    CHECK(rules[index]["defaultConfiguration"]["level"] == (is_error ? "error" : "warning"));
  }
}

TEST_CASE("sarif renderer: a result has a rule index and a location in UTF-16 code units") {
  Diagnostic diagnostic = bad_schema();
  diagnostic.help = "did you mean 'string'?";
  diagnostic.method = "POST";
  diagnostic.route = "/users";
  const json run = run_of({diagnostic});
  const json& result = run["results"][0];
  CHECK(result["ruleId"] == "bad-schema");
  CHECK(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"] ==
        "bad-schema");
  CHECK(result["level"] == "error");
  CHECK(result["message"]["text"] == "unknown type 'strin'\nhelp: did you mean 'string'?");
  const json& place = result["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"] == json{{"uri", "src/users.cpp"}, {"uriBaseId", "SRCROOT"}});
  CHECK(place["region"] == kStrinRegion);
  CHECK(result["properties"] == json{{"method", "POST"}, {"route", "/users"}});
  CHECK_FALSE(result.contains("fixes"));
  CHECK_FALSE(result.contains("relatedLocations"));
}

TEST_CASE("sarif renderer: the level is the severity of the finding, as configured") {
  Diagnostic lint = bad_schema();
  lint.id = "body-on-get";
  lint.severity = Severity::warning;
  Diagnostic raised = lint;
  raised.severity = Severity::error;
  const json results = run_of({lint, raised})["results"];
  CHECK(results[0]["level"] == "warning");
  CHECK(results[1]["level"] == "error");
}

TEST_CASE("sarif renderer: notes are related locations, and fixes one fix with a change per file") {
  Diagnostic diagnostic = bad_schema();
  diagnostic.notes.push_back({"first declared here", {"src/users.cpp", 2, 1, 2, 5}});
  diagnostic.fixes = {{{"src/users.cpp", 1, 6, 1, 11}, "string"},
                      {{"src/users.cpp", 2, 1, 2, 1}, "// "},
                      {{"src/other.cpp", 1, 1, 1, 2}, ""}};
  const json result = run_of({diagnostic})["results"][0];
  const json& related = result["relatedLocations"][0];
  CHECK(related["message"]["text"] == "first declared here");
  CHECK(related["physicalLocation"]["region"]["startLine"] == 2);
  REQUIRE(result["fixes"].size() == 1);
  const json& changes = result["fixes"][0]["artifactChanges"];
  REQUIRE(changes.size() == 2);
  CHECK(changes[0]["replacements"][0]["deletedRegion"] == kStrinRegion);
  CHECK(changes[0]["replacements"][0]["insertedContent"]["text"] == "string");
  CHECK(changes[0]["replacements"].size() == 2);
  CHECK(changes[1]["artifactLocation"]["uri"] == "src/other.cpp");
}

TEST_CASE("sarif renderer: paths are percent-encoded, and absolute ones have no base") {
  Diagnostic relative = bad_schema();
  relative.range = {"src/a b#\xC3\xA4%.cpp", 0, 0, 0, 0};
  Diagnostic absolute = bad_schema();
  absolute.range = {"/include/a.hpp", 0, 0, 0, 0};
  const json results = run_of({relative, absolute})["results"];
  const auto place = [&](std::size_t index) {
    return results[index]["locations"][0]["physicalLocation"];
  };
  CHECK(place(0)["artifactLocation"]["uri"] == "src/a%20b%23%C3%A4%25.cpp");
  CHECK_FALSE(place(0).contains("region"));
  CHECK(place(1)["artifactLocation"] == json{{"uri", "file:///include/a.hpp"}});
}

TEST_CASE("sarif renderer: brackets in a message are escaped") {
  Diagnostic diagnostic = bad_schema();
  diagnostic.message = "no match for '[&](fw::Router&)'";
  CHECK(run_of({diagnostic})["results"][0]["message"]["text"] ==
        "no match for '\\[&\\](fw::Router&)'");
}

}  // namespace sarif_renderer_test
