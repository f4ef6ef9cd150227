#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "schema/kinds.hpp"
#include "schema/node.hpp"

namespace validate_test {

namespace {

using fw::ValidationResult;
using fw::schema::Field;
using fw::schema::Kind;
using fw::schema::Node;
using fw::schema::Source;
using nlohmann::json;

Node type(std::string_view dsl) { return std::get<Node>(fw::schema::parse_dsl(dsl)); }

Node object(std::vector<Field> fields) {
  Node node;
  node.kind = Kind::object;
  node.fields = std::move(fields);
  return node;
}

Node array_of(Node items) {
  Node node;
  node.kind = Kind::array;
  node.items = std::make_shared<const Node>(std::move(items));
  return node;
}

ValidationResult check(const Node& schema, const json& input, Source source = Source::json) {
  return fw::schema::validate(schema, input, source);
}

ValidationResult check_value(std::string_view dsl, const json& value,
                             Source source = Source::json) {
  return check(object({{"v", type(dsl)}}), {{"v", value}}, source);
}

// The converted value; null with a failed check when the value was rejected.
json accepted(std::string_view dsl, const json& value, Source source = Source::json) {
  CAPTURE(dsl);
  CAPTURE(value.dump(-1, ' ', true, json::error_handler_t::replace));
  ValidationResult result = check_value(dsl, value, source);
  CHECK(result.errors.empty());
  return result.errors.empty() ? result.value.at("v") : json();
}

// The message of the one failure.
std::string error_of(std::string_view dsl, const json& value, Source source = Source::json) {
  CAPTURE(dsl);
  CAPTURE(value.dump(-1, ' ', true, json::error_handler_t::replace));
  const ValidationResult result = check_value(dsl, value, source);
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].field == "v");
  return result.errors[0].message;
}

std::vector<std::string> failed_fields(const ValidationResult& result) {
  std::vector<std::string> fields;
  for (const auto& failure : result.errors) fields.push_back(failure.field);
  return fields;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("schema validation: required and optional members") {
  const Node schema = object({{"a", type("string")}, {"b", type("string?")}, {"c", type("any!")}});
  const ValidationResult missing = check(schema, json::object());
  CHECK(failed_fields(missing) == Names{"a", "c"});
  CHECK(missing.errors[0].message == "a is required");
  const ValidationResult present = check(schema, {{"a", ""}, {"c", nullptr}});
  CHECK(present.errors.empty());
  CHECK(present.value == json{{"a", ""}, {"c", nullptr}});
}

TEST_CASE("schema validation: null is rejected by every type but null and any") {
  for (const std::string_view dsl : {"string", "string?", "number?", "integer", "boolean?", "email",
                                     "enum:a", "array?", "object?"}) {
    error_of(dsl, nullptr);
  }
  CHECK(accepted("null", nullptr) == json());
  CHECK(accepted("any", nullptr) == json());
  CHECK(error_of("null", "null") == "v must be null");
  CHECK(accepted("any", {{"a", {1}}}) == json{{"a", {1}}});
}

TEST_CASE("schema validation: lengths of strings are checked") {
  CHECK(accepted("string", "2") == "2");
  for (const json& value : {json(2), json(true), json::array(), json::object()}) {
    CHECK(error_of("string", value) == "v must be a string");
  }
  CHECK(error_of("string:2-10", "A") == "v must be at least 2 characters long");
  CHECK(error_of("string:1-50", "") == "v must be at least 1 character long");
  CHECK(error_of("string:-5", "abcdef") == "v must be at most 5 characters long");
  CHECK(error_of("string:3", "ab") == "v must be exactly 3 characters long");
  CHECK(error_of("string:3", "abcd") == "v must be exactly 3 characters long");
}

TEST_CASE("schema validation: defaults replace absent members") {
  const Node schema = object({{"page", type("integer:1-=1")},
                              {"order", type("enum:asc,desc=asc")},
                              {"all", type("boolean=false")},
                              {"name", type("string?")}});
  for (const Source source : {Source::text, Source::json}) {
    const auto none = check(schema, json::object(), source);
    CHECK(none.errors.empty());
    CHECK(none.value == json{{"page", 1}, {"order", "asc"}, {"all", false}});
    const auto given = check(schema, {{"page", "3"}, {"all", "true"}}, source);
    CHECK(given.value == json{{"page", 3}, {"order", "asc"}, {"all", true}});
    CHECK(check(schema, {{"page", "0"}}, source).errors.size() == 1);
    CHECK(check(schema, {{"page", nullptr}}, source).errors.size() == 1);
  }
}

TEST_CASE("schema validation: patterns match a part of the string unless anchored") {
  for (const Source source : {Source::text, Source::json}) {
    CHECK(accepted("string:/b/", "abc", source) == "abc");
    CHECK(accepted("string:/^[0-9]{3}$/", "123", source) == "123");
  }
  const auto result = check_value("string:2-/^[0-9]+$/", "1x");
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].message == "v must match /^[0-9]+$/");
  CHECK(result.errors[0].key == "validation.pattern");
  CHECK(result.errors[0].params == json{{"pattern", "^[0-9]+$"}});
  CHECK(check_value("string:2-/^[0-9]+$/", 12).errors.size() == 1);
}

