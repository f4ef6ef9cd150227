// What handlers take and return, and the types that options name.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pipeline/type_registry.hpp"
#include "support/shop_types.hpp"

namespace handler_test {

namespace {

using fw::Json;
using fw::Location;
using shop::ById;
using shop::Conflict;
using shop::Filter;
using shop::Item;
using shop::NewOrder;
using shop::Order;

/// An application with the types of the shop.
class ShopApp : private fw::support::TableBuilder, public fw::testing::TestApp {
 public:
  explicit ShopApp(std::function<void(fw::Router&)> factory, fw::Config config = test_config(),
                   const std::function<void(fw::App&)>& set_up = {})
      : TestApp(type_rows(shop::rows()).routes(std::move(factory)).table(), std::move(config),
                set_up) {}
};

Json data_of(fw::testing::TestResponse response) { return response.json()["data"]; }

const Json kOrder = {{"customerId", 3},
                     {"items", {{{"productId", 5}, {"quantity", 2}}}},
                     {"payment", {{"kind", "card"}, {"number", "42"}}},
                     {"labels", {{"a", "b"}}}};

void echo_order(fw::Router& app) {
  app.post("/", [](fw::Body<NewOrder> order) -> fw::Created<Order> {
    return Order{.id = order->customer_id,
                 .items = {order->items.begin(), order->items.end()},
                 .note = order->note};
  });
}

std::vector<std::string> errors_of(const std::function<void()>& start) {
  try {
    start();
  } catch (const fw::StartupError& error) {
    return error.errors();
  }
  return {};
}

using Names = std::vector<std::string>;

Names fields(const fw::testing::TestResponse& response) {
  Names names;
  for (const Json& error : response.json().value("errors", Json::array())) {
    names.push_back(error["field"]);
  }
  return names;
}

}  // namespace

TEST_CASE("handlers: a body is read as the parameter's type, and the result is sent") {
  ShopApp app(echo_order);
  const auto response = app.request("POST", "/").json(kOrder).send();
  CHECK(response.status == 201);
  CHECK(response.json()["code"] == 0);
  CHECK(response.json()["data"] ==
        Json{{"id", 3}, {"items", {{{"productId", 5}, {"quantity", 2}}}}});
}

TEST_CASE("handlers: the general path reads what the typed path does not") {
  fw::Config config = ShopApp::test_config();
  SUBCASE("the typed path") {}
  SUBCASE("without it") { config.typed_path = false; }
  ShopApp app(echo_order, config);
  const auto send = [&](const Json& body) { return app.request("POST", "/").json(body).send(); };
  Json body = kOrder;
  body["unknown"] = 1;
  body["items"][0]["quantity"] = "7";
  CHECK(data_of(send(body))["items"] == Json{{{"productId", 5}, {"quantity", 7}}});
  body["items"][0].erase("quantity");
  CHECK(data_of(send(body))["items"] == Json{{{"productId", 5}, {"quantity", 1}}});

  body = kOrder;
  body.erase("customerId");
  body["items"][0]["productId"] = 0;
  body["payment"] = {{"kind", "transfer"}, {"iban", ""}};
  const auto invalid = send(body);
  CHECK(invalid.status == 422);
  CHECK(fields(invalid) == Names{"customerId", "items/0/productId", "payment/iban"});
  CHECK(send(Json::array()).status == 422);
  CHECK(
      app.request("POST", "/").header("content-type", "application/json").body("{").send().status ==
      400);
}

TEST_CASE("handlers: each location of a request may be a type") {
  ShopApp app([](fw::Router& router) {
    router.post("/:id", [](fw::Body<Item> item, fw::Response& res, fw::Cookie<ById> cookie,
                           fw::Header<shop::Headers> header, fw::Query<Filter> query,
                           const fw::Param<ById>& param, fw::Request& req) {
      res.json({{"id", (*param).id},
                {"page", query->page},
                {"phone", query->channel == shop::Channel::phone},
                {"since", query->since.has_value()},
                {"tenant", header->x_tenant},
                {"cookie", cookie->id},
                {"product", item->product_id},
                {"method", req.method()}});
    });
  });
  const auto send = [&](const std::string& target) {
    return app.request("POST", target)
        .header("x-tenant", "acme")
        .cookie("id", "9")
        .json({{"productId", 4}})
        .send();
  };
  const Json expected = {{"id", 7},          {"page", 3},   {"phone", true}, {"since", true},
                         {"tenant", "acme"}, {"cookie", 9}, {"product", 4},  {"method", "POST"}};
  CHECK(data_of(send("/7?page=3&channel=phone&since=2024-02-29")) == expected);
  // By way of trees: numbers in another form.
  CHECK(data_of(send("/+7?page=3.0&channel=phone&since=2024-02-29")) == expected);
  CHECK(send("/0").status == 400);
  CHECK(fields(send("/7?page=256&channel=fax&since=2023-02-29")) ==
        Names{"channel", "page", "since"});
  CHECK(data_of(app.request("POST", "/+7")
                    .header("X-TENANT", "acme")
                    .cookie("id", "09")
                    .json({{"productId", "4"}})
                    .send())["tenant"] == "acme");
}

TEST_CASE("handlers: one type in two locations is two values") {
  ShopApp app([](fw::Router& router) {
    router.get("/:id", [](fw::Param<ById> param, fw::Query<ById> query) {
      return Json{param->id.value(), query->id.value()};
    });
  });
  CHECK(data_of(app.request("GET", "/1?id=2").send()) == Json{1, 2});
  CHECK(data_of(app.request("GET", "/1?id=+2").send()) == Json{1, 2});
}

namespace {

using Either = std::variant<fw::Created<Item>, fw::NoContent, fw::Status<409, Conflict>, Order>;

Either either(std::int64_t n) {
  if (n == 1) return Item{1, 2};
  if (n == 2) return fw::NoContent();
  if (n == 3) return fw::Status<409, Conflict>({"taken"});
  return Order{.id = n, .items = {}, .note = {}};
}

}  // namespace

TEST_CASE("handlers: results of every form are sent with their status") {
  ShopApp app([](fw::Router& router) {
    router.get("/plain", [] { return Order{.id = 1, .items = {}, .note = "n"}; });
    router.get("/list", [] { return std::vector<Order>{{.id = 1, .items = {}, .note = {}}}; });
    router.get("/row-of-list", [] { return std::vector<Item>{{1, 2}}; });
    router.get("/map", [] { return std::map<std::string, Item>{{"a\"", {1, 2}}}; });
    router.get("/optional", [] { return std::optional<Item>(); });
    router.get("/channel", [] { return shop::Channel::phone; });
    router.get("/channels", [] { return std::vector<shop::Channel>{shop::Channel::phone}; });
    router.get("/number", [] { return 7; });
    router.get("/text", [] { return std::string("t"); });
    router.get("/json", [] { return Json{{"a", 1}}; });
    router.get("/field", [] { return fw::Field<"integer:1-">(5); });
    router.get("/request", [](fw::Request& req) { return std::string(req.path()); });
    router.get("/accepted", [] { return fw::Accepted<Item>({3, 4}); });
    router.get("/none", [] { return fw::NoContent(); });
    router.get("/status", [] { return fw::Status<409, Conflict>({"taken"}); });
    router.get("/status-only", [] { return fw::Status<205>(); });
    router.get("/own-status", [](fw::Response& res) {
      res.status(202);
      return 8;
    });
    router.get("/either/:id", [](fw::Param<ById> param) { return either(param->id); });
  });
  const auto get = [&](const char* target) { return app.request("GET", target).send(); };
  const auto data = [&](const char* target) {
    const auto response = get(target);
    CHECK(response.status == 200);
    return data_of(response);
  };
  CHECK(data("/plain") == Json{{"id", 1}, {"items", Json::array()}, {"note", "n"}});
  CHECK(data("/list") == Json::array({{{"id", 1}, {"items", Json::array()}}}));
  CHECK(data("/row-of-list") == Json::array({{{"productId", 1}, {"quantity", 2}}}));
  CHECK(data("/map") == Json{{"a\"", {{"productId", 1}, {"quantity", 2}}}});
  CHECK(data("/optional") == nullptr);
  CHECK(data("/channel") == "phone");
  CHECK(data("/channels") == Json::array({"phone"}));
  CHECK(data("/number") == 7);
  CHECK(data("/text") == "t");
  CHECK(data("/json") == Json{{"a", 1}});
  CHECK(data("/field") == 5);
  CHECK(data("/request") == "/request");
  CHECK(data("/own-status") == 8);
  CHECK(get("/accepted").status == 202);
  CHECK(data_of(get("/accepted")) == Json{{"productId", 3}, {"quantity", 4}});
  CHECK(get("/none").status == 204);
  CHECK(get("/none").body.empty());
  CHECK(get("/status").status == 409);
  CHECK(data_of(get("/status")) == Json{{"reason", "taken"}});
  CHECK(get("/status-only").status == 205);
  CHECK(get("/either/1").status == 201);
  CHECK(data_of(get("/either/1"))["quantity"] == 2);
  CHECK(get("/either/2").status == 204);
  CHECK(data_of(get("/either/3"))["reason"] == "taken");
  CHECK(data("/either/4")["id"] == 4);
}

TEST_CASE("handlers: callables of every kind are handlers") {
  struct Counter {
    int count = 0;
    int operator()(fw::Request&) { return ++count; }
  };
  struct Overloaded {
    void operator()(fw::Request&, fw::Response& res) const { res.json("request"); }
    void operator()(int) const {}
  };
  const std::function<Item(fw::Param<ById>)> function = [](fw::Param<ById> param) {
    return Item{param->id, 1};
  };
  const fw::Handler plain = [](fw::Request&, fw::Response& res) { res.json("plain"); };
  ShopApp app([&](fw::Router& router) {
    router.get("/pointer", +[](fw::Request&, fw::Response& res) { res.json("pointer"); });
    router.get("/generic", [](auto&, auto& res) { res.json("generic"); });
    router.get("/generic-result", [](auto&&...) { return "result"; });
    router.get("/function/:id", function);
    router.get("/plain", plain);
    router.get("/overloaded", Overloaded());
    router.get("/counter", Counter());
    router.get("/bound",
               std::bind_front([](int n, fw::Request&, fw::Response& res) { res.json(n); }, 3));
    router.get("/set", [](fw::Request&, fw::Response& res) {
      res.json("set");
      return "ignored";
    });
    router.get("/reference",
               [](fw::Request&, fw::Response& res) -> fw::Response& { return res.status(204); });
  });
  const auto get = [&](const char* target) { return data_of(app.request("GET", target).send()); };
  CHECK(get("/pointer") == "pointer");
  CHECK(get("/generic") == "generic");
  CHECK(get("/generic-result") == "result");
  CHECK(get("/function/6")["productId"] == 6);
  CHECK(get("/plain") == "plain");
  CHECK(get("/overloaded") == "request");
  CHECK(get("/counter") == 1);
  CHECK(get("/counter") == 2);
  CHECK(get("/bound") == 3);
  CHECK(get("/set") == "set");
  CHECK(app.request("GET", "/reference").send().status == 204);
}

TEST_CASE("handlers: an empty callable fails the start") {
  const auto start = [](const auto& handler) {
    return errors_of([&] {
      fw::support::TableBuilder table;
      table.outdated_routes([](fw::Router&) {},
                            [&](fw::Router& router) { router.get("/", handler); });
      fw::testing::TestApp app(table.table());
    });
  };
  const auto errors = start(fw::Handler());
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].find("GET /: the handler is empty") != std::string::npos);
  CHECK(start(std::function<Item(fw::Param<ById>)>()) == errors);
  CHECK(start(static_cast<int (*)(fw::Request&)>(nullptr)) == errors);
}

