// Requests through the whole pipeline: which route, which response when there is none.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "support/table_builder.hpp"
#include "testing/memory_transaction.hpp"

namespace routing_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::TableBuilder;
using fw::testing::TestApp;

void describe(fw::Request& req, fw::Response& res) {
  res.json({{"route", req.route()},
            {"params", req.params()},
            {"query", req.query()},
            {"path", req.path()},
            {"url", req.url()},
            {"method", req.method()}});
}

}  // namespace

TEST_CASE("routing: the request sees prefix and subpath as its template") {
  TableBuilder table;
  table.routes([](fw::Router& app) { app.get("/:id", describe); }, "/users",
               "src/routes/users.cpp");
  TestApp app(table.table());
  const Json data = app.request("GET", "/users/4%202?b=x+y&b=z&c").send().json()["data"];
  CHECK(data["route"] == "/users/:id");
  CHECK(data["params"] == Json{{"id", "4 2"}});
  CHECK(data["query"] == Json{{"b", "x y"}, {"c", ""}});
  CHECK(data["path"] == "/users/4%202");
  CHECK(data["url"] == "/users/4%202?b=x+y&b=z&c");
}

TEST_CASE("routing: query strings are decoded") {
  OneFileApp app([](fw::Router& router) { router.get("/q", describe); });
  const auto query = [&](const std::string& text) {
    return app.request("GET", "/q" + text).send().json()["data"]["query"];
  };
  CHECK(query("") == Json::object());
  CHECK(query("?") == Json::object());
  CHECK(query("?&&a=1&&") == Json{{"a", "1"}});
  CHECK(query("?a=1=2") == Json{{"a", "1=2"}});
  CHECK(query("?A=1&a=2") == Json{{"A", "1"}, {"a", "2"}});
  CHECK(query("?a=%zz") == Json{{"a", "%zz"}});
  CHECK(query("?a=%2B&b=%20") == Json{{"a", "+"}, {"b", " "}});
  CHECK(query("?a=%FF") == Json{{"a", "\xEF\xBF\xBD"}});
  CHECK(query("?a[]=1;b") == Json{{"a[]", "1;b"}});
  CHECK(query("?=1") == Json{{"", "1"}});
}

/// A request that the engine has planned.
class PlannedTransaction : public fw::testing::MemoryTransaction {
 public:
  PlannedTransaction(fw::http::RequestHead head, std::unique_ptr<fw::http::RequestPlan> plan)
      : MemoryTransaction(std::move(head), fw::http::Framing(), [] { return std::string(); }),
        plan_(std::move(plan)) {}
  fw::http::RequestPlan* plan() const override { return plan_.get(); }

 private:
  const std::unique_ptr<fw::http::RequestPlan> plan_;
};

TEST_CASE("routing: a request whose body is awaited is matched once") {
  OneFileApp app([](fw::Router& router) {
    router.post("/items/:id", {.body_parser = {.max_body_size = 77}}, describe);
  });
  const auto& pipeline = fw::detail::Access::core(app.app()).pipeline();
  const auto send = [&](fw::http::RequestHead head, std::unique_ptr<fw::http::RequestPlan> plan) {
    const auto transaction = std::make_shared<PlannedTransaction>(std::move(head), std::move(plan));
    pipeline.handle(transaction);
    return transaction;
  };
  fw::http::RequestHead head;
  head.method = "POST";
  head.target = "/items/4%202?from=here";
  head.has_body = true;
  auto plan = pipeline.plan(head);
  REQUIRE(plan);
  CHECK(plan->body_limit() == 77);
  head.has_body = false;
  head.target = "/elsewhere";  // to see that it is not looked up again
  const auto found = send(std::move(head), std::move(plan));
  CHECK(found->response_head().status == 200);
  CHECK(Json::parse(found->response_body())["data"]["params"] == Json{{"id", "4 2"}});

  fw::http::RequestHead other;
  other.method = "PUT";
  other.target = "/items/7";
  other.has_body = true;
  plan = pipeline.plan(other);
  REQUIRE(plan);
  CHECK(plan->body_limit() == 0);
  other.has_body = false;
  const auto missing = send(std::move(other), std::move(plan));
  CHECK(missing->response_head().status == 405);
  CHECK(missing->response_head().fields.find("allow") == "POST, OPTIONS");
}

