#include "base/suggest.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace suggest_test {

using fw::base::near_names;

namespace {

constexpr std::array<std::string_view, 4> kNames = {"audit-log", "role", "rate", "Upper"};

std::string joined(std::string_view name) {
  std::string list;
  for (const std::string_view near : near_names(name, kNames)) list.append(near).append(" ");
  return list;
}

}  // namespace

TEST_CASE("suggestions: a name is near if at most a third of its letters differ") {
  CHECK(joined("audit-logg") == "audit-log ");
  CHECK(joined("aduit-log") == "audit-log ");
  CHECK(joined("auditlog") == "audit-log ");
  CHECK(joined("session") == "");
  CHECK(joined("ro") == "");
  CHECK(joined("") == "");
}

TEST_CASE("suggestions: a name of two letters is near a name with one other letter") {
  constexpr std::array<std::string_view, 3> names = {"new", "no", "lsp"};
  const auto first = [&](std::string_view name) {
    const auto near = near_names(name, names);
    return near.size() == 1 ? near.front() : "";
  };
  CHECK(first("nw") == "new");
  CHECK(first("ls") == "lsp");
  CHECK(first("nO") == "no");
  CHECK(first("na") == "");
  CHECK(first("n") == "");
}

TEST_CASE("suggestions: all names with the least distance are near") {
  CHECK(joined("roles") == "role ");
  CHECK(joined("rote") == "role rate ");
}

TEST_CASE("suggestions: of equally near names, the one with more of the beginning is the first") {
  constexpr std::array<std::string_view, 3> names = {"A1_", "a10_", "A12"};
  const auto near = near_names("A10", names);
  REQUIRE(near.size() == 3);
  CHECK(near.front() == "a10_");
}

TEST_CASE("suggestions: letter case is ignored") {
  CHECK(joined("AUDIT-LOG") == "audit-log ");
  CHECK(joined("upper") == "Upper ");
}

TEST_CASE("suggestions: a very long name is near nothing") {
  CHECK(joined(std::string(100'000, 'a')) == "");
}

}  // namespace suggest_test
