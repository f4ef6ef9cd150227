#include "rules/catalogue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace catalogue_test {

using namespace fairway::rules;
using fairway::model::Rule;

TEST_CASE("rule catalogue: ids are unique and kebab-case, and every row is complete") {
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

TEST_CASE("rule catalogue: each rule is reported by some code") {
  static const std::regex use(R"(rules::([a-z_]+))");
  std::set<std::string> used;
  for (const std::string folder : {"rules", "frontend"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(FAIRWAY_COMPILER_DIR "/" + folder)) {
      if (entry.path().extension() != ".cpp") continue;
      std::ostringstream stream;
      stream << std::ifstream(entry.path()).rdbuf();
      const std::string source = stream.str();
      for (std::sregex_iterator at(source.begin(), source.end(), use), end; at != end; ++at) {
        used.insert((*at)[1]);
      }
    }
  }
  for (const Rule& rule : catalogue()) {
    CAPTURE(rule.id);
    std::string name(rule.id);
    std::ranges::replace(name, '-', '_');
    CHECK(used.contains(name));
  }
}

TEST_CASE("rule catalogue: errors are listed before lints") {
  const auto rows = catalogue();
  CHECK(std::ranges::is_sorted(rows, {}, &Rule::severity));
  CHECK(rows.front().id == "no-default-export");
}

TEST_CASE("rule catalogue: a rule is found by its id") {
  REQUIRE(find_rule("duplicate-route"));
  CHECK(find_rule("duplicate-route")->severity == fairway::model::Severity::error);
  CHECK(find_rule("body-on-get")->severity == fairway::model::Severity::warning);
  CHECK(find_rule("no-such-rule") == nullptr);
  CHECK(find_rule("header-not-in-cache-key") == find_rule("undeclared-cache-dependency"));
}

}  // namespace catalogue_test