TEST_CASE("schema validation: lengths count code points") {
  CHECK(accepted("string:3", "\u00e9\u00e9\u00e9") == "\u00e9\u00e9\u00e9");
  CHECK(accepted("string:-2", "\U0001F600\U0001F600") == "\U0001F600\U0001F600");
  error_of("string:3-", "\U0001F600\U0001F600");
}

TEST_CASE("schema validation: strings that are not UTF-8 are rejected") {
  CHECK(error_of("string", "a\xFF", Source::text) == "v must be UTF-8 text");
  CHECK(error_of("string:1-5", "a\xFF") == "v must be UTF-8 text");
  CHECK(error_of("integer", "\xFF", Source::text) == "v must be an integer");
  CHECK(error_of("enum:a", "\xFF", Source::text) == "v must be one of a");
  CHECK(error_of("hostname", "\xC3\x28", Source::text) == "v must be a host name");
}

TEST_CASE("schema validation: numbers are converted from strings, never to strings") {
  CHECK(accepted("number", "1.5", Source::text) == 1.5);
  CHECK(accepted("number", "0x10").dump() == "16");
  CHECK(accepted("number", 1.5) == 1.5);
  CHECK(accepted("integer", " 2 ").dump() == "2");
  CHECK(accepted("integer", 2.0).dump() == "2");
  CHECK(accepted("integer", 9007199254740993).dump() == "9007199254740993");
  CHECK(accepted("integer", 9223372036854775807).dump() == "9223372036854775807");
  CHECK(accepted("integer", std::numeric_limits<std::int64_t>::min()).dump() ==
        "-9223372036854775808");
  CHECK(accepted("number:0-", 18446744073709551615U).dump() == "18446744073709551615");
  for (const json& value : {json(true), json::array({1}), json::object(), json(""), json("x")}) {
    CHECK(error_of("number", value) == "v must be a number");
    CHECK(error_of("integer", value) == "v must be an integer");
  }
  CHECK(error_of("integer", 1.5) == "v must be an integer");
  CHECK(error_of("integer", "1.5") == "v must be an integer");
  CHECK(error_of("number", "1e400") == "v must be a number below 1.8e308 in magnitude");
  CHECK(error_of("number", std::numeric_limits<double>::infinity()) ==
        "v must be a number below 1.8e308 in magnitude");
  // What std::int64_t cannot hold would wrap around in a typed struct.
  for (const json& value :
       {json(9223372036854775808U), json(18446744073709551615U), json(9223372036854775808.0),
        json(1.844674407370955e19), json(1e20), json("9223372036854775808"),
        json("18446744073709551615"), json("0xffffffffffffffff"), json("1.844674407370955e19"),
        json("1e20"), json("-9223372036854775809")}) {
    CAPTURE(value.dump());
    CHECK(error_of("integer:1-", value) ==
          "v must be an integer from -9223372036854775808 to 9223372036854775807");
  }
}

