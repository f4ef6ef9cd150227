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

TEST_CASE("types: a handler that sets fields of its response returns a declared result") {
  auto app = make_app();
  const auto response = app.request("POST", "/typed/located").send();
  REQUIRE_EQ(response.status, 201);
  CHECK_EQ(response.header("location"), "/typed/located/7");
  CHECK_EQ(data_of(response), Json::parse(R"({"id": 7})"));
  const Json document = Json::parse(fairway_app().openapi);
  CHECK(document["paths"]["/typed/located"]["post"]["responses"].contains("201"));
  CHECK(document["components"]["schemas"].contains("Located"));
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

TEST_CASE("types: a std::uint64_t has all its values") {
  for (const bool typed_path : {true, false}) {
    CAPTURE(typed_path);
    fw::Config config = fw::testing::TestApp::test_config();
    config.typed_path = typed_path;
    fw::testing::TestApp app(fairway_app(), config);
    const auto query = [&](const std::string& least) {
      return app.request("GET", "/echo/sizes?least=" + least).send();
    };
    CHECK_EQ(data_of(query("18446744073709551615")).dump(),
             R"({"either":0,"least":18446744073709551615,"payments":[]})");
    CHECK_EQ(data_of(query("9223372036854775808&most=9223372036854775809"))["most"],
             9223372036854775809U);
    CHECK_EQ(data_of(query("0xFFFFFFFFFFFFFFFF"))["least"], 18446744073709551615U);
    CHECK_EQ(data_of(query("-0"))["least"], 0);
    const auto error = [](const fw::testing::TestResponse& response) -> std::string {
      return response.status == 422 ? response.json()["errors"][0]["message"] : Json();
    };
    CHECK_EQ(error(query("18446744073709551616")),
             "least must be an integer from 0 to 18446744073709551615");
    CHECK_EQ(error(query("-1")), "least must be at least 0");

    const auto send = [&](const std::string& body) {
      auto request = app.request("POST", "/echo/sizes");
      return request.header("content-type", "application/json").body(body).send();
    };
    const auto echo =
        send(R"({"least": 18446744073709551615, "most": 1e19, "either": 18446744073709551614,)"
             R"("payments": [{"kind": "transfer", "iban": "DE02"}]})");
    REQUIRE_EQ(echo.status, 200);
    CHECK_EQ(data_of(echo).dump(),
             R"({"either":18446744073709551614,"least":18446744073709551615,)"
             R"("most":10000000000000000000,"payments":[{"iban":"DE02","kind":"transfer"}]})");
    CHECK_EQ(data_of(send(R"({"least": "18446744073709551615"})"))["least"], 18446744073709551615U);
    CHECK_EQ(error(send(R"({"least": 18446744073709551616})")),
             "least must be an integer from 0 to 18446744073709551615");
    CHECK_EQ(error(send(R"({"least": 1, "most": -1})")), "most must be at least 0");
    CHECK_EQ(error(send(R"({"least": 0.5})")), "least must be an integer");
  }
  const Json schema = Json::parse(fairway_app().openapi)["components"]["schemas"]["SizesInput"];
  CHECK_EQ(schema["properties"]["least"].dump(),
           R"({"maximum":18446744073709551615,"minimum":0,"type":"integer"})");
}

TEST_CASE("types: an absent member has its default, and a present struct the values of its type") {
  for (const bool typed_path : {true, false}) {
    CAPTURE(typed_path);
    fw::Config config = fw::testing::TestApp::test_config();
    config.typed_path = typed_path;
    fw::testing::TestApp app(fairway_app(), config);
    const auto send = [&](const char* body) {
      const auto response = app.request("POST", "/echo/defaults").json(Json::parse(body)).send();
      REQUIRE_EQ(response.status, 200);
      return data_of(response);
    };
    Json expected = Json::parse(R"({
      "coded": {"count": 9}, "paging": {"size": 50, "order": "up"},
      "pages": [{"size": 1, "order": "up"}, {"size": 2, "order": "up"}],
      "listed": {"most": 5}, "derived": {"size": 7, "order": "up", "width": 3},
      "computed": 4, "whole": 3, "half": 0.5, "channel": "phone", "first": "web",
      "list": [1, 2], "nothing": [], "maybe": 5, "field": 7, "day": "1970-01-01"
    })");
    CHECK_EQ(send(R"({"coded": {}})"), expected);
    expected["paging"]["size"] = 20;
    expected["pages"] = Json::parse(R"([{"size": 20, "order": "up"}, {"size": 4, "order": "up"}])");
    CHECK_EQ(send(R"({"coded": {}, "paging": {}, "pages": [{}, {"size": 4}], "derived": {}})"),
             expected);
    // With a conversion, values are read from a tree.
    expected["whole"] = 8;
    CHECK_EQ(send(R"({"coded": {}, "paging": {}, "pages": [{}, {"size": 4}], "derived": {},
                      "whole": "8"})"),
             expected);
  }
}

