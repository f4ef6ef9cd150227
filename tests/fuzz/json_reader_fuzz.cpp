// Bodies that are read straight into a struct, against the general path: what the reader accepts,
// parsing, validating and converting accept with the same result. The input is also read as a
// string of a query.
#include <fairway/generated/field_reader.hpp>
#include <fairway/generated/json_reader.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "exchange/json_body.hpp"
#include "fuzz.hpp"
#include "schema/node.hpp"

namespace {

using fw::Json;
using fw::schema::Field;
using fw::schema::Kind;
using fw::schema::Node;

struct Item {
  std::string sku;
  double price = 0;
};

struct Order {
  enum class Currency { eur, usd };

  std::string customer;
  std::string email;
  Currency currency = {};
  std::optional<std::int64_t> count;
  std::optional<bool> gift;
  std::vector<Item> items;
};

constexpr std::string_view kCurrencies[] = {"EUR", "USD"};

// As `fairway build` emits it for `schema`.
void fw_decode(fw::detail::JsonReader& in, Item& out) {
  static constexpr std::string_view kMembers[] = {"sku", "price"};
  for (fw::detail::JsonObject object(in, kMembers, 0b11); object.next();) {
    switch (object.member()) {
      case 0:
        in.string(out.sku, {.least = 1, .most = 5});
        break;
      case 1:
        in.number(out.price, {.least = 0, .most = 1000});
        break;
    }
  }
}

void fw_decode(fw::detail::JsonReader& in, Order& out) {
  static constexpr std::string_view kMembers[] = {"customer", "email", "currency",
                                                  "count",    "gift",  "items"};
  for (fw::detail::JsonObject object(in, kMembers, 0b100111); object.next();) {
    switch (object.member()) {
      case 0:
        in.string(out.customer);
        break;
      case 1:
        in.formatted(out.email, fw::schema::Kind::email);
        break;
      case 2:
        in.enumeration(out.currency, {"EUR", "USD"});
        break;
      case 3:
        in.integer(out.count.emplace(), {.least = -10, .most = 9007199254740991});
        break;
      case 4:
        in.boolean(out.gift.emplace());
        break;
      case 5:
        in.array(out.items, {.least = 1, .most = 3}, [&in](auto& item) { fw_decode(in, item); });
        break;
    }
  }
}

Node dsl(const std::string& text) { return std::get<Node>(fw::schema::parse_dsl(text)); }

Node object(std::vector<Field> fields) {
  Node node;
  node.kind = Kind::object;
  node.fields = std::move(fields);
  return node;
}

const Node& schema() {
  static const Node node = [] {
    Node items = dsl("array:1-3");
    items.items = std::make_shared<const Node>(
        object({{"sku", dsl("string:1-5")}, {"price", dsl("number:0-1000")}}));
    return object({{"customer", dsl("string")},
                   {"email", dsl("email")},
                   {"currency", dsl("enum:EUR,USD")},
                   {"count", dsl("integer:-10-9007199254740991?")},
                   {"gift", dsl("boolean?")},
                   {"items", std::move(items)}});
  }();
  return node;
}

/// The text that the tree of the struct has.
std::string text_of(const Order& order) {
  Json json = {{"customer", order.customer},
               {"email", order.email},
               {"currency", kCurrencies[static_cast<std::size_t>(order.currency)]},
               {"items", Json::array()}};
  if (order.count) json["count"] = *order.count;
  if (order.gift) json["gift"] = *order.gift;
  for (const Item& item : order.items) {
    json["items"].push_back({{"sku", item.sku}, {"price", item.price}});
  }
  return json.dump();
}

/// The same, with the types that converting gives.
std::string text_of(Json validated) {
  for (Json& item : validated["items"]) item["price"] = item["price"].get<double>();
  return validated.dump();
}

class OneField final : public fw::detail::FieldReader {
 public:
  explicit OneField(std::string_view value) : value_(value) {}

 private:
  std::optional<std::string_view> value_of(std::string_view) override { return value_; }

  std::string_view value_;
};

template <class Value, class Read>
void check_field(std::string_view text, const Node& node, Read read) {
  OneField reader(text);
  Value value{};
  if (!reader.find("field")) return;
  read(reader, value);
  if (!reader.is_complete()) return;
  const auto truth = fw::schema::validate(
      object({{"field", node}}), Json{{"field", std::string(text)}}, fw::schema::Source::text);
  fuzz::require(truth.errors.empty());
  fuzz::require(Json(truth.value["field"].get<Value>()).dump() == Json(value).dump());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  fw::detail::JsonReader reader(text);
  Order order;
  fw_decode(reader, order);
  if (reader.is_complete()) {
    std::string copy(text);
    auto tree = fw::detail::parse_json_body(copy);
    fuzz::require(tree.has_value());
    const auto truth = fw::schema::validate(schema(), std::move(*tree), fw::schema::Source::json);
    fuzz::require(truth.errors.empty());
    fuzz::require(text_of(truth.value) == text_of(order));
  }
  static const Node whole = dsl("integer:-5-9007199254740991");
  static const Node number = dsl("number:-5-9007199254740991");
  static const Node boolean = dsl("boolean");
  check_field<std::int64_t>(text, whole, [](auto& in, auto& out) {
    in.integer(out, {.least = -5, .most = 9007199254740991});
  });
  check_field<double>(text, number, [](auto& in, auto& out) {
    in.number(out, {.least = -5, .most = 9007199254740991});
  });
  check_field<bool>(text, boolean, [](auto& in, auto& out) { in.boolean(out); });
  return 0;
}
