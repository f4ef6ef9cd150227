// FW_JSON: types of an application's own as JSON.
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/table_builder.hpp"

namespace json_members_test {

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

struct Plain {
  std::int64_t id = 0;
  std::uint8_t size = 0;
  std::string name;
  std::optional<std::string> note;
  float price = 0;
  bool open = false;
  std::vector<std::string> tags;
  std::vector<Plain> children;
  FW_JSON(Plain, id, size, name, note, price, open, tags, children)
};

struct Single {
  int value = 0;
  FW_JSON(Single, value)
};

/// Its base has FW_JSON, which does not list all of its members.
struct Heir : Single {
  int other = 0;
};

enum class Channel { web, phone };

struct Sent {
  std::optional<Channel> channel;
  FW_JSON(Sent, channel)
};

struct Kept {
  std::vector<Kept> inside;
  std::vector<Sent> list;
  FW_JSON(Kept, inside, list)
};

}  // namespace shop

namespace {

using fw::Json;

/// Counts how it is read.
struct Traced {
  int value = 0;
  bool is_from_tree = false;

  friend void fw_decode(fw::detail::JsonReader& in, Traced& out) {
    static constexpr std::string_view kMembers[] = {"value"};
    for (fw::detail::JsonObject object(in, kMembers, 1); object.next();) {
      std::int64_t number = 0;
      in.integer(number);
      out.value = static_cast<int>(number);
    }
  }
  friend void from_json(const Json& json, Traced& out) {
    out = {.value = json.at("value").get<int>(), .is_from_tree = true};
  }
};

std::string encoded(const auto& value) {
  fw::detail::JsonWriter writer;
  fw_encode(writer, value);
  return std::string(writer.content());
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

TEST_CASE("FW_JSON: members are written in order, empty optionals left out") {
  CHECK(encoded(order()) ==
        R"({"id":-1,"customerId":2,"items":[{"sku":"a\"","quantity":3,"flags":[true,false]}],)"
        R"("total":1.5,"paid":true,"counts":{"x":1},"extra":{"k":null}})");
  CHECK(encoded(shop::Options{}) == "{}");
  CHECK(encoded(shop::Options{.first = {}, .second = 2}) == R"({"a \"b\"":2})");
  CHECK(encoded(std::vector<shop::Single>{{1}, {2}}) == R"([{"value":1},{"value":2}])");
}

TEST_CASE("FW_JSON: types with other members are written by generated code") {
  using fw::detail::CodeUse;
  CHECK(fw::detail::HasJsonMembers<shop::Single>);
  CHECK_FALSE(fw::detail::HasJsonMembers<shop::Heir>);
  CHECK(fw::detail::code_use<shop::Heir>() == CodeUse::always);
  CHECK(fw::detail::code_use<shop::Order>() == CodeUse::none);
  CHECK(fw::detail::code_use<shop::Plain>() == CodeUse::none);
  CHECK(fw::detail::code_use<shop::Sent>() == CodeUse::enumerations);
  CHECK(fw::detail::code_use<shop::Kept>() == CodeUse::enumerations);
  CHECK(fw::detail::code_use<std::vector<shop::Sent>>() == CodeUse::enumerations);
  CHECK(fw::detail::code_use<std::vector<shop::Order>>() == CodeUse::none);
  // Without the code, fw::Json converts them.
  fw::detail::JsonWriter writer;
  fw::detail::write_by_code(writer, shop::Sent{shop::Channel::phone});
  CHECK(writer.content() == R"({"channel":1})");
}

TEST_CASE("FW_JSON: a value converts to a tree and back") {
  shop::Order value = order();
  CHECK(Json(value) == Json::parse(encoded(value)));
  value.note = "n";
  value.gift = {.sku = "b", .quantity = 1, .flags = {}};
  CHECK(encoded(Json(value).get<shop::Order>()) == encoded(value));
  const auto options = Json{{"first", nullptr}, {"other", 1}}.get<shop::Options>();
  CHECK_FALSE(options.first);
  CHECK_THROWS_AS(Json::object().get<shop::Single>(), Json::out_of_range);
}

