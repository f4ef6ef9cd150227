#include "diagnostics/catalogue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
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
  CHECK(ids.size() == 39);
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
