// app.fetch.proxy: what reaches the upstream, what reaches the client, and what goes wrong between.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "http/loopback.hpp"
#include "support/scripted_upstream.hpp"
#include "support/table_builder.hpp"

namespace proxy_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::Shared;
using fw::support::TableBuilder;

/// An application that passes on what comes, to an upstream that does what the script says.
class Gateway {
 public:
  using Forward = std::function<void(fw::Router&, fw::Request&, fw::Response&)>;

  Gateway(ScriptedUpstream::Script script, Forward forward,
          const std::function<void(fw::App&)>& set_up = {})
      : upstream(std::move(script)),
        app_(
            [forward](fw::Router& router) {
              const auto handler = [forward, &router](fw::Request& req, fw::Response& res) {
                forward(router, req, res);
              };
              router.get("/*", handler);
              router.post("/*", handler);
            },
            config(), set_up) {}

  fw::testing::TestRequest request(std::string method, std::string target) {
    return app_.request(std::move(method), std::move(target));
  }
  fw::testing::TestResponse get(std::string target = "/x") { return request("GET", target).send(); }

  ScriptedUpstream upstream;

 private:
  fw::Config config() const {
    fw::Config config = fw::testing::TestApp::test_config();
    config.fetch.proxy = {{.name = "up", .base_url = upstream.url("/base/")}};
    return config;
  }

  OneFileApp app_;
};

bool has_length(const std::string& request) {
  return request.find("Content-Length: ") != std::string::npos;
}

fw::FetchProxyOptions to(std::string path) { return {.path = std::move(path)}; }

void forward_to_path(fw::Router& router, fw::Request& req, fw::Response& res) {
  router.fetch.proxy["up"](req, res, to("/p"));
}

TEST_CASE("the proxy passes responses on without what is of one connection") {
  Gateway gateway(fw::support::always("HTTP/1.1 418 Teapot\r\nContent-Type: text/plain\r\n"
                                      "Connection: x-hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n"
                                      "X-Request-Id: upstream\r\nX-A: 1\r\nX-A: 2\r\n"
                                      "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
                                      "Content-Length: 4\r\n\r\nbody"),
                  forward_to_path);
  const auto response = gateway.request("GET", "/x").header("x-request-id", "mine").send();
  CHECK(response.status == 418);
  CHECK(response.body == "body");
  CHECK(response.header("x-a") == "1, 2");
  CHECK(response.header("x-request-id") == "mine");
  CHECK(!response.header("x-hop"));
  CHECK(!response.header("keep-alive"));
  CHECK(response.header("content-length") == "4");  // because the body has arrived completely
  std::vector<std::string> cookies;
  for (const auto& [name, value] : response.headers) {
    if (name == "Set-Cookie" || name == "set-cookie") cookies.push_back(value);
  }
  CHECK(cookies == std::vector<std::string>{"a=1", "b=2"});
}

