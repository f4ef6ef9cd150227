// The templates that generated code calls: values are the same after a round trip, and what the
// reader accepts at once is what the general path accepts.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "pipeline/type_registry.hpp"
#include "schema/node.hpp"
#include "support/shop_code.hpp"

namespace type_code_test {

namespace {

using fw::Json;
using fw::Location;
using fw::detail::JsonReader;
using fw::detail::JsonWriter;
using fw::detail::TypedValueOf;
using fw::detail::TypeRow;
using shop::Everything;

template <class T>
std::string written(const T& value) {
  JsonWriter out;
  shop::row(typeid(T)).write(out, &value);
  return std::string(out.content());
}

/// Null if the reader does not accept the text.
template <class T>
std::unique_ptr<T> read(std::string_view text, JsonReader::Mode mode = JsonReader::Mode::strict) {
  JsonReader in(text, mode);
  const auto value = shop::row(typeid(T)).read_json(in, Location::body);
  if (!value) return nullptr;
  return std::make_unique<T>(std::move(static_cast<TypedValueOf<T>&>(*value).value));
}

template <class Member>
std::string member_text(const Member& value) {
  JsonWriter out;
  fw::detail::write_member(out, value);
  return std::string(out.content());
}

/// Nothing if the reader does not accept the text.
template <class Member>
std::optional<Member> read_member(std::string_view text) {
  JsonReader in(text);
  Member value{};
  fw::detail::read_member(in, value);
  if (!in.is_complete()) return std::nullopt;
  return value;
}

template <class Member>
void check_round_trip(const Member& value, std::string_view text) {
  CHECK(member_text(value) == text);
  const auto same = read_member<Member>(text);
  REQUIRE(same.has_value());
  CHECK(*same == value);
}

Everything example() {
  Everything value;
  value.flag = true;
  value.tiny = -128;
  value.byte = 255;
  value.large = std::numeric_limits<std::int64_t>::min();
  value.size = std::numeric_limits<std::uint64_t>::max();
  value.ratio = 0.1F;
  value.price = 19.99;
  value.name = "Zoë \"quoted\"\n";
  value.offset = -0.5;
  value.digits = std::vector<std::int64_t>{1, 2};
  value.channel = shop::Channel::phone;
  value.maybe = 3;
  value.owned = std::make_unique<shop::Item>(shop::Item{5, 6});
  value.flags = {true, false};
  value.position = {1.5, -2.25};
  value.tags = {"a", "b"};
  value.ids = {7};
  value.lines = {"x"};
  value.by_name = {{"k\"", {1, 2}}};
  value.choice = shop::Item{1, 1};
  value.day = std::chrono::sys_days(std::chrono::year(2024) / 2 / 29);
  value.at = value.day + std::chrono::hours(23);
  value.exactly = value.at + std::chrono::microseconds(1);
  value.anything = {{"a", {1, 2.5, nullptr}}};
  return value;
}

}  // namespace

TEST_CASE("types: every row of the table is written and read") {
  check_round_trip(true, "true");
  check_round_trip(std::int8_t{-128}, "-128");
  check_round_trip(std::uint8_t{255}, "255");
  check_round_trip(std::numeric_limits<std::int64_t>::min(), "-9223372036854775808");
  check_round_trip(std::uint32_t{4294967295U}, "4294967295");
  check_round_trip(0.1F, "0.10000000149011612");
  check_round_trip(1e-7, "1e-07");
  check_round_trip(std::string("\"ä\n"), R"("\"ä\n")");
  check_round_trip(fw::Field<"integer:1-5">(5), "5");
  check_round_trip(fw::Field<"number">(0.5), "0.5");
  check_round_trip(fw::Field<"boolean">(true), "true");
  check_round_trip(fw::Field<"string:/^a/">("ab"), R"("ab")");
  check_round_trip(fw::Field<"date">("2024-02-29"), R"("2024-02-29")");
  check_round_trip(fw::Field<"enum:a,b">("b"), R"("b")");
  check_round_trip(fw::Field<"array<array<integer>:1>">({{1}, {2}}), "[[1],[2]]");
  check_round_trip(fw::Literal<"a">(), R"("a")");
  check_round_trip(shop::Channel::phone, R"("phone")");
  check_round_trip(std::optional<int>(3), "3");
  check_round_trip(std::vector<bool>{true, false}, "[true,false]");
  check_round_trip(std::vector<std::string>{}, "[]");
  check_round_trip(std::array<int, 2>{1, 2}, "[1,2]");
  check_round_trip(std::set<int>{1, 2}, "[1,2]");
  check_round_trip(std::unordered_set<std::string>{"a"}, R"(["a"])");
  check_round_trip(fw::Items<int, 1, 2>{4}, "[4]");
  check_round_trip(std::map<std::string, int>{{"a", 1}, {"b", 2}}, R"({"a":1,"b":2})");
  check_round_trip(std::unordered_map<std::string, bool>{{"\"", true}}, R"({"\"":true})");
  check_round_trip(std::map<std::string, int>{}, "{}");
  check_round_trip(std::variant<std::int64_t, std::string>("x"), R"("x")");
  check_round_trip(std::variant<shop::Card, shop::Transfer>(shop::Transfer{{}, "DE"}),
                   R"({"kind":"transfer","iban":"DE"})");
  check_round_trip(shop::Item{1, 2}, R"({"productId":1,"quantity":2})");
  check_round_trip(Json{{"a", 1}}, R"({"a":1})");
}

