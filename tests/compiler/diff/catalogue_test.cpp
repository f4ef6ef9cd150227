// Every row has an example that shows it, and a look-alike that must stay silent about it.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "diff/change_catalogue.hpp"
#include "look_alikes.hpp"
#include "support/compared.hpp"

namespace catalogue_test {

using namespace fairway::diff;
using namespace fairway::testing;

TEST_CASE("change catalogue: ids are unique and kebab-case, and every row is complete") {
  std::set<std::string_view> seen;
  for (const ChangeKind& kind : catalogue()) {
    CAPTURE(kind.id);
    CHECK(seen.insert(kind.id).second);
    CHECK(std::ranges::all_of(kind.id, [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); }));
    CHECK_FALSE(kind.rule.empty());
    CHECK_FALSE(kind.rule.ends_with('.'));
    CHECK(kind.explanation.ends_with('.'));
    CHECK(find_change(kind.id) == &kind);
  }
  CHECK(find_change("no-such-change") == nullptr);
}

TEST_CASE("change catalogue: the example of a row shows that change and no other") {
  for (const ChangeKind& kind : catalogue()) {
    CAPTURE(kind.id);
    const Changes changes = compared(kind, kind.before, kind.after);
    REQUIRE(ids(changes) == std::vector<std::string>{kind.id});
    CHECK(changes[0].level == kind.level);
    CHECK_FALSE(changes[0].message.empty());
    CHECK_FALSE(changes[0].pointer.starts_with("//"));
    // The node is there, in the document that the change names.
    const Document document = example_document(kind, changes[0].side);
    CHECK(document.root().value->contains(Json::json_pointer(changes[0].pointer)));
  }
}

TEST_CASE("change catalogue: an unchanged example gives no changes") {
  for (const ChangeKind& kind : catalogue()) {
    CAPTURE(kind.id);
    CHECK(compared(kind, kind.before, kind.before).empty());
    CHECK(compared(kind, kind.after, kind.after).empty());
  }
}

TEST_CASE("change catalogue: the look-alike of a row is not reported as the change") {
  std::set<std::string_view> covered;
  for (const ChangeKind& kind : catalogue()) {
    for (const LookAlike& pair : look_alikes()) {
      std::string_view id = kind.id;
      if (pair.id.starts_with("*-")) id.remove_prefix(std::min(id.find('-'), id.size()));
      const bool is_schema =
          kind.node == ExampleSlot::request_schema || kind.node == ExampleSlot::response_schema;
      const bool is_meant =
          pair.id.starts_with("*-") ? is_schema && id == pair.id.substr(1) : id == pair.id;
      if (!is_meant) continue;
      CAPTURE(kind.id);
      CAPTURE(pair.before);
      CAPTURE(pair.after);
      covered.insert(kind.id);
      const auto found = ids(compared(kind, pair.before, pair.after));
      CHECK(std::ranges::find(found, kind.id) == found.end());
    }
    CAPTURE(kind.id);
    CHECK(covered.contains(kind.id));
  }
}

}  // namespace catalogue_test