TEST_CASE("schema validation: bounds of numbers are inclusive and exact") {
  CHECK(accepted("number:1-100", 1) == 1);
  CHECK(accepted("number:1-100", "100") == 100);
  CHECK(error_of("number:1-100", 0.999) == "v must be at least 1");
  CHECK(error_of("number:1-100", 101) == "v must be at most 100");
  CHECK(error_of("number:-5-10", -6) == "v must be at least -5");
  CHECK(error_of("number:0.5-", "0.4") == "v must be at least 0.5");
  CHECK(error_of("number:5", 6) == "v must be exactly 5");
  CHECK(error_of("integer:-9007199254740991", 9007199254740992) ==
        "v must be at most 9007199254740991");
  CHECK(error_of("number:-9007199254740992", 9007199254740993) ==
        "v must be at most 9007199254740992");
  CHECK(error_of("integer:0-", -1) == "v must be at least 0");
}

TEST_CASE("schema validation: booleans are converted from strings") {
  CHECK(accepted("boolean", true) == true);
  CHECK(accepted("boolean", "FALSE", Source::text) == false);
  for (const json& value : {json(1), json(0), json("yes"), json("1"), json("")}) {
    CHECK(error_of("boolean", value) == "v must be true or false");
  }
}

TEST_CASE("schema validation: formats and enumerations require strings") {
  CHECK(accepted("email", "A@B.CO") == "A@B.CO");
  CHECK(error_of("email", "x") == "v must be an e-mail address such as ann@example.com");
  CHECK(error_of("url", "q") == "v must be an absolute http or https URL");
  CHECK(error_of("date", 20240131) == "v must be a date such as 2024-01-31");
  CHECK(accepted("enum:admin,user", "user") == "user");
  CHECK(error_of("enum:admin,user", "User") == "v must be one of admin, user");
  CHECK(error_of("enum:1,2", 1) == "v must be one of 1, 2");
  for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
    if (row.has_format == nullptr) {
      CHECK(row.example.empty());
      continue;
    }
    CAPTURE(row.name);
    CHECK(accepted(row.name, row.example) == row.example);
    error_of(row.name, "no such format!");
  }
}

TEST_CASE("schema validation: arrays and their lengths are checked") {
  CHECK(accepted("array", {1, "a"}) == json{1, "a"});
  CHECK(accepted("array<integer>:1-3", {"1", 2.0}).dump() == "[1,2]");
  CHECK(error_of("array", "a,b") == "v must be an array");
  CHECK(error_of("array", json::object()) == "v must be an array");
  CHECK(error_of("array:1-3", json::array()) == "v must have at least 1 item");
  CHECK(error_of("array:-2", {1, 2, 3}) == "v must have at most 2 items");
  CHECK(error_of("array:2", {1}) == "v must have exactly 2 items");
  CHECK(failed_fields(check_value("array<number>", {"1", "x", nullptr})) == Names{"v/1", "v/2"});
  CHECK(failed_fields(check_value("array<array<integer>>", {{1, "a"}, 5})) ==
        Names{"v/0/1", "v/1"});
}

TEST_CASE("schema validation: errors in nested objects contain the path") {
  const Node schema = object(
      {{"user", object({{"name", type("string")},
                        {"addr", object({{"city", type("string")}, {"zip", type("string:5?")}})}})},
       {"note", type("string?")}});
  const ValidationResult failed =
      check(schema, {{"user", {{"name", 1}, {"addr", {{"zip", "123"}}}}}});
  CHECK(failed_fields(failed) == Names{"user/name", "user/addr/city", "user/addr/zip"});
  CHECK(failed.errors[1].message == "user/addr/city is required");
  CHECK(failed_fields(check(schema, {{"user", "x"}})) == Names{"user"});

  const json kept = {{"user", {{"name", "n"}, {"addr", {{"city", "c"}}}, {"extra", 1}}}, {"x", 2}};
  CHECK(check(schema, kept).value == kept);
}