TEST_CASE("handlers: options may name types") {
  ShopApp app([](fw::Router& router) {
    router.post("/",
                {.validate = {.body = fw::type<NewOrder>},
                 .responses = {{201, fw::type<Order>}, {"409", fw::type<Conflict>}}},
                [](fw::Request& req, fw::Response& res) {
                  const auto& order = req.valid<NewOrder>(Location::body);
                  CHECK(&order == &req.valid<NewOrder>(Location::body));
                  CHECK(req.valid(Location::body)["customerId"] == order.customer_id.value());
                  CHECK_THROWS_AS(req.valid<Order>(Location::body), std::logic_error);
                  CHECK_THROWS_AS(req.valid<NewOrder>(Location::query), std::logic_error);
                  if (order.customer_id == 9) {
                    return res.json({{"reason", "taken"}, {"more", 1}}, 409);
                  }
                  if (order.customer_id == 8) return res.json({{"id", "x"}}, 201);
                  if (order.customer_id == 7) return res.json(Item{1, 2}, 201);
                  res.json(Order{order.customer_id, {}, {}}, 201);
                });
  });
  const auto send = [&](Json body, int customer) {
    body["customerId"] = customer;
    return app.request("POST", "/").json(body).send();
  };
  CHECK(data_of(send(kOrder, 1)) == Json{{"id", 1}, {"items", Json::array()}});
  Json general = kOrder;
  general["unknown"] = true;
  CHECK(data_of(send(general, 2)) == Json{{"id", 2}, {"items", Json::array()}});
  CHECK(data_of(send(kOrder, 9)) == Json{{"reason", "taken"}});  // shaped by the schema
  CHECK(send(kOrder, 8).status == 500);
  CHECK(send(kOrder, 7).status == 500);  // another type
}