TEST_CASE("types: values outside the bounds of a type are not read") {
  CHECK_FALSE(read_member<std::int8_t>("-129"));
  CHECK_FALSE(read_member<std::uint8_t>("256"));
  CHECK_FALSE(read_member<std::uint8_t>("-1"));
  CHECK(read_member<std::uint64_t>("18446744073709551615"));
  CHECK_FALSE(read_member<std::uint64_t>("18446744073709551616"));
  CHECK_FALSE(read_member<std::uint64_t>("-1"));
  CHECK_FALSE(read_member<std::uint64_t>("01"));
  CHECK_FALSE(read_member<std::int64_t>("9223372036854775808"));
  CHECK_FALSE(read_member<float>("3.5e38"));
  CHECK(read_member<float>("-3.4"));
  CHECK_FALSE(read_member<fw::Field<"integer:1-5">>("6"));
  CHECK_FALSE(read_member<fw::Field<"number:0-1">>("1.5"));
  CHECK_FALSE(read_member<fw::Field<"string:-2">>(R"("abc")"));
  CHECK_FALSE(read_member<fw::Field<"string:/^a/">>(R"("b")"));
  CHECK_FALSE(read_member<fw::Field<"string:-2/^a/">>(R"("abc")"));
  CHECK_FALSE(read_member<fw::Field<"email">>(R"("b")"));
  CHECK_FALSE(read_member<fw::Field<"enum:a,b">>(R"("c")"));
  CHECK_FALSE(read_member<fw::Field<"array<integer:0-9>:-1">>("[1,2]"));
  CHECK_FALSE(read_member<fw::Field<"array<integer:0-9>:-1">>("[10]"));
  CHECK_FALSE(read_member<fw::Field<"null">>("1"));
  CHECK(read_member<fw::Field<"null">>("null"));
  CHECK_FALSE(read_member<fw::Literal<"a">>(R"("b")"));
  CHECK_FALSE(read_member<shop::Channel>(R"("fax")"));
  CHECK_FALSE(read_member<std::array<int, 2>>("[1]"));
  CHECK_FALSE(read_member<std::array<int, 2>>("[1,2,3]"));
  CHECK_FALSE(read_member<std::set<int>>("[1,1]"));
  CHECK_FALSE(read_member<fw::Items<int, 1, 2>>("[]"));
  CHECK_FALSE(read_member<fw::Items<int, 1, 2>>("[1,2,3]"));
  CHECK_FALSE(read_member<std::map<std::string, int>>(R"({"a":1,"a":2})"));
  CHECK_FALSE(read_member<std::optional<int>>("null"));
  CHECK_FALSE(read_member<std::variant<std::int64_t, std::string>>("true"));
  CHECK_FALSE(read_member<std::variant<shop::Card, shop::Transfer>>(R"({"number":"1"})"));
  CHECK_FALSE(read_member<Json>(R"({"a":})"));
  CHECK_FALSE(read_member<Json>(R"({"a":1]})"));
}