TEST_CASE("routing: a zero byte in a path is rejected") {
  OneFileApp app([](fw::Router& router) {
    router.get("/files/*", describe);
    router.get("/users/:id", describe);
  });
  for (const std::string path : {"/files/a%00.png", "/users/%00", "/nowhere%00"}) {
    const auto r = app.request("GET", path).send();
    CHECK(r.status == 400);
    CHECK(r.json()["message"] == "Bad Request: the path contains a zero byte");
  }
  CHECK(app.request("GET", "/users/%2500?x=%00").send().status == 200);
}

TEST_CASE("routing: paths are case-sensitive if configured") {
  const auto routes = [](fw::Router& router) {
    router.get("/Admin/users", describe);
    router.get("/admin/:id", describe);
    router.get("/file-:name.Txt", describe);
  };
  fw::Config config = TestApp::test_config();
  config.router.case_sensitive = true;
  OneFileApp strict(routes, config);
  OneFileApp relaxed(routes);
  const auto route = [](TestApp& app, const std::string& path) {
    const auto r = app.request("GET", path).send();
    return r.status == 200 ? r.json()["data"]["route"] : Json(r.status);
  };
  CHECK(route(strict, "/Admin/users") == "/Admin/users");
  CHECK(route(strict, "/admin/users") == "/admin/:id");
  CHECK(route(strict, "/ADMIN/users") == 404);
  CHECK(route(strict, "/file-a.Txt") == "/file-:name.Txt");
  CHECK(route(strict, "/file-a.txt") == 404);
  CHECK(route(relaxed, "/ADMIN/users") == "/Admin/users");
  CHECK(route(relaxed, "/FILE-a.txt") == "/file-:name.Txt");
}

TEST_CASE("routing: unknown paths, other methods, OPTIONS and HEAD") {
  OneFileApp app([](fw::Router& router) {
    router.get("/thing", describe);
    router.post("/post", describe);
  });
  auto missing = app.request("GET", "/nope").send();
  CHECK(missing.status == 404);
  CHECK(missing.json() == Json{{"code", 404},
                               {"message", "Not Found"},
                               {"requestId", missing.header("x-request-id").value_or("")}});
  auto wrong = app.request("GET", "/post").send();
  CHECK(wrong.status == 405);
  CHECK(wrong.json()["code"] == 405);
  CHECK(wrong.header("allow") == "POST, OPTIONS");
  auto options = app.request("OPTIONS", "/thing").send();
  CHECK(options.status == 204);
  CHECK(options.body.empty());
  CHECK(options.header("allow") == "GET, HEAD, OPTIONS");
  CHECK(!options.header("content-type"));
  auto head = app.request("HEAD", "/thing").send();
  CHECK(head.status == 200);
  CHECK(head.body.empty());
  CHECK(head.header("content-length").value_or("0") != "0");
}

TEST_CASE("routing: errors of route files are reported together") {
  TableBuilder table;
  table.routes([](fw::Router& app) {
    app.get("/x", describe);
    app.get("/X/", describe);
    app.get("/a/*/b", describe);
    app.post("/size", {.body_parser = {.max_body_size = "huge"}}, describe);
    app.get("/twice",
            {.responses = {{"200", "any"}}, .docs = {.responses = {{"200", {.schema = "any"}}}}},
            describe);
  });
  try {
    const TestApp app(table.table());
    FAIL("the application started");
  } catch (const fw::StartupError& error) {
    REQUIRE(error.errors().size() == 4);
    CHECK(error.errors()[0] ==
          "src/routes/index.cpp:11: GET /X: matches the same requests as GET /x "
          "(src/routes/index.cpp:10)");
    CHECK(error.errors()[1].find("GET /a/*/b: a wildcard must be the last segment") !=
          std::string::npos);
    CHECK(error.errors()[2].find("POST /size: 'body_parser.max_body_size' is not a valid size") !=
          std::string::npos);
    CHECK(error.errors()[3].find("GET /twice: 'docs.responses' also declares a schema for '200'") !=
          std::string::npos);
  }
}

}  // namespace routing_test
