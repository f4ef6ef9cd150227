#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/loopback.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"

namespace body_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::testing::TestApp;

void echo(fw::Request& req, fw::Response& res) {
  res.json({{"body", req.has_body() ? req.body() : Json("<absent>")}});
}

void routes(fw::Router& app) {
  app.post("/b", echo);
  app.get("/b", echo);
  app.del("/b", echo);
  app.post("/small", {.body_parser = {.max_body_size = 10}}, echo);
  app.post("/legacy", {.override_ = {.max_body_size = "20b"}}, echo);
  app.post("/both", {.body_parser = {}, .override_ = {.max_body_size = 10}}, echo);
  app.post("/off", {.body_parser = {.enabled = false}}, echo);
  app.post("/raw", [](fw::Request& req, fw::Response& res) {
    const std::string first(req.raw_body());
    res.json({{"raw", first}, {"again", req.raw_body_buffer().size()}});
  });
}

Json parsed(TestApp& app, const std::string& type, const std::string& body,
            const std::string& path = "/b", const std::string& method = "POST") {
  const auto r = app.request(method, path).header("Content-Type", type).body(body).send();
  return r.status == 200 ? r.json()["data"]["body"] : Json(r.status);
}

const Json kAbsent = "<absent>";

/// A server whose handlers do not read bodies, and count how often they run.
struct DeafServer {
  explicit DeafServer(fw::HttpEngine engine, int request_timeout) {
    fw::Config config = fw::support::server_config();
    config.server.engine = engine;
    if (engine == fw::HttpEngine::httplib) {
      config.server.queue_timeout = fw::Config().server.queue_timeout;
    }
    config.server.request_timeout = request_timeout;
    config.cors.enabled = true;
    table.routes([this](fw::Router& router) {
      const auto handler = [this](fw::Request&, fw::Response& res) {
        ++runs;
        res.json("ran");
      };
      router.get("/", handler);
      router.post("/", handler);
      router.post("/off", {.body_parser = {.enabled = false}}, handler);
      router.post("/stream", {.body_parser = {.stream = true}}, handler);
    });
    app.emplace(config);
    app->set_logger(fw::Logger(std::make_shared<fw::support::RecordingSink>()));
    app->mount(table.table());
    app->start();
  }

  std::uint16_t port() const { return static_cast<std::uint16_t>(app->port()); }

  std::atomic<int> runs = 0;
  fw::support::TableBuilder table;
  std::optional<fw::App> app;
};

/// Each engine of the build.
std::vector<fw::HttpEngine> engines() {
#if FAIRWAY_EPOLL
  return {fw::HttpEngine::epoll, fw::HttpEngine::httplib};
#else
  return {fw::HttpEngine::httplib};
#endif
}

constexpr std::string_view kTypes[] = {"text/plain", "application/octet-stream",
                                       "application/json"};

std::string head_of(std::string_view request, std::string_view type, std::string_view framing) {
  return std::string(request) +
         " HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nContent-Type: " + std::string(type) + "\r\n" +
         std::string(framing) + "\r\n\r\n";
}

}  // namespace

TEST_CASE("body: bodies are parsed by media type") {
  OneFileApp app(routes);
  CHECK(parsed(app, "application/json", R"({"a":1})") == Json{{"a", 1}});
  CHECK(parsed(app, "Application/JSON; charset=utf-8", "5") == 5);
  CHECK(parsed(app, "application/problem+json", "[1]") == Json{1});
  CHECK(parsed(app, "application/json", "null") == nullptr);
  CHECK(parsed(app, "text/plain", "text") == kAbsent);
  CHECK(parsed(app, "application/jsonx", "{}") == kAbsent);
  CHECK(parsed(app, "application/json", "") == kAbsent);
  CHECK(parsed(app, "application/x-www-form-urlencoded", "a=1&b=x+y&c=%20&a=2&d") ==
        Json{{"a", "2"}, {"b", "x y"}, {"c", " "}, {"d", ""}});
  CHECK(parsed(app, "application/json", R"({"a":1})", "/b", "GET") == kAbsent);
  CHECK(parsed(app, "application/json", R"({"a":1})", "/b", "DELETE") == Json{{"a", 1}});
  CHECK(app.request("POST", "/b").body("{}").send().json()["data"]["body"] == kAbsent);
}

