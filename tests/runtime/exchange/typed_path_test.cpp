// Requests whose bodies are read straight into structs: everything that an application can see is
// as it is with trees.
#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/table_builder.hpp"

namespace typed_path_test {

namespace {

using fw::Json;
using fw::support::TableBuilder;
using fw::testing::TestApp;

/// As `fairway build` emits it for {{"count", "integer:1-100"}, {"name", "string:1-10"},
/// {"note", "string?"}}.
struct Body {
  static constexpr fw::Location kLocation = fw::Location::body;

  std::int64_t count = {};
  std::string name = {};
  std::optional<std::string> note = {};

  friend void from_json(const Json& json, Body& body) {
    json.at("count").get_to(body.count);
    json.at("name").get_to(body.name);
    if (json.contains("note")) json["note"].get_to(body.note.emplace());
  }
  friend void fw_decode(fw::detail::JsonReader& in, Body& out);
};

int decodings = 0;

void fw_decode(fw::detail::JsonReader& in, Body& out) {
  ++decodings;
  static constexpr std::string_view kMembers[] = {"count", "name", "note"};
  for (fw::detail::JsonObject object(in, kMembers, 0b11); object.next();) {
    switch (object.member()) {
      case 0:
        in.integer(out.count, {.least = 1, .most = 100});
        break;
      case 1:
        in.string(out.name, {.least = 1, .most = 10});
        break;
      case 2:
        in.string(out.note.emplace());
        break;
    }
  }
}

/// The struct of another route, with the same shape or with less.
struct Name {
  static constexpr fw::Location kLocation = fw::Location::body;
  std::string name = {};
  friend void from_json(const Json& json, Name& body) { json.at("name").get_to(body.name); }
};

const fw::Validate kValidate = {
    .body = {{"count", "integer:1-100"}, {"name", "string:1-10"}, {"note", "string?"}}};

Json seen(fw::Request& req) {
  const auto& body = req.valid<Body>();
  return {{"count", body.count},
          {"name", body.name},
          {"note", body.note ? Json(*body.note) : Json()},
          {"same", &body == &req.valid<Body>()},
          {"other", req.valid<Name>().name}};
}

class TypedApp : private TableBuilder, public TestApp {
 public:
  explicit TypedApp(bool typed_path = true, const std::function<void(fw::App&)>& set_up = {})
      : TestApp(table_of(*this), config(typed_path), set_up) {}

  fw::testing::TestResponse post(const std::string& body) {
    return request("POST", "/").header("content-type", "application/json").body(body).send();
  }

