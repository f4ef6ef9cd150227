// JSON text is written as nlohmann writes it.
#include "base/json_text.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace json_text_test {

namespace {

using fw::Json;

std::string by_nlohmann(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

TEST_CASE("json text: values are written like in nlohmann") {
  const Json values = {
      nullptr,
      true,
      false,
      0,
      -1,
      std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::int64_t>::max(),
      std::numeric_limits<std::uint64_t>::max(),
      1.0,
      -0.0,
      0.1,
      1e22,
      1e-7,
      123456789.125,
      std::numeric_limits<double>::infinity(),
      std::numeric_limits<double>::quiet_NaN(),
      "",
      "plain",
      "quote \" and \\",
      "\b\f\n\r\t\x01\x1f",
      "\x7f",
      "Zoë 😀",
      "\xff broken \xc3",
      Json::array(),
      Json::object(),
      Json::array({1, Json::array({2, Json::object({{"a\"b", nullptr}, {"é", 1}})})})};
  CHECK(fw::base::to_json_text(values) == by_nlohmann(values));
  for (const Json& value : values) CHECK(fw::base::to_json_text(value) == by_nlohmann(value));
}

TEST_CASE("json text: a byte is escaped at any position of a string") {
  for (std::size_t size = 1; size <= 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char c : {'"', '\\', '\x1f', '\x7f', '\xff'}) {
        std::string text(size, 'a');
        text[at] = c;
        CHECK(fw::base::to_json_text(text) == by_nlohmann(text));
      }
    }
  }
}

TEST_CASE("json text: every byte of a string is written like in nlohmann") {
  for (int first = 0; first < 256; ++first) {
    std::string text(1, static_cast<char>(first));
    CHECK(fw::base::to_json_text(text) == by_nlohmann(text));
    for (int second = 0; second < 256; second += 3) {
      const std::string pair = "a" + text + static_cast<char>(second);
      CHECK(fw::base::to_json_text(pair) == by_nlohmann(pair));
    }
  }
}

TEST_CASE("json text: a value nested too deeply for the stack is not written") {
  const auto nested = [](int levels) {
    fw::Json value = fw::Json::array();
    for (int i = 1; i < levels; ++i) {
      fw::Json outer = fw::Json::array();
      outer.push_back(std::move(value));
      value = std::move(outer);
    }
    return value;
  };
  CHECK(fw::base::to_json_text(nested(1024)).size() == 2048);
  CHECK_THROWS_AS(fw::base::to_json_text(nested(1025)), std::length_error);
  CHECK_THROWS_AS(fw::base::to_json_text(nested(100'000)), std::length_error);
}

}  // namespace

}  // namespace json_text_test
