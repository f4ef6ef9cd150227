// The stage; the rules of single types are tested with the schema library.
#include <doctest/doctest.h>

#include "support/table_builder.hpp"

namespace validation_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;

std::vector<std::string> fields(const fw::testing::TestResponse& r) {
  std::vector<std::string> names;
  for (const Json& error : r.json().value("errors", Json::array())) {
    CHECK(!error["message"].get<std::string>().empty());
    names.push_back(error["field"]);
  }
  return names;
}

using Names = std::vector<std::string>;

void routes(fw::Router& app) {
  app.post("/all/:id",
           {.validate = {.param = {{"id", "integer!"}},
                         .query = {{"q", "integer!"}},
                         .header = {{"X-H", "integer!"}},
                         .cookie = {{"c", "integer!"}},
                         .body = {{"b", "integer!"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"param", req.valid(fw::Location::param)},
                       {"query", req.valid(fw::Location::query)},
                       {"header", req.valid(fw::Location::header)},
                       {"cookie", req.valid(fw::Location::cookie)},
                       {"body", req.valid(fw::Location::body)},
                       {"rawBody", req.body()}});
           });
  app.post("/nested",
           {.validate = {.body = {{"user", {{"name", "string"}, {"addr", {{"zip", "string:5?"}}}}},
                                  {"items", fw::array_of({{"id", "integer"}})},
                                  {"mail", fw::schema_adapter::compile_field("email?")}}}},
           [](fw::Request& req, fw::Response& res) { res.json(req.valid(fw::Location::body)); });
  app.post(
      "/optional",
      {.validate = {.body = {{"address", fw::optional({{"city", "string"}, {"zip", "string?"}})},
                             {"items", fw::optional(fw::array_of({{"id", "integer"}}))}}}},
      [](fw::Request& req, fw::Response& res) { res.json(req.valid(fw::Location::body)); });
  app.get("/none",
          [](fw::Request& req, fw::Response& res) { res.json(req.valid(fw::Location::query)); });
}

}  // namespace

TEST_CASE("validation: an optional object or array may be absent, and is checked if present") {
  OneFileApp app(routes);
  const auto send = [&](const Json& body) {
    return app.request("POST", "/optional").json(body).send();
  };
  CHECK(send(Json::object()).json()["data"] == Json::object());
  CHECK(fields(send({{"address", nullptr}, {"items", nullptr}})) == Names{"address", "items"});
  CHECK(send({{"address", {{"city", "Berlin"}}}, {"items", Json::array({{{"id", "1"}}})}})
            .json()["data"] == Json{{"address", {{"city", "Berlin"}}}, {"items", {{{"id", 1}}}}});
  CHECK(fields(send({{"address", Json::object()}})) == Names{"address/city"});
  CHECK(fields(send({{"items", Json::array({Json::object()})}})) == Names{"items/0/id"});
  CHECK(send({{"address", "Berlin"}}).status == 422);
}

TEST_CASE("validation: a field name with a type suffix fails the start") {
  const auto errors = [](const fw::SchemaMap& body) -> std::string {
    try {
      OneFileApp app([&](fw::Router& router) {
        router.post("/a", {.validate = {.body = body}}, [](fw::Request&, fw::Response&) {});
      });
    } catch (const fw::StartupError& error) {
      return error.errors().at(0);
    }
    return {};
  };
  CHECK(errors({{"address?", {{"city", "string"}}}})
            .ends_with("address?: the name of a field must not end in '?'"));
  CHECK(errors({{"a", {{"zip!", "string"}}}})
            .ends_with("zip!: the name of a field must not end in '!'"));
}

