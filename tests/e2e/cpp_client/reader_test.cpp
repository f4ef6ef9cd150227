// Responses are read in one pass, and as they are read by way of a tree.
#include <httplib.h>

#include <chrono>
#include <every_client.hpp>
#include <numeric>
#include <random>

#include "cpp_client/orders_server.hpp"
#include "support/allocation_count.hpp"

namespace reader_test {

using every_api::ClassResponse200;
using every_api::ClassResponse201Item;
using every_api::ClassResponse202;
using every_api::Json;
using every_api::TransportError;
using every_api::TreeResponse200;
using orders_api::Order;
namespace detail = fairway_client::detail;

namespace {

template <class T>
T read_by_way_of_a_tree(const detail::Received& received) {
  const Json json = received.json();
  const auto data = json.find("data");
  if (data == json.end()) received.fail("has no member 'data'");
  return detail::decode_response<T>(received, *data);
}

/// The value as JSON, which shows more differences than operator==, for example the sign of zero,
/// or the error.
template <class Read>
std::string outcome(Read read) {
  try {
    return detail::encode(read()).dump();
  } catch (const TransportError& error) {
    CHECK(error.kind() == TransportError::Kind::malformed);
    return std::string("error: ") + error.what();
  }
}

/// Whether the body was read in one pass. The result is checked against the tree.
template <class T>
bool check_same(const std::string& body) {
  CAPTURE(body);
  const detail::Received received{.operation = "read", .info = {.status = 200}, .body = body};
  const std::string expected = outcome([&] { return read_by_way_of_a_tree<T>(received); });
  CHECK(outcome([&] { return detail::read_data<T>(received); }) == expected);
  T value = {};
  if (!detail::read_data_of_text(body, value)) return false;
  CHECK(outcome([&] { return value; }) == expected);
  CHECK(value == read_by_way_of_a_tree<T>(received));
  return true;
}

std::string envelope(const std::string& data) {
  return R"({"code":200,"message":"OK","data":)" + data + R"(,"requestId":"r-1"})";
}

const std::string kOrder =
    R"({"id":1,"customerId":-7,"status":"paid","items":[{"productId":1,"quantity":2,)"
    R"("priceCents":1999},{"productId":2,"quantity":1,"priceCents":0}],"totalCents":3998,)"
    R"("note":"Zoë \"\u00e9\ud83d\ude00\" \n"})";
const std::string kHostile =
    R"({"class":"c","1st":1,"std":null,"Json":true,"a-b":"x","CHAR_BIT":"y","visit_fields":{"a":[1.5]},)"
    R"("fw_self":null,"naïve":"2026-01-01T00:00:00Z","quote\"\\":-12.5e-3,"why??/":"",)"
    R"("Hostile":{"Hostile":false},"state":"in-use","matrix":[[],[1,-2]],"things":[1,"a",{}],)"
    R"("object":{"b":1,"a":2}})";
const std::string kTree =
    R"({"value":null,"parent":{"value":1,"children":[]},"children":[{"value":2,"children":[]}],)"
    R"("named":{"a":{"Json":true},"b":{"Leaf":{"Leaf":{}}}},"choice":{"Leaf":{}},"fixed":"one",)"
    R"("anything":[1],"more":1.5,"again":-2})";

/// Tokens and parts that a random change would not hit upon.
constexpr std::string_view kSnippets[] = {"null",
                                          "-0",
                                          "-0.0",
                                          "0.1",
                                          "1.0",
                                          "1e2",
                                          "1e400",
                                          "-1e-400",
                                          "5e-324",
                                          "01",
                                          "1.",
                                          "-",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "-9223372036854775808",
                                          "-9223372036854775809",
                                          "18446744073709551616",
                                          "9007199254740993",
                                          "0.1234567890123456789012345",
                                          "\"\\u0069d\":1,",
                                          "\"id\":2,",
                                          "\"data\":1,",
                                          "\"value\":3,",
                                          "\"more\":1,",
                                          "\"unknown\":[{\"a\":null}],",
                                          "\\u0000",
                                          "\\ud800",
                                          "\\udc00",
                                          "\\ud83d\\ude00",
                                          "\\u00E9",
                                          "\\x",
                                          "\xC3\xA9",
                                          "\xC0\x80",
                                          "\xED\xA0\x80",
                                          "\xE2\x82\xAC",
                                          "\xF4\x90\x80\x80",
                                          "\x7F",
                                          "true",
                                          "\"a\"",
                                          "[]",
                                          "{}",
                                          " \t\r\n",
                                          "\xEF\xBB\xBF"};