TEST_CASE("types: the document has the defaults of containers as the program makes them") {
  fw::testing::TestApp app(fairway_app(), fw::testing::TestApp::test_config());
  const auto response = app.request("POST", "/echo/lists").json(Json::object()).send();
  REQUIRE_EQ(response.status, 200);
  Json made = data_of(response);
  // A computed item, an item that is a struct, and an order of its own.
  for (const char* unknown : {"repeated", "pages", "computed", "by_size", "by_abs"}) {
    CHECK_EQ(made.erase(unknown), 1);
  }
  CHECK_EQ(made["nested"], Json::parse("[[1], [], [2, 3]]"));
  Json defaults;
  const Json document = Json::parse(fairway_app().openapi);
  for (const auto& [name, member] :
       document["components"]["schemas"]["ListDefaultsInput"]["properties"].items()) {
    if (member.contains("default")) defaults[name] = member["default"];
  }
  CHECK_EQ(defaults, made);
}

TEST_CASE("types: the document has the defaults that are known, and responses all members") {
  const Json schemas = Json::parse(fairway_app().openapi)["components"]["schemas"];
  const Json& input = schemas["DefaultsInput"];
  CHECK_EQ(input["required"], Json({"coded"}));
  Json defaults;
  for (const auto& [name, member] : input["properties"].items()) {
    if (member.contains("default")) defaults[name] = member["default"];
  }
  CHECK_EQ(defaults, Json::parse(R"({"whole": 3, "half": 0.5, "channel": "phone", "first": "web",
                                     "list": [1, 2], "nothing": [], "maybe": 5, "field": 7})"));
  CHECK_EQ(schemas["PresetInput"]["properties"]["most"]["default"], 5);
  CHECK_FALSE(schemas["CodedInput"]["properties"]["count"].contains("default"));
  CHECK_FALSE(schemas["CodedInput"].contains("required"));
  CHECK_FALSE(schemas["DerivedInput"]["properties"]["size"].contains("default"));
  CHECK_EQ(schemas["PagingInput"]["properties"]["size"]["default"], 20);

  CHECK_EQ(schemas["Defaults"]["required"],
           Json({"coded", "paging", "pages", "listed", "derived", "computed", "whole", "half",
                 "channel", "first", "list", "nothing", "field", "day"}));
  CHECK_EQ(schemas["Coded"]["required"], Json({"count"}));
  CHECK_EQ(schemas["Derived"]["required"], Json({"size", "order", "width"}));
  CHECK_EQ(std::string(fairway_app().openapi).find("x-required"), std::string::npos);
}

