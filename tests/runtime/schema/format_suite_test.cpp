// The text formats against the cases of the JSON Schema test suite, draft 2020-12; docs/formats.md
// explains the disagreements that are listed here.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "schema/formats.hpp"

namespace format_suite_test {

namespace {

struct Format {
  bool (*accepts)(std::string_view);
  std::size_t cases;
  std::set<std::string> disagreements;
};

const std::map<std::string, Format> kFormats = {
    {"date", {fw::schema::is_date, 41, {}}},
    {"date-time", {fw::schema::is_datetime, 19, {}}},
    {"email", {fw::schema::is_email, 16, {"joe.bloggs@[127.0.0.1]", "joe.bloggs@[IPv6:::1]"}}},
    {"hostname", {fw::schema::is_hostname, 12, {}}},
    {"ipv4", {fw::schema::is_ipv4, 9, {}}},
    {"ipv6", {fw::schema::is_ipv6, 34, {}}},
    {"time", {fw::schema::is_time, 39, {"12:00:00", "12:00:00.52"}}},
    {"uri",
     {fw::schema::is_url,
      20,
      {"ftp://ftp.is.co.za/rfc/rfc1808.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one",
       "mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix",
       "tel:+1-816-555-1212", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2"}}},
    {"uuid", {fw::schema::is_uuid, 15, {}}},
};

}  // namespace

TEST_CASE("schema format: agreement with the JSON Schema test suite") {
  for (const auto& entry : kFormats) {
    const auto& name = entry.first;  // CAPTURE makes a lambda, where Clang 14 takes no binding
    const auto& format = entry.second;
    CAPTURE(name);
    std::ifstream file(std::string(FAIRWAY_SCHEMA_SUITE "/optional/format/") + name + ".json");
    REQUIRE(file);
    std::set<std::string> disagreements;
    std::size_t cases = 0;
    const auto suite = nlohmann::json::parse(file);
    for (const auto& group : suite) {
      for (const auto& test : group["tests"]) {
        if (!test["data"].is_string()) continue;
        ++cases;
        const std::string text = test["data"];
        if (format.accepts(text) != test["valid"].get<bool>()) disagreements.insert(text);
      }
    }
    CHECK(cases >= format.cases);
    CHECK(nlohmann::json(disagreements) == nlohmann::json(format.disagreements));
  }
}

}  // namespace format_suite_test