TEST_CASE("body: malformed JSON is a 400") {
  OneFileApp app(routes);
  for (const std::string text : {"{a:1}", "{\"a\":1", "{} x", " ", "\"\xFF\"", "[1,]"}) {
    CAPTURE(text);
    const auto r =
        app.request("POST", "/b").header("Content-Type", "application/json").body(text).send();
    CHECK(r.status == 400);
    CHECK(r.json()["code"] == 400);
    CHECK(r.json()["message"] == "Bad Request: invalid JSON in request body");
  }
}

TEST_CASE("body: nesting that would exhaust the stack is rejected, brackets in strings ignored") {
  OneFileApp app(routes);
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(parsed(app, "application/json", nested(512)).is_array());
  CHECK(parsed(app, "application/json", nested(513)) == 400);
  CHECK(parsed(app, "application/json", nested(20'000)) == 400);
  CHECK(parsed(app, "application/json", "\"\\\"" + std::string(1'000, '[') + "\"").is_string());
}

TEST_CASE("body: size limits give a 413") {
  OneFileApp app(routes);
  const std::string type = "application/json";
  CHECK(parsed(app, type, "\"" + std::string(1'048'574, 'x') + "\"").is_string());
  CHECK(parsed(app, type, "\"" + std::string(1'048'575, 'x') + "\"") == 413);
  CHECK(parsed(app, type, R"({"a":123})", "/small") == Json{{"a", 123}});
  CHECK(parsed(app, type, R"({"a":12345})", "/small") == 413);
  CHECK(parsed(app, type, R"({"a":12345})", "/legacy") == Json{{"a", 12345}});
  CHECK(parsed(app, type, R"({"a":1234567890123456})", "/legacy") == 413);
  // An object without a size falls back to the global value, not to `override`.
  CHECK(parsed(app, type, R"({"a":12345})", "/both") == Json{{"a", 12345}});
  const auto r = app.request("POST", "/small").json({{"a", "0123456789"}}).send();
  CHECK(r.json()["message"] == "Payload Too Large");
  CHECK(r.json()["code"] == 413);
}

TEST_CASE("body: the numbers of values and of form fields are limited") {
  const auto list = [](std::size_t count) {
    std::string text = "[1";
    for (std::size_t i = 1; i < count; ++i) text += ",1";
    return text + "]";
  };
  fw::Config config = TestApp::test_config();
  config.body_parser.max_values = 100;
  config.body_parser.max_form_fields = 3;
  OneFileApp app(routes, config);
  CHECK(parsed(app, "application/json", list(99)).size() == 99);
  const auto r =
      app.request("POST", "/b").header("Content-Type", "application/json").body(list(100)).send();
  CHECK(r.status == 413);
  CHECK(r.json()["message"] == "Payload Too Large: the request body has more than 100 values");
  CHECK(parsed(app, "application/x-www-form-urlencoded", "a=1&b=2&a=3").size() == 2);
  CHECK(parsed(app, "application/x-www-form-urlencoded", "a=1&b=2&a=3&c=4") == 400);
  OneFileApp standard(routes);
  CHECK(parsed(standard, "application/json", list(49'999)).size() == 49'999);
  CHECK(parsed(standard, "application/json", list(50'000)) == 413);
}

TEST_CASE("body: a disabled parser leaves the body absent") {
  OneFileApp app(routes);
  CHECK(parsed(app, "application/json", R"({"a":1})", "/off") == kAbsent);
  fw::Config config = TestApp::test_config();
  config.body_parser.enabled = false;
  OneFileApp off(routes, config);
  // The route's object does not install a parser.
  CHECK(parsed(off, "application/json", R"({"a":12345})", "/small") == kAbsent);
  CHECK(parsed(off, "application/json", "not json") == kAbsent);
}

TEST_CASE("body: raw bytes are available to handlers") {
  OneFileApp app(routes);
  const auto r =
      app.request("POST", "/raw").header("Content-Type", "text/plain").body("zzz").send();
  CHECK(r.json()["data"] == Json{{"raw", "zzz"}, {"again", 3}});
  fw::Config config = TestApp::test_config();
  config.body_parser.max_body_size = 2;
  OneFileApp small(routes, config);
  CHECK(small.request("POST", "/raw").body("zzz").send().status == 413);
}

TEST_CASE("body: without the whole body, no handler runs, even one that would not read it" *
          doctest::skip(fw::http::test::tests_http2())) {
  for (const fw::HttpEngine engine : engines()) {
    CAPTURE(static_cast<int>(engine));
    const bool is_httplib = engine == fw::HttpEngine::httplib;
    DeafServer server(engine, 60'000);
    std::vector<std::string> requests = {"POST /", "POST /off"};
    if (!is_httplib) requests.push_back("GET /");  // httplib has no bodies of GET
    for (const std::string& request : requests) {
      for (const std::string_view type : kTypes) {
        CAPTURE(request);
        CAPTURE(type);
        fw::http::test::Client client(server.port());
        client.send(head_of(request, type, "Content-Length: 100") + "part");
        client.end_sending();
        const auto cut = client.read_response();
        CHECK(cut.status == 400);
        const Json body = Json::parse(cut.body);
        CHECK(body["message"] == "Bad Request: the request body is incomplete");
        CHECK(body["requestId"] == cut.field("x-request-id"));
        CHECK(cut.field("access-control-allow-origin") != "(none)");
        CHECK(client.sees_end());
        fw::http::test::Client other(server.port());
        const auto malformed = other.exchange(head_of(request, type, "Transfer-Encoding: chunked") +
                                              "4\r\npart\r\nZZ\r\n");
        CHECK(malformed.status == 400);
        CHECK(Json::parse(malformed.body)["message"] == "Bad Request: malformed request body");
      }
    }
    CHECK(server.runs == 0);
    // The field asks for no exception, and of HTTP/1.0 it is ignored.
    for (const std::string_view version : {"1.0", "1.1"}) {
      CAPTURE(version);
      fw::http::test::Client client(server.port());
      client.send("POST / HTTP/" + std::string(version) +
                  "\r\nHost: a\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n");
      if (version == "1.1") CHECK(client.read_response().status == 100);
      client.send("part");
      client.end_sending();
      CHECK(client.read_response().status == 400);
      CHECK(client.sees_end());
    }
    CHECK(server.runs == 0);
    fw::http::test::Client client(server.port());
    client.send(head_of("POST /stream", "text/plain", "Content-Length: 100") + "part");
    CHECK(client.read_response().status == 200);
    CHECK(server.runs == 1);
  }
}

TEST_CASE("body: after requestTimeout, no handler runs, even one that would not read the body" *
          doctest::skip(fw::http::test::tests_http2())) {
  for (const fw::HttpEngine engine : engines()) {
    CAPTURE(static_cast<int>(engine));
    DeafServer server(engine, 50);
    for (const std::string_view type : kTypes) {
      CAPTURE(type);
      fw::http::test::Client client(server.port());
      const auto late = client.exchange(head_of("POST /", type, "Content-Length: 100") + "part");
      CHECK(late.status == 408);
      CHECK(Json::parse(late.body)["message"] == "Request Timeout");
      CHECK(client.sees_end());
    }
    CHECK(server.runs == 0);
  }
}

TEST_CASE("body: chunks beyond the limit run no handler, even one that would not read them" *
          doctest::skip(fw::http::test::tests_http2())) {
  for (const fw::HttpEngine engine : engines()) {
    CAPTURE(static_cast<int>(engine));
    DeafServer server(engine, 60'000);
    fw::http::test::Client client(server.port());
    CHECK(client
              .exchange(head_of("POST /", "text/plain", "Transfer-Encoding: chunked") +
                        "200000\r\n" + std::string(0x200000, 'x') + "\r\n")
              .status == 413);
    CHECK(server.runs == 0);
  }
}

}  // namespace body_test
