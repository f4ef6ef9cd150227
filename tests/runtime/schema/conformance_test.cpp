// The compact conformance cases, at the level of the library: one field `v` of each type. The file
// formats are described beside them.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <variant>

#include "schema/node.hpp"

namespace conformance_test {

namespace {

using fw::schema::Kind;
using fw::schema::Node;
using fw::schema::Source;
using nlohmann::json;

bool is_absent(const json& value) { return value == json{{"absent", true}}; }

void run_case(const json& test, Source source) {
  CAPTURE(test.dump());
  auto field = fw::schema::parse_dsl(test.at("dsl").get<std::string>());
  REQUIRE(std::holds_alternative<Node>(field));
  Node schema;
  schema.kind = Kind::object;
  schema.fields = {{"v", std::get<Node>(std::move(field))}};

  json input = json::object();
  if (!is_absent(test.at("value"))) input["v"] = test.at("value");
  const auto result = fw::schema::validate(schema, input, source);

  CHECK(result.errors.empty() == test.at("ok").get<bool>());
  if (test.at("ok").get<bool>()) {
    const bool present = result.value.contains("v");
    CHECK(present != is_absent(test.at("result")));
    if (present) CHECK(result.value.at("v") == test.at("result"));
  }
  for (const auto& failure : result.errors) {
    CHECK((failure.field == "v" || failure.field.starts_with("v/")));
    CHECK_FALSE(failure.message.empty());
    if (test.contains("fields")) {
      CHECK(std::ranges::count(test.at("fields"), json(failure.field)) == 1);
    }
  }
}

void run_file(std::string_view name, Source source) {
  std::ifstream file(std::string(FAIRWAY_CONFORMANCE_DIR "/") + std::string(name));
  REQUIRE(file);
  const json document = json::parse(file);
  REQUIRE(document.at("cases").size() > 100);
  for (const json& test : document.at("cases")) run_case(test, source);
}

}  // namespace

TEST_CASE("schema conformance: bodies match the conformance cases") {
  run_file("validation-types-body.json", Source::json);
}

TEST_CASE("schema conformance: queries match the conformance cases") {
  run_file("validation-types-query.json", Source::text);
}

}  // namespace conformance_test
