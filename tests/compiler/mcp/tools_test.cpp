// What the tools show, and which requests they send.
#include "mcp/tools.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <vector>

#include "files/user_error.hpp"
#include "mcp/application_tools.hpp"
#include "mcp/request_sender.hpp"
#include "served.hpp"

namespace mcp_tools_test {

using namespace mcp_test;
using namespace fairway;
using namespace std::chrono_literals;

namespace {

Json run(const Application& application, const std::string& tool, const Json& arguments) {
  MadeUpSource source(application);
  return mcp::ApplicationTools(source).run(tool, arguments);
}

std::vector<std::string> paths(const Json& arguments) {
  std::vector<std::string> found;
  const Json result = run({}, "routes", arguments);
  for (const Json& row : result["structuredContent"]["routes"]) {
    found.push_back(row["method"].get<std::string>() + ' ' + row["path"].get<std::string>());
  }
  return found;
}

std::string text_of(const Json& result) { return result["content"][0]["text"].get<std::string>(); }

Json document() {
  return Json::parse(R"({
    "paths": {
      "/orders/{id}": {
        "parameters": [],
        "get": {"operationId": "getOrder", "summary": "Read an order", "responses": {"200":
          {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}}},
        "delete": {"operationId": "deleteOrder", "responses": {}}
      }
    },
    "components": {"schemas": {
      "Order": {"properties": {"parts": {"items": {"$ref": "#/components/schemas/Part"}}}},
      "Part": {"properties": {"whole": {"$ref": "#/components/schemas/Order"}}},
      "Other": {"type": "string"}
    }}})");
}

}  // namespace

TEST_CASE("mcp routes: by a part of the path, by the path of a request, by method") {
  using Paths = std::vector<std::string>;
  CHECK(paths(Json::object()).size() == 4);
  CHECK(paths({{"path", "order"}}).size() == 3);
  CHECK(paths({{"path", "/orders/7?fields=id"}}) == Paths{"GET /orders/:id"});
  CHECK(paths({{"path", "/orders"}, {"method", "POST"}}) == Paths{"POST /orders"});
  CHECK(paths({{"path", "/live"}, {"method", "GET"}}) == Paths{"SOCKET /live"});
  CHECK(paths({{"path", "/other"}}).empty());
}

TEST_CASE("mcp diagnostics: by file and severity, with the summary of all") {
  Application application;
  application.diagnostics = [] {
    Json report = Application::report();
    report["summary"] = {{"errors", 1}, {"warnings", 2}};
    report["diagnostics"] = {{{"file", "src/routes/a.cpp"}, {"severity", "error"}},
                             {{"file", "src/routes/a.cpp"}, {"severity", "warning"}},
                             {{"file", "src/routes/b.cpp"}, {"severity", "warning"}}};
    return report;
  };
  const auto count = [&](const Json& arguments) {
    const Json report = run(application, "diagnostics", arguments)["structuredContent"];
    CHECK(report["summary"]["warnings"] == 2);
    return report["diagnostics"].size();
  };
  CHECK(count(Json::object()) == 3);
  CHECK(count({{"file", "a.cpp"}}) == 2);
  CHECK(count({{"severity", "warning"}}) == 2);
  CHECK(count({{"file", "a.cpp"}, {"severity", "warning"}}) == 1);
}

