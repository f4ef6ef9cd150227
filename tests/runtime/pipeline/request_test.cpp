// Request id, proxies, headers, cookies, cancellation.
#include <doctest/doctest.h>

#include "app/app_core.hpp"
#include "support/table_builder.hpp"
#include "testing/memory_transaction.hpp"

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::testing::TestApp;

void routes(fw::Router& app) {
  app.get("/id", [](fw::Request& req, fw::Response& res) { res.json(req.request_id()); });
  app.get("/ip", [](fw::Request& req, fw::Response& res) {
    res.text(std::string(req.ip()) + " " + std::string(req.protocol()));
  });
  app.get("/headers", [](fw::Request& req, fw::Response& res) {
    res.json({{"all", req.headers()},
              {"one", req.header("X-Multi").value_or("<absent>")},
              {"cookies", req.cookies()},
              {"a", req.cookie("a").value_or("<absent>")}});
  });
}

bool is_uuid4(std::string_view id) {
  return id.size() == 36 && id[14] == '4' && std::string_view("89ab").find(id[19]) != id.npos;
}

}  // namespace

TEST_CASE("request id: taken, generated, refused") {
  OneFileApp app(routes);
  const auto send = [&](const std::string& id, const std::string& path = "/id") {
    return app.request("GET", path).header("X-Request-Id", id).send();
  };
  CHECK(is_uuid4(app.request("GET", "/id").send().json()["data"].get<std::string>()));
  CHECK(is_uuid4(send("").header("x-request-id").value_or("")));
  const auto own = send("a b;c/d\"é");
  CHECK(own.json()["data"] == "a b;c/d\"é");
  CHECK(own.json()["requestId"] == "a b;c/d\"é");
  CHECK(own.header("x-request-id") == "a b;c/d\"é");
  CHECK(send(std::string(512, 'x')).status == 200);
  for (const std::string path : {"/id", "/nope"}) {
    const auto refused = send(std::string(513, 'x'), path);
    CHECK(refused.status == 500);
    CHECK(is_uuid4(refused.json()["requestId"].get<std::string>()));
  }
  CHECK(send("a\tb").status == 500);
  const auto twice =
      app.request("GET", "/id").header("x-request-id", "a").header("X-Request-Id", "b").send();
  CHECK(twice.header("x-request-id") == "a, b");
}

TEST_CASE("request id: configuration") {
  fw::Config config = TestApp::test_config();
  config.request_id = {
      .header = "X-Trace", .response_header = "X-Trace-Out", .generate = [] { return "gen-1"; }};
  OneFileApp custom(routes, config);
  CHECK(custom.request("GET", "/nope").send().header("x-trace-out") == "gen-1");
  CHECK(custom.request("GET", "/id").header("X-Trace", "in").send().json()["data"] == "in");
  OneFileApp replaced(routes, config,
                      [](fw::App& a) { a.set_request_id_generator([] { return std::string(); }); });
  CHECK(replaced.request("GET", "/id").send().status == 500);
  config.request_id.enabled = false;
  OneFileApp off(routes, config);
  const auto r = off.request("GET", "/id").header("X-Trace", "abc").send();
  CHECK(r.json() == Json{{"code", 0}, {"data", ""}, {"requestId", ""}});
  CHECK(!r.header("x-trace-out"));
}

TEST_CASE("request: address and protocol behind a proxy") {
  const auto seen = [](bool trust, const std::string& address, const std::string& protocol) {
    fw::Config config = TestApp::test_config();
    config.trust_proxy = trust;
    OneFileApp app(routes, config);
    return app.request("GET", "/ip")
        .header("X-Forwarded-For", address)
        .header("X-Forwarded-Proto", protocol)
        .send()
        .body;
  };
  CHECK(seen(false, "9.9.9.9", "https") == "127.0.0.1 http");
  CHECK(seen(true, " 9.9.9.9 , 8.8.8.8", "https") == "9.9.9.9 https");
  CHECK(seen(true, "", "") == "127.0.0.1 http");
  CHECK(seen(true, "::1", "HTTPS, http") == "::1 https");
  CHECK(seen(true, "::1", "ftp") == "::1 http");
}

TEST_CASE("request: headers and cookies") {
  OneFileApp app(routes);
  const Json data = app.request("GET", "/headers")
                        .header("X-Multi", "1")
                        .header("x-multi", "2")
                        .header("Cookie", "a=1%202; b=\"q\"; a=3; broken; =x; c=%zz")
                        .header("Cookie", "d=4")
                        .send()
                        .json()["data"];
  CHECK(data["all"] ==
        Json{{"x-multi", "1, 2"}, {"cookie", "a=1%202; b=\"q\"; a=3; broken; =x; c=%zz; d=4"}});
  CHECK(data["one"] == "1, 2");
  CHECK(data["cookies"] == Json{{"a", "1 2"}, {"b", "q"}, {"c", "%zz"}, {"d", "4"}});
  CHECK(data["a"] == "1 2");
}

TEST_CASE("request: a client that goes away requests the stop and runs the handlers") {
  std::shared_ptr<fw::testing::MemoryTransaction> transaction;
  std::vector<std::string> seen;
  OneFileApp app([&](fw::Router& router) {
    router.get("/wait", [&](fw::Request& req, fw::Response& res) {
      const std::stop_token token = req.signal();
      req.on_close([&] { seen.emplace_back("closed"); });
      CHECK(!token.stop_requested());
      if (req.query("gone")) transaction->disconnect();
      CHECK(token.stop_requested() == req.query("gone").has_value());
      if (req.query("gone")) req.on_close([&] { seen.emplace_back("late"); });
      res.json(1);
    });
  });
  const auto send = [&](const std::string& target) {
    fw::http::RequestHead head;
    head.method = "GET";
    head.target = target;
    transaction = std::make_shared<fw::testing::MemoryTransaction>(std::move(head), "");
    app.app().core().handle(transaction);
  };
  send("/wait?gone");
  CHECK(seen == std::vector<std::string>{"closed", "late"});
  seen.clear();
  send("/wait");
  transaction->disconnect();  // after the answer nobody is told any more
  CHECK(seen.empty());
}