TEST_CASE("the proxy passes on no length that it does not know") {
  const auto head_only = fw::support::always("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
  Gateway gateway(head_only, forward_to_path);
  const auto response = gateway.request("HEAD", "/x").send();
  CHECK(response.status == 200);
  CHECK(!response.header("content-length"));
}

TEST_CASE("the proxy sends what request, call and target say") {
  Shared<std::string> received;
  Gateway gateway(
      [&](ScriptedConnection& connection) {
        received.set(connection.read_request());
        connection.respond(200, "");
      },
      [](fw::Router& router, fw::Request& req, fw::Response& res) {
        router.fetch.proxy["up"](
            req, res,
            {.path = "/p?a=1&b=x y",
             .query = {{"q", 5}, {"gone", nullptr}},
             .forward_headers = {"Content-Type", "Host", "Connection", "Authorization"},
             .inject_headers = [](const fw::FetchProxyHeaderContext& context) {
               return Json{{"x-target", context.target->name}, {"x-null", nullptr}};
             }});
      });
  gateway.request("POST", "/x?b=2&gone=1&%C3%BC=%26")
      .header("Content-Type", "text/x")
      .header("Authorization", "Bearer s")
      .body("content")
      .send();
  const std::string seen = received.get();
  CHECK(seen.starts_with("POST /base/p?a=1&b=2&%C3%BC=%26&q=5 HTTP/1.1\r\n"));
  CHECK(seen.find("content-type: text/x\r\n") != std::string::npos);
  CHECK(seen.find("x-target: up\r\n") != std::string::npos);
  CHECK(seen.find("Bearer") == std::string::npos);
  CHECK(seen.find("x-null") == std::string::npos);
  CHECK(seen.ends_with("\r\n\r\ncontent"));
}

TEST_CASE("errors of the proxy itself are JSON with a status of their own") {
  const auto response_to = [](ScriptedUpstream::Script script, Gateway::Forward forward,
                              const std::function<void(fw::App&)>& set_up = {}) {
    Gateway gateway(std::move(script), std::move(forward), set_up);
    const auto response = gateway.request("GET", "/x").header("x-request-id", "R").send();
    const Json body = response.json();
    CHECK(body.at("requestId") == "R");
    CHECK(body.size() == 3);
    return std::to_string(response.status) + " " + body.at("message").get<std::string>();
  };
  const auto silent = [](ScriptedConnection& connection) { connection.wait_for_end(); };
  const auto with = [](std::string name, fw::FetchProxyOptions options) -> Gateway::Forward {
    return [name, options](fw::Router& router, fw::Request& req, fw::Response& res) {
      router.fetch.proxy[name](req, res, options);
    };
  };
  CHECK(response_to(silent, with("up", to(""))) ==
        "400 Bad Request: path: required for a call of a target");
  for (const char* path : {"/../admin", "/a/%2e%2E/b", "/a/..?x", "/a\\..\\b"}) {
    CHECK(response_to(silent, with("up", to(path))).ends_with("leaves the base URL of the target"));
  }
  CHECK(response_to(silent, with("none", to("/"))) == "500 there is no proxy target 'none'");
  CHECK(response_to(silent, with("up", {.path = "/", .timeout = 30})) ==
        "504 Gateway Timeout: the upstream did not respond in time");
  CHECK(response_to([](ScriptedConnection& connection) { connection.read_request(); },
                    with("up", to("/"))) == "502 Bad Gateway: the upstream could not be reached");
  CHECK(response_to(silent, with("up", to("/")), [](fw::App& app) {
          app.hooks().on<fw::hooks::ProxyBefore>(
              [](fw::hooks::ProxyBefore&) { fw::raise(503, "closed for today"); });
        }) == "503 closed for today");
}

TEST_CASE("a client that goes away ends the request to the upstream") {
  std::promise<void> ended;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    connection.wait_for_end();
    ended.set_value();
  });
  TableBuilder table;
  table.routes([&](fw::Router& router) {
    router.get("/", [&](fw::Request& req, fw::Response& res) {
      router.fetch.proxy(req, res, {.url = upstream.url(), .timeout = 60'000});
    });
  });
  fw::Config config = fw::testing::TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  fw::App app(config);
  app.mount(table.table());
  app.start();
  fw::http::test::Client client(app.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  while (client.input().find("half") == std::string::npos) REQUIRE(client.receive_more());
  client.close();
  CHECK(ended.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready);
}

TEST_CASE("a body that its route streams is forwarded while it arrives") {
  ScriptedUpstream upstream([](ScriptedConnection& connection) {
    // Until the client closes the connection, or sends no whole body.
    for (auto request = connection.read_request(); !request.empty();
         request = connection.read_request()) {
      connection.respond(200, request.substr(request.find("\r\n\r\n") + 4),
                         has_length(request) ? "X-Length: yes\r\n" : "");
    }
  });
  TableBuilder table;
  table.routes([&](fw::Router& router) {
    const auto forward = [&](int timeout, fw::ByteSize most = {}) {
      return [&, timeout, most](fw::Request& req, fw::Response& res) {
        router.fetch.proxy(
            req, res,
            {.url = upstream.url(), .max_body_size = most, .timeout = timeout, .retry = 3});
      };
    };
    const fw::BodyParser streamed{.max_body_size = 20, .stream = true};
    router.put("/", {.body_parser = streamed}, forward(60'000));
    router.put("/small", {.body_parser = streamed}, forward(60'000, 5));
    router.put("/slow", {.body_parser = streamed}, forward(50));
  });
  fw::Config config = fw::testing::TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  fw::App app(config);
  app.mount(table.table());
  app.start();
  using fw::http::test::Client;
  const auto put = [](const std::string& path, const std::string& fields, const std::string& body) {
    return "PUT " + path + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n" + body;
  };

  Client client(app.port());
  client.send(put("/", "Content-Length: 10\r\n", "first"));
  CHECK(fw::http::test::eventually([&] { return upstream.connections() == 1; }));
  const auto whole = client.exchange(" half");
  CHECK(whole.body == "first half");
  CHECK(whole.field("x-length") == "yes");
  CHECK(client.exchange(put("/", "Content-Length: 0\r\n", "")).status == 200);
  const auto chunked =
      client.exchange(put("/", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"));
  CHECK(chunked.body.starts_with("3\r\nabc\r\n0"));
  CHECK(chunked.field("x-length") == "(none)");

  const auto status = [&](const std::string& request) {
    return Client(app.port()).exchange(request).status;
  };
  CHECK(status(put("/", "Content-Length: 21\r\n", std::string(21, 'x'))) == 413);
  CHECK(status(put("/small", "Content-Length: 6\r\n", "")) == 413);
  CHECK(status(put("/small", "Transfer-Encoding: chunked\r\n", "6\r\nabcdef\r\n")) == 413);
  CHECK(status(put("/", "Transfer-Encoding: chunked\r\n", "nonsense\r\n")) == 400);
  CHECK(status(put("/slow", "Content-Length: 5\r\n", "ab")) == 504);
}

TEST_CASE("invalid targets are rejected at startup") {
  const auto errors_of = [](std::vector<fw::FetchProxyTarget> targets) {
    fw::Config config = fw::testing::TestApp::test_config();
    config.fetch.proxy = std::move(targets);
    try {
      TableBuilder table;
      const fw::testing::TestApp app(table.table(), config);
    } catch (const fw::StartupError& error) {
      return error.errors();
    }
    return std::vector<std::string>();
  };
  CHECK(errors_of({{.name = "a", .base_url = "https://a/v1"}}).empty());
  CHECK(
      errors_of({{.name = "a", .base_url = "http://a"}, {.name = "a", .base_url = "http://b"}}) ==
      std::vector<std::string>{"configuration: /fetch/proxy/1/name: there is another target 'a'"});
  CHECK(errors_of({{.name = "constructor", .base_url = "http://a"}}) ==
        std::vector<std::string>{"configuration: /fetch/proxy/0/name: 'constructor' is reserved: "
                                 "choose another name"});
  CHECK(errors_of({{.name = "a", .base_url = "nope"}}).size() == 1);
}

}  // namespace

}  // namespace proxy_test