TEST_CASE("mcp openapi: an operation or a schema, with the components that it needs") {
  Application application;
  application.document = document;
  const auto show = [&](const Json& arguments) {
    return run(application, "openapi", arguments)["structuredContent"];
  };
  const Json all = show(Json::object());
  CHECK(all["schemas"] == Json::array({"Order", "Part", "Other"}));
  CHECK(all["operations"][0] == Json({{"operation_id", "getOrder"},
                                      {"method", "GET"},
                                      {"path", "/orders/{id}"},
                                      {"summary", "Read an order"}}));
  CHECK(all["operations"].size() == 2);
  const Json one = show({{"operation", "getOrder"}});
  CHECK(one["operation"]["summary"] == "Read an order");
  CHECK(one["components"]["schemas"].size() == 2);
  CHECK(one["components"]["schemas"].contains("Part"));
  CHECK(show({{"operation", "GET /orders/{id}"}}) == one);
  CHECK(show({{"schema", "Other"}})["components"].empty());
  CHECK(show({{"schema", "Part"}})["components"]["schemas"].contains("Order"));
  const auto error = [&](const Json& arguments) {
    return text_of(run(application, "openapi", arguments));
  };
  CHECK(error({{"operation", "getOrdr"}}) ==
        "there is no operation 'getOrdr'; did you mean 'getOrder'?");
  CHECK(error({{"schema", "Nothing"}}) ==
        "there is no schema 'Nothing'; without arguments, 'openapi' lists them");
  CHECK(error({{"schema", "Part"}, {"operation", "getOrder"}}) ==
        "'operation' and 'schema' cannot be used together");
}

TEST_CASE("mcp explain: a rule, or the nearest one") {
  Served server;
  server.start();
  const Json rule = server.call("explain", {{"rule", "duplicate-route"}})["structuredContent"];
  CHECK(rule["id"] == "duplicate-route");
  CHECK(rule["severity"] == "error");
  CHECK(!rule["explanation"].get<std::string>().empty());
  CHECK(text_of(server.call("explain", {{"rule", "duplicate-rout"}})) ==
        "there is no rule 'duplicate-rout'; did you mean 'duplicate-route'?");
}

TEST_CASE("mcp call: a route must have the method and the path") {
  const auto check = [](const char* method, const char* path) {
    const Json result = run({}, mcp::kCheckCall, {{"method", method}, {"path", path}});
    return result.is_null() ? std::string() : text_of(result);
  };
  CHECK(check("GET", "/orders/7?a=b").empty());
  CHECK(check("HEAD", "/orders/7").empty());
  CHECK(check("POST", "/orders").empty());
  CHECK(check("GET", "/other") == "no route serves '/other': the tool 'routes' lists the routes");
  CHECK(check("DELETE", "/orders/7").starts_with("no route serves DELETE '/orders/7', only GET"));
  CHECK(check("GET", "/live") == "'/live' is a socket, not an operation");
}

TEST_CASE("mcp call: while the routes have errors, those from before count") {
  bool has_errors = true;
  Application application;
  application.routes = [&]() -> Json {
    if (has_errors) throw mcp::ErrorsInRoutes("the routes have 1 error");
    return Application::route_table();
  };
  MadeUpSource source(application);
  mcp::ApplicationTools tools(source);
  const Json arguments = {{"method", "GET"}, {"path", "/orders"}};
  CHECK(text_of(tools.run(mcp::kCheckCall, arguments)) == "the routes have 1 error");
  has_errors = false;
  CHECK(tools.run(mcp::kCheckCall, arguments).is_null());
  has_errors = true;
  CHECK(tools.run(mcp::kCheckCall, arguments).is_null());
  CHECK(tools.run("routes", Json::object())["isError"] == true);
}

TEST_CASE("mcp call: only requests that say what they are") {
  const auto error = [](const Json& headers, const char* path = "/orders") {
    return mcp::request_error({{"method", "GET"}, {"path", path}, {"headers", headers}});
  };
  CHECK(error(Json::object()).empty());
  CHECK(error({{"X-Text", "a\tb"}}).empty());
  for (const char* path : {"orders", "", "/a b", "/a#b", "/ä", "/a\r\nHost: x"}) {
    CHECK(error(Json::object(), path).starts_with("'path' must begin with '/'"));
  }
  CHECK(error({{"a b", "1"}}) == "'a b' is not the name of a header");
  CHECK(error({{"A", "1\r\nB: 2"}}) == "the value of the header 'A' has control characters");
  CHECK(error({{"Content-Length", "1"}}) ==
        "the header 'Content-Length' cannot be given: the client sets it");
  CHECK_FALSE(error({{"TRANSFER-encoding", "chunked"}}).empty());
}