TEST_CASE("validation: an array declared for a header is a list") {
  OneFileApp app([](fw::Router& router) {
    router.get(
        "/",
        {.validate = {.header = {{"X-Label", "array<string>?"},
                                 {"x-ids", "array<integer>:-3?"},
                                 {"x-one", "string?"}}}},
        [](fw::Request& req, fw::Response& res) { res.json(req.valid(fw::Location::header)); });
  });
  const auto send = [&](const std::string& name, const std::string& value) {
    return app.request("GET", "/").header(name, value).send();
  };
  CHECK(send("X-Label", "a, b").json()["data"] == Json{{"x-label", {"a", "b"}}});
  CHECK(send("x-label", " ,a b\t,, ,c,").json()["data"] == Json{{"x-label", {"a b", "c"}}});
  CHECK(send("x-label", "").json()["data"] == Json{{"x-label", Json::array()}});
  CHECK(send("x-ids", "1,0x2,3").json()["data"] == Json{{"x-ids", {1, 2, 3}}});
  CHECK(fields(send("x-ids", "1,x,3")) == Names{"x-ids/1"});
  CHECK(fields(send("x-ids", "1,2,3,4")) == Names{"x-ids"});
  CHECK(send("x-one", "a, b").json()["data"] == Json{{"x-one", "a, b"}});
  CHECK(app.request("GET", "/")
            .header("x-label", "a,b")
            .header("X-Label", "c")
            .send()
            .json()["data"] == Json{{"x-label", {"a", "b", "c"}}});
}

TEST_CASE("validation: path parameters and cookies cannot be arrays") {
  std::vector<std::string> errors;
  try {
    OneFileApp app([&](fw::Router& router) {
      router.get("/:ids",
                 {.validate = {.param = {{"ids", "array<integer>"}},
                               .query = {{"ids", "array<integer>"}},
                               .header = {{"ids", "array<integer>"}},
                               .cookie = {{"ids", fw::array_of({{"id", "integer"}})}}}},
                 [](fw::Request&, fw::Response&) {});
    });
  } catch (const fw::StartupError& error) {
    errors = error.errors();
  }
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].ends_with(
      "validate.param.ids: a path parameter has one value and cannot be an array"));
  CHECK(errors[1].ends_with("validate.cookie.ids: a cookie has one value and cannot be an array"));
}

TEST_CASE("validation: locations after the first failing one are not validated") {
  OneFileApp app(routes);
  const auto send = [&](const std::string& target, const std::string& header,
                        const std::string& cookie, const Json& body) {
    return app.request("POST", target)
        .header("x-h", header)
        .header("Cookie", "c=" + cookie)
        .json({{"b", body}})
        .send();
  };
  const auto param = send("/all/x?q=x", "x", "x", "x");
  CHECK(param.status == 400);
  CHECK(param.json()["code"] == 400);
  CHECK(param.json()["message"] == "Validation failed");
  CHECK(fields(param) == Names{"id"});
  const auto query = send("/all/1?q=x", "x", "x", "x");
  CHECK(query.status == 422);
  CHECK(query.json()["code"] == 422);
  CHECK(fields(query) == Names{"q"});
  CHECK(fields(send("/all/1?q=1", "x", "x", "x")) == Names{"x-h"});
  CHECK(fields(send("/all/1?q=1", "1", "x", "x")) == Names{"c"});
  CHECK(fields(send("/all/1?q=1", "1", "1", "x")) == Names{"b"});
  const Json data = send("/all/1?q=2&extra=x", "3", "4", "5").json()["data"];
  CHECK(data["param"] == Json{{"id", 1}});
  CHECK(data["query"] == Json{{"q", 2}, {"extra", "x"}});
  CHECK(data["header"] == Json{{"x-h", 3}});
  CHECK(data["cookie"] == Json{{"c", 4}});
  CHECK(data["body"] == Json{{"b", 5}});
  CHECK(data["rawBody"] == Json{{"b", "5"}});
}

TEST_CASE("validation: a body of another media type is not said to be absent") {
  OneFileApp app(routes);
  const auto errors_of = [&](const char* type, const std::string& body) {
    return app.request("POST", "/nested")
        .header("content-type", type)
        .body(body)
        .send()
        .json()["errors"];
  };
  CHECK(errors_of("text/plain", "{}") == Json::parse(R"([{"field": "value", "message":
            "value must be sent as application/json or application/x-www-form-urlencoded"}])"));
  CHECK(errors_of("application/json", "") ==
        Json::parse(R"([{"field": "value", "message": "value is required"}])"));
  CHECK(errors_of("application/x-www-form-urlencoded", "a=1").size() == 2);
}

