// Where violations are, and what they say; option_errors_test.cpp of the route compiler has one
// case for each constraint.
#include "options/option_constraints.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "options/option_members.hpp"

namespace option_constraints_test {

using fw::options::Violation;
using Json = nlohmann::ordered_json;
using Path = std::vector<std::string>;

namespace {

Violation only(const Json& options, std::string_view method = "GET",
               const std::vector<std::string>& parameters = {}) {
  const auto found = fw::options::violations(options, method, parameters);
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

TEST_CASE("option constraints: a value is located by the names of its members in C++") {
  const Violation violation = only({{"bodyParser", {{"maxBodySize", "huge"}}}});
  CHECK(violation.location.path == Path{"body_parser", "max_body_size"});
  CHECK_FALSE(violation.location.is_name);
  CHECK(violation.text() ==
        "'body_parser.max_body_size' is not a valid size; write a number of bytes, or a string "
        "such as \"512kb\" or \"1mb\"");
}

TEST_CASE("option constraints: an item has its index, its list in the text, and a correction") {
  const Violation violation = only({{"override", {{"cors", {{"methods", {"PUT", "Patch"}}}}}}});
  CHECK(violation.location.path == Path{"override_", "cors", "methods", "1"});
  CHECK(violation.correction == "PATCH");
  CHECK(violation.text() ==
        "override_.cors.methods: 'Patch' never matches, because methods are case-sensitive: write "
        "\"PATCH\"");
  CHECK(only({{"cache", {{"methods", {"fetch"}}}}}).correction.empty());
}

TEST_CASE("option constraints: an exclusion is located at the option to remove, with the other") {
  const Violation violation = only({{"cache", {{"query", {"page"}}, {"key", "k"}}}});
  CHECK(violation.location.path == Path{"cache", "query"});
  CHECK(violation.location.is_name);
  REQUIRE(violation.other);
  CHECK(violation.other->path == Path{"cache", "key"});
  CHECK(violation.note == "'key' is set here");
}

TEST_CASE("option constraints: null, false and the empty string are not declarations") {
  const Json page = {{"mode", "static"}, {"page", "a"}};
  for (const Json& value : {Json(), Json(false)}) {
    CHECK(fw::options::violations({{"frontend", page}, {"auth", value}}, "GET", {}).empty());
  }
  CHECK(only({{"frontend", page}, {"auth", Json::object()}}).message ==
        "'frontend.mode' 'static' excludes 'auth'");
  CHECK(only({{"frontend", {{"mode", "static"}, {"page", ""}}}}).message ==
        "'frontend.mode' 'static' needs 'frontend.page'");
}

TEST_CASE("option constraints: method and parameters of the route") {
  const Json page = {{"mode", "static"}, {"page", "a"}, {"staticParams", {{{"id", "1"}}}}};
  CHECK(fw::options::violations({{"frontend", page}}, "GET", {"id"}).empty());
  CHECK(only({{"frontend", page}}, "POST", {"id"}).message ==
        "'frontend.mode' 'static' needs a GET route");
  CHECK(only({{"frontend", page}}, "GET", {"id", "name"}).location.path ==
        Path{"frontend", "static_params"});
}

TEST_CASE("option members: names in JSON and in C++ convert both ways") {
  for (const fw::options::OptionMember& member : fw::options::kOptionMembers) {
    CHECK(fw::options::member_name(fw::options::reference_name(member.name)) == member.name);
  }
  CHECK(fw::options::reference_name("override_") == "override");
  CHECK(fw::options::option_member("Override", "cors").record_type == "CorsOverride");
  CHECK_THROWS_AS(fw::options::option_member("Override", "headers"), std::logic_error);
}

}  // namespace option_constraints_test