TEST_CASE("schema validation: errors in arrays of objects contain the index") {
  const Node schema = object(
      {{"items", array_of(object({{"id", type("integer")}, {"qty", type("number:1-10")}}))}});
  CHECK(failed_fields(check(schema, {{"items", {{{"id", 1}}, {{"qty", 99}}}}})) ==
        Names{"items/0/qty", "items/1/id", "items/1/qty"});
  CHECK(failed_fields(check(schema, {{"items", {1, nullptr}}})) == Names{"items/0", "items/1"});
  CHECK(check(schema, {{"items", {{{"id", "7"}, {"qty", "2"}}}}}).value.dump() ==
        R"({"items":[{"id":7,"qty":2}]})");
}

TEST_CASE("schema validation: missing members are reported before invalid ones") {
  const Node schema = object({{"z", type("string")},
                              {"a", type("string")},
                              {"m", type("integer")},
                              {"k", type("string")}});
  CHECK(failed_fields(check(schema, json::object())) == Names{"z", "a", "m", "k"});
  CHECK(failed_fields(check(schema, {{"m", "x"}, {"z", 1}})) == Names{"a", "k", "z", "m"});
}

TEST_CASE("schema validation: an absent input and one of the wrong type are reported as 'value'") {
  const Node schema = object({{"a", type("string?")}});
  const ValidationResult absent = check(schema, nullptr);
  REQUIRE(failed_fields(absent) == Names{"value"});
  CHECK(absent.errors[0].message == "value is required");
  for (const json& input : {json("name=Ann"), json(5), json::array(), json(true)}) {
    const ValidationResult foreign = check(schema, input);
    REQUIRE(failed_fields(foreign) == Names{"value"});
    CHECK(foreign.errors[0].message == "value must be an object");
  }
  Node optional = schema;
  optional.required = false;
  CHECK(check(optional, nullptr).errors.empty());
}

TEST_CASE("schema validation: the input is not modified") {
  const json input = {{"v", "5"}};
  const ValidationResult result = check(object({{"v", type("integer")}}), input);
  CHECK(result.value == json{{"v", 5}});
  CHECK(input == json{{"v", "5"}});
}

TEST_CASE("schema validation: deep nesting and many errors are limited") {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  json input = json::object();
  input["v"] = json::parse(deep);  // moved: copying it would overflow the stack
  const ValidationResult nested = check(object({{"v", type("any")}}), input);
  REQUIRE(failed_fields(nested) == Names{"value"});
  CHECK(nested.errors[0].message == "value must be nested at most 512 levels deep");

  const std::string allowed = std::string(511, '[') + std::string(511, ']');
  CHECK(check_value("any", json::parse(allowed)).errors.empty());

  const ValidationResult flood =
      check_value("array<integer>", json(std::vector<std::string>(100'000, "x")));
  CHECK(flood.errors.size() == 1000);
  CHECK(flood.errors.back().field == "v/999");
}

namespace {

/// The member `v` of an object with the schema of a C++ type.
Node member_of_type(std::string_view schema) {
  Node node = fw::schema::node_of_schema(nlohmann::ordered_json::parse(
      R"({"type": "object", "required": ["v"], "properties": {"v": )" + std::string(schema) +
      "}}"));
  return node;
}

std::string errors_of(const Node& node, const json& value, Source source = Source::json) {
  std::string text;
  for (const auto& error : check(node, {{"v", value}}, source).errors) {
    text += (text.empty() ? "" : "; ") + error.message;
  }
  return text;
}

json converted(const Node& node, const json& value, Source source = Source::json) {
  auto result = check(node, {{"v", value}}, source);
  CHECK(result.errors.empty());
  return result.errors.empty() ? result.value.at("v") : json();
}

constexpr std::string_view kPayment = R"({
  "oneOf": [
    {"type": "object", "required": ["kind", "number"], "properties": {
      "kind": {"type": "string", "enum": ["card"]}, "number": {"type": "integer"},
      "count": {"type": "integer", "default": 1}}},
    {"type": "object", "required": ["kind", "iban"], "properties": {
      "kind": {"type": "string", "enum": ["transfer"]}, "iban": {"type": "string"}}}],
  "discriminator": {"propertyName": "kind"}})";

}  // namespace

TEST_CASE("validation: members of maps are named by their path") {
  const Node labels = member_of_type(
      R"({"type": "object", "additionalProperties": {"type": "integer", "maximum": 9}})");
  CHECK(converted(labels, json::object()) == json::object());
  CHECK(converted(labels, {{"a", 1}, {"b", "2"}}).dump() == R"({"a":1,"b":2})");
  CHECK(errors_of(labels, {{"colour", "red"}, {"size", 10}, {"x", 1}}) ==
        "v/colour must be an integer; v/size must be at most 9");
  CHECK(errors_of(labels, {1}) == "v must be an object");
  CHECK(check(labels, {{"v", {{"colour", "red"}}}}).errors[0].field == "v/colour");
  CHECK(check(labels, {{"v", 1}}).errors[0].key == "validation.type.object");
  CHECK(errors_of(labels, {{"\xff", 1}}, Source::text) == "v/\xff must be UTF-8 text");

  const Node nested = member_of_type(
      R"({"type": "object", "additionalProperties": {"type": "object",
          "properties": {"count": {"type": "integer", "default": 7}}}})");
  CHECK(converted(nested, {{"a", json::object()}}).dump() == R"({"a":{"count":7}})");
}

