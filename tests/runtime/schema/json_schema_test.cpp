#include <doctest/doctest.h>

#include <string_view>
#include <utility>
#include <variant>

#include "schema/kinds.hpp"
#include "schema/node.hpp"
#include "schema/pattern.hpp"

namespace json_schema_test {

namespace {

using fw::schema::Kind;
using fw::schema::Node;
using nlohmann::json;

json schema_of(std::string_view dsl) {
  return fw::schema::to_json_schema(std::get<Node>(fw::schema::parse_dsl(dsl)));
}

}  // namespace

TEST_CASE("json schema: types and bounds") {
  CHECK(schema_of("any") == json::object());
  CHECK(schema_of("null") == json::parse(R"({"type":"null"})"));
  CHECK(schema_of("string:1-50").dump() == R"({"maxLength":50,"minLength":1,"type":"string"})");
  CHECK(schema_of("number:0-").dump() == R"({"minimum":0,"type":"number"})");
  CHECK(schema_of("number:-0.5-1.25").dump() ==
        R"({"maximum":1.25,"minimum":-0.5,"type":"number"})");
  CHECK(schema_of("integer:-100?").dump() == R"({"maximum":100,"type":"integer"})");
  CHECK(schema_of("boolean").dump() == R"({"type":"boolean"})");
  CHECK(schema_of("enum:a,b").dump() == R"({"enum":["a","b"],"type":"string"})");
  CHECK(schema_of("array:1-5").dump() ==
        R"({"items":{},"maxItems":5,"minItems":1,"type":"array"})");
  CHECK(schema_of("array<array<integer:1->>").dump() ==
        R"({"items":{"items":{"minimum":1,"type":"integer"},"type":"array"},"type":"array"})");
  CHECK(schema_of("object").dump() == R"({"type":"object"})");
}

TEST_CASE("json schema: formats") {
  const std::pair<std::string_view, std::string_view> formats[] = {
      {"email", "email"}, {"date", "date"}, {"datetime", "date-time"}, {"uuid", "uuid"},
      {"ipv4", "ipv4"},   {"ipv6", "ipv6"}, {"hostname", "hostname"}};
  for (const auto& [dsl, format] : formats) {
    CHECK(schema_of(dsl) == json{{"type", "string"}, {"format", format}});
  }
  // The format "time" demands an offset.
  const json time = schema_of("time");
  CHECK_FALSE(time.contains("format"));
  const fw::schema::Pattern pattern(time["pattern"].get<std::string>());
  for (const char* text : {"10:20:30", "23:59:60Z", "10:20:30.5+02:00"}) {
    CHECK(pattern.matches(text));
  }
  for (const char* text : {"24:00:00", "10:20", "10:20:30+25:00", "x10:20:30", "10:20:30 "}) {
    CHECK_FALSE(pattern.matches(text));
  }
  // URLs of other schemes are "uri" too.
  CHECK(schema_of("url").dump() ==
        R"({"format":"uri","pattern":"^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]","type":"string"})");
}

TEST_CASE("json schema: every string format restricts the string") {
  for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
    if (row.has_format == nullptr) continue;
    CAPTURE(row.name);
    const json schema = schema_of(row.name);
    CHECK(schema["type"] == "string");
    CHECK((schema.contains("format") || schema.contains("pattern")));
  }
}

TEST_CASE("json schema: objects with required members and descriptions") {
  Node name = std::get<Node>(fw::schema::parse_dsl("string:2-5!"));
  name.description = "the name";
  Node address;
  address.kind = Kind::object;
  address.fields = {{"city", std::get<Node>(fw::schema::parse_dsl("string?"))}};
  Node person;
  person.kind = Kind::object;
  person.fields = {{"name", name}, {"address", address}};
  CHECK(fw::schema::to_json_schema(person) == json::parse(R"({
    "type": "object",
    "properties": {
      "name": {"type": "string", "minLength": 2, "maxLength": 5, "description": "the name"},
      "address": {"type": "object", "properties": {"city": {"type": "string"}}}
    },
    "required": ["name", "address"]
  })"));
}

}  // namespace json_schema_test