TEST_CASE("handlers: hooks and the envelope apply to results") {
  fw::Config config = ShopApp::test_config();
  config.response.wrap = false;
  ShopApp app([](fw::Router& router) { router.get("/", [] { return Item{1, 2}; }); }, config,
              [](fw::App& each) {
                each.hooks().on<fw::hooks::ResponseBefore>([](fw::hooks::ResponseBefore& event) {
                  event.data["added"] = true;
                  event.status = 203;
                });
              });
  const auto response = app.request("GET", "/").send();
  CHECK(response.status == 203);
  CHECK(response.json() == Json{{"productId", 1}, {"quantity", 2}, {"added", true}});
}

TEST_CASE("handlers: a custom validator sees the type, and its value is read as the type") {
  ShopApp app(echo_order, ShopApp::test_config(), [](fw::App& each) {
    each.set_validator([](const fw::ValidationInput& input) {
      CHECK_FALSE(input.fields.empty());
      CHECK(input.fields.type()->type() == typeid(NewOrder));
      fw::ValidationResult result = input.standard();
      if (result.value.contains("note")) result.value["note"] = "replaced";
      if (result.value.contains("broken")) result.value = {{"items", 3}};
      return result;
    });
  });
  Json body = kOrder;
  body["note"] = "original";
  CHECK(data_of(app.request("POST", "/").json(body).send())["note"] == "replaced");
  body["broken"] = true;
  CHECK(app.request("POST", "/").json(body).send().status == 422);
  CHECK(app.request("POST", "/").json(Json::object()).send().status == 422);
}

