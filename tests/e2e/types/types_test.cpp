// Handlers whose signatures are their contracts, compiled by the route compiler.
#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <utility>

namespace {

using fw::Json;

fw::testing::TestApp make_app() { return fw::testing::TestApp(fairway_app()); }

const Json kOrder = Json::parse(R"({
  "customer_id": 3, "items": [{"product_id": 5, "quantity": 2}],
  "payment": {"kind": "transfer", "iban": "DE02"}, "labels": {"floor": "2"}
})");

Json data_of(const fw::testing::TestResponse& response) { return response.json().at("data"); }

}  // namespace

TEST_CASE("types: a body is read and a result is sent with its status") {
  auto app = make_app();
  const auto response = app.request("POST", "/orders").json(kOrder).send();
  REQUIRE_EQ(response.status, 201);
  Json expected = kOrder;
  expected["channel"] = "web";
  expected["id"] = 42;
  expected["state"] = "new";
  CHECK_EQ(data_of(response), expected);
}

TEST_CASE("types: values are converted as with schema maps") {
  auto app = make_app();
  Json order = kOrder;
  order["customer_id"] = "3";
  order["unknown"] = true;
  const auto response = app.request("POST", "/orders").json(order).send();
  REQUIRE_EQ(response.status, 201);
  CHECK_EQ(data_of(response)["customer_id"], 3);
  CHECK_FALSE(data_of(response).contains("unknown"));
}

TEST_CASE("types: an invalid body is 422 with the errors of its members") {
  auto app = make_app();
  Json order = kOrder;
  order["items"][0]["quantity"] = 101;
  order["payment"]["kind"] = "cash";
  order.erase("customer_id");
  const auto response = app.request("POST", "/orders").json(order).send();
  REQUIRE_EQ(response.status, 422);
  const Json body = response.json();
  Json fields;
  for (const Json& error : body["errors"]) fields.push_back(error["field"]);
  CHECK_EQ(fields, Json({"customer_id", "items/0/quantity", "payment/kind"}));
}

TEST_CASE("types: a query has defaults and optional members") {
  auto app = make_app();
  const auto response = app.request("GET", "/orders?open=true&channel=phone").send();
  REQUIRE_EQ(response.status, 200);
  CHECK_EQ(
      data_of(response),
      Json::parse(R"({"data": [{"limit": 20, "open": true, "channel": "phone"}], "total": 1})"));
  CHECK_EQ(app.request("GET", "/orders?limit=101").send().status, 422);
}

TEST_CASE("types: a string literal and a string view are strings") {
  auto app = make_app();
  CHECK_EQ(data_of(app.request("GET", "/echo/text").send()), "text");
  const auto view = app.request("GET", "/echo/view").send();
  CHECK_EQ(view.status, 202);
  CHECK_EQ(data_of(view), "view");
}

TEST_CASE("types: a result may be one of several") {
  auto app = make_app();
  CHECK_EQ(data_of(app.request("GET", "/orders/5").send()), Json::parse(R"({"id": 5})"));
  const auto conflict = app.request("GET", "/orders/7").send();
  CHECK_EQ(conflict.status, 409);
  CHECK_EQ(app.request("GET", "/orders/8").send().status, 410);
  CHECK_EQ(app.request("GET", "/orders/0").send().status, 400);
  const auto removed = app.request("DELETE", "/orders/5").send();
  CHECK_EQ(removed.status, 204);
  CHECK_EQ(removed.body, "");
}

TEST_CASE("types: header fields are members") {
  auto app = make_app();
  const auto response = app.request("GET", "/orders/tenant").header("X-Tenant", "acme").send();
  CHECK_EQ(data_of(response), Json::parse(R"({"x-tenant": "acme"})"));
  CHECK_EQ(app.request("GET", "/orders/tenant").send().status, 422);
}

TEST_CASE("types: every type is read and written without a difference") {
  auto app = make_app();
  std::ifstream file(FAIRWAY_TYPES_DIR "/everything.json");
  const Json everything = Json::parse(file);
  const auto response = app.request("POST", "/echo/everything").json(everything).send();
  REQUIRE_EQ(response.status, 200);
  CHECK_EQ(data_of(response), everything);
  for (const auto& [member, value] : {std::pair<const char*, Json>{"tiny", 128},
                                      {"small", -1},
                                      {"triple", Json::array({1, 2})},
                                      {"tags", Json::array({"x", "x"})},
                                      {"loose", Json::object()},
                                      {"day", "2023-02-29"},
                                      {"level", "middle"},
                                      {"exactly", "this"},
                                      {"items", Json::array()},
                                      {"ids", {1, 1}},
                                      {"byte", 256},
                                      {"size", -1},
                                      {"payment", {{"kind", "card"}, {"iban", "DE02"}}},
                                      {"by_name", {{"one", 1}}},
                                      {"pattern", "ABC"}}) {
    CAPTURE(member);
    Json wrong = everything;
    wrong[member] = value;
    CHECK_EQ(app.request("POST", "/echo/everything").json(wrong).send().status, 422);
  }
}

TEST_CASE("types: a type may contain itself, be a list, or name its members") {
  auto app = make_app();
  const Json folder = Json::parse(R"({"name": "a", "folders": [{"name": "b", "folders": []}]})");
  CHECK_EQ(data_of(app.request("POST", "/echo/folder").json(folder).send()), folder);
  const Json items = Json::parse(R"([{"product_id": 1, "quantity": 1}])");
  CHECK_EQ(data_of(app.request("POST", "/echo/items").json(items).send()), items);
  const Json renamed =
      Json::parse(R"({"firstName": "Ada", "channel": "web", "one \"of\" two": 0})");
  CHECK_EQ(data_of(app.request("POST", "/echo/renamed").json(renamed).send()), renamed);
  CHECK_EQ(app.request("POST", "/echo/renamed").json({{"first_name", "Ada"}}).send().status, 422);
  const Json payments =
      Json::parse(R"([{"kind": "transfer", "iban": "DE02"}, {"kind": "card", "number": "1234"}])");
  CHECK_EQ(data_of(app.request("POST", "/echo/payments").json(payments).send()), payments);
  Json heir = renamed;
  heir["age"] = 3;
  CHECK_EQ(data_of(app.request("POST", "/echo/heir").json(heir).send()), heir);
  const auto response = app.request("POST", "/echo/options").json(kOrder).send();
  REQUIRE_EQ(response.status, 200);
  CHECK_EQ(data_of(response)["channel"], "web");
}
