// What contract tests say of values, against the JSON Schema test suite, draft 2020-12.
#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "contract_test/schema_check.hpp"
#include "diff/document.hpp"
#include "schema/schema_keywords.hpp"

namespace schema_suite_test {

namespace {

using fairway::diff::Document;
using fairway::diff::Json;

// Keywords that need base URLs or vocabularies, and those that contract tests ignore.
const std::set<std::string> kLeftOut = {"anchor",     "defs",           "dynamicRef",
                                        "id",         "refRemote",      "unevaluatedItems",
                                        "vocabulary", "unknownKeyword", "unevaluatedProperties"};

// What is known to differ, by "keyword: group": numbers that a double does not have, and a keyword
// that is ignored.
const std::set<std::string> kDifferent = {
    "multipleOf: float division = inf", "multipleOf: small multiple of large integer",
    "not: collect annotations inside a 'not', even if collection is disabled",
    "ref: ref creates new scope when adjacent to keywords"};

// Keywords of the table that contract tests ignore, and those that the suite does not reject.
const std::set<std::string_view> kIgnored = {"$dynamicRef",      "contentEncoding",
                                             "contentMediaType", "contentSchema",
                                             "unevaluatedItems", "unevaluatedProperties"};
const std::set<std::string_view> kElsewhere = {"format", "nullable"};

bool accepts(const Json& schema, const Json& data) {
  Json root = {{"components", {{"schemas", {{"Root", schema}}}}}};
  // References of the suite begin at the schema.
  if (schema.is_object()) root.update(schema);
  const Document document("suite", std::move(root));
  const fairway::contract_test::SchemaChecker checker(document);
  return !checker.check(data, (*document.root().value)["components"]["schemas"]["Root"]);
}

}  // namespace

TEST_CASE("contract tests: agreement with the JSON Schema test suite") {
  std::size_t cases = 0;
  std::map<std::string, std::string> disagreements;
  std::set<std::string> rejecting;
  for (const auto& entry : std::filesystem::directory_iterator(FAIRWAY_SCHEMA_SUITE)) {
    const std::string keyword = entry.path().stem().string();
    if (entry.path().extension() != ".json" || kLeftOut.contains(keyword)) continue;
    std::ifstream file(entry.path());
    for (const Json& group : Json::parse(file)) {
      const std::string name = keyword + ": " + group["description"].get<std::string>();
      for (const Json& test : group["tests"]) {
        ++cases;
        std::string found;
        try {
          const bool is_valid = accepts(group["schema"], test["data"]);
          if (!is_valid && group["schema"].is_object()) {
            for (const auto& member : group["schema"].items()) rejecting.insert(member.key());
          }
          if (is_valid != test["valid"].get<bool>()) found = is_valid ? "accepted" : "rejected";
        } catch (const fairway::diff::BadDocument&) {
          continue;  // a reference to another document, or by way of an `$id`
        }
        if (found.empty() || kDifferent.contains(name)) continue;
        disagreements[name + ": " + test["description"].get<std::string>()] = found;
      }
    }
  }
  CHECK(cases > 800);
  for (const auto& keyword : fw::schema::keywords::kAll) {
    if (keyword.effect == fw::schema::KeywordEffect::nothing) continue;
    CAPTURE(keyword.name);
    const bool is_checked = !kIgnored.contains(keyword.name) && !kElsewhere.contains(keyword.name);
    if (is_checked) CHECK(rejecting.contains(std::string(keyword.name)));
  }
  for (const auto& [name, found] : disagreements) {
    CAPTURE(name);
    FAIL_CHECK(found);
  }
}

}  // namespace schema_suite_test