TEST_CASE("handlers: a value that only its type cannot have is an error with the member's name") {
  ShopApp app([](fw::Router& router) {
    router.post("/", [](fw::Body<shop::Tree> tree) { return tree->name; });
    router.post("/all", [](fw::Body<shop::Everything> all) { return all->name; });
  });
  const Json all = Json::parse(R"({"flag":true,"tiny":1,"byte":1,"small":1,"port":1,"medium":1,
    "count":1,"large":1,"size":1,"ratio":1e300,"price":1.0,"name":"n","stars":1,"offset":0.0,
    "active":true,"slug":"a","email":"a@example.com","uuid":"550e8400-e29b-41d4-a716-446655440000",
    "color":"red","digits":[],"version":"v1","channel":"web","flags":[],"position":[1,2],"tags":[],
    "ids":[],"lines":[],"by_name":{},"choice":1,"day":"2024-02-29","at":"2024-01-31T10:20:30Z",
    "exactly":"2024-01-31T10:20:30Z","anything":null})");
  const auto response = app.request("POST", "/all").json(all).send();
  CHECK(response.status == 422);
  CHECK(response.json()["errors"] ==
        Json::array({{{"field", "ratio"}, {"message", "ratio is outside the range of its type"}}}));
  Json fixed = all;
  fixed["ratio"] = 1e30;
  CHECK(data_of(app.request("POST", "/all").json(fixed).send()) == "n");
}

TEST_CASE("handlers: a location that is declared twice fails the start") {
  const auto errors = errors_of([] {
    fw::support::TableBuilder table;
    const auto declared = [](fw::Router& router) {
      router.post("/", {.validate = {.body = {{"a", "string"}}}}, [] {});
    };
    table.type_rows(shop::rows()).outdated_routes(declared, [](fw::Router& router) {
      router.post("/", {.validate = {.body = {{"a", "string"}}}}, [](fw::Body<NewOrder>) {});
    });
    fw::testing::TestApp app(table.table());
  });
  CHECK(errors ==
        Names{"src/routes/index.cpp:10: POST /: validate.body is declared in the options, "
              "and by the handler with fw::Body<shop::NewOrder>; keep one of them"});
}

