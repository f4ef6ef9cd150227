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

TEST_CASE("a name is near when a third of its letters differ at most") {
  CHECK(joined("audit-logg") == "audit-log ");
  CHECK(joined("aduit-log") == "audit-log ");
  CHECK(joined("auditlog") == "audit-log ");
  CHECK(joined("session") == "");
  CHECK(joined("ro") == "");
  CHECK(joined("") == "");
}

TEST_CASE("a name of two letters is near to one that has another letter") {
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

TEST_CASE("all names of the least distance are near") {
  CHECK(joined("roles") == "role ");
  CHECK(joined("rote") == "role rate ");
}

TEST_CASE("letter case makes no difference") {
  CHECK(joined("AUDIT-LOG") == "audit-log ");
  CHECK(joined("upper") == "Upper ");
}

TEST_CASE("a name too long to be compared is near to nothing") {
  CHECK(joined(std::string(100'000, 'a')) == "");
}

}  // namespace suggest_test