TEST_CASE("mcp call: only this machine, unless others are allowed") {
  for (const char* url : {"http://127.0.0.1:3000", "http://127.9.9.9", "http://localhost:1/api",
                          "http://[::1]:3000"}) {
    CHECK_NOTHROW(mcp::check_base_url(url, false));
  }
  for (const char* url :
       {"http://192.0.2.1:80", "http://127.0.0.1.example:80", "http://example.org",
        "http://[::2]:80", "http://0.0.0.0:80", "http://localhost.example"}) {
    CHECK_THROWS_AS(mcp::check_base_url(url, false), UserError);
    CHECK_NOTHROW(mcp::check_base_url(url, true));
  }
  for (const char* url : {"https://127.0.0.1", "127.0.0.1:3000", "http://", "http://a:b@127.0.0.1",
                          "http://127.0.0.1?x", "http://127.0.0.1#x", "http://127.0.0.1\r\n"}) {
    CHECK_THROWS_AS(mcp::check_base_url(url, true), UserError);
  }
}

TEST_CASE("mcp requests: the latest first, by error, route and trace") {
  const auto row = [](int id, const char* target, const Json& status, const Json& route) {
    return Json{{"id", id},
                {"target", target},
                {"status", status},
                {"route", route},
                {"trace", id % 2 == 0 ? "even" : "odd"},
                {"duration", 1}};
  };
  Json rows = {{"requests",
                {row(1, "/orders/7", 200, "/orders/:id"), row(2, "/orders", 422, "/orders"),
                 row(3, "/other", 500, nullptr), row(4, "/orders", nullptr, nullptr)}}};
  const auto ids = [&](const Json& arguments) {
    std::vector<int> found;
    const Json selected = mcp::selected_requests(rows, arguments);
    for (const Json& each : selected["requests"]) {
      found.push_back(each["id"]);
    }
    return found;
  };
  CHECK(ids(Json::object()) == std::vector{4, 3, 2, 1});
  CHECK(ids({{"errors", true}}) == std::vector{4, 3, 2});
  CHECK(ids({{"route", "orders/"}}) == std::vector{1});
  CHECK(ids({{"trace", "even"}}) == std::vector{4, 2});
  CHECK(ids({{"trace", "even"}, {"errors", true}, {"limit", 1}}) == std::vector{4});
  CHECK(mcp::selected_requests(rows, {{"limit", 1}})["total"] == 4);
  rows["requests"][3]["duration"] = nullptr;  // it is running
  rows["requests"][3]["target"] = std::string(1'000, 'x');
  CHECK(ids({{"errors", true}}) == std::vector{3, 2});
  const Json cut = mcp::selected_requests(rows, {{"limit", 1}})["requests"][0]["target"];
  CHECK(cut.get<std::string>().size() == 500);
}

TEST_CASE("mcp call: a program that does not respond is not waited for") {
  // It accepts connections, because the kernel does, and never reads.
  const fw::base::FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(::bind(listener.get(), generic, size) == 0);
  REQUIRE(::listen(listener.get(), 8) == 0);
  REQUIRE(::getsockname(listener.get(), generic, &size) == 0);
  const std::string url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const Json request = {{"method", "GET"}, {"path", "/orders"}};

  Served server({},
                {.version = {}, .folder = {}, .base_url = url, .analysis = {}, .call_time = 200ms});
  server.start();
  const Json result = server.call("call", request);
  CHECK(result["isError"] == true);
  CHECK(text_of(result) == "no complete response within 0.2 s");

  Served other({}, {.version = {}, .folder = {}, .base_url = url, .analysis = {}, .call_time = 1h});
  other.start();
  other.begin_call(1, "call", request);
  CHECK(other.ask(2, "ping")["result"] == Json::object());
  other.send(
      {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 1}}}});
  other.end_input();
  CHECK(other.wait() == 0);  // nothing runs any more
}

}  // namespace mcp_tools_test