namespace {

struct Unknown {
  int a = 0;
};

struct OtherUnknown {
  int a = 0;
};

}  // namespace

TEST_CASE("handlers: a type without generated code fails the start") {
  const auto start = [](const std::function<void(fw::Router&)>& factory) {
    return errors_of([&] {
      fw::support::TableBuilder table;
      table.type_rows(shop::rows())
          .outdated_routes([](fw::Router& router) { router.post("/", [] {}); }, factory);
      fw::testing::TestApp app(table.table());
    });
  };
  const Names expected = {
      "src/routes/index.cpp:10: POST /: no code was generated for the type "
      "'handler_test::(anonymous namespace)::Unknown'; rebuild the application"};
  CHECK(start([](fw::Router& router) { router.post("/", [](fw::Body<Unknown>) {}); }) == expected);
  CHECK(start([](fw::Router& router) { router.post("/", [] { return Unknown(); }); }) == expected);
  CHECK(start([](fw::Router& router) {
          router.post("/", [] { return std::vector<std::optional<Unknown>>(); });
        }) == expected);
  CHECK(start([](fw::Router& router) {
          router.post("/", [] { return std::variant<fw::NoContent, fw::Created<Unknown>>(); });
        }) == expected);
  CHECK(start([](fw::Router& router) {
          router.post("/", {.validate = {.query = fw::type<Unknown>}}, [] {});
        }) == expected);
  CHECK(start([](fw::Router& router) {
          router.post("/", {.responses = {{"2xx", fw::type<Unknown>}}}, [] {});
        }) == expected);
  // Only a part of others: it has no schema.
  CHECK(start([](fw::Router& router) { router.post("/", [](fw::Body<Item>) {}); }).size() == 1);
}

TEST_CASE("handlers: a variant within a container needs no code of its own") {
  using Value = std::variant<std::string, std::int64_t>;
  ShopApp app([](fw::Router& router) {
    router.get("/list", [] { return std::vector<Value>{"text", std::int64_t{7}}; });
    router.get("/map", [] { return std::map<std::string, Value>{{"a", "text"}}; });
  });
  CHECK(data_of(app.request("GET", "/list").send()) == fw::Json{"text", 7});
  CHECK(data_of(app.request("GET", "/map").send()) == fw::Json{{"a", "text"}});
}

TEST_CASE("handlers: results may be dates and times, alone and in containers") {
  using Data = std::variant<Item, std::chrono::sys_days>;
  static constexpr std::chrono::sys_days kDay = std::chrono::year(2026) / 11 / 30;
  ShopApp app([](fw::Router& router) {
    router.get("/day", [] { return kDay; });
    router.get("/time", [] { return std::chrono::sys_seconds(kDay); });
    router.get("/days", [] { return std::vector<std::chrono::sys_days>{kDay}; });
    router.get("/maybe", [] { return std::optional(kDay); });
    router.get("/variants", [] { return std::vector<Data>{Item{5, 2}, kDay}; });
    router.get("/map", [] { return std::map<std::string, Data>{{"a", kDay}}; });
    router.get("/sent", [](fw::Request&, fw::Response& res) { res.json(kDay, 201); });
  });
  CHECK(data_of(app.request("GET", "/day").send()) == "2026-11-30");
  CHECK(data_of(app.request("GET", "/time").send()) == "2026-11-30T00:00:00Z");
  CHECK(data_of(app.request("GET", "/days").send()) == Json::array({"2026-11-30"}));
  CHECK(data_of(app.request("GET", "/maybe").send()) == "2026-11-30");
  CHECK(data_of(app.request("GET", "/variants").send()) ==
        Json{{{"productId", 5}, {"quantity", 2}}, "2026-11-30"});
  CHECK(data_of(app.request("GET", "/map").send()) == Json{{"a", "2026-11-30"}});
  CHECK(data_of(app.request("GET", "/sent").send()) == "2026-11-30");
}

TEST_CASE("handlers: a type without generated code cannot be sent") {
  ShopApp app([](fw::Router& router) {
    router.get("/", [](fw::Request&, fw::Response& res) {
      CHECK_THROWS_WITH_AS(res.json(OtherUnknown()),
                           "no code was generated for the type "
                           "'handler_test::(anonymous namespace)::OtherUnknown'; rebuild the "
                           "application",
                           std::logic_error);
      res.json("another response");
    });
  });
  CHECK(data_of(app.request("GET", "/").send()) == "another response");
}

