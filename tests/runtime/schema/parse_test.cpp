#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/kinds.hpp"
#include "schema/node.hpp"
#include "support/pattern_cases.hpp"

namespace parse_test {

namespace {

using fw::schema::DslError;
using fw::schema::Kind;
using fw::schema::Node;

Node parsed(std::string_view text) {
  auto result = fw::schema::parse_dsl(text);
  CAPTURE(text);
  if (const auto* error = std::get_if<DslError>(&result)) {
    FAIL_CHECK(error->message);
    return {};
  }
  return std::get<Node>(std::move(result));
}

DslError rejected(std::string_view text) {
  auto result = fw::schema::parse_dsl(text);
  CAPTURE(text);
  if (std::holds_alternative<Node>(result)) {
    FAIL_CHECK("the text was accepted");
    return {};
  }
  return std::get<DslError>(std::move(result));
}

// The marked part of a rejected text, as the caret of a diagnostic shows it.
std::string marked(std::string_view text) {
  const DslError error = rejected(text);
  REQUIRE(error.offset + error.length <= text.size());
  return std::string(text.substr(error.offset, error.length));
}

void check_range(std::string_view text, std::optional<double> min, std::optional<double> max) {
  CAPTURE(text);
  const Node node = parsed(text);
  CHECK(node.min == min);
  CHECK(node.max == max);
}

}  // namespace

TEST_CASE("schema dsl: every type is parsed by its name") {
  for (const fw::schema::KindInfo& row : fw::schema::all_kinds()) {
    const std::string name = std::string(row.name) + (row.kind == Kind::enumeration ? ":a" : "");
    CAPTURE(name);
    CHECK(parsed(name).kind == row.kind);
    CHECK(parsed(name).required);
    CHECK_FALSE(parsed(name + "?").required);
    CHECK(parsed(name + "!").required);
  }
  CHECK(parsed("email").kind == Kind::email);
  CHECK(parsed("hostname").kind == Kind::hostname);
}

TEST_CASE("schema dsl: ranges are parsed") {
  check_range("string", {}, {});
  check_range("string:3", 3, 3);
  check_range("string:3-", 3, {});
  check_range("string:-5", {}, 5);
  check_range("string:1-50?", 1, 50);
  check_range("integer:1-!", 1, {});
  check_range("number:0-", 0, {});
  check_range("number:0.5-1.25", 0.5, 1.25);
  check_range("array:1-3!", 1, 3);
  check_range("array:2", 2, 2);
  check_range("integer:9007199254740991", 9007199254740991.0, 9007199254740991.0);
}

TEST_CASE("schema dsl: a hyphen is a sign only if another one separates the bounds") {
  check_range("number:-5", {}, 5);
  check_range("number:--5", {}, -5);
  check_range("number:-5-", -5, {});
  check_range("number:-5-10", -5, 10);
  check_range("number:-10--5", -10, -5);
  check_range("integer:-5--5", -5, -5);
  check_range("number:-0.5-0.5", -0.5, 0.5);
}

TEST_CASE("schema dsl: arrays are parsed") {
  CHECK(parsed("array").items == nullptr);
  const Node strings = parsed("array<string:1-20>:1-5?");
  REQUIRE(strings.items);
  CHECK(strings.items->kind == Kind::string);
  CHECK(strings.items->max == 20.0);
  CHECK(strings.min == 1.0);
  CHECK(strings.max == 5.0);
  CHECK_FALSE(strings.required);

  const Node matrix = parsed("array<array<number:0->:2>");
  REQUIRE(matrix.items);
  REQUIRE(matrix.items->items);
  CHECK(matrix.items->min == 2.0);
  CHECK(matrix.items->items->min == 0.0);
  CHECK(parsed("array<enum:a,b>").items->values.size() == 2);
}

TEST_CASE("schema dsl: enumerations are parsed") {
  CHECK(parsed("enum:a,b,c").values == std::vector<std::string>{"a", "b", "c"});
  CHECK(parsed("enum:admin,user!").values == std::vector<std::string>{"admin", "user"});
  CHECK(parsed("enum:a, b ?").values == std::vector<std::string>{"a", "b"});
  CHECK(parsed("enum:<,<=,1:2").values == std::vector<std::string>{"<", "<=", "1:2"});
  CHECK_FALSE(parsed("enum:a,b?").required);
}

TEST_CASE("schema dsl: the help for an unknown type is the nearest type") {
  const DslError error = rejected("strin:1-5?");
  CHECK(error.message == "unknown type 'strin'");
  CHECK(error.help == "did you mean 'string'?");
  CHECK(error.offset == 0);
  CHECK(error.length == 5);
  CHECK(rejected("int").help == "did you mean 'integer'?");
  CHECK(rejected("bool?").help == "did you mean 'boolean'?");
  CHECK(rejected("String").help == "did you mean 'string'?");
  CHECK(rejected(" string").help == "did you mean 'string'?");
  CHECK(rejected("emial").help == "did you mean 'email'?");
  CHECK(rejected("admin|user").help == "alternatives are written 'enum:admin,user'");
  CHECK(rejected("string[]").help == "an array is written 'array<string>'");
  CHECK(rejected("xylophone").help.starts_with("the types are any, null, string"));
  CHECK(marked("array<strng>") == "strng");
  CHECK(rejected("array<strng>").offset == 6);
}

TEST_CASE("schema dsl: the error of an invalid range has an offset") {
  CHECK(rejected("string:5-1").message == "bad range '5-1': its minimum is above its maximum");
  CHECK(rejected("string:5-1").help == "write 'string:1-5'");
  CHECK(marked("string:5-1") == "5-1");
  CHECK(marked("number:10--5") == "10--5");
  CHECK(rejected("string:").message == "the range is missing");
  CHECK(marked("string:?") == ":");
  CHECK(rejected("string:abc").message == "bad range 'abc'");
  CHECK(marked("string:abc") == "abc");
  CHECK(marked("string:1-5x!") == "x");
  CHECK(marked("string:1x") == "x");
  CHECK(marked("string:1-2-3") == "-3");
  CHECK(rejected("string:-").message == "bad range '-'");
  CHECK(rejected("number:---5").message == "bad range '---5'");
  CHECK(marked("number:1.") == ".");
  CHECK(marked("number:1e3") == "e3");
  CHECK(marked("string: 5") == " 5");
  CHECK(rejected("string:-5-10").message == "the length of a string cannot be negative");
  CHECK(marked("string:-5-10") == "-5");
  CHECK(rejected("array:-2-").message == "the number of items cannot be negative");
  CHECK(rejected("string:1.5-3").message == "the bounds of 'string' must be integers");
  CHECK(marked("integer:1-2.5") == "2.5");
  CHECK(rejected("integer:1-2.5").help == "use 'number' for values with a fraction");
  CHECK(rejected("integer:9007199254740992").message ==
        "the bound '9007199254740992' is too large");
  CHECK(rejected("number:" + std::string(400, '9')).message.ends_with("is too large"));
}

TEST_CASE("schema dsl: a range needs a type that takes one") {
  CHECK(rejected("boolean:1-5?").message == "'boolean' takes no range");
  CHECK(marked("boolean:1-5?") == ":1-5");
  CHECK(rejected("email:5").message == "'email' takes no range");
  CHECK(rejected("object:1").message == "'object' takes no range");
  CHECK(rejected("any:1").message == "'any' takes no range");
}

TEST_CASE("schema dsl: invalid enumerations are errors") {
  CHECK(rejected("enum").message == "an enum needs values");
  CHECK(rejected("enum?").message == "an enum needs values");
  CHECK(rejected("enum:").message == "an enum needs values");
  CHECK(marked("enum:") == ":");
  CHECK(rejected("enum:a,,b").message == "an enum value is empty");
  CHECK(rejected("enum:a,,b").offset == 7);
  CHECK(rejected("enum:,a").offset == 5);
  CHECK(rejected("enum:a,!").offset == 6);
  CHECK(rejected("enum:a,b,a").message == "duplicate enum value 'a'");
  CHECK(rejected("enum:a,b,a").offset == 9);
  CHECK(marked("enum:a, b, a") == "a");
  CHECK(rejected("enum:a|b|c").message == "'a|b|c' is one value: values are separated by ','");
  CHECK(rejected("enum:a|b?").help == "write 'enum:a,b'");
  CHECK(rejected("enum: a|b").replacement == "a,b");
  CHECK(marked("enum:a|b?") == "a|b");
  CHECK(std::holds_alternative<Node>(fw::schema::parse_dsl("enum:a|b,c")));
  CHECK(std::holds_alternative<Node>(fw::schema::parse_dsl("enum:|")));
  CHECK(rejected("enum<a>").message == "unexpected '<a>' after 'enum'");
}

TEST_CASE("schema dsl: a suffix is allowed once, at the end") {
  CHECK(rejected("string??").message == "more than one suffix");
  CHECK(rejected("string!?").offset == 6);
  CHECK(rejected("enum:a,b!!").message == "more than one suffix");
  CHECK(rejected("string!:1-5").message == "'!' must be the last character");
  CHECK(rejected("string!:1-5").help == "write 'string:1-5!'");
  CHECK(rejected("string!:1-5").offset == 6);
  CHECK(rejected("enum:a,b! ").message == "'!' must be the last character");
  CHECK(rejected("enum:a,b! ").offset == 8);
  CHECK(rejected("array<string?>").message == "an item type takes no '?'");
  CHECK(rejected("array<string?>").offset == 12);
}

TEST_CASE("schema dsl: missing and trailing text are errors") {
  CHECK(rejected("").message == "the schema is empty");
  CHECK(rejected("?").message == "the type is missing");
  CHECK(rejected(":5").message == "the type is missing");
  CHECK(rejected("array<").message == "'<' is not closed");
  CHECK(rejected("array<array<string>").offset == 5);
  CHECK(rejected("array<>").message == "the item type is missing");
  CHECK(rejected("array<string>x").message == "unexpected 'x' after 'array'");
  CHECK(marked("array<string>>") == ">");
  CHECK(rejected("string>").message == "unexpected '>' after 'string'");
  CHECK(rejected("string<number>").message == "'string' has no item type");
  CHECK(rejected("array:1-5<string>").help == "write 'array<string>:1-5'");
  CHECK(marked("array:1-5<string>") == "<string>");
}

TEST_CASE("schema dsl: deep nesting is an error, not a crash") {
  std::string text = "string";
  for (int i = 0; i < 10'000; ++i) text = "array<" + text + ">";
  CHECK(rejected(text).message == "arrays are nested more than 16 levels deep");
  CHECK(rejected(std::string(100'000, '<')).message == "the type is missing");
}

TEST_CASE("schema dsl: the canonical notation of a node parses to the same node") {
  for (const std::string_view text : {"string",
                                      "string?",
                                      "string:3",
                                      "string:3-",
                                      "string:-5",
                                      "string:1-50?",
                                      "number:0-",
                                      "number:-5-10",
                                      "number:--5",
                                      "number:-5--5",
                                      "number:0.1-0.25",
                                      "integer:-5-",
                                      "boolean?",
                                      "enum:a,b,c",
                                      "enum:admin,user?",
                                      "array",
                                      "array:1-5",
                                      "array<string>",
                                      "array<integer:1->:1-5?",
                                      "array<array<enum:x,y>>",
                                      "object?",
                                      "datetime",
                                      "null",
                                      "any?"}) {
    CAPTURE(text);
    CHECK(fw::schema::to_dsl(parsed(text)) == text);
  }
  CHECK(fw::schema::to_dsl(parsed("integer:1-!")) == "integer:1-");
  CHECK(fw::schema::to_dsl(parsed("enum: a , b!")) == "enum:a,b");
  CHECK(fw::schema::to_dsl(parsed("string:007")) == "string:7");
}

TEST_CASE("schema dsl: defaults are parsed and validated") {
  const auto value_of = [](std::string_view text) {
    const Node node = parsed(text);
    CHECK_FALSE(node.required);
    CHECK(node.is_always_there());
    CHECK(fw::schema::to_dsl(node) == text);
    return node.default_value.value_or(nullptr);
  };
  CHECK(value_of("integer=20") == 20);
  CHECK(value_of("integer:1-100=20") == 20);
  CHECK(value_of("number:0-=2.5") == 2.5);
  CHECK(value_of("boolean=true") == true);
  CHECK(value_of("string=") == "");
  CHECK(value_of("string:1-5=a=b") == "a=b");
  CHECK(value_of("enum:asc,desc=asc") == "asc");
  CHECK(value_of("email=a@example.com") == "a@example.com");
  CHECK(parsed("integer= 0x10 ").default_value == 16);
  CHECK(parsed("enum:a, b = a").default_value == "a");
  CHECK(rejected("integer:1-5=7").message == "the default must be at most 5");
  CHECK(marked("integer:1-5=7") == "7");
  CHECK(rejected("integer=x").message == "the default must be an integer");
  CHECK(rejected("integer=").message == "the default must be an integer");
  CHECK(rejected("integer=1.5").message == "the default must be an integer");
  CHECK(rejected("boolean=yes").message.starts_with("the default must be"));
  CHECK(rejected("string:3=ab").message == "the default must be exactly 3 characters long");
  CHECK(rejected("email=nobody").message.starts_with("the default must be an e-mail address"));
  CHECK(rejected("string:3?=abc").message == "a field with a default is optional");
  CHECK(marked("string:3?=abc") == "?");
  CHECK(rejected("integer=3?").message == "the default must be an integer");
  for (const char* text : {"array=1", "array<string>:1-2=a", "object={}", "any=1", "null=null"}) {
    CAPTURE(text);
    CHECK(rejected(text).message.ends_with("takes no default"));
    CHECK(marked(text).starts_with("="));
  }
}

TEST_CASE("schema dsl: an enumeration has a default that is one of its values") {
  CHECK(rejected("enum:asc,desc=acs").message == "the default must be one of asc, desc");
  CHECK(rejected("enum:asc,desc=acs").help == "did you mean 'asc'?");
  CHECK(rejected("enum:asc,desc=acs").replacement == "asc");
  CHECK(marked("enum:asc,desc= acs ") == "acs");
  CHECK(rejected("enum:asc,desc=up").help ==
        "if the sign '=' is part of a value, write 'enum:asc,desc=up!', or 'enum:asc,desc=up?'");
  CHECK(rejected("enum:asc,desc=up").replacement == "");
  CHECK(marked("enum:asc,desc=") == "=");
  CHECK(rejected("enum:red,bed=led").help == "did you mean 'red'?");
  CHECK(rejected("enum:red,bed=led").replacement == "");
  CHECK(rejected("enum:<,=").message == "the sign '=' begins a default");
  CHECK(rejected("enum:<,=").help == "if it is part of a value, write 'enum:<,=!', or 'enum:<,=?'");
  CHECK(rejected("enum:=").message == "the sign '=' begins a default");
  for (const char* text : {"enum:asc,desc=asc?", "enum:asc,desc=acs!", "enum:asc,desc = asc ?",
                           "enum:asc,desc?=acs"}) {
    CAPTURE(text);
    CHECK(rejected(text).message == "a field with a default is optional");
    CHECK((marked(text) == "?" || marked(text) == "!"));
  }
}

TEST_CASE("schema dsl: a value of an enumeration contains '=' before others or with a suffix") {
  using Values = std::vector<std::string>;
  const auto values_of = [](std::string_view text) {
    const Node node = parsed(text);
    CHECK(fw::schema::to_dsl(node) == text);
    return node.values;
  };
  CHECK(values_of("enum:a=b,c") == Values{"a=b", "c"});
  CHECK(values_of("enum:=,<=,<") == Values{"=", "<=", "<"});
  CHECK(values_of("enum:a=1,b=2!") == Values{"a=1", "b=2"});
  CHECK(values_of("enum:<,=?") == Values{"<", "="});
  CHECK(values_of("enum:==!") == Values{"=="});
  CHECK(parsed("enum:a=1,b=2!").required);
  CHECK_FALSE(parsed("enum:a=1,b=2?").required);
  CHECK(values_of("enum:a=1,b=2=a=1") == Values{"a=1", "b=2"});
  CHECK(parsed("enum:a=1,b=2=a=1").default_value == "a=1");
  CHECK(parsed("enum:a=1,b=2=b=2").default_value == "b=2");
}

TEST_CASE("schema dsl: patterns are parsed and validated") {
  const auto pattern_of = [](std::string_view text) {
    const Node node = parsed(text);
    CHECK(fw::schema::to_dsl(node) == text);
    return node.pattern;
  };
  CHECK(pattern_of("string:/^[a-z]+$/") == "^[a-z]+$");
  CHECK(pattern_of("string:/a/b:c<d>?=e/") == "a/b:c<d>?=e");
  CHECK(pattern_of("string:/a?/?") == "a?");
  CHECK(pattern_of("string:2-5/a/") == "a");
  CHECK(parsed("string:2-5/a/").min == 2);
  CHECK(parsed("array<string:/^[a-z]$/>:1-3").items->pattern == "^[a-z]$");

  for (const pattern_cases::PatternCase& each : pattern_cases::kPatternCases) {
    CAPTURE(each.text);
    CHECK(pattern_of(each.text) == each.pattern);
    const auto value = parsed(each.text).default_value;
    REQUIRE(value.has_value() == each.value.has_value());
    if (value) CHECK(*value == *each.value);
  }
  CHECK(rejected("string:/^a/=b$/").message == "the default must match /^a/");
  CHECK(rejected("string:/[/").message.starts_with("bad pattern: "));
  CHECK(rejected("string:/a").message == "the pattern has no end");
  CHECK(rejected("string:/").message == "the pattern has no end");
  CHECK(rejected("string://").message == "the pattern is empty");
  CHECK(rejected("string:/(/").message.starts_with("bad pattern: "));
  CHECK(marked("string:/(/") == "/(/");
  CHECK(rejected("string:/(?=a)/").message.starts_with("bad pattern: "));
  CHECK(rejected("string:/a/=b").message == "the default must match /a/");
  CHECK(rejected("string:5-1/a/").message.starts_with("bad range '5-1'"));
  CHECK(rejected("integer:/a/").message.starts_with("bad range"));
}

}  // namespace parse_test
