// The fast parser of bodies agrees with nlohmann's, whatever it is given.
#include "exchange/json_body.hpp"

#include <doctest/doctest.h>

#include <new>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "support/allocation_count.hpp"

namespace json_body_test {

namespace {

using fw::Json;

std::optional<Json> by_nlohmann(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

void check_same(const std::string& text) {
  CAPTURE(text);
  std::string bytes = text;
  const auto parsed = fw::detail::parse_json_body(bytes);
  const auto expected = by_nlohmann(text);
  CHECK(bytes == text);
  REQUIRE(parsed.has_value() == expected.has_value());
  if (!parsed) return;
  CHECK(*parsed == *expected);
  // A zero has no sign once it is an integer.
  if (text != "-0") CHECK(parsed->type() == expected->type());
  CHECK(parsed->dump(-1, ' ', false, Json::error_handler_t::replace) ==
        expected->dump(-1, ' ', false, Json::error_handler_t::replace));
}

TEST_CASE("json body: values are equal to nlohmann's") {
  for (const char* text : {"null",
                           "true",
                           " false ",
                           "0",
                           "-0",
                           "-0.0",
                           "1",
                           "-1",
                           "9223372036854775807",
                           "9223372036854775808",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "18446744073709551615",
                           "18446744073709551616",
                           "123456789012345678901234567890",
                           "1.5",
                           "1e3",
                           "1E-7",
                           "1e308",
                           "1e309",
                           "-1e400",
                           "1e-400",
                           "0.1",
                           "5e-324",
                           "2.2250738585072014e-308",
                           "\"\"",
                           "\"a\\u00e9\\n\\\"\\\\\\/\"",
                           "\"\\ud83d\\ude00\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\udfff\\ud800\"",
                           "\"\\u0000\"",
                           "\"\xc3\xa9\"",
                           "\"\xc3\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"",
                           "\"\x01\"",
                           "\"\x7f\"",
                           "[]",
                           "{}",
                           "[1,2,{\"a\":[]}]",
                           R"({"b":1,"a":2,"b":3})",
                           R"({"":{"":null}})",
                           "[1,]",
                           "{\"a\":1,}",
                           "{\"a\"}",
                           "{a:1}",
                           "'a'",
                           "01",
                           "+1",
                           ".5",
                           "1.",
                           "nul",
                           "truex",
                           "[1] 2",
                           "[1]\n",
                           "\xef\xbb\xbf{\"a\":1}",
                           "",
                           " ",
                           "[",
                           "]",
                           "{\"a\":",
                           "\"",
                           "\"\\",
                           "\"\\x\"",
                           "// a\n1",
                           "NaN",
                           "Infinity",
                           "[1}",
                           "\"a\nb\""}) {
    check_same(text);
  }
  check_same(std::string("\"a\0b\"", 5));
}

TEST_CASE("json body: malformed bodies are rejected like in nlohmann") {
  const std::string whole =
      R"({"id":12345678901,"name":"Zo\u00eb \ud83d\ude00","tags":["a","b\n"],"price":-12.5e-3,"ok":[true,null]})";
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = whole;
    for (int changes = std::uniform_int_distribution(1, 3)(random); changes > 0; --changes) {
      const auto at = std::uniform_int_distribution<std::size_t>(0, text.size() - 1)(random);
      switch (std::uniform_int_distribution(0, 2)(random)) {
        case 0:
          text[at] = static_cast<char>(std::uniform_int_distribution(0, 255)(random));
          break;
        case 1:
          text.erase(at, std::uniform_int_distribution<std::size_t>(1, 4)(random));
          break;
        default:
          text.insert(at, 1, "{}[]\",:\\0123e.-tfn"[std::uniform_int_distribution(0, 17)(random)]);
      }
      if (text.empty()) break;
    }
    check_same(text);
  }
}

TEST_CASE("json body: nesting is limited to 512 levels") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  for (const std::size_t levels : {1U, 511U, 512U}) {
    std::string text = nested(levels);
    CHECK(fw::detail::parse_json_body(text).has_value());
  }
  for (const std::size_t levels : {513U, 1025U, 1'000'000U}) {
    std::string text = nested(levels);
    CHECK_FALSE(fw::detail::parse_json_body(text).has_value());
  }
}

TEST_CASE("json body: only whitespace may follow the value") {
  for (const std::string_view after :
       {std::string_view("\0", 1), std::string_view("\0{\"i\":99}", 9), std::string_view(" \0 ", 3),
        std::string_view("x"), std::string_view("{}")}) {
    for (const std::string before : {"{\"i\":1}", "123456789012345678901234567890", "[1]"}) {
      std::string text = before + std::string(after);
      CAPTURE(text);
      CHECK_FALSE(fw::detail::parse_json_body(text).has_value());
    }
  }
  std::string text = "{\"i\":1} \t\r\n";
  CHECK(fw::detail::parse_json_body(text).has_value());
}

TEST_CASE("json body: values are counted before parsing") {
  const auto count = [](std::string_view text) {
    std::size_t most = 0;
    while (fw::detail::has_more_values_than(most, text)) ++most;
    return most;
  };
  CHECK(count("1") == 1);
  CHECK(count(" \"a,[{\\\",\" ") == 1);
  CHECK(count("[]") == 1);
  CHECK(count("[ ]") == 1);
  CHECK(count("{}") == 1);
  CHECK(count("[{},{},[1]]") == 5);
  CHECK(count("{\"a\": {\"b\": [1, 2, \"x,y\"]}, \"c\": null}") == 7);
  CHECK(count("[[[[]]]]") == 4);
}

TEST_CASE("json body: large bodies are parsed") {
  std::string text = "[";
  for (int i = 0; i < 400'000; ++i) text += std::to_string(i) + ",";
  text += "\"end\"]";
  REQUIRE(text.size() > std::size_t{1} << 20U);
  const auto parsed = fw::detail::parse_json_body(text);
  REQUIRE(parsed.has_value());
  CHECK(parsed->size() == 400'001);
  CHECK(parsed->at(399'999) == 399'999);
}

TEST_CASE("json body: members of an object are split without a tree") {
  const auto members = [](std::string text) { return fw::detail::parse_json_members(text); };
  const auto two = members(R"({"data":{"a":[1,"x"]},"csrf":"s"})");
  REQUIRE(two.has_value());
  REQUIRE(two->size() == 2);
  CHECK(two->at(0) == std::pair<std::string, Json>("data", {{"a", {1, "x"}}}));
  CHECK(two->at(1) == std::pair<std::string, Json>("csrf", "s"));
  CHECK(members("{}")->empty());
  // An integer that only the slower parser accepts.
  const auto large = members(R"({"data":12345678901234567890123})");
  REQUIRE(large.has_value());
  CHECK(large->at(0).second == 12345678901234567890123.0);
  CHECK_FALSE(members("[1]"));
  CHECK_FALSE(members("{\"data\":"));
  CHECK_FALSE(members(""));
}

TEST_CASE("json body: a thread keeps parse buffers for small bodies only") {
  const auto padded = [](std::size_t size) { return std::string(size - 1, ' ') + "1"; };
  std::string small = padded(8 * 1024);
  std::string large = padded(1024 * 1024);
  CHECK(fw::detail::parse_json_body(small) == Json(1));
  CHECK(fw::detail::parse_json_body(large) == Json(1));
  bool is_small_parsed = false;
  bool is_memory_needed = false;
  {
    const fw::support::FailingAllocations failing(16 * 1024);
    is_small_parsed = fw::detail::parse_json_body(small).has_value();
    try {
      fw::detail::parse_json_body(large);
    } catch (const std::bad_alloc&) {
      is_memory_needed = true;
    }
  }
  CHECK(is_small_parsed);
  CHECK(is_memory_needed);
}

}  // namespace

}  // namespace json_body_test
