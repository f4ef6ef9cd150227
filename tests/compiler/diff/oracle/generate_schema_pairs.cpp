// Pairs of schemas made at random, what `fairway diff` says of them, and values to judge it by, as
// JSON lines: generate_schema_pairs FILE PAIRS [FIRST_SEED]. See tools/npm/judge-schema-pairs.mjs.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>

#include "diff/comparisons.hpp"
#include "files/whole_file.hpp"
#include "random_schema_pairs.hpp"
#include "random_values.hpp"

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
  fairway::testing::RandomSource random(seed);
  Json values = Json::array();
  for (const Json* document : {&pair.before, &pair.after}) {
    for (Json& value : fairway::testing::random_values(*document, kValuesPerSchema, random)) {
      values.push_back(std::move(value));
    }
  }
  return {{"seed", seed},
          {"before", pair.before["components"]["schemas"]},
          {"after", pair.after["components"]["schemas"]},
          {"request_breaks", breaks("request-")},
          {"response_breaks", breaks("response-")},
          {"changes", ids},
          {"values", values}};
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
