#include <fairway/fairway.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "schema/node.hpp"
#include "support/pattern_cases.hpp"

namespace field_test {

namespace {

using fw::Json;

template <class Make>
std::string error_of(Make make) {
  try {
    static_cast<void>(make());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

static_assert(std::same_as<fw::Field<"integer:1-">::value_type, std::int64_t>);
static_assert(std::same_as<fw::Field<"number">::value_type, double>);
static_assert(std::same_as<fw::Field<"boolean=true">::value_type, bool>);
static_assert(std::same_as<fw::Field<"uuid">::value_type, std::string>);
static_assert(std::same_as<fw::Field<"enum:a,b">::value_type, std::string>);
static_assert(fw::detail::parse_field("enum:a,b=c").error == fw::detail::FieldSpec::Error::other);
static_assert(fw::detail::parse_field("enum:a,b=c!").error == fw::detail::FieldSpec::Error::none);
static_assert(std::same_as<fw::Field<"any">::value_type, Json>);
static_assert(std::same_as<fw::Field<"array">::value_type, std::vector<Json>>);
static_assert(std::same_as<fw::Field<"array<array<number>:2>:1-">::value_type,
                           std::vector<std::vector<double>>>);
static_assert(sizeof(fw::Field<"integer:1-100=20">) == sizeof(std::int64_t));
static_assert(!std::constructible_from<fw::Field<"integer">, double>);
static_assert(!std::constructible_from<fw::Field<"integer">, bool>);
static_assert(!std::constructible_from<fw::Field<"boolean">, int>);
static_assert(!std::constructible_from<fw::Field<"string">, int>);

}  // namespace

TEST_CASE("types: a field converts to and from its value type") {
  const fw::Field<"integer:1-100"> count = 7;
  const std::int64_t number = count;
  CHECK(number == 7);
  CHECK(count + 1 == 8);
  CHECK(count == 7U);
  CHECK(6 < count);
  CHECK(fw::Field<"number">(7) < 7.5);
  fw::Field<"string:1-5"> name = "abc";
  const std::string text = name;
  const std::string_view view = name;
  CHECK(text == "abc");
  CHECK(view == name);
  CHECK("abd" > name);
  CHECK(name->size() == 3);
  name = std::string("x");
  CHECK(name == std::string("x"));
  name = std::string_view("yz");
  CHECK(name.value() == "yz");
  const fw::Field<"integer"> any = count;
  CHECK(any == count);
  CHECK_FALSE(any < count);
  CHECK(std::unordered_set<fw::Field<"string:1-5">>{name, "yz"}.size() == 1);
}

TEST_CASE("types: a field is not made from a value outside its rules") {
  using Count = fw::Field<"integer:1-100">;
  CHECK(error_of([] { return Count(0); }) ==
        "fw::Field<\"integer:1-100\">: the value must be at least 1, but is 0");
  CHECK(error_of([] { return Count(101); }) ==
        "fw::Field<\"integer:1-100\">: the value must be at most 100, but is 101");
  CHECK(error_of([] { return Count(fw::Field<"integer">(-5)); }) ==
        "fw::Field<\"integer:1-100\">: the value must be at least 1, but is -5");
  CHECK(error_of([] { return fw::Field<"integer">(std::numeric_limits<std::uint64_t>::max()); }) ==
        "fw::Field<\"integer\">: the value must be an integer from -9223372036854775808 to "
        "9223372036854775807, but is 18446744073709551615");
  CHECK(error_of([] { return fw::Field<"string:2-3">("äöüß"); }) ==
        "fw::Field<\"string:2-3\">: the value must be at most 3 characters long, but is \"äöüß\"");
  CHECK(error_of([] { return fw::Field<"string:2-3">("äöü"); }) == "no error");
  CHECK(error_of([] { return fw::Field<"string:/^[a-z]+$/">("A"); }) ==
        "fw::Field<\"string:/^[a-z]+$/\">: the value must match /^[a-z]+$/, but is \"A\"");
  CHECK(error_of([] { return fw::Field<"string:2-/^[a-z]+$/">("a"); }) ==
        "fw::Field<\"string:2-/^[a-z]+$/\">: the value must be at least 2 characters long, but is "
        "\"a\"");
  CHECK(error_of([] { return fw::Field<"email">("ann"); }) ==
        "fw::Field<\"email\">: the value must be an e-mail address such as ann@example.com, but is "
        "\"ann\"");
  CHECK(error_of([] { return fw::Field<"enum:a, b">("c"); }) ==
        "fw::Field<\"enum:a, b\">: the value must be one of a, b, but is \"c\"");
  CHECK(error_of([] { return fw::Field<"enum:a, b">("b"); }) == "no error");
  CHECK(error_of([] { return fw::Field<"number:0.1-0.3">(0.1); }) == "no error");
  CHECK(error_of([] { return fw::Field<"number:0.1-0.3">(0.30000000000000004); }) ==
        "fw::Field<\"number:0.1-0.3\">: the value must be at most 0.3, but is 0.30000000000000004");
  CHECK(error_of([] { return fw::Field<"number">(std::numeric_limits<double>::infinity()); }) !=
        "no error");
  using Digits = fw::Field<"array<integer:0-9>:1-2">;
  CHECK(error_of([] { return Digits(std::vector<std::int64_t>{}); }) ==
        "fw::Field<\"array<integer:0-9>:1-2\">: the value must have at least 1 item, but is []");
  CHECK(error_of([] { return Digits(std::vector<std::int64_t>{10}); }) ==
        "fw::Field<\"array<integer:0-9>:1-2\">: the value/0 must be at most 9, but is [10]");
  CHECK(error_of([] { return Digits(std::vector<std::int64_t>{9, 0}); }) == "no error");
  const std::string large(1000, 'x');
  CHECK(error_of([&] { return fw::Field<"string:-5">(large); }).size() < 200);
}

TEST_CASE("types: a field without a value has the default of its string") {
  CHECK(fw::Field<"integer:1-100=20">() == 20);
  CHECK(fw::Field<"integer=-3">() == -3);
  CHECK(fw::Field<"integer=1e3">() == 1000);
  CHECK(fw::Field<"integer=0x1F">() == 31);
  CHECK(fw::Field<"number=0.25">() == 0.25);
  CHECK(fw::Field<"boolean=true">().value());
  CHECK(fw::Field<"boolean=FALSE">() == false);
  CHECK(fw::Field<"string=a=b">() == "a=b");
  CHECK(fw::Field<"string:/^=?$/==">() == "=");
  CHECK(fw::Field<"enum:low, high = high">() == "high");
  CHECK(fw::Field<"enum:a=b,c">() == "");
  CHECK(fw::Field<"enum:a=b,c=d!">("c=d") == "c=d");
  CHECK(fw::Field<"enum:a=b,c=d=a=b">() == "a=b");
  CHECK(fw::Field<"integer:1-">() == 0);
  CHECK(fw::Field<"string!">().value().empty());
}

TEST_CASE("types: a field reads its string as the schema language does") {
  const auto agree = []<class F>(std::type_identity<F>) {
    const auto parsed = fw::schema::parse_dsl(F::dsl());
    REQUIRE(std::holds_alternative<fw::schema::Node>(parsed));
    fw::schema::Node whole;
    whole.kind = fw::schema::Kind::object;
    whole.fields.push_back({"value", std::get<fw::schema::Node>(parsed)});
    int accepted = 0;
    for (std::int64_t value = -12; value <= 12; ++value) {
      const bool is_valid =
          fw::schema::validate(whole, Json{{"value", value}}, fw::schema::Source::json)
              .errors.empty();
      CAPTURE(F::dsl());
      CAPTURE(value);
      CHECK((error_of([&] { return F(value); }) == "no error") == is_valid);
      accepted += is_valid ? 1 : 0;
    }
    CHECK(accepted > 0);
  };
  agree(std::type_identity<fw::Field<"integer:5">>());
  agree(std::type_identity<fw::Field<"integer:5-">>());
  agree(std::type_identity<fw::Field<"integer:-5">>());
  agree(std::type_identity<fw::Field<"integer:--5">>());
  agree(std::type_identity<fw::Field<"integer:-5-">>());
  agree(std::type_identity<fw::Field<"integer:-5-10">>());
  agree(std::type_identity<fw::Field<"integer:-5--2">>());
  agree(std::type_identity<fw::Field<"number:-5.5-2.5">>());
  agree(std::type_identity<fw::Field<"number:--1.5">>());
}

TEST_CASE("types: fields, items and literals are JSON") {
  const fw::Field<"integer:1-5"> stars = 3;
  CHECK(Json(stars) == 3);
  CHECK(Json(3).get<fw::Field<"integer:1-5">>() == 3);
  CHECK_THROWS_AS(Json(6).get<fw::Field<"integer:1-5">>(), Json::exception);
  CHECK_THROWS_AS(Json("3").get<fw::Field<"integer:1-5">>(), Json::exception);
  using Pair = fw::Items<int, 2, 2>;
  CHECK(Json(Pair{1, 2}) == Json{1, 2});
  CHECK(Json({1, 2}).get<Pair>() == std::vector<int>{1, 2});
  CHECK_THROWS_AS(Json({1}).get<Pair>(), Json::exception);
  CHECK(Json(fw::Literal<"card">()) == "card");
  CHECK_THROWS_AS(Json("cash").get<fw::Literal<"card">>(), Json::exception);
}

TEST_CASE("types: items have bounds") {
  using Few = fw::Items<std::string, 1, 2>;
  CHECK(error_of([] { return Few(std::vector<std::string>()); }) ==
        "fw::Items: must have at least 1 item, but has 0");
  CHECK(error_of([] { return Few{"a", "b", "c"}; }) ==
        "fw::Items: must have at most 2 items, but has 3");
  Few items{"a"};
  items.push_back("b");
  CHECK(error_of([&] {
          items.push_back("c");
          return 0;
        }) == "fw::Items: must have at most 2 items, but has 3");
  CHECK(items == std::vector<std::string>{"a", "b"});
  CHECK(Few().empty());
}

TEST_CASE("types: a literal is its string") {
  constexpr fw::Literal<"card"> kCard;
  static_assert(kCard == "card");
  static_assert(std::string_view(kCard) == "card");
  static_assert(std::is_empty_v<fw::Literal<"card">>);
  CHECK(kCard != "cash");
}

TEST_CASE(
    "types: the pattern and the default of a field are read as the schema language reads them") {
  for (const pattern_cases::PatternCase& each : pattern_cases::kPatternCases) {
    CAPTURE(each.text);
    const auto spec = fw::detail::parse_field(each.text);
    CHECK(spec.error == fw::detail::FieldSpec::Error::none);
    CHECK(spec.pattern == each.pattern);
    CHECK(spec.default_value == each.value);
  }
  CHECK(fw::Field<"string:/a\\/b/=a/b">() == "a/b");
  CHECK(fw::Field<"string:/a/b/=a/b">() == "a/b");
  CHECK(fw::Field<"string:/^https?://[^/]+/=https://x.y">() == "https://x.y");
  const fw::Field<"string:/^[a-z]+/=a/"> sort;
  CHECK(sort == "a/");
  CHECK(error_of([&] { return decltype(sort)("/"); }) ==
        "fw::Field<\"string:/^[a-z]+/=a/\">: the value must match /^[a-z]+/, but is \"/\"");
}

namespace {

struct Wrapped {
  fw::Field<"integer:1-5"> stars;
  std::optional<fw::Field<"string:1-3">> note;
  fw::Items<int, 1, 2> numbers;
  fw::Literal<"w"> kind;
  FW_JSON(Wrapped, stars, note, numbers, kind)
};

bool decodes(std::string_view text, Wrapped& out) {
  fw::detail::JsonReader in(text);
  fw_decode(in, out);
  return in.is_complete();
}

}  // namespace

TEST_CASE("types: members of a type with FW_JSON may be fields, items and literals") {
  Wrapped value{.stars = 3, .note = "abc", .numbers = {1, 2}, .kind = {}};
  fw::detail::JsonWriter out;
  fw_encode(out, value);
  CHECK(out.content() == R"({"stars":3,"note":"abc","numbers":[1,2],"kind":"w"})");
  CHECK(Json(value) == Json::parse(out.content()));
  Wrapped read;
  CHECK(decodes(out.content(), read));
  CHECK(Json(read) == Json(value));
  CHECK(Json(Json(value).get<Wrapped>()) == Json(value));
  CHECK_FALSE(decodes(R"({"stars":6,"numbers":[1],"kind":"w"})", read));
  CHECK_FALSE(decodes(R"({"stars":1,"numbers":[],"kind":"w"})", read));
  CHECK_FALSE(decodes(R"({"stars":1,"numbers":[1],"kind":"v"})", read));
  CHECK(decodes(R"({"stars":1,"numbers":[1],"kind":"w"})", read));
}

}  // namespace field_test