TEST_CASE("FW_JSON: an integer out of range in a tree is an error") {
  const auto plain = [](const Json& size) {
    return Json{{"id", 1},
                {"size", size},
                {"name", ""},
                {"price", 0},
                {"open", true},
                {"tags", Json::array()},
                {"children", Json::array()}};
  };
  CHECK(plain(255).get<shop::Plain>().size == 255);
  CHECK(plain(255.0).get<shop::Plain>().size == 255);
  for (const Json& size : {Json(256), Json(-1), Json(1.5), Json(256.0), Json(1e300), Json(-1e300),
                           Json(4294967303), Json(std::numeric_limits<std::uint64_t>::max())}) {
    CAPTURE(size.dump());
    CHECK_THROWS_AS(plain(size).get<shop::Plain>(), Json::out_of_range);
    Json nested = plain(1);
    nested["children"].push_back(plain(size));
    CHECK_THROWS_AS(nested.get<shop::Plain>(), Json::out_of_range);
  }
  CHECK_THROWS_AS(Json({{"first", std::int64_t{1} << 31}}).get<shop::Options>(),
                  Json::out_of_range);
  const auto id = [&](const Json& value) {
    Json json = plain(1);
    json["id"] = value;
    return json.get<shop::Plain>().id;
  };
  CHECK(id(std::numeric_limits<std::int64_t>::min()) == std::numeric_limits<std::int64_t>::min());
  CHECK(id(std::numeric_limits<std::int64_t>::max()) == std::numeric_limits<std::int64_t>::max());
  CHECK_THROWS_AS(id(std::uint64_t{1} << 63), Json::out_of_range);
  CHECK_THROWS_AS(id(9223372036854775808.0), Json::out_of_range);
}

TEST_CASE("FW_JSON: canonical JSON is read without a tree") {
  const auto decoded = [](std::string_view text) {
    std::optional<shop::Plain> value(std::in_place);
    fw::detail::JsonReader reader(text);
    fw_decode(reader, *value);
    if (!reader.is_complete()) value.reset();
    return value;
  };
  for (
      const std::string_view text :
      {R"({"id":-1,"size":200,"name":"a\u00e9","price":1.5,"open":true,"tags":["x","y"],)"
       R"("children":[{"id":2,"size":0,"name":"","price":0.0,"open":false,"tags":[],"children":[]}]})",
       R"( {"name":"b","id":1,"size":3,"note":null,"price":2,"open":false,"children":[],"tags":[]} )",
       R"({"id":1,"size":3,"name":"b","note":"n","price":2,"open":false,"children":[],"tags":[]})"}) {
    CAPTURE(text);
    const auto value = decoded(text);
    REQUIRE(value);
    CHECK(encoded(*value) == encoded(Json::parse(text).get<shop::Plain>()));
  }
  const std::string rest = R"("name":"b","price":2,"open":false,"tags":[],"children":[]})";
  CHECK(decoded(R"({"id":1,"size":3,)" + rest));
  for (const std::string& text :
       {R"({"id":1,"size":256,)" + rest, R"({"id":1,"size":-1,)" + rest,
        R"({"id":"1","size":3,)" + rest, R"({"id":1.0,"size":3,)" + rest, R"({"size":3,)" + rest,
        R"({"id":1,"id":2,"size":3,)" + rest, R"({"id":1,"size":3,"other":0,)" + rest,
        R"({"id":1,"size":3,)" + rest + "x", std::string("null"), std::string()}) {
    CAPTURE(text);
    CHECK_FALSE(decoded(text));
  }
  std::string deep = R"({"id":1,"size":3,)" + rest;
  for (int level = 0; level < 300; ++level) {
    deep = R"({"id":1,"size":3,"name":"b","price":2,"open":false,"tags":[],"children":[)" + deep +
           "]}";
  }
  CHECK_FALSE(decoded(deep));
}

TEST_CASE("FW_JSON: responses are written from the type, and shaped by a declared schema") {
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

TEST_CASE("FW_JSON: the body of an outbound response is read without a tree if possible") {
  fw::support::OneFileApp app([](fw::Router&) {});
  const auto fetched = [&](const Json& body) {
    app.fetch_stub("GET http://api.example/", [&](const fw::testing::FetchCall&) {
      return fw::testing::FetchReply{.json = body};
    });
    auto response = app.app().fetch("http://api.example/");
    const auto value = response.get<Traced>();
    CHECK(response.json() == body);  // the body can be read again
    return value;
  };
  CHECK(fetched({{"value", 7}}).value == 7);
  CHECK_FALSE(fetched({{"value", 7}}).is_from_tree);
  const auto with_more = fetched({{"value", 8}, {"more", 1}});
  CHECK(with_more.value == 8);
  CHECK(with_more.is_from_tree);
  CHECK_THROWS_AS(fetched({{"other", 8}}), Json::out_of_range);
}

TEST_CASE("json: a path of the file system is a string") {
  const std::filesystem::path path = "/var/data";
  CHECK(fw::Json(path) == "/var/data");
  CHECK(nlohmann::ordered_json(path) == "/var/data");
  CHECK(fw::Json("/var/data").get<std::filesystem::path>() == path);
  CHECK_THROWS_WITH_AS(fw::Json(7).get<std::filesystem::path>(),
                       "[json.exception.type_error.302] type must be string, but is number",
                       fw::Json::type_error);
}

}  // namespace json_members_test
