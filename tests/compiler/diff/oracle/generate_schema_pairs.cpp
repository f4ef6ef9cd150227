// Pairs of schemas made at random, what `fairway diff` says of them, values to judge it by, and
// for some of them whether contract tests find that the values match, as JSON lines:
// generate_schema_pairs FILE PAIRS [FIRST_SEED]. See tools/npm/judge-schema-pairs.mjs.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>

#include "contract_test/valid_values.hpp"
#include "diff/comparisons.hpp"
#include "files/whole_file.hpp"
#include "random_schema_pairs.hpp"

namespace {

using fairway::diff::Change;
using fairway::diff::Changes;
using fairway::diff::Json;

constexpr std::size_t kValuesPerSchema = 25;

Json line_of(std::uint32_t seed) {
  const auto pair = fairway::testing::random_schema_pair(seed);
  const Changes changes =
      fairway::diff::compare_documents({"old.json", pair.before}, {"new.json", pair.after});
  const auto breaks = [&](std::string_view direction) {
    return std::ranges::any_of(changes, [&](const Change& change) {
      return change.level == fairway::diff::Level::breaking && change.id.starts_with(direction);
    });
  };
  Json ids = Json::array();
  for (const Change& change : changes) ids.push_back(change.id + ": " + change.message);
  fairway::contract_test::RandomSource random(seed);
  Json values = Json::array();
  Json matches = Json::array();
  const Json root = {{"$ref", "#/components/schemas/Root"}};
  for (const Json& schemas : {pair.before, pair.after}) {
    const fairway::diff::Document document("document.json", schemas);
    const fairway::contract_test::SchemaChecker checker(document);
    fairway::contract_test::ValueMaker maker(checker, random);
    for (std::size_t i = 0; i < kValuesPerSchema; ++i) values.push_back(maker.near(root));
  }
  constexpr std::uint32_t kSeedsBetweenChecks = 4;
  for (const Json& schemas : {pair.before, pair.after}) {
    if (seed % kSeedsBetweenChecks != 0) break;
    const fairway::diff::Document document("document.json", schemas);
    const fairway::contract_test::SchemaChecker checker(document);
    Json& list = matches.emplace_back(Json::array());
    for (const Json& value : values) list.push_back(!checker.check(value, root));
  }
  return {{"seed", seed},
          {"before", pair.before["components"]["schemas"]},
          {"after", pair.after["components"]["schemas"]},
          {"request_breaks", breaks("request-")},
          {"response_breaks", breaks("response-")},
          {"changes", ids},
          {"values", values},
          {"matches", matches}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: generate_schema_pairs FILE PAIRS [FIRST_SEED]\n";
    return 2;
  }
  const auto first = static_cast<std::uint32_t>(argc == 4 ? std::stoul(argv[3]) : 1);
  const auto count = static_cast<std::uint32_t>(std::stoul(argv[2]));
  std::string lines;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    lines += line_of(seed).dump() + "\n";
  }
  fairway::files::replace_file(argv[1], lines);
  return 0;
}