 private:
  static fw::Config config(bool typed_path) {
    fw::Config config = test_config();
    config.typed_path = typed_path;
    return config;
  }
  static const fw::AppTable& table_of(TableBuilder& builder) {
    builder.routes([](fw::Router& router) {
      router.post("/", {.validate = kValidate}, [](fw::Request& req, fw::Response& res) {
        Json result = seen(req);
        result["tree"] = req.valid(fw::Location::body);
        result["body"] = req.body();
        result["raw"] = req.raw_body();
        res.json(result);
      });
    });
    return builder.types({{.decode_body = fw::detail::decode<Body>}}).table();
  }
};

}  // namespace

TEST_CASE("typed path: the handler gets the decoded struct, and trees on request") {
  TypedApp app;
  const int before = decodings;
  const auto response = app.post(R"({"count":7,"name":"Ada","note":"x"})");
  REQUIRE(response.status == 200);
  CHECK(decodings == before + 1);
  const Json body = {{"count", 7}, {"name", "Ada"}, {"note", "x"}};
  CHECK(response.json()["data"] == Json{{"count", 7},
                                        {"name", "Ada"},
                                        {"note", "x"},
                                        {"same", true},
                                        {"other", "Ada"},
                                        {"tree", body},
                                        {"body", body},
                                        {"raw", R"({"count":7,"name":"Ada","note":"x"})"}});
}

TEST_CASE("typed path: nothing is decoded if it is disabled") {
  TypedApp app(false);
  const int before = decodings;
  CHECK(app.post(R"({"count":7,"name":"Ada"})").status == 200);
  CHECK(decodings == before);
}

TEST_CASE("typed path: responses are the same if it is disabled") {
  TypedApp with(true);
  TypedApp without(false);
  for (const std::string body :
       {R"({"count":7,"name":"Ada"})", R"({"count":"7","name":"Ada"})",
        R"({"name":"Ada","count":7.0,"more":[1]})", R"({"count":7,"count":8,"name":"Ada"})",
        R"({"count":0,"name":""})", R"({"count":7})", R"({"count":7,"name":"Ada"} x)", "null", "[]",
        "{", "", "\"a\"", R"({"count":7,"name":"A\u0000a"})", R"({"count":7,"name":null})"}) {
    CAPTURE(body);
    const auto first = with.post(body);
    const auto second = without.post(body);
    CHECK(first.status == second.status);
    const auto without_id = [](Json json) {
      json.erase("requestId");
      return json;
    };
    CHECK(without_id(first.json()) == without_id(second.json()));
  }
}

TEST_CASE("typed path: a body set before the validation is validated") {
  TypedApp app(true, [](fw::App& application) {
    application.use([](fw::Request& req, fw::Response&, const fw::Next& next) {
      CHECK(req.body()["name"] == "Ada");
      CHECK(req.valid(fw::Location::body).is_null());
      req.set_body({{"count", "9"}, {"name", "Bob"}});
      next();
    });
  });
  const auto response = app.post(R"({"count":7,"name":"Ada"})");
  REQUIRE(response.status == 200);
  const Json data = response.json()["data"];
  CHECK(data["count"] == 9);
  CHECK(data["name"] == "Bob");
  CHECK(data["tree"] == Json{{"count", 9}, {"name", "Bob"}});
}

TEST_CASE("typed path: a body set after the validation does not change the valid data") {
  TableBuilder builder;
  builder.routes([](fw::Router& router) {
    router.post("/", {.validate = kValidate}, [](fw::Request& req, fw::Response& res) {
      req.set_body({{"name", "Bob"}});
      res.json({{"tree", req.valid(fw::Location::body)},
                {"name", req.valid<Body>().name},
                {"body", req.body()}});
    });
  });
  builder.types({{.decode_body = fw::detail::decode<Body>}});
  TestApp app(builder.table());
  const auto response = app.request("POST", "/").json({{"count", 7}, {"name", "Ada"}}).send();
  CHECK(response.json()["data"] == Json{{"tree", {{"count", 7}, {"name", "Ada"}}},
                                        {"name", "Ada"},
                                        {"body", {{"name", "Bob"}}}});
}

TEST_CASE("typed path: a custom validator gets the tree") {
  int calls = 0;
  TypedApp app(true, [&](fw::App& application) {
    application.set_validator([&](const fw::ValidationInput& input) {
      ++calls;
      CHECK(input.value["name"] == "Ada");
      return input.standard();
    });
  });
  const int before = decodings;
  CHECK(app.post(R"({"count":7,"name":"Ada"})").status == 200);
  CHECK(calls == 1);
  CHECK(decodings == before);
}

TEST_CASE("typed path: hooks see the validated tree") {
  Json tree;
  TypedApp app(true, [&](fw::App& application) {
    application.hooks().on<fw::hooks::ValidationSuccess>(
        [&](fw::hooks::ValidationSuccess& event) { tree = event.req.valid(fw::Location::body); });
  });
  CHECK(app.post(R"({"count":7,"name":"Ada"})").status == 200);
  CHECK(tree == Json{{"count", 7}, {"name", "Ada"}});
}

namespace {

/// As `fairway build` emits it for {{"id", "integer"}, {"name", "string"}}.
struct Response {
  std::int64_t id = {};
  std::string name = {};

  friend void to_json(Json& json, const Response& response) {
    json = {{"id", response.id}, {"name", response.name}};
  }
  friend void fw_encode(fw::detail::JsonWriter& out, const Response& value) {
    ++encodings;
    out.raw(R"({"id":)");
    out.integer(value.id);
    out.raw(R"(,"name":)");
    out.string(value.name);
    out.raw("}");
  }
  static inline int encodings = 0;
};

constexpr fw::detail::ResponseType kResponses[] = {{"200", &typeid(Response)}};

/// Routes that respond with the struct: without a schema, with its own, with another, as a list.
fw::detail::RouteTypes responding_types() { return {.responses = kResponses}; }

void responding_routes(fw::Router& router) {
  const Response response{.id = 7, .name = "Ada"};
  router.get("/free", [=](fw::Request&, fw::Response& res) { res.json(response); });
  router.get("/own", {.responses = {{"200", {{"id", "integer"}, {"name", "string"}}}}},
             [=](fw::Request&, fw::Response& res) { res.json(response); });
  router.get("/other", {.responses = {{"200", {{"name", "string"}}}}},
             [=](fw::Request&, fw::Response& res) { res.json(response); });
  router.get("/list", [=](fw::Request&, fw::Response& res) {
    res.json(std::vector<Response>{response, response}, 201);
  });
  router.get("/none", [=](fw::Request&, fw::Response& res) { res.json(response, 204); });
}

class RespondingApp : private TableBuilder, public TestApp {
 public:
  explicit RespondingApp(fw::Config config = test_config(),
                         const std::function<void(fw::App&)>& set_up = {})
      : TestApp(routes(responding_routes).types({{}, responding_types(), {}, {}, {}}).table(),
                std::move(config), set_up) {}

