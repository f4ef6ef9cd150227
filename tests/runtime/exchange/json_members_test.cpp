// FW_JSON: types of an application's own as JSON.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/table_builder.hpp"

namespace shop {

struct Item {
  std::string sku;
  unsigned quantity = 0;
  std::vector<bool> flags;
};
FW_JSON(Item, sku, quantity, flags)

struct Order {
  std::int64_t id = 0;
  int customer_id = 0;
  std::optional<std::string> note;
  std::vector<Item> items;
  double total = 0;
  bool paid = false;
  std::map<std::string, int> counts;
  fw::Json extra;
  std::optional<Item> gift;
  FW_JSON(Order, id, (customer_id, "customerId"), note, items, total, paid, counts, extra, gift)
};

struct Options {
  std::optional<int> first;
  std::optional<int> second;
  FW_JSON(Options, first, (second, "a \"b\""))
};

struct Single {
  int value = 0;
  FW_JSON(Single, value)
};

}  // namespace shop

namespace {

using fw::Json;

std::string encoded(const auto& value) {
  std::string text;
  fw::detail::JsonWriter writer(text);
  fw_encode(writer, value);
  return text;
}

shop::Order order() {
  return {.id = -1,
          .customer_id = 2,
          .note = {},
          .items = {{.sku = "a\"", .quantity = 3, .flags = {true, false}}},
          .total = 1.5,
          .paid = true,
          .counts = {{"x", 1}},
          .extra = {{"k", nullptr}},
          .gift = {}};
}

}  // namespace

TEST_CASE("FW_JSON: members are written in their order, empty ones left out") {
  CHECK(encoded(order()) ==
        R"({"id":-1,"customerId":2,"items":[{"sku":"a\"","quantity":3,"flags":[true,false]}],)"
        R"("total":1.5,"paid":true,"counts":{"x":1},"extra":{"k":null}})");
  CHECK(encoded(shop::Options{}) == "{}");
  CHECK(encoded(shop::Options{.first = {}, .second = 2}) == R"({"a \"b\"":2})");
  CHECK(encoded(std::vector<shop::Single>{{1}, {2}}) == R"([{"value":1},{"value":2}])");
}

TEST_CASE("FW_JSON: a tree has the same members, and gives the value back") {
  shop::Order value = order();
  CHECK(Json(value) == Json::parse(encoded(value)));
  value.note = "n";
  value.gift = {.sku = "b", .quantity = 1, .flags = {}};
  CHECK(encoded(Json(value).get<shop::Order>()) == encoded(value));
  const auto options = Json{{"first", nullptr}, {"other", 1}}.get<shop::Options>();
  CHECK_FALSE(options.first);
  CHECK_THROWS_AS(Json::object().get<shop::Single>(), Json::out_of_range);
}

TEST_CASE("FW_JSON: responses are written from the type, and shaped by another schema") {
  fw::support::OneFileApp app([](fw::Router& router) {
    router.get("/", [](fw::Request&, fw::Response& res) { res.json(order()); });
    router.get("/list", [](fw::Request&, fw::Response& res) {
      res.json(std::vector<shop::Single>{{.value = 1}}, 202);
    });
    router.get("/declared", {.responses = {{"200", {{"id", "integer"}}}}},
               [](fw::Request&, fw::Response& res) { res.json(order()); });
    router.post("/", [](fw::Request& req, fw::Response& res) {
      res.json(req.body().get<shop::Single>().value);
    });
  });
  const auto body = app.request("GET", "/").send().body;
  CHECK(body.starts_with(R"({"code":0,"data":{"id":-1,"customerId":2,)"));
  const auto list = app.request("GET", "/list").send();
  CHECK(list.status == 202);
  CHECK(list.json()["data"] == Json::parse(R"([{"value":1}])"));
  CHECK(app.request("GET", "/declared").send().json()["data"] == Json{{"id", -1}});
  CHECK(app.request("POST", "/").json({{"value", 7}}).send().json()["data"] == 7);
}
