#include "diagnostics/catalogue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

using namespace fairway::diagnostics;

TEST_CASE("ids are unique, kebab-case, and every row is complete") {
  std::set<std::string_view> ids;
  for (const Rule& rule : catalogue()) {
    CAPTURE(rule.id);
    CHECK(ids.insert(rule.id).second);
    CHECK(std::ranges::all_of(rule.id, [](char c) {
      return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }));
    CHECK_FALSE(rule.rule.empty());
    CHECK_FALSE(rule.rule.ends_with('.'));
    CHECK(rule.explanation.ends_with('.'));
    CHECK_FALSE(rule.example.empty());
  }
}

TEST_CASE("each id that the sources report has a row, and each row is reported") {
  // The id is the first argument of a call that reports, or a constant for one.
  static const std::regex reported(
      R"re((?:error|warning|report|kId =)[(\s]*"([a-z]+(?:-[a-z0-9]+)+)")re");
  static const std::regex literal(R"re("([a-z]+(?:-[a-z0-9]+)+)")re");
  const auto matches = [](const std::string& text, const std::regex& pattern) {
    std::set<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
      found.insert((*at)[1]);
    }
    return found;
  };
  std::set<std::string> mentioned;
  for (const std::string folder : {"check", "frontend"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(FAIRWAY_COMPILER_DIR "/" + folder)) {
      std::ostringstream source;
      source << std::ifstream(entry.path()).rdbuf();
      CAPTURE(entry.path().string());
      for (const std::string& id : matches(source.str(), reported)) {
        CAPTURE(id);
        CHECK(find_rule(id));
      }
      mentioned.merge(matches(source.str(), literal));
    }
  }
  for (const Rule& rule : catalogue()) {
    CAPTURE(rule.id);
    CHECK(mentioned.contains(std::string(rule.id)));
  }
}

TEST_CASE("errors come before lints") {
  const auto rows = catalogue();
  CHECK(std::ranges::is_sorted(rows, {}, &Rule::severity));
  CHECK(rows.front().id == "no-default-export");
}

TEST_CASE("a rule is found by its id") {
  REQUIRE(find_rule("duplicate-route"));
  CHECK(find_rule("duplicate-route")->severity == fairway::model::Severity::error);
  CHECK(find_rule("body-on-get")->severity == fairway::model::Severity::warning);
  CHECK(find_rule("no-such-rule") == nullptr);
}