TEST_CASE("validation: long names of members of maps are cut in errors") {
  const Node map =
      member_of_type(R"({"type": "object", "additionalProperties": {"type": "null"}})");
  std::string name = "x";  // so that the cut is inside a code point
  for (int i = 0; i < 10'000; ++i) name += "ä";
  const auto errors = check(map, {{"v", {{name, 1}}}}).errors;
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].field == "v/" + name.substr(0, 997) + "…");
  CHECK(errors[0].message == errors[0].field + " must be null");
}

TEST_CASE("validation: the discriminator selects the alternative") {
  const Node payment = member_of_type(kPayment);
  CHECK(converted(payment, {{"kind", "card"}, {"number", "4"}}).dump() ==
        R"({"count":1,"kind":"card","number":4})");
  CHECK(converted(payment, {{"kind", "transfer"}, {"iban", "DE1"}}).dump() ==
        R"({"iban":"DE1","kind":"transfer"})");
  CHECK(errors_of(payment, {{"kind", "transfer"}, {"number", 4}}) == "v/iban is required");
  CHECK(errors_of(payment, {{"number", 4}}) == "v/kind is required");
  CHECK(errors_of(payment, {{"kind", "cash"}}) == "v/kind must be one of card, transfer");
  CHECK(errors_of(payment, {{"kind", 4}}) == "v/kind must be one of card, transfer");
  CHECK(errors_of(payment, "card") == "v must be an object");
  CHECK(check(payment, {{"v", {{"kind", "cash"}}}}).errors[0].key == "validation.type.enum");
  CHECK(check(payment, {{"v", json::object()}}).errors[0].key == "validation.required");
}

TEST_CASE("validation: alternatives of alternatives have one discriminator") {
  const Node nested = member_of_type(R"({"discriminator": {"propertyName": "kind"}, "oneOf": [
      )" + std::string(kPayment) + R"(,
      {"type": "object", "required": ["kind"],
       "properties": {"kind": {"type": "string", "enum": ["cash"]}}}]})");
  CHECK(errors_of(nested, {{"kind", "transfer"}}) == "v/iban is required");
  CHECK(errors_of(nested, {{"kind", "cash"}}).empty());
  CHECK(errors_of(nested, {{"kind", "x"}}) == "v/kind must be one of card, transfer, cash");
}