/// A struct as the compiler emits it, with many fields.
template <std::size_t kCount>
struct Wide {
  std::array<std::int64_t, kCount> fields = {};

  template <class FwSelf, class FwVisitor>
  static void visit_fields(FwSelf& fw_self, FwVisitor& fw_visitor) {
    for (std::size_t i = 0; i < kCount; ++i) {
      fw_visitor.required(("f" + std::to_string(i)).c_str(), fw_self.fields[i]);
    }
  }
  friend bool operator==(const Wide&, const Wide&) = default;
};

template <std::size_t kCount>
std::string wide() {
  Wide<kCount> value;
  std::iota(value.fields.begin(), value.fields.end(), 1);
  return detail::encode(value).dump();
}

class Mutator {
 public:
  std::string operator()(std::string text) {
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(16));
    switch (below(6)) {
      case 0:
        text.replace(at, std::min<std::size_t>(length, 1), 1, static_cast<char>(below(256)));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, 1, "{}[]\",:\\0123e.-tfn"[below(18)]);
        break;
      case 3:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      default: {
        const std::string_view snippet = kSnippets[below(std::size(kSnippets))];
        // Often before a token, or instead of one.
        const std::size_t token = std::min(text.find_first_of("{[,:\"", at), text.size() - 1) + 1;
        const std::size_t end = std::min(text.find_first_of(",]}\"", token), text.size());
        text.replace(token, below(2) == 0 ? 0 : end - token, snippet);
      }
    }
    if (text.empty()) text = "1";
  }

  std::mt19937 random_{7};
};

template <class T>
void check_mutations(const std::string& data) {
  const std::string body = envelope(data);
  Mutator mutated;
  int in_one_pass = 0;
  constexpr int kCount = 2000;
  for (int i = 0; i < kCount; ++i) in_one_pass += check_same<T>(mutated(body)) ? 1 : 0;
  // Otherwise little was compared.
  CHECK(in_one_pass > kCount / 50);
}

/// The operator new calls of reading a response, without the calls of destroying it.
template <class T>
std::size_t allocations(const std::string& body) {
  const detail::Received received{.operation = "read", .info = {.status = 200}, .body = body};
  const std::size_t before = fw::support::allocation_count();
  [[maybe_unused]] const T value = detail::read_data<T>(received);
  return fw::support::allocation_count() - before;
}

}  // namespace

TEST_CASE("cpp client: typical responses of a service are read in one pass") {
  e2e::OrdersServer server;
  auto client = server.client();
  client.createCustomer({.body = e2e::customer("ada@example.com")});
  client.createOrder({.body = {.customerId = 1, .items = {{.productId = 1, .quantity = 2}}}});
  httplib::Client plain(server.url());
  plain.set_read_timeout(std::chrono::minutes(1));
  plain.set_bearer_token_auth("admin-token");
  const auto body = [&](const std::string& path) {
    const auto response = plain.Get(path);
    REQUIRE(response);
    REQUIRE(response->status == 200);
    return response->body;
  };
  CHECK(check_same<Order>(body("/orders/1")));
  CHECK(check_same<std::vector<Order>>(body("/orders")));
  CHECK(check_same<std::vector<orders_api::Product>>(body("/products")));
  CHECK(check_same<std::vector<orders_api::Customer>>(body("/customers")));
}

