#include "schema/convert.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace convert_test {

namespace {

using fw::schema::Conversion;
using nlohmann::json;

json number(std::string_view text) {
  CAPTURE(text);
  json out = "unset";
  CHECK(fw::schema::to_number(text, out) == Conversion::done);
  return out;
}

json integer(std::string_view text) {
  CAPTURE(text);
  json out = "unset";
  CHECK(fw::schema::to_integer(text, out) == Conversion::done);
  CHECK(out.is_number_integer());
  return out;
}

Conversion integer_result(std::string_view text) {
  json out;
  return fw::schema::to_integer(text, out);
}

Conversion number_result(std::string_view text) {
  json out;
  return fw::schema::to_number(text, out);
}

}  // namespace

TEST_CASE("schema conversion: a decimal string becomes a number") {
  CHECK(number("2").dump() == "2");
  CHECK(number("+5").dump() == "5");
  CHECK(number("-1").dump() == "-1");
  CHECK(number("1.5") == 1.5);
  CHECK(number("-.5") == -0.5);
  CHECK(number("5.").dump() == "5");
  CHECK(number("1e3").dump() == "1000");
  CHECK(number("1.25E+2").dump() == "125");
  CHECK(number("2.50e-1") == 0.25);
  CHECK(number(" 2 \t\n").dump() == "2");
  CHECK(number("-0").dump() == "0");
  CHECK(number("-0.0").dump() == "0");
  CHECK(number("007").dump() == "7");
  CHECK(number("0.1") == 0.1);
}

TEST_CASE("schema conversion: a hexadecimal string becomes a number, without a sign") {
  CHECK(number("0x10").dump() == "16");
  CHECK(number("0XfF").dump() == "255");
  CHECK(integer(" 0x10 ") == 16);
  CHECK(number("0xFFFFFFFFFFFFFFFF") == std::numeric_limits<std::uint64_t>::max());
  CHECK(integer_result("0x10000000000000000") == Conversion::out_of_range);
  CHECK(number("0x10000000000000000") == 18446744073709551616.0);
  CHECK(number_result("0x" + std::string(1000, 'f')) == Conversion::out_of_range);
  for (const std::string_view text : {"0x", "-0x10", "+0x10", "0xg", "0x1.8", "x10", "0x 1"}) {
    CAPTURE(text);
    CHECK(number_result(text) == Conversion::not_a_number);
    CHECK(integer_result(text) == Conversion::not_a_number);
  }
}

TEST_CASE("schema conversion: other strings are rejected") {
  for (const std::string_view text :
       {"",     " ",   ".",     "-",     "+",        "e5",    "1e",   "1e+",
        "1,5",  "1 2", "1_000", "abc",   "Infinity", "-inf",  "NaN",  "nan",
        "true", "--1", "+-1",   "1.2.3", "1e1.5",    "12abc", "\xFF", "１"}) {
    CAPTURE(text);
    CHECK(number_result(text) == Conversion::not_a_number);
    CHECK(integer_result(text) == Conversion::not_a_number);
  }
  CHECK(number_result(std::string_view("1\0", 2)) == Conversion::not_a_number);
}

TEST_CASE("schema conversion: an integer has no fraction") {
  CHECK(integer("2.0") == 2);
  CHECK(integer("1.5e1") == 15);
  CHECK(integer("1500e-2") == 15);
  CHECK(integer("0.000e-5") == 0);
  CHECK(integer_result("1.5") == Conversion::not_whole);
  CHECK(integer_result("15e-1") == Conversion::not_whole);
  CHECK(integer_result("1e-400") == Conversion::not_whole);
  CHECK(integer_result("1.00000000000000000000000001") == Conversion::not_whole);
}

TEST_CASE("schema conversion: integers stay exact beyond 2^53") {
  CHECK(integer("9007199254740993").dump() == "9007199254740993");
  CHECK(number("9007199254740993").dump() == "9007199254740993");
  CHECK(integer("9007199254740993.0").dump() == "9007199254740993");
  CHECK(integer("9223372036854775807").dump() == "9223372036854775807");
  CHECK(integer("-9223372036854775808").dump() == "-9223372036854775808");
  CHECK(number("18446744073709551615").dump() == "18446744073709551615");
  CHECK(number("1e19").dump() == "10000000000000000000");
  for (const char* text : {"9223372036854775808", "18446744073709551615", "18446744073709551616",
                           "1e19", "0x8000000000000000", "0xffffffffffffffff"}) {
    CAPTURE(text);
    CHECK(integer_result(text) == Conversion::out_of_range);
  }
  CHECK(integer("0x7fffffffffffffff").dump() == "9223372036854775807");
  CHECK(integer_result("-9223372036854775809") == Conversion::out_of_range);
  CHECK(integer_result("1e20") == Conversion::out_of_range);
  CHECK(integer_result("1e99999999999999999999") == Conversion::out_of_range);
  CHECK(number("1e20") == 1e20);
}

TEST_CASE("schema conversion: numbers out of range of a double are rejected") {
  CHECK(number_result("1e400") == Conversion::out_of_range);
  CHECK(number_result("-1e400") == Conversion::out_of_range);
  CHECK(number_result(std::string(400, '9')) == Conversion::out_of_range);
  CHECK(number("1e-400") == 0.0);
  CHECK(number("-1e-400").dump() == "0.0");
  CHECK(number("0e400") == 0);
  CHECK(number("0." + std::string(500, '0') + "1") == 0.0);
  CHECK(number("0." + std::string(500, '0') + "1e501").dump() == "1");
}

TEST_CASE("schema conversion: JSON numbers with a fraction part become integers") {
  json out;
  CHECK(fw::schema::to_integer(2.0, out) == Conversion::done);
  CHECK(out.dump() == "2");
  CHECK(fw::schema::to_integer(-0.0, out) == Conversion::done);
  CHECK(out.dump() == "0");
  CHECK(fw::schema::to_integer(-1e15, out) == Conversion::done);
  CHECK(out.dump() == "-1000000000000000");
  CHECK(fw::schema::to_integer(-9223372036854775808.0, out) == Conversion::done);
  CHECK(out.dump() == "-9223372036854775808");
  CHECK(fw::schema::to_integer(1.5, out) == Conversion::not_whole);
  CHECK(fw::schema::to_integer(9223372036854775808.0, out) == Conversion::out_of_range);
  CHECK(fw::schema::to_integer(18446744073709551616.0, out) == Conversion::out_of_range);
  CHECK(fw::schema::to_integer(-1e19, out) == Conversion::out_of_range);
  CHECK(fw::schema::to_integer(std::numeric_limits<double>::infinity(), out) ==
        Conversion::out_of_range);
  CHECK(fw::schema::to_integer(std::numeric_limits<double>::quiet_NaN(), out) ==
        Conversion::out_of_range);
}

TEST_CASE("schema conversion: booleans in any case") {
  CHECK(fw::schema::to_boolean("true") == true);
  CHECK(fw::schema::to_boolean("FALSE") == false);
  CHECK(fw::schema::to_boolean(" True ") == true);
  for (const std::string_view text : {"", "1", "0", "yes", "on", "tru", "truee", "t"}) {
    CAPTURE(text);
    CHECK_FALSE(fw::schema::to_boolean(text).has_value());
  }
}

}  // namespace convert_test