TEST_CASE("validation: the JSON type selects the alternative") {
  const Node id = member_of_type(
      R"({"oneOf": [{"type": "string", "minLength": 2}, {"type": "integer", "minimum": 1}]})");
  CHECK(converted(id, "12") == json("12"));
  CHECK(converted(id, 12) == json(12));
  CHECK(converted(id, "12", Source::text) == json(12));
  CHECK(converted(id, "ab", Source::text) == json("ab"));
  CHECK(errors_of(id, "a") == "v must be at least 2 characters long");
  CHECK(errors_of(id, 0) == "v must be at least 1");
  CHECK(errors_of(id, 1.5) == "v must be an integer");
  CHECK(errors_of(id, true) == "v must be a string or an integer");

  const Node either = member_of_type(R"({"oneOf": [
      {"type": "boolean"}, {"type": "array", "items": {"type": "integer"}},
      {"oneOf": [{"type": "number"}, {"type": "object", "additionalProperties": {}}]}]})");
  CHECK(converted(either, "true") == json(true));
  CHECK(converted(either, "1.5") == json(1.5));
  CHECK(converted(either, {{"a", nullptr}}).dump() == R"({"a":null})");
  CHECK(errors_of(either, {1, "x"}) == "v/1 must be an integer");
  const auto errors = check(either, {{"v", "x"}}).errors;
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "v must be true or false or an array or a number or an object");
  CHECK(errors[0].key == "validation.type.oneOf");
  CHECK(errors[0].params.at("types") == "true or false or an array or a number or an object");

  const Node color = member_of_type(
      R"({"oneOf": [{"type": "integer"}, {"type": "string", "enum": ["red", "blue"]}]})");
  CHECK(converted(color, "red", Source::text) == json("red"));
  CHECK(errors_of(color, "green") == "v must be one of red, blue");
  CHECK(errors_of(color, nullptr) == "v must be an integer or one of red, blue");
}

TEST_CASE("validation: items that must be unique") {
  const Node tags =
      member_of_type(R"({"type": "array", "items": {"type": "integer"}, "uniqueItems": true})");
  CHECK(converted(tags, {3, 1, 2}).dump() == "[3,1,2]");
  CHECK(errors_of(tags, {3, 1, 3}) == "v must not have equal items");
  // They are equal after their conversion.
  CHECK(errors_of(tags, {1, "1"}) == "v must not have equal items");
  CHECK(errors_of(tags, {1, "x", 1}) == "v/1 must be an integer; v must not have equal items");
  CHECK(check(tags, {{"v", {1, 1}}}).errors[0].key == "validation.unique");
  const Node objects = member_of_type(R"({"type": "array", "items": {}, "uniqueItems": true})");
  CHECK(errors_of(objects, {{{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1.0}}}) ==
        "v must not have equal items");
  CHECK(errors_of(objects, {1, "1", true, nullptr, {1}, {{"a", 1}}}).empty());
}

TEST_CASE("validation: types within themselves") {
  const Node tree = fw::schema::node_of_schema(nlohmann::ordered_json::parse(R"({
    "$ref": "#/$defs/Tree", "$defs": {"Tree": {"type": "object", "required": ["name"],
      "properties": {
        "name": {"type": "string"}, "size": {"type": "integer", "default": 1},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        "left": {"$ref": "#/$defs/Tree"}}}}})"));
  const auto result = check(tree, json::parse(R"({"name": "a", "children": [
      {"name": "b", "size": "2", "left": {"name": "c"}}]})"));
  CHECK(result.errors.empty());
  CHECK(result.value.dump() ==
        R"({"children":[{"left":{"name":"c","size":1},"name":"b","size":2}],"name":"a","size":1})");
  const auto failed = check(tree, json::parse(R"({"name": "a", "children": [
      {"name": "b", "left": {"children": [{"name": 1}]}}]})"));
  REQUIRE(failed.errors.size() == 2);
  CHECK(failed.errors[0].message == "children/0/left/name is required");
  CHECK(failed.errors[1].message == "children/0/left/children/0/name must be a string");

  const auto chain = [](int levels) {
    json value = {{"name", "x"}};
    for (int i = 1; i < levels; ++i) value = {{"name", "x"}, {"left", std::move(value)}};
    return value;
  };
  CHECK(check(tree, chain(512)).errors.empty());
  CHECK(check(tree, chain(513)).errors[0].message ==
        "value must be nested at most 512 levels deep");
}

}  // namespace validate_test