TEST_CASE("cpp client: one pass accepts any order, whitespace, escapes and additional members") {
  CHECK(check_same<Order>(envelope(kOrder)));
  CHECK(check_same<ClassResponse200>(envelope(kHostile)));
  CHECK(check_same<TreeResponse200>(envelope(kTree)));
  CHECK(check_same<ClassResponse202>(envelope("\"off\"")));
  CHECK(check_same<std::vector<ClassResponse201Item>>(envelope(R"([{"id":1},{"id":2}])")));
  CHECK(check_same<Order>(Json::parse(envelope(kOrder)).dump(2)));
  CHECK(check_same<ClassResponse200>(Json::parse(envelope(kHostile)).dump(1, '\t', true)));
  CHECK(check_same<TreeResponse200>("\r\n" + Json::parse(envelope(kTree)).dump(3) + "\n "));

  Json order = Json::parse(kOrder);
  order["note"] = nullptr;
  order["added"] = {{"a", Json::array({1, -2.5, "b\\", true, false, nullptr})}};
  CHECK(check_same<Order>(envelope(order.dump())));
  CHECK(check_same<Order>(R"({"data":)" + kOrder + "}"));
  CHECK(check_same<ClassResponse201Item>(envelope(R"({"\u0069\u0064":1})")));
  for (const std::string number :
       {"0", "-0", "-0.0", "-1", "0.1", "1e2", "1E+2", "0.1234567890123456789012345",
        "9007199254740993", "18446744073709551616", "5e-324", "-1.7976931348623157e308"}) {
    CHECK(check_same<double>(envelope(number)));
    CHECK(check_same<Json>(envelope(number)));
  }
  for (const std::string number :
       {"0", "-0", "7", "-7", "9223372036854775807", "-9223372036854775808"}) {
    CHECK(check_same<std::int64_t>(envelope(number)));
  }
  CHECK(check_same<bool>(envelope("true")));
  CHECK(check_same<std::vector<bool>>(envelope("[true, false]")));
  CHECK(check_same<std::monostate>(envelope("null")));
  CHECK(check_same<std::optional<std::string>>(envelope("null")));
  CHECK(check_same<std::map<std::string, std::optional<double>>>(
      envelope(R"({"b": null, "": 1, "a\n": 2.5})")));
  CHECK(check_same<std::variant<std::int64_t, std::string, ClassResponse201Item>>(
      envelope(R"({"id": 1.0})")));
}

TEST_CASE("cpp client: a response without an envelope is read in one pass or through a tree") {
  const auto read = [](const std::string& body) {
    return detail::read_body<Order>({.operation = "read", .info = {.status = 200}, .body = body});
  };
  Order order;
  CHECK(detail::read_text(kOrder, order));
  CHECK(read(kOrder) == order);
  CHECK_FALSE(detail::read_text(R"({"id":1.0,)" + kOrder.substr(kOrder.find('"', 5)), order));
  CHECK(read(R"({"id":1.0,)" + kOrder.substr(kOrder.find('"', 5))).id == 1);
  CHECK_THROWS_WITH_AS(read("{}"),
                       "read: the response does not match the document: has no member 'id'",
                       TransportError);
}

TEST_CASE("cpp client: an unusual response is read through a tree") {
  for (const std::string number :
       {"1.0", "1e2", "9223372036854775808", "-9223372036854775809", "1.5", "01", "-", "\"1\""}) {
    CHECK_FALSE(check_same<std::int64_t>(envelope(number)));
  }
  for (const std::string number :
       {"1e400", "-1e-400", "01", "1.", ".5", "1e", "+1", "NaN", "inf"}) {
    CHECK_FALSE(check_same<double>(envelope(number)));
    CHECK_FALSE(check_same<ClassResponse202>(R"({"other":)" + number + R"(,"data":"on"})"));
  }
  for (const std::string data :
       {R"({"id":1,"id":2})", R"({"id":1,"\u0069d":2})", R"({"id":null})", R"({})", R"([])",
        R"({"id":1,})", R"({"id" 1})", R"({id:1})", R"({"id":1)"}) {
    CHECK_FALSE(check_same<ClassResponse201Item>(envelope(data)));
  }
  const std::string map = R"({"a":1,"a":2})";
  CHECK_FALSE(check_same<std::map<std::string, double>>(envelope(map)));
  CHECK_FALSE(check_same<TreeResponse200>(envelope(R"({"value":1,"children":[],"x":1,"x":2})")));
  CHECK_FALSE(check_same<ClassResponse202>(envelope("\"standby\"")));
  CHECK_FALSE(check_same<std::monostate>(envelope("0")));
  CHECK_FALSE(check_same<std::variant<std::int64_t, std::string>>(envelope("true")));
  CHECK_FALSE(check_same<ClassResponse202>(R"({"data":"off","data":"on"})"));
  CHECK_FALSE(check_same<ClassResponse202>("\xEF\xBB\xBF" + envelope("\"on\"")));
  CHECK_FALSE(check_same<ClassResponse202>(envelope("\"on\"") + "x"));
  CHECK_FALSE(check_same<ClassResponse202>(envelope("\"on\"") + std::string("\0x", 2)));
  for (const std::string body : {"", "[]", "{}", "{", "null", "\"data\""}) {
    CHECK_FALSE(check_same<ClassResponse202>(body));
  }
}