TEST_CASE("handlers: two tables must have the same schema of a type") {
  static constexpr std::string_view kOne[] = {R"({"$ref":"#/$defs/Changed",)",
                                              R"("$defs":{"Changed":{"type":"object"}}})"};
  static constexpr std::string_view kOther[] = {R"({"$ref":"#/$defs/Changed","$defs":)",
                                                R"({"Changed":{"type":"string"}}})"};
  static constexpr std::string_view kSame[] = {
      R"({"$ref":"#/$defs/Changed","$defs":{"Changed":{"type":"object"}}})"};
  struct Changed {};
  static std::atomic<const fw::detail::TypeRow*> slot{nullptr};
  const auto row_with = [](std::span<const std::string_view> schema) {
    return fw::detail::TypeRow{
        .name = "shop::Changed", .type = &typeid(Changed), .slot = &slot, .schema = schema};
  };
  const fw::detail::TypeRow nested = row_with({});
  const fw::detail::TypeRow one = row_with(kOne);
  const fw::detail::TypeRow same = row_with(kSame);
  const fw::detail::TypeRow other = row_with(kOther);
  Names errors;
  const auto add = [&](const fw::detail::TypeRow& row) {
    const fw::detail::TypeRow* const rows[] = {&row};
    fw::detail::register_types(rows, errors);
  };
  add(nested);
  add(one);
  CHECK(slot.load() == &one);
  add(same);
  add(nested);
  CHECK(slot.load() == &one);
  CHECK(errors.empty());
  add(other);
  CHECK(slot.load() == &one);
  CHECK(errors == Names{"the type 'shop::Changed' has different schemas in two route tables"});
}

TEST_CASE("handlers: what a handler reads of a type is part of what its response depends on") {
  int runs = 0;
  ShopApp app([&](fw::Router& router) {
    router.get("/header", {.cache = 60'000}, [&](fw::Header<shop::Headers> header) {
      ++runs;
      return header->x_tenant;
    });
    router.get("/query", {.cache = 60'000}, [&](fw::Query<Filter> query) {
      ++runs;
      return static_cast<int>(query->page);
    });
  });
  const auto send = [&](const char* target, const char* tenant) {
    return data_of(app.request("GET", target).header("x-tenant", tenant).send());
  };
  CHECK(send("/header", "a") == "a");
  CHECK(send("/header", "b") == "b");  // not in the key, so that it is not stored
  CHECK(send("/query?page=1", "a") == 1);
  CHECK(send("/query?page=2", "a") == 2);
  const int before = runs;
  CHECK(send("/query?page=2", "a") == 2);
  CHECK(runs == before);
}

TEST_CASE("handlers: a result may be a stream, whose events have the names of their types") {
  ShopApp app([](fw::Router& router) {
    router.get("/events", [](fw::Response& res) -> fw::Events<Item, Conflict> {
      res.set_header("x-first", "yes");
      return [](fw::EventStream stream) {
        stream.send(Item{.product_id = 5, .quantity = 2});
        stream.send(std::variant<Item, Conflict>(Conflict{.reason = "no"}));
        CHECK_THROWS_AS(stream.send(Order{}), std::invalid_argument);
      };
    });
    router.get("/lines", []() -> fw::Lines<Item> {
      return [](fw::LineStream stream) { stream.send(Item{.product_id = 6, .quantity = 1}); };
    });
  });
  const auto events = app.request("GET", "/events").send();
  CHECK(events == 200);
  CHECK(events.header("x-first") == "yes");
  CHECK(events.body ==
        "event: item\ndata: {\"productId\":5,\"quantity\":2}\n\n"
        "event: conflict\ndata: {\"reason\":\"no\"}\n\n");
  CHECK(app.request("GET", "/lines").send().body == "{\"productId\":6,\"quantity\":1}\n");
}

TEST_CASE("handlers: forms are read as the type") {
  ShopApp app([](fw::Router& router) {
    router.post("/", [](fw::Body<Filter> filter) { return static_cast<int>(filter->page); });
  });
  CHECK(data_of(app.request("POST", "/")
                    .header("content-type", "application/x-www-form-urlencoded")
                    .body("page=7&channel=web")
                    .send()) == 7);
}

}  // namespace handler_test