TEST_CASE("validation: nested objects, arrays of objects and builders") {
  OneFileApp app(routes);
  const auto send = [&](const Json& body) {
    return app.request("POST", "/nested").json(body).send();
  };
  CHECK(fields(send({{"user", {{"name", 1}, {"addr", {{"zip", "1"}}}}},
                     {"items", {{{"id", 1}}, {{"x", 1}}}},
                     {"mail", "no"}})) ==
        Names{"user/name", "user/addr/zip", "items/1/id", "mail"});
  CHECK(send({{"user", {{"name", "n"}, {"addr", Json::object()}}}, {"items", Json::array()}})
            .status == 200);
  CHECK(fields(app.request("POST", "/nested").send()) == Names{"value"});
}

TEST_CASE("validation: a body referenced by a middleware is not modified") {
  const auto keeps_body = [](fw::App& app) {
    app.use([](fw::Request& req, fw::Response& res, fw::Next next) {
      const Json& body = req.body();
      next();
      res.set_header("x-body", body.dump());
    });
  };
  OneFileApp app(routes, fw::testing::TestApp::test_config(), keeps_body);
  const auto r = app.request("POST", "/all/1?q=1")
                     .header("x-h", "1")
                     .header("Cookie", "c=1")
                     .json({{"b", "7"}})
                     .send();
  CHECK(r.header("x-body") == R"({"b":"7"})");
  CHECK(r.json()["data"]["body"] == Json{{"b", 7}});
  CHECK(r.json()["data"]["rawBody"] == Json{{"b", "7"}});
}

TEST_CASE("validation: declared arrays of a query or a form take all values of their name") {
  OneFileApp app([](fw::Router& router) {
    const fw::SchemaMap fields = {
        {"label", "array<string>?"}, {"n", "array<integer>:-3?"}, {"one", "string?"}};
    router.get("/", {.validate = {.query = fields}}, [](fw::Request& req, fw::Response& res) {
      const auto labels = req.valid(fw::Location::query).value("label", Json::array());
      res.json({{"valid", req.valid(fw::Location::query)},
                {"typed", labels.get<std::vector<std::string>>()},
                {"first", req.query("label").value_or("")}});
    });
    router.post("/", {.validate = {.body = fields}}, [](fw::Request& req, fw::Response& res) {
      res.json({{"valid", req.valid(fw::Location::body)}, {"body", req.body()}});
    });
  });
  const auto get = [&](const std::string& query) {
    const auto r = app.request("GET", "/?" + query).send();
    return r.status == 200 ? r.json()["data"] : Json(r.status);
  };
  CHECK(get("label=a&one=x&label=b&one=y&label=a") ==
        Json{{"valid", {{"label", {"a", "b", "a"}}, {"one", "x"}}},
             {"typed", {"a", "b", "a"}},
             {"first", "a"}});
  CHECK(get("label=a")["valid"] == Json{{"label", {"a"}}});
  CHECK(get("label=")["valid"] == Json{{"label", {""}}});
  CHECK(get("la%62el=a%20b&x=1")["valid"] == Json{{"label", {"a b"}}, {"x", "1"}});
  CHECK(get("")["valid"] == Json::object());
  CHECK(get("n=1&n=2")["valid"] == Json{{"n", {1, 2}}});
  CHECK(get("n=1&n=x") == 422);
  CHECK(get("n=1&n=2&n=3&n=4") == 422);
  const auto form = app.request("POST", "/")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .body("label=a&one=x&label=b&n=7&one=y")
                        .send();
  CHECK(form.json()["data"] == Json{{"valid", {{"label", {"a", "b"}}, {"n", {7}}, {"one", "y"}}},
                                    {"body", {{"label", "b"}, {"n", "7"}, {"one", "y"}}}});
  CHECK(app.request("POST", "/").json({{"label", "a"}}).send().status == 422);
}

