#include <doctest/doctest.h>

#include "support/table_builder.hpp"

namespace response_schema_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::testing::TestApp;

/// Responds with the JSON text of the query's `data` with the status of `status`.
void echo(fw::Request& req, fw::Response& res) {
  res.status(std::stoi(std::string(req.query("status").value_or("200"))));
  res.json(Json::parse(req.query("data").value_or("null")));
}

std::string errors_of(const fw::RouteOptions& options) {
  try {
    OneFileApp app([&](fw::Router& router) { router.get("/", options, echo); });
  } catch (const fw::StartupError& error) {
    return error.errors().at(0);
  }
  return "";
}

}  // namespace

TEST_CASE("response schema: selected by exact status, then family, then default") {
  OneFileApp app([](fw::Router& router) {
    router.get("/",
               {.responses = {{201, {{"a", "string"}}},
                              {"2xx", {{"b", "string"}}},
                              {"default", {{"c", "string"}}}}},
               echo);
  });
  const auto data = [&](int status) {
    return app
        .request("GET",
                 "/?status=" + std::to_string(status) + "&data=" + R"({"a":"1","b":"2","c":"3"})")
        .send()
        .json()["data"];
  };
  CHECK(data(201) == Json{{"a", "1"}});
  CHECK(data(200) == Json{{"b", "2"}});
  CHECK(data(404) == Json{{"c", "3"}});
}

TEST_CASE("response schema: a mismatch is a 500, explained in the log") {
  auto sink = std::make_shared<RecordingSink>();
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", {.responses = {{200, {{"list", fw::array_of({{"id", "integer"}})}}}}},
                   echo);
      },
      TestApp::test_config(), [&](fw::App& a) { a.set_logger(fw::Logger(sink)); });
  const auto r = app.request("GET", R"(/?data={"list":[{"id":1},{"x":2}]})").send();
  CHECK(r.status == 500);
  CHECK(r.json()["message"] == "Internal Server Error");
  REQUIRE(sink->messages(fw::LogLevel::error).size() == 1);
  CHECK(sink->messages(fw::LogLevel::error)[0] ==
        "the response of GET / with status 200 is not as declared: 'list/1/id' is required");
  CHECK(app.request("GET", "/?data=[]").send().status == 500);
}

TEST_CASE("response schema: raw and non-JSON responses are not shaped") {
  const fw::RouteOptions options{.responses = {{"default", {{"id", "integer"}}}}};
  OneFileApp app([&](fw::Router& router) {
    router.get("/raw", options, [](fw::Request&, fw::Response& res) { res.raw_json({{"z", 1}}); });
    router.get("/text", options, [](fw::Request&, fw::Response& res) { res.text("t"); });
    router.get("/none", options, [](fw::Request&, fw::Response& res) { res.json({}, 204); });
    router.get("/away", options, [](fw::Request&, fw::Response& res) { res.redirect("/x"); });
    router.get("/error", options,
               [](fw::Request& req, fw::Response&) { req.app().raise(409, "taken"); });
    router.get("/head", options, [](fw::Request&, fw::Response& res) { res.json({{"z", 1}}); });
  });
  CHECK(app.request("GET", "/raw").send().json() == Json{{"z", 1}});
  CHECK(app.request("GET", "/text").send().body == "t");
  CHECK(app.request("GET", "/none").send().status == 204);
  CHECK(app.request("GET", "/away").send().status == 302);
  CHECK(app.request("GET", "/error").send().json()["message"] == "taken");
  CHECK(app.request("HEAD", "/head").send().status == 200);
  CHECK(app.request("GET", "/head").send().status == 500);
}

TEST_CASE("response schema: HEAD has the Content-Length of GET") {
  OneFileApp app([](fw::Router& router) {
    router.get("/", {.responses = {{200, {{"id", "integer"}}}}},
               [](fw::Request&, fw::Response& res) {
                 res.json({{"id", "7"}, {"undeclared", std::string(100, 'x')}});
               });
  });
  const auto get = app.request("GET", "/").header("x-request-id", "r").send();
  const auto head = app.request("HEAD", "/").header("x-request-id", "r").send();
  CHECK(get.json()["data"] == Json{{"id", 7}});
  CHECK(head.body.empty());
  CHECK(head.header("content-length") == get.header("content-length"));
}

TEST_CASE("response schema: response:before can change the status that selects it") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", {.responses = {{200, {{"a", "string"}}}, {"4xx", {{"err", "string"}}}}},
                   echo);
      },
      TestApp::test_config(),
      [](fw::App& a) {
        a.hooks().on<fw::hooks::ResponseBefore>([](fw::hooks::ResponseBefore& event) {
          event.status = 404;
          event.data["err"] = "E";
        });
      });
  const auto r = app.request("GET", R"(/?data={"a":"1"})").send();
  CHECK(r.status == 404);
  CHECK(r.json()["data"] == Json{{"err", "E"}});
}

TEST_CASE("response schema: documented schemas may have the same braces") {
  const fw::RouteOptions options = {
      .docs = {.responses = {{200, {.schema = {{"a", "string"}}}},
                             {201, {.schema = {{{"a", "string"}}}}},
                             {202, {.schema = {{"a", "string"}, {"b", {{"c", "string"}}}}}},
                             {203, {.schema = {{{"a", "string"}, {"b", "string"}}}}},
                             {400, {.schema = fw::SchemaMap{{"a", "string"}}}},
                             {401, {.schema = fw::ResponseSchema{{"a", "string"}}}},
                             {402, {.schema = fw::array_of({{"a", "string"}})}},
                             {403, {.schema = "string"}},
                             {404, {.schema = fw::json_schema("true")}},
                             {500, {.schema = {}}},
                             {501, {.schema = std::nullopt}}}}};
  for (const auto& response : options.docs.responses) {
    const bool is_declared = !response.name.str().starts_with('5');
    CHECK((response.value.schema.get() != nullptr) == is_declared);
  }
  const auto fields_of = [&](std::size_t index) {
    const auto& schema =
        (options.docs.responses.begin() + static_cast<std::ptrdiff_t>(index))->value.schema.get();
    return std::get<fw::SchemaField>(schema->get()).fields().entries().size();
  };
  CHECK(fields_of(0) == 1);
  CHECK(fields_of(1) == 1);
  CHECK(fields_of(2) == 2);
  CHECK(fields_of(3) == 2);
}

TEST_CASE("response schema: invalid declarations fail the start") {
  CHECK(errors_of({.responses = {{"2x", {{"a", "string"}}}}})
            .ends_with("responses.2x: '2x' is not a status (\"201\"), a family (\"2xx\") or "
                       "\"default\""));
  CHECK(errors_of({.responses = {{200, fw::json_schema("{")}}}).find("responses.200: ") !=
        std::string::npos);
  CHECK(errors_of({.responses = {{200, fw::json_schema(R"({"$ref": "#/x"})")}}})
            .ends_with("responses.200: has a '$ref' to '#/x', which is not there"));
  CHECK(errors_of({.responses = {{200, {{"a", "strin"}}}}}).find("a: 'strin'") !=
        std::string::npos);
  CHECK(errors_of({.responses = {{200, {{"a", "string"}}}, {"200", {{"a", "string"}}}}})
            .ends_with("responses.200: '200' is declared twice"));
}

}  // namespace response_schema_test
