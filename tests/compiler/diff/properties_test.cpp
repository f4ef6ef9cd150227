// What is true of every pair of documents, tried on mutated samples.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/compared.hpp"

namespace properties_test {

using namespace fairway::diff;
using namespace fairway::testing;

namespace {

constexpr int kRounds = 100;

/// Objects within `paths` and `components`, whose members are taken away or altered.
void collect(Json& value, std::vector<Json*>& found) {
  if (value.is_object()) found.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& child : value) collect(child, found);
}

Json altered(const Json& value, std::mt19937& random) {
  if (value.is_number_integer()) return value.get<int>() + (random() % 2 == 0 ? 1 : -1);
  if (value.is_boolean()) return !value.get<bool>();
  if (value == "string") return "integer";
  if (value == "integer") return random() % 2 == 0 ? "number" : "string";
  if (value.is_array() && value.size() > 1) {
    Json shorter = value;
    shorter.erase(random() % value.size());
    return shorter;
  }
  return value;
}

/// A document that can still be read: targets of references and schemas are kept.
Json mutated(const Json& document, std::mt19937& random) {
  Json result = document;
  for (std::size_t count = 1 + random() % 4; count > 0; --count) {
    std::vector<Json*> objects;
    collect(result["paths"], objects);
    Json& object = *objects[random() % objects.size()];
    if (object.empty()) continue;
    auto member = object.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(random() % object.size()));
    const std::string name = member.key();
    if (name == "name" || name == "in" || name == "$ref") continue;
    if (random() % 2 == 0) {
      object.erase(name);
    } else {
      object[name] = altered(object[name], random);
    }
  }
  return result;
}

/// The same document with members, parameters and enumerations in another order.
Json shuffled(const Json& value, std::mt19937& random) {
  if (value.is_array()) {
    Json result = Json::array();
    for (const Json& item : value) result.push_back(shuffled(item, random));
    return result;
  }
  if (!value.is_object()) return value;
  std::vector<std::string> names;
  for (const auto& [name, child] : value.items()) names.push_back(name);
  std::ranges::shuffle(names, random);
  Json result = Json::object();
  for (const std::string& name : names) result[name] = shuffled(value[name], random);
  for (const char* name : {"parameters", "required", "enum", "tags", "anyOf"}) {
    if (result.contains(name) && result[name].is_array()) {
      std::shuffle(result[name].begin(), result[name].end(), random);
    }
  }
  return result;
}

std::vector<std::string> sorted(std::vector<std::string> list) {
  std::ranges::sort(list);
  return list;
}

bool breaks(const Changes& changes) {
  return std::ranges::any_of(changes,
                             [](const Change& change) { return change.level == Level::breaking; });
}

}  // namespace

TEST_CASE("diff properties: a document does not differ from itself, mutated or not") {
  std::mt19937 random(1);
  for (const char* sample : {"hello", "orders"}) {
    const Json document = sample_document(sample);
    CHECK(compared(document, document).empty());
    for (int round = 0; round < kRounds / 3; ++round) {
      const Json other = mutated(document, random);
      REQUIRE(compared(other, other).empty());
    }
  }
}

TEST_CASE("diff properties: the order of members is no change") {
  std::mt19937 random(2);
  const Json document = sample_document("orders");
  for (int round = 0; round < 20; ++round) {
    CHECK(compared(document, shuffled(document, random)).empty());
  }
  // And it does not matter to the changes of another one.
  const Json other = mutated(document, random);
  CHECK(sorted(ids(compared(document, other))) ==
        sorted(ids(compared(shuffled(document, random), shuffled(other, random)))));
}

TEST_CASE("diff properties: a difference is found in both directions") {
  std::mt19937 random(3);
  const Json document = sample_document("orders");
  int differing = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Json other = mutated(document, random);
    const auto forth = ids(compared(document, other));
    const auto back = ids(compared(other, document));
    // A response that 'default' describes may be left out; adding it is a change.
    const bool only_adds = std::ranges::all_of(
        forth.empty() ? back : forth, [](const auto& id) { return id == "response-added"; });
    CAPTURE(round);
    CAPTURE(Json::diff(document, other).dump());
    REQUIRE((forth.empty() == back.empty() || only_adds));
    differing += forth.empty() ? 0 : 1;
  }
  CHECK(differing > kRounds / 2);
}

TEST_CASE("diff properties: swapping the documents gives the opposite effect") {
  // Rows that narrow the content of requests break, and their way back does not.
  for (const ChangeKind& kind : catalogue()) {
    const bool is_schema = kind.node == ExampleSlot::request_schema;
    if (!is_schema || kind.level == Level::documentation) continue;
    CAPTURE(kind.id);
    const bool forth = breaks(compared(kind, kind.before, kind.after));
    const bool back = breaks(compared(kind, kind.after, kind.before));
    CHECK(forth == (kind.level == Level::breaking));
    const bool is_replaced =
        kind.id.ends_with("-changed") || kind.id.find("default") != std::string::npos;
    // Whether a member comes or goes, a value that is sent is rejected or lost.
    const bool is_member = kind.id.ends_with("member-added") || kind.id.ends_with("member-removed");
    if (!is_replaced && !is_member) CHECK(forth != back);
  }
}

TEST_CASE("diff properties: a change breaks requests or responses") {
  for (const ChangeKind& kind : catalogue()) {
    if (!kind.id.starts_with("request-") || kind.node != ExampleSlot::request_schema) continue;
    const ChangeKind* other = find_change("response-" + kind.id.substr(8));
    if (!other || kind.id.find("default") != std::string::npos) continue;
    if (kind.id == "request-additional-members-allowed") continue;
    if (kind.id == "request-deprecated-member-removed") continue;
    CAPTURE(kind.id);
    CHECK((kind.level == Level::breaking || other->level == Level::breaking));
  }
}

}  // namespace properties_test
