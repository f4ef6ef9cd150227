#include "base/json_position.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace json_position_test {

namespace {

using fw::Json;

/// "line:column", or "none".
std::string found(std::string_view json, std::string_view pointer) {
  const auto position = fw::base::position_of(json, pointer);
  return position ? fmt::format("{}:{}", position->line, position->column) : "none";
}

std::string error_of(const std::string& text) {
  try {
    return Json::parse(text).dump();
  } catch (const Json::exception& error) {
    const auto [position, message] = fw::base::syntax_error(text, error);
    if (!position) return message;
    return fmt::format("{}:{}: {}", position->line, position->column, message);
  }
}

TEST_CASE("json pointer position: members are found by name, items by value") {
  const std::string json = R"({
  "a": {"b": [1, "x,]}\"", {"c": null}], "b2": true},
  "d/e~f": -1.5e3,
  "\u0067": {},
  "last": [[], [ "deep" ]]
})";
  CHECK(found(json, "") == "1:1");
  CHECK(found(json, "/a") == "2:3");
  CHECK(found(json, "/a/b") == "2:9");
  CHECK(found(json, "/a/b/0") == "2:15");
  CHECK(found(json, "/a/b/1") == "2:18");
  CHECK(found(json, "/a/b/2/c") == "2:29");
  CHECK(found(json, "/a/b2") == "2:42");
  CHECK(found(json, "/d~1e~0f") == "3:3");
  CHECK(found(json, "/g") == "4:3");
  CHECK(found(json, "/last/1/0") == "5:18");
  for (const char* pointer : {"/none", "/a/b/3", "/a/b/0/x", "/last/1/1", "/b"}) {
    CAPTURE(pointer);
    CHECK(found(json, pointer) == "none");
  }
}

TEST_CASE("duplicate names: each one after the first, in the same object") {
  const auto names = fw::base::duplicate_names(R"({"a": {"b": 1, "c": {"b": 2}, "\u0062": 3},
  "x": [{"a": 1}, {"a": 2, "a": 3}],
  "a": 4, "x": "{\"x\": 1, \"x\": 2}"})");
  std::string text;
  for (const auto& each : names) {
    text += fmt::format("{} {}:{} {}:{}\n", each.pointer, each.position.line, each.position.column,
                        each.first.line, each.first.column);
  }
  CHECK(text == "/a/b 1:31 1:8\n/x/1/a 2:28 2:20\n/a 3:3 1:2\n/x 3:11 2:3\n");
  CHECK(fw::base::duplicate_names(R"([{"a": 1}, {"a": 1}, 1, 1])").empty());
  CHECK(fw::base::duplicate_names("").empty());
}

TEST_CASE("json pointer position: invalid JSON ends the search") {
  for (const char* text : {"", "{", "{\"a", "{\"a\"", "{\"a\":", "[1", "[\"\\", "}", "{]"}) {
    CAPTURE(text);
    CHECK(found(text, "/x") == "none");
  }
}

TEST_CASE("json pointer position: syntax errors have a position") {
  CHECK(error_of("{\n  \"a\": 1\n  \"b\": 2\n}") == "2:9: a ',' is missing");
  CHECK(error_of("[1 2]") == "1:3: a ',' is missing");
  CHECK(error_of("[\"a\" {}]") == "1:5: a ',' is missing");
  CHECK(error_of("[1\"a\"]") == "1:3: a ',' is missing");
  CHECK(error_of("[080]") == "1:2: unexpected number literal; expected ']'");
  CHECK(error_of("{\"a\": 080}") == "1:7: unexpected number literal; expected '}'");
  CHECK(error_of("[12-5]") == "1:2: unexpected number literal; expected ']'");
  CHECK(error_of("{\"a\": [1, 2}") == "1:12: unexpected '}'; expected ']'");
  CHECK(error_of("{\"a\" 1}") == "1:6: unexpected number literal; expected ':'");
  CHECK(error_of("{\n\"a\": 1\n").starts_with("3:1: unexpected end of input; expected '}'"));
  CHECK(error_of("{\"a\": tru}") == "1:7: invalid literal");
  CHECK(error_of("{\"a\": \"\x01\"}").starts_with("1:8: invalid string: control character"));
  CHECK(error_of("[1e400]") == "number overflow parsing '1e400'");
}

TEST_CASE("json pointer position: syntax errors name what other notations allow") {
  for (const char* text :
       {"{\"a\": 1, // one\n}", "{\"a\": 1, /* one */ \"b\": 2}", "{\"a\": 1, # one\n}"}) {
    CAPTURE(text);
    CHECK(error_of(text) == "1:10: comments are not allowed");
  }
  CHECK(error_of("// one\n{}") == "1:1: comments are not allowed");
  CHECK(error_of("{\"a\": 1 // one\n}") == "1:9: comments are not allowed");
  CHECK(error_of("{}\n// one") == "2:1: comments are not allowed");
  CHECK(error_of("{\"a\": \"// one\", \"b\": 1 2}").ends_with("a ',' is missing"));
  CHECK(error_of("{\"a\": 1,\n}") == "1:8: a ',' is not allowed before '}'");
  CHECK(error_of("{\"a\": [1, 2, ]}") == "1:12: a ',' is not allowed before ']'");
  for (const char* text : {"{'a': 1}", "{\u201ca\u201d: 1}", "{`a`: 1}"}) {
    CAPTURE(text);
    CHECK(error_of(text) == "1:2: a string begins and ends with a double quote, '\"'");
  }
  CHECK(error_of("{\"a\": 'b'}") == "1:7: a string begins and ends with a double quote, '\"'");
  CHECK(error_of("{a: 1}") == "1:2: the name of a member is in double quotes");
  CHECK(error_of("{\"a\": 1, maxAge : 2}") == "1:10: the name of a member is in double quotes");
  CHECK(error_of("[,]").starts_with("1:2: unexpected ','"));
  for (const char* text : {"[\"it\\'s\"]", "[\"it\\#s\"]", "[\"it\\s: b\"]"}) {
    CAPTURE(text);
    CHECK(error_of(text).starts_with("1:6: invalid string: forbidden character"));
  }
}

}  // namespace

}  // namespace json_position_test