TEST_CASE("validation: the valid data of a location without a schema is null") {
  OneFileApp app(routes);
  CHECK(app.request("GET", "/none?a=1").send().json()["data"] == nullptr);
}

TEST_CASE("validation: an invalid schema fails the start") {
  try {
    const OneFileApp app([](fw::Router& router) {
      router.get("/x", {.validate = {.query = {{"a", {{"b", "strin"}}}}}},
                 [](fw::Request&, fw::Response&) {});
    });
    FAIL("the application started");
  } catch (const fw::StartupError& error) {
    REQUIRE(error.errors().size() == 1);
    CHECK(error.errors()[0].find("GET /x: validate.query.a: b: 'strin': ") != std::string::npos);
  }
}

TEST_CASE("validation: a custom validator replaces the framework's and can call it") {
  OneFileApp app(
      [](fw::Router& router) {
        router.post("/:id",
                    {.validate = {.param = {{"id", "integer"}}, .body = {{"name", "string:1-3"}}}},
                    [](fw::Request& req, fw::Response& res) {
                      res.json({{"id", req.valid(fw::Location::param)["id"]},
                                {"body", req.valid(fw::Location::body)}});
                    });
      },
      fw::testing::TestApp::test_config(),
      [](fw::App& a) {
        a.set_validator([](const fw::ValidationInput& input) -> fw::ValidationResult {
          fw::ValidationResult result = input.standard();
          if (input.location == fw::Location::param && input.value["id"] == "13") {
            result.errors.push_back({"id", "id brings bad luck"});
          }
          if (input.location == fw::Location::body) {
            result.value["fields"] = input.fields.entries().size();
            result.value["path"] = input.request.path();
          }
          return result;
        });
      });
  const auto good = app.request("POST", "/7").json({{"name", "Ada"}}).send();
  CHECK(good.json()["data"] ==
        Json{{"id", 7}, {"body", {{"name", "Ada"}, {"fields", 1}, {"path", "/7"}}}});
  const auto bad = app.request("POST", "/13").json({{"name", "Ada"}}).send();
  CHECK(bad.status == 400);
  CHECK(bad.json()["errors"] == Json{{{"field", "id"}, {"message", "id brings bad luck"}}});
  CHECK(app.request("POST", "/7").json({{"name", "Adam"}}).send().status == 422);
}

TEST_CASE("validation: a custom validator reads the parsed body without parsing it again") {
  const Json* parsed = nullptr;
  bool is_same = false;
  OneFileApp app(
      [&](fw::Router& a) {
        a.post("/", {.validate = {.body = {{"name", "string"}, {"tags", "array<string>?"}}}},
               [&](fw::Request& req, fw::Response& res) {
                 is_same = &req.body() == parsed;
                 res.json({{"valid", req.valid(fw::Location::body)}, {"body", req.body()}});
               });
      },
      fw::testing::TestApp::test_config(),
      [&](fw::App& a) {
        a.set_validator([&](const fw::ValidationInput& input) {
          parsed = &input.request.body();
          is_same = &input.value == parsed;
          CHECK(is_same == (input.value["name"] != "form"));  // a form's lists are its own
          return input.standard();
        });
      });
  const auto send = [&](std::string type, std::string body) {
    return app.request("POST", "/").header("content-type", std::move(type)).body(std::move(body));
  };
  const auto json = send("application/json", R"({"name":"Ada"})").send();
  CHECK(is_same);
  CHECK(json.json()["data"] == Json{{"valid", {{"name", "Ada"}}}, {"body", {{"name", "Ada"}}}});
  const auto form = send("application/x-www-form-urlencoded", "name=form&tags=a&tags=b").send();
  CHECK(is_same);
  CHECK(form.json()["data"] == Json{{"valid", {{"name", "form"}, {"tags", {"a", "b"}}}},
                                    {"body", {{"name", "form"}, {"tags", "b"}}}});
}

}  // namespace validation_test