TEST_CASE("types: reading replaces what a container contained") {
  JsonReader in(R"(["b"])");
  std::vector<std::string> items = {"a"};
  fw::detail::read_member(in, items);
  CHECK(items == std::vector<std::string>{"b"});
  JsonReader map(R"({"b":1})");
  std::map<std::string, int> values = {{"a", 1}};
  fw::detail::read_member(map, values);
  CHECK(values == std::map<std::string, int>{{"b", 1}});
}

TEST_CASE("types: dates and times are exact in both directions") {
  using namespace std::chrono;
  check_round_trip(sys_days(year(2024) / 2 / 29), R"("2024-02-29")");
  check_round_trip(sys_days(year(0) / 1 / 1), R"("0000-01-01")");
  check_round_trip(sys_days(year(9999) / 12 / 31), R"("9999-12-31")");
  check_round_trip(sys_seconds(seconds(0)), R"("1970-01-01T00:00:00Z")");
  check_round_trip(sys_seconds(seconds(-1)), R"("1969-12-31T23:59:59Z")");
  check_round_trip(sys_time<milliseconds>(milliseconds(-1)), R"("1969-12-31T23:59:59.999Z")");
  check_round_trip(sys_time<microseconds>(microseconds(1)), R"("1970-01-01T00:00:00.000001Z")");
  check_round_trip(sys_time<nanoseconds>(nanoseconds(1'500'000'001)),
                   R"("1970-01-01T00:00:01.500000001Z")");
  check_round_trip(sys_time<minutes>(minutes(61)), R"("1970-01-01T01:01:00Z")");

  const auto seconds_of = [](std::string_view text) {
    return read_member<sys_seconds>('"' + std::string(text) + '"').value().time_since_epoch();
  };
  CHECK(seconds_of("1970-01-01T01:00:00+01:00") == seconds(0));
  CHECK(seconds_of("1969-12-31T23:30:00-00:30") == seconds(0));
  CHECK(seconds_of("1970-01-01t00:00:01z") == seconds(1));
  CHECK(seconds_of("1970-01-01 00:00:01Z") == seconds(1));
  // What could not be written again: an offset leads to the year -1 or 10000.
  for (const char* text : {R"("0000-01-01T00:00:00+14:00")", R"("9999-12-31T23:59:59-00:01")",
                           R"("9999-12-31T23:59:60Z")"}) {
    CHECK_FALSE(read_member<sys_seconds>(text));
  }
  CHECK(seconds_of("1970-01-01T00:00:01.999Z") == seconds(1));
  CHECK(seconds_of("1969-12-31T23:59:58.5Z") == seconds(-2));
  CHECK(seconds_of("2016-12-31T23:59:60Z") == seconds_of("2017-01-01T00:00:00Z"));
  CHECK(read_member<sys_time<nanoseconds>>(R"("1970-01-01T00:00:00.1234567899Z")") ==
        sys_time<nanoseconds>(nanoseconds(123'456'789)));
  CHECK(read_member<sys_time<minutes>>(R"("1969-12-31T23:59:59Z")") ==
        sys_time<minutes>(minutes(-1)));

  CHECK_FALSE(read_member<sys_days>(R"("2023-02-29")"));
  CHECK_FALSE(read_member<sys_seconds>(R"("2023-02-28")"));
  CHECK_FALSE(read_member<sys_time<nanoseconds>>(R"("2263-01-01T00:00:00Z")"));
  CHECK_FALSE(read_member<sys_time<nanoseconds>>(R"("0001-01-01T00:00:00Z")"));
  CHECK(read_member<sys_time<nanoseconds>>(R"("2262-04-11T23:47:15Z")"));

  CHECK_THROWS_AS(member_text(sys_days(year(10000) / 1 / 1)), std::invalid_argument);
  CHECK_THROWS_AS(member_text(sys_days(year(-1) / 12 / 31)), std::invalid_argument);
  CHECK_THROWS_AS(member_text(sys_seconds(seconds(253'402'300'800))), std::invalid_argument);
  CHECK_NOTHROW(member_text(sys_seconds(seconds(253'402'300'799))));
  CHECK_THROWS_AS(member_text(sys_seconds::max()), std::invalid_argument);
}

TEST_CASE("types: a value that is no enumerator is not written") {
  CHECK_THROWS_WITH_AS(member_text(static_cast<shop::Channel>(3)),
                       "the value 3 of 'shop::Channel' is no enumerator", std::invalid_argument);
}

TEST_CASE("types: a null pointer in a container is not written") {
  std::vector<std::unique_ptr<shop::Item>> items;
  CHECK(member_text(items) == "[]");
  items.push_back(std::make_unique<shop::Item>(shop::Item{5, 6}));
  CHECK(member_text(items) == "[" + written(*items.front()) + "]");
  items.push_back(nullptr);
  CHECK_THROWS_WITH_AS(member_text(items), doctest::Contains("is null"), std::invalid_argument);
}

TEST_CASE("types: a struct with every kind of member is the same after a round trip") {
  const Everything value = example();
  const std::string text = written(value);
  const auto same = read<Everything>(text);
  REQUIRE(same != nullptr);
  CHECK(written(*same) == text);
  CHECK(same->ratio == value.ratio);
  CHECK(*same->owned == *value.owned);
  CHECK(same->choice == value.choice);
  CHECK(same->exactly == value.exactly);
  CHECK(same->by_name == value.by_name);
}

TEST_CASE("types: members that may be absent are left out, and have their defaults") {
  Everything value = example();
  value.maybe.reset();
  value.owned.reset();
  const Json tree = Json::parse(written(value));
  CHECK_FALSE(tree.contains("maybe"));
  CHECK_FALSE(tree.contains("owned"));
  const auto order = read<shop::NewOrder>(
      R"({"customerId":1,"items":[{"productId":2}],"payment":{"kind":"card","number":"4"},"labels":{}})");
  REQUIRE(order != nullptr);
  CHECK(order->channel == shop::Channel::web);
  CHECK_FALSE(order->note.has_value());
  CHECK(order->items[0].quantity == 1);
}

TEST_CASE("types: an alternative is found by its literal, wherever that is") {
  using Payment = std::variant<shop::Card, shop::Transfer>;
  const auto read_payment = [](std::string_view text) { return read_member<Payment>(text); };
  CHECK(read_payment(R"({"iban":"DE","kind":"transfer"})") == Payment(shop::Transfer{{}, "DE"}));
  CHECK(read_payment(R"({ "number" : "}\"," , "kind" : "card" })") ==
        Payment(shop::Card{{}, "}\","}));
  CHECK(read_payment(R"({"number":"\"","kind":"c\u0061rd"})") == Payment(shop::Card{{}, "\""}));
  CHECK_FALSE(read_payment(R"({"kind":"transfer","number":"1"})"));
  CHECK_FALSE(read_payment(R"({"kind":1,"number":"1"})"));
  CHECK_FALSE(read_payment(R"({"kind":"cash"})"));
  CHECK_FALSE(read_payment(R"({"kind)"));
  CHECK_FALSE(read_payment(R"({"kind":"card","number":)"));
  CHECK_FALSE(read_payment(R"({"a":[}],"kind":"card"})"));
}

TEST_CASE("types: alternatives within alternatives take linear time, or leave the fast path") {
  std::string text = R"({"kind":"number","value":1.0})";
  for (int depth = 0; depth < 200; ++depth) {
    text = R"({"terms":[)" + text + R"(],"kind":"sum"})";
  }
  // Looking for the literal reads each level again; with one attempt at each alternative for each
  // level, this test would not end.
  CHECK(read<shop::Sum>(text, JsonReader::Mode::validated) != nullptr);
  const auto strict = read<shop::Sum>(text);
  const auto short_one = read<shop::Sum>(R"({"terms":[{"terms":[],"kind":"sum"}],"kind":"sum"})");
  CHECK(short_one != nullptr);
  CHECK((strict == nullptr || written(*strict).size() == text.size()));
  std::string flat = R"({"kind":"sum","terms":[)";
  for (int i = 0; i < 1000; ++i) flat += R"({"kind":"number","value":1.0},)";
  flat.back() = ']';
  CHECK(read<shop::Sum>(flat + "}") != nullptr);
}

TEST_CASE("types: a type that contains itself is read up to the deepest level") {
  const auto nested = [](int depth) {
    std::string text = R"({"name":"leaf","children":[]})";
    for (int i = 0; i < depth; ++i) text = R"({"name":"n","children":[)" + text + "]}";
    return text;
  };
  const std::string text = nested(250);
  const auto tree = read<shop::Tree>(text);
  REQUIRE(tree != nullptr);
  CHECK(written(*tree) == text);
  CHECK(read<shop::Tree>(nested(256)) == nullptr);
  CHECK(read<shop::Tree>(R"({"name":"a","children":[],"other":{"name":"b","children":[]}})")
            ->other->name == "b");
}

namespace {

/// Changes one value of a tree, at random.
void change(Json& tree, std::mt19937& random) {
  const auto pick = [&](std::size_t count) { return random() % count; };
  Json* at = &tree;
  while (at->is_structured() && !at->empty() && pick(4) != 0) {
    auto member = at->begin();
    std::advance(member, static_cast<std::ptrdiff_t>(pick(at->size())));
    at = &*member;
  }
  static const Json kValues[] = {nullptr,
                                 true,
                                 false,
                                 0,
                                 1,
                                 -1,
                                 7,
                                 300,
                                 1e3,
                                 2.0,
                                 2.5,
                                 -0.0,
                                 1e300,
                                 "",
                                 "a",
                                 "1",
                                 "7.5",
                                 "true",
                                 "web",
                                 "card",
                                 "green",
                                 "2024-02-29",
                                 "2024-02-30",
                                 "2024-01-31T10:20:30Z",
                                 "0001-01-01T00:00:00Z",
                                 "a@example.com",
                                 Json::array(),
                                 Json::object(),
                                 {1, 1},
                                 {"a", "a"},
                                 {true},
                                 {{"productId", 1}},
                                 {{"productId", 0}},
                                 {{"kind", "transfer"}, {"iban", "x"}},
                                 std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::uint64_t>::max(),
                                 9007199254740993};
  switch (pick(6)) {
    case 0:
      if (at->is_object() && !at->empty()) {
        auto member = at->begin();
        std::advance(member, static_cast<std::ptrdiff_t>(pick(at->size())));
        at->erase(member);
        return;
      }
      break;
    case 1:
      if (at->is_object()) {
        (*at)["unknown"] = kValues[pick(std::size(kValues))];
        return;
      }
      break;
    case 2:
      if (at->is_array() && !at->empty()) {
        at->push_back(at->front());
        return;
      }
      break;
    default:
      break;
  }
  *at = kValues[pick(std::size(kValues))];
}

/// Checks that the reader accepts the same values as the general path.
template <class T>
void check_paths(Json tree, int rounds) {
  const TypeRow& row = shop::row(typeid(T));
  const fw::schema::Node node =
      fw::schema::node_of_schema(nlohmann::ordered_json::parse(fw::detail::schema_text(row)));
  std::mt19937 random(7);
  int fast = 0;
  int general = 0;
  const Json original = std::move(tree);
  for (int round = 0; round < rounds; ++round) {
    Json changed = original;
    for (std::size_t changes = random() % 4; changes > 0; --changes) change(changed, random);
    const std::string text = fw::base::to_json_text(changed);
    CAPTURE(text);
    const auto typed = read<T>(text);
    const auto checked = fw::schema::validate(node, Json::parse(text), fw::schema::Source::json);
    if (typed) {
      ++fast;
      REQUIRE(checked.errors.empty());
    }
    if (!checked.errors.empty()) continue;
    ++general;
    const auto read_again =
        read<T>(fw::base::to_json_text(checked.value), JsonReader::Mode::validated);
    // A float, a time, or a list of different values may not have what the schema accepts.
    if (!read_again) {
      REQUIRE_FALSE(typed);
      continue;
    }
    if (typed) REQUIRE(written(*typed) == written(*read_again));
  }
  CHECK(fast > rounds / 20);
  CHECK(general > fast);
}

}  // namespace

TEST_CASE("types: the typed path and the general path read the same values") {
  check_paths<Everything>(Json::parse(written(example())), 5'000);
  const shop::NewOrder order{.customer_id = 1,
                             .items = {{2, 3}, {4, 5}},
                             .note = "n",
                             .channel = shop::Channel::phone,
                             .payment = shop::Card{{}, "4"},
                             .labels = {{"a", "b"}}};
  check_paths<shop::NewOrder>(Json::parse(written(order)), 5'000);
  const shop::Sum sum{{}, {shop::Number{{}, 1}, shop::Sum{{}, {shop::Number{{}, 2}}}}};
  check_paths<shop::Sum>(Json::parse(written(sum)), 5'000);
}

}  // namespace type_code_test