TEST_CASE("types: a number that JSON cannot have is an error of the server") {
  for (const bool typed_path : {true, false}) {
    CAPTURE(typed_path);
    fw::Config config = fw::testing::TestApp::test_config();
    config.typed_path = typed_path;
    fw::testing::TestApp app(fairway_app(), config);
    const auto read = [&](const std::string& route, const std::string& method = "GET") {
      return app.request(method, "/echo/" + route).send().status;
    };
    const auto error = [&] {
      std::string message;
      for (const Json& line : app.log_lines()) {
        if (line["level"] == 50) message = line["msg"];
      }
      return message;
    };
    CHECK_EQ(read("readings/none"), 200);
    CHECK_EQ(read("readings/value"), 500);
    CHECK_EQ(error(),
             "the response of GET /echo/readings/:kind with status 200 is not as declared: 'value' "
             "must be number, but is not a finite number");
    CHECK_EQ(read("readings/list"), 500);
    CHECK_EQ(
        error(),
        "the response of GET /echo/readings/:kind with status 200 is not as declared: 'list/1' "
        "must be number, but is not a finite number");
    CHECK_EQ(read("readings/maybe"), 500);
    CHECK_EQ(read("declared-readings/maybe"), 500);
    CHECK_EQ(
        error(),
        "the response of GET /echo/declared-readings/:kind with status 200 is not as declared: "
        "'maybe' must be number, but is not a finite number");
    CHECK_EQ(read("readings/value", "HEAD"), 200);
  }
}

TEST_CASE("types: a struct has more members than a word has bits") {
  for (const bool typed_path : {true, false}) {
    CAPTURE(typed_path);
    fw::Config config = fw::testing::TestApp::test_config();
    config.typed_path = typed_path;
    fw::testing::TestApp app(fairway_app(), config);
    Json wide = data_of(app.request("GET", "/echo/wide?first=5").send());
    REQUIRE_EQ(wide.size(), 150);
    CHECK_EQ(wide["m00"], 5);
    int value = 0;
    for (Json& member : wide) member = ++value;
    const auto echo = app.request("POST", "/echo/wide").json(wide).send();
    REQUIRE_EQ(echo.status, 200);
    CHECK_EQ(data_of(echo), wide);
    for (const char* name : {"m00", "m63", "m64", "m127", "m128", "m149"}) {
      CAPTURE(name);
      Json less = wide;
      less.erase(name);
      const auto response = app.request("POST", "/echo/wide").json(less).send();
      const bool has_default = std::string(name) == "m149";
      CHECK_EQ(response.status, has_default ? 200 : 422);
      if (has_default) CHECK_EQ(data_of(response)[name], 1);
    }
    // A member twice: the last value counts, as in a tree.
    std::string twice = wide.dump();
    twice.back() = ',';
    auto request = app.request("POST", "/echo/wide");
    const auto response =
        request.header("content-type", "application/json").body(twice + R"("m130":7})").send();
    REQUIRE_EQ(response.status, 200);
    CHECK_EQ(data_of(response)["m130"], 7);
  }
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

TEST_CASE("types: what is sent in templates, by pointers and elsewhere has generated code") {
  auto app = make_app();
  const auto sent = [&](const std::string& path) {
    const auto response = app.request("GET", "/sent/" + path).send();
    CAPTURE(path);
    REQUIRE(response.status < 300);
    return data_of(response);
  };
  CHECK_EQ(sent("template"), Json({{"a", 1}}));
  CHECK_EQ(sent("function"), Json({{"a", 2}}));
  CHECK_EQ(sent("optional/3"), Json({{"a", 3}}));
  CHECK_EQ(sent("optional/4"), Json(nullptr));
  CHECK_EQ(sent("pointer"), Json({{"a", 4}}));
  CHECK_EQ(sent("sender"), Json({{"a", 5}}));
}

TEST_CASE("types: route files may have different types of one name for parameters") {
  auto app = make_app();
  CHECK_EQ(app.request("GET", "/sent/optional/none").send().status, 400);
  CHECK_EQ(data_of(app.request("GET", "/wrapped/by/none").send()), "none");
  CHECK_EQ(app.request("GET", "/wrapped/by/1").send().status, 400);
}

TEST_CASE("types: FW_JSON in a macro names the members, and a typedef names a struct") {
  auto app = make_app();
  const Json names = {{"id", 1}, {"customerId", 2}};
  for (const char* const path : {"/wrapped/macro", "/wrapped/passed-on"}) {
    CHECK_EQ(data_of(app.request("POST", path).json(names).send()), names);
    CHECK_EQ(app.request("POST", path).json({{"id", 1}}).send().status, 422);
  }
  const Json holder = {{"unnamed", {{"a", 1}}}};
  CHECK_EQ(data_of(app.request("POST", "/wrapped/unnamed").json(holder).send()), holder);
}
