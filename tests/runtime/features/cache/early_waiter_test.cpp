// Requests for a response that is being made wait before they are handled, and occupy no thread.
#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/loopback.hpp"
#include "server_connections.hpp"
#include "support/table_builder.hpp"

namespace early_waiter_test {

namespace {

using fw::http::test::Client;
using fw::http::test::eventually;
using fw::http::test::Gate;
using fw::http::test::OpensAtEnd;
using fw::http::test::ReceivedResponse;
using namespace std::chrono_literals;

constexpr std::size_t kThreads = 2;
constexpr int kWaiting = 4 * static_cast<int>(kThreads);

std::string get(std::string_view target, std::string_view fields = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

/// An application with two threads and the route /slow, whose handler waits for the gate unless
/// `is_quick`.
class Server {
 public:
  explicit Server(fw::RouteCacheOptions options = {.ttl = 60'000}, fw::Timeout timeout = {},
                  std::int64_t wait_timeout = 30'000)
      : app(config(wait_timeout)) {
    table_.routes([this, options, timeout](fw::Router& router) {
      router.get("/slow", {.cache = options, .timeout = timeout},
                 [this](fw::Request&, fw::Response& res) {
                   const int call = ++calls;
                   if (!is_quick) gate.wait();
                   if (call <= failures) fw::raise(500, "failed");
                   if (sets_cookie) res.set_header("set-cookie", "a=b");
                   res.json({{"call", call}});
                 });
      router.get("/plain", [](fw::Request&, fw::Response& res) { res.json("plain"); });
    });
    app.use([this](fw::Request& req, fw::Response&, fw::Next next) {
      if (req.path().starts_with("/slow")) ++handled;
      if (req.header("x-reject")) fw::raise(401, "rejected");
      next();
    });
    app.mount(table_.table());
    app.start();
  }

  std::unique_ptr<Client> send(const std::string& request) const {
    auto client = std::make_unique<Client>(app.port());
    client->send(request);
    return client;
  }
  /// Sends requests for /slow: one that leads, and others that wait for it.
  std::vector<std::unique_ptr<Client>> send_all(int count = kWaiting) {
    std::vector<std::unique_ptr<Client>> clients;
    clients.push_back(send(get("/slow")));
    REQUIRE(eventually([&] { return calls == 1; }));
    for (int i = 1; i < count; ++i) clients.push_back(send(get("/slow")));
    settle();
    return clients;
  }
  /// Returns when requests that were sent before have been received by a thread.
  void settle() const {
    for (int i = 0; i < 20; ++i) {
      CHECK(send(get("/plain"))->read_response().body.find("plain") != std::string::npos);
    }
  }

  Gate gate;
  std::atomic<int> calls = 0;    ///< of the handler
  std::atomic<int> handled = 0;  ///< requests that have reached the middleware
  std::atomic<int> failures = 0;
  std::atomic<bool> sets_cookie = false;
  std::atomic<bool> is_quick = false;
  fw::App app;

 private:
  static fw::Config config(std::int64_t wait_timeout) {
    fw::Config config = fw::testing::TestApp::test_config();
    config.host = "127.0.0.1";
    config.port = 0;
    config.server.min_workers = kThreads;
    config.server.max_workers = kThreads;
    config.server.queue_timeout = 60'000;
    config.cache.wait_timeout = wait_timeout;
    return config;
  }

  fw::support::TableBuilder table_;
};

bool is_call(const ReceivedResponse& response, int call) {
  return response.status == 200 &&
         response.body.find("\"call\":" + std::to_string(call)) != std::string::npos;
}

}  // namespace

TEST_CASE("cache: requests that wait for the response to another one occupy no thread") {
  Server server;
  const OpensAtEnd opener(server.gate);
  const auto clients = server.send_all();
  CHECK(server.handled == 1);
  server.gate.open();
  for (const auto& client : clients) CHECK(is_call(client->read_response(), 1));
  CHECK(server.calls == 1);
  CHECK(server.handled == kWaiting);
}

TEST_CASE("cache: if a handler fails, one of the requests that wait without a thread leads") {
  for (const int failures : {1, 10}) {
    CAPTURE(failures);
    Server server;
    const OpensAtEnd opener(server.gate);
    server.failures = failures;
    const auto clients = server.send_all();
    server.gate.open();
    int failed = 0;
    int rejected = 0;
    for (const auto& client : clients) {
      const auto response = client->read_response();
      if (response.status == 500) ++failed;
      if (response.status == 503) ++rejected;
      if (failures == 1 && response.status != 500) CHECK(is_call(response, 2));
    }
    // After three failures in a row, none of the others tries it.
    CHECK(failed == (failures == 1 ? 1 : 3));
    CHECK(rejected == (failures == 1 ? 0 : kWaiting - 3));
    CHECK(server.calls == (failures == 1 ? 2 : 3));
  }
}

TEST_CASE("cache: a request that waits without a thread is not handled if its client has gone") {
  Server server;
  const OpensAtEnd opener(server.gate);
  server.failures = 1;
  auto clients = server.send_all();
  for (std::size_t i = 1; i <= 3; ++i) clients[i]->reset();
  server.settle();
  server.gate.open();
  CHECK(clients[0]->read_response().status == 500);
  for (std::size_t i = 4; i < clients.size(); ++i) {
    CHECK(is_call(clients[i]->read_response(), 2));
  }
  CHECK(server.handled == kWaiting - 3);
}

TEST_CASE("cache: a wait without a thread ends when the client closes its side") {
  Server server;
  const OpensAtEnd opener(server.gate);
  auto clients = server.send_all();
  for (std::size_t i = 1; i <= 3; ++i) clients[i]->close();
  CHECK(eventually([&] { return ServerConnections(server.app.port()).left == 0; }));
  server.gate.open();
  CHECK(is_call(clients[0]->read_response(), 1));
  for (std::size_t i = 4; i < clients.size(); ++i) {
    CHECK(is_call(clients[i]->read_response(), 1));
  }
  CHECK(server.handled == kWaiting - 3);
}

TEST_CASE("cache: a request that would lead and is rejected before lets the next one lead") {
  Server server;
  const OpensAtEnd opener(server.gate);
  server.failures = 1;
  const auto first = server.send(get("/slow"));
  REQUIRE(eventually([&] { return server.calls == 1; }));
  const auto second = server.send(get("/slow", "X-Reject: 1\r\n"));
  server.settle();
  const auto third = server.send(get("/slow"));
  server.settle();
  CHECK(server.handled == 1);
  server.gate.open();
  CHECK(first->read_response().status == 500);
  CHECK(second->read_response().status == 401);
  CHECK(is_call(third->read_response(), 2));
}

TEST_CASE("cache: the wait without a thread ends after cache.waitTimeout") {
  Server server({.ttl = 60'000}, {}, 200);
  const OpensAtEnd opener(server.gate);
  auto clients = server.send_all();
  for (std::size_t i = 1; i < clients.size(); ++i) {
    const auto response = clients[i]->read_response();
    CHECK(response.status == 503);
    CHECK(response.field("retry-after") == "1");
  }
  CHECK(server.calls == 1);
}

TEST_CASE("cache: the timeout of the route includes the wait without a thread") {
  Server server({.ttl = 60'000}, 200);
  const OpensAtEnd opener(server.gate);
  auto clients = server.send_all();
  for (const auto& client : clients) CHECK(client->read_response().status == 504);
  CHECK(server.calls == 1);
}

TEST_CASE("cache: requests that wait without a thread run the handler if it is not to be shared") {
  Server server;
  const OpensAtEnd opener(server.gate);
  server.sets_cookie = true;
  auto clients = server.send_all();
  server.gate.open();
  for (const auto& client : clients) CHECK(client->read_response().status == 200);
  CHECK(server.calls == kWaiting);
}

TEST_CASE("cache: requests with another key, and after an invalidation, do not wait") {
  Server server({.ttl = 60'000, .headers = {"X-Kind"}});
  const OpensAtEnd opener(server.gate);
  auto clients = server.send_all(3);
  server.is_quick = true;
  CHECK(is_call(server.send(get("/slow?other"))->read_response(), 2));
  CHECK(is_call(server.send(get("/slow", "X-Kind: b\r\n"))->read_response(), 3));
  // Requests with cookies are not cached.
  CHECK(is_call(server.send(get("/slow", "Cookie: a=b\r\n"))->read_response(), 4));
  CHECK(server.handled == 4);
  server.app.cache().clear();
  CHECK(is_call(server.send(get("/slow"))->read_response(), 5));
}

TEST_CASE("cache: a stale response is sent at once while another request renews it") {
  Server server({.ttl = 1, .stale_while_revalidate = 60'000});
  const OpensAtEnd opener(server.gate);
  server.is_quick = true;
  CHECK(is_call(server.send(get("/slow"))->read_response(), 1));
  server.is_quick = false;
  std::this_thread::sleep_for(5ms);
  const auto renewing = server.send(get("/slow"));
  REQUIRE(eventually([&] { return server.calls == 2; }));
  const auto stale = server.send(get("/slow"))->read_response();
  CHECK(stale.field("x-cache") == "STALE");
  CHECK(is_call(stale, 1));
}

TEST_CASE("cache: other threads replace those that wait for a response, up to a bound") {
  // Nothing in the head tells that these requests have the same key.
  Server server({.ttl = 60'000, .key = "same"});
  const OpensAtEnd opener(server.gate);
  std::vector<std::unique_ptr<Client>> clients;
  clients.push_back(server.send(get("/slow")));
  REQUIRE(eventually([&] { return server.calls == 1; }));
  for (std::size_t i = 0; i < kThreads; ++i) {
    clients.push_back(server.send(get("/slow?" + std::to_string(i))));
  }
  REQUIRE(eventually([&] { return server.handled == 1 + static_cast<int>(kThreads); }));
  server.settle();
  const auto rejected = server.send(get("/slow?more"))->read_response();
  CHECK(rejected.status == 503);
  CHECK(rejected.field("retry-after") == "1");
  server.settle();
  server.gate.open();
  for (const auto& client : clients) CHECK(is_call(client->read_response(), 1));
  CHECK(server.calls == 1);
}

TEST_CASE("cache: requests that waited for the run of another key wait for their own") {
  // Nothing in the hint tells the tenants apart.
  Server server({.ttl = 60'000, .partition_key = [](fw::Request& req) {
                   return std::string(req.header("x-tenant").value_or(""));
                 }});
  const OpensAtEnd opener(server.gate);
  const auto first = server.send(get("/slow", "X-Tenant: a\r\n"));
  REQUIRE(eventually([&] { return server.calls == 1; }));
  std::vector<std::unique_ptr<Client>> others;
  for (std::size_t i = 0; i < 20 * kThreads; ++i) {
    others.push_back(server.send(get("/slow", "X-Tenant: b\r\n")));
  }
  server.settle();
  server.gate.open();
  CHECK(is_call(first->read_response(), 1));
  for (const auto& client : others) CHECK(is_call(client->read_response(), 2));
  CHECK(server.calls == 2);
}

TEST_CASE("cache: requests that waited for an invalidated response wait for the next one") {
  Server server;
  const OpensAtEnd opener(server.gate);
  const auto clients = server.send_all(20 * static_cast<int>(kThreads));
  server.app.cache().clear();
  server.gate.open();
  CHECK(is_call(clients[0]->read_response(), 1));
  for (std::size_t i = 1; i < clients.size(); ++i) {
    CHECK(is_call(clients[i]->read_response(), 2));
  }
  CHECK(server.calls == 2);
}

TEST_CASE("cache: all spellings of a host and a path wait without a thread") {
  Server server;
  const OpensAtEnd opener(server.gate);
  const auto clients = server.send_all(2);
  std::vector<std::unique_ptr<Client>> others;
  for (int i = 0; i < 3; ++i) {
    for (const std::string host : {"A", "a:80", "A.", "a"}) {
      others.push_back(server.send("GET /slow/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n"));
    }
  }
  server.settle();
  CHECK(server.handled == 1);
  server.gate.open();
  for (const auto& client : others) CHECK(is_call(client->read_response(), 1));
}

}  // namespace early_waiter_test
