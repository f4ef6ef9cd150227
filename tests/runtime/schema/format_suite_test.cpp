// The text formats against the cases of the JSON Schema test suite; docs/formats.md explains the
// disagreements that are listed here.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "schema/formats.hpp"

#ifdef FAIRWAY_FORMAT_SUITE

namespace {

const std::map<std::string, bool (*)(std::string_view)> kFormats = {
    {"date-time", fw::schema::is_datetime}, {"uri", fw::schema::is_url},
    {"email", fw::schema::is_email},        {"ipv4", fw::schema::is_ipv4},
    {"ipv6", fw::schema::is_ipv6},          {"hostname", fw::schema::is_hostname},
};

}  // namespace

TEST_CASE("schema formats: agreement with the JSON Schema test suite") {
  std::ifstream file(FAIRWAY_FORMAT_SUITE);
  REQUIRE(file);
  const auto suite = nlohmann::json::parse(file);
  std::set<std::string> disagreements;
  std::map<std::string, int> judged;
  for (const auto& group : suite) {
    const auto format = kFormats.find(group["schema"]["format"].get<std::string>());
    REQUIRE(format != kFormats.end());
    for (const auto& test : group["tests"]) {
      const std::string text = test["data"];
      ++judged[format->first];
      if (format->second(text) != test["valid"].get<bool>()) {
        disagreements.insert(format->first + " " + text);
      }
    }
  }
  CHECK(judged.size() == kFormats.size());
  CHECK(disagreements == std::set<std::string>{"uri //foo.bar/?baz=qux#quux"});
}

#endif