  std::string data(const std::string& path) {
    const std::string body = request("GET", path).send().body;
    const std::string start = R"({"code":0,"data":)";
    REQUIRE(body.starts_with(start));
    return body.substr(start.size(), body.find(",\"requestId\"") - start.size());
  }
};

}  // namespace

TEST_CASE("typed path: a struct is written in the envelope without a tree") {
  RespondingApp app;
  const auto response = app.request("GET", "/free").header("x-request-id", "r1").send();
  CHECK(response.status == 200);
  CHECK(response.header("content-type") == "application/json; charset=utf-8");
  const int before = Response::encodings;
  CHECK(app.data("/free") == R"({"id":7,"name":"Ada"})");
  CHECK(app.data("/own") == R"({"id":7,"name":"Ada"})");
  CHECK(app.data("/list") == R"([{"id":7,"name":"Ada"},{"id":7,"name":"Ada"}])");
  CHECK(Response::encodings == before + 4);
  const auto list = app.request("GET", "/list").send();
  CHECK(list.status == 201);
  const auto none = app.request("GET", "/none").send();
  CHECK(none.status == 204);
  CHECK(none.body.empty());
  CHECK_FALSE(none.header("content-type"));
}

TEST_CASE("typed path: a struct of another type than declared is shaped as a tree") {
  RespondingApp app;
  const int before = Response::encodings;
  CHECK(app.data("/other") == R"({"name":"Ada"})");
  CHECK(Response::encodings == before);
}

TEST_CASE("typed path: hooks can change the data of a struct") {
  RespondingApp app(TestApp::test_config(), [](fw::App& application) {
    application.hooks().on<fw::hooks::ResponseBefore>(
        [](fw::hooks::ResponseBefore& event) { event.data["name"] = "Bob"; });
  });
  CHECK(app.data("/free") == R"({"id":7,"name":"Bob"})");
  CHECK(app.data("/own") == R"({"id":7,"name":"Bob"})");
}

namespace {

/// As `fairway build` emits it for {{"color", "enum:red,blue"}, {"value", "number"}}.
struct Reading {
  enum class Color { red, blue };
  friend constexpr std::string_view to_string(Color shade) {
    switch (shade) {
      case Color::red:
        return "red";
      case Color::blue:
        return "blue";
    }
    return {};
  }
  friend void to_json(Json& json, Color shade) { json = std::string(to_string(shade)); }

  double value = 1.5;
  Color color = Color::red;

  friend void to_json(Json& json, const Reading& reading) {
    json = {{"value", reading.value}, {"color", reading.color}};
  }
  friend void fw_encode(fw::detail::JsonWriter& out, const Reading& reading) {
    out.raw(R"({"color":)");
    out.string(to_string(reading.color));
    out.raw(R"(,"value":)");
    out.number(reading.value);
    out.raw("}");
  }
};

constexpr fw::detail::ResponseType kReadings[] = {{"200", &typeid(Reading)}};

}  // namespace

TEST_CASE("typed path: NaN, infinities and unknown enum values are handled like in a tree") {
  const std::vector<Reading> readings = {{},
                                         {.value = std::numeric_limits<double>::quiet_NaN()},
                                         {.value = -std::numeric_limits<double>::infinity()},
                                         {.color = static_cast<Reading::Color>(7)}};
  const auto responses = [&](bool typed_path) {
    TableBuilder builder;
    builder.routes([&](fw::Router& router) {
      for (std::size_t i = 0; i < readings.size(); ++i) {
        const auto respond = [reading = readings[i]](fw::Request&, fw::Response& res) {
          res.json(reading);
        };
        router.get("/own/" + std::to_string(i),
                   {.responses = {{"200", {{"value", "number"}, {"color", "enum:red,blue"}}}}},
                   respond);
        router.get("/free/" + std::to_string(i), respond);
      }
    });
    const fw::detail::RouteTypes own{.responses = kReadings};
    builder.types({own, {}, own, {}, own, {}, own, {}});
    fw::Config config = TestApp::test_config();
    config.typed_path = typed_path;
    TestApp app(builder.table(), config);
    std::vector<std::string> seen;
    for (const std::string path : {"/own/", "/free/"}) {
      for (std::size_t i = 0; i < readings.size(); ++i) {
        const auto response =
            app.request("GET", path + std::to_string(i)).header("x-request-id", "r").send();
        seen.push_back(std::to_string(response.status) + " " + response.body);
      }
    }
    return seen;
  };
  const std::vector<std::string> typed = responses(true);
  const std::vector<std::string> trees = responses(false);
  for (std::size_t i = 0; i < typed.size(); ++i) CHECK(typed.at(i) == trees.at(i));
  CHECK(typed.at(0).starts_with("200 "));
  CHECK(typed.at(1).starts_with("500 "));
  CHECK(typed.at(2).starts_with("500 "));
  CHECK(typed.at(4).starts_with("200 "));
  CHECK(typed.at(5).starts_with("500 "));
  CHECK(typed.at(6).starts_with("500 "));
  CHECK(typed.at(7).starts_with("200 "));
}

TEST_CASE("typed path: structs are written without the envelope, and as trees if it is disabled") {
  fw::Config config = TestApp::test_config();
  config.response.wrap = false;
  RespondingApp bare(config);
  CHECK(bare.request("GET", "/own").send().body == R"({"id":7,"name":"Ada"})");
  config.typed_path = false;
  RespondingApp off(config);
  const int before = Response::encodings;
  CHECK(off.request("GET", "/own").send().body == R"({"id":7,"name":"Ada"})");
  CHECK(Response::encodings == before);
}

}  // namespace typed_path_test