TEST_CASE("cpp client: one pass accepts the same strings as a tree") {
  const auto check = [](const std::string& content, bool in_one_pass) {
    CHECK(check_same<std::string>(envelope('"' + content + '"')) == in_one_pass);
    CHECK(check_same<std::int64_t>(R"({"x":[")" + content + R"("],"data":1})") == in_one_pass);
  };
  for (const std::string content :
       {R"(\"\\\/\b\f\n\r\t)", R"(\u0041\u00e9\u20AC\ud83d\ude00\u0000)", "\x7F", "\xC2\x80",
        "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "a\xC3\xA9\\n\xC3\xA9"}) {
    check(content, true);
  }
  for (const std::string content : {R"(\x)",
                                    R"(\)",
                                    R"(\u12)",
                                    R"(\u123g)",
                                    R"(\u-123)",
                                    R"(\u+123)",
                                    R"(\ud83d)",
                                    R"(\ud83d\n)",
                                    R"(\ud83d\u0041)",
                                    R"(\ude00)",
                                    "\x1F",
                                    "\n",
                                    "\x80",
                                    "\xBF",
                                    "\xC0\x80",
                                    "\xC1\xBF",
                                    "\xC3",
                                    "\xC3(",
                                    "\xE0\x9F\xBF",
                                    "\xE2\x82",
                                    "\xED\xA0\x80",
                                    "\xF0\x8F\xBF\xBF",
                                    "\xF4\x90\x80\x80",
                                    "\xF0\x9F\x98",
                                    "\xF5\x80\x80\x80",
                                    "\xFF"}) {
    check(content, false);
  }
  check(std::string(1, '\0'), false);
  // Each lead byte with what can and what cannot follow.
  for (int lead = 0x80; lead < 0x100; ++lead) {
    for (const char* const rest : {"\x80", "\x8F\x80", "\x90\x80\x80", "\x9F\xBF", "\xA0\x80",
                                   "\xBF\xC0", "\x7F\x80", "\xBF\xBF\xBF", "", "\x80\x80-"}) {
      check_same<std::string>(envelope('"' + std::string(1, static_cast<char>(lead)) + rest + '"'));
    }
  }
}

TEST_CASE("cpp client: a response that is too deep for one pass is read through a tree") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  CHECK(check_same<Json>(envelope(nested(511))));
  CHECK_FALSE(check_same<Json>(envelope(nested(512))));
  CHECK(check_same<std::int64_t>(R"({"x":)" + nested(511) + R"(,"data":1})"));
  CHECK_FALSE(check_same<std::int64_t>(R"({"x":)" + nested(100'000) + R"(,"data":1})"));
  CHECK_FALSE(check_same<std::int64_t>(R"({"data":1,"x":)" + std::string(100'000, '[')));
  std::string tree = R"({"value":1,"children":[]})";
  for (int depth = 1; depth <= 300; ++depth) {  // of two levels each
    tree = R"({"value":1,"children":[)" + tree + "]}";
    if (depth % 50 == 0) CHECK(check_same<TreeResponse200>(envelope(tree)) == (depth <= 250));
  }
}

TEST_CASE("cpp client: a struct with more than 64 fields is read through a tree") {
  CHECK(check_same<Wide<64>>(envelope(wide<64>())));
  CHECK_FALSE(check_same<Wide<64>>(envelope(wide<63>())));
  CHECK(check_same<Wide<64>>(envelope(wide<65>())));
  CHECK_FALSE(check_same<Wide<65>>(envelope(wide<65>())));
  CHECK_FALSE(check_same<Wide<65>>(envelope(wide<64>())));
}

TEST_CASE("cpp client: mutated responses give the same result as a tree") {
  check_mutations<Order>(kOrder);
  check_mutations<ClassResponse200>(kHostile);
  check_mutations<TreeResponse200>(kTree);
  check_mutations<std::vector<ClassResponse201Item>>(R"([{"id":1},{"id":-2}])");
  check_mutations<std::map<std::string, double>>(R"({"a":1,"b":-2.5e3,"c":0.1})");
  check_mutations<std::variant<std::int64_t, std::string, ClassResponse201Item>>(R"({"id":1})");
}

TEST_CASE("cpp client: reading allocates only the memory of the value") {
  Json order = Json::parse(kOrder);
  order["note"] = std::string(100, 'x');
  // The items, which grow once, and the note.
  CHECK(allocations<Order>(envelope(order.dump())) == 3);
  CHECK(allocations<ClassResponse201Item>(envelope(R"({"id":1})")) == 0);
}

}  // namespace reader_test
