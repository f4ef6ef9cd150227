// Requests for a response that is being made wait before they are handled, and occupy no thread.
#include <fairway/errors.hpp>
#include <fairway/hooks.hpp>
#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

#include "features/cache/stored_responses.hpp"
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
constexpr std::size_t kManyThreads = 8;
constexpr std::int64_t kLong = 600'000;  // milliseconds
constexpr int kWaiting = 4 * static_cast<int>(kThreads);

std::string get(std::string_view target, std::string_view fields = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

/// An application with two threads and the routes /slow and /other, whose handler waits for the
/// gate unless `is_quick`.
class Server {
 public:
  explicit Server(fw::RouteCacheOptions options = {.ttl = 60'000}, fw::Timeout timeout = {},
                  std::int64_t wait_timeout = kLong, std::size_t threads = kThreads,
                  fw::TrustProxy trust_proxy = false)
      : app(config(wait_timeout, threads, std::move(trust_proxy))) {
    table_.routes([this, options, timeout](fw::Router& router) {
      const auto handler = [this](fw::Request&, fw::Response& res) {
        const int call = ++calls;
        Gate* const own = call == 2 ? of_second.load() : nullptr;
        if (!is_quick) (own != nullptr ? *own : gate).wait();
        if (invalidates) app.cache().clear();
        if (call <= failures || call == failing) fw::raise(500, "failed");
        if (sets_cookie) res.set_header("set-cookie", "a=b");
        res.json({{"call", call}});
      };
      router.get("/slow", {.cache = options, .timeout = timeout}, handler);
      router.get("/other", {.cache = options, .timeout = timeout}, handler);
      router.get("/plain", [](fw::Request&, fw::Response& res) { res.json("plain"); });
    });
    app.use(fw::auth(
        {.source = "apiKey", .cookie = "api_key", .verify = [](std::string_view, fw::Request&) {
           return std::optional<fw::AuthIdentity>();
         }}));
    app.use([this](fw::Request& req, fw::Response&, fw::Next next) {
      if (!req.path().starts_with("/plain")) ++handled;
      if (req.header("x-reject")) fw::raise(401, "rejected");
      if (req.header("x-hold")) held.load()->wait();
      if (req.header("x-key")) {
        req.auth().is_authenticated = true;
        req.auth().subject = "known";
      }
      next();
    });
    app.hooks().on<fw::hooks::RequestStart>([](fw::hooks::RequestStart& event) {
      if (event.req.header("x-reject-at-start")) fw::raise(401, "rejected");
    });
    app.hooks().on<fw::hooks::ErrorBeforeResponse>([this](fw::hooks::ErrorBeforeResponse& event) {
      if (event.req.header("x-reject-at-start")) before_rejection.load()->wait();
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
  std::atomic<Gate*> of_second = nullptr;  ///< of the second call, instead
  std::atomic<int> calls = 0;              ///< of the handler
  std::atomic<int> handled = 0;            ///< requests that have reached the middleware
  std::atomic<int> failures = 0;
  std::atomic<int> failing = 0;  ///< the call that fails, too
  std::atomic<bool> sets_cookie = false;
  std::atomic<bool> is_quick = false;
  std::atomic<bool> invalidates = false;          ///< the handler clears the cache
  std::atomic<Gate*> held = nullptr;              ///< for requests with X-Hold
  std::atomic<Gate*> before_rejection = nullptr;  ///< of requests with X-Reject-At-Start
  fw::App app;

 private:
  static fw::Config config(std::int64_t wait_timeout, std::size_t threads,
                           fw::TrustProxy trust_proxy) {
    fw::Config config = fw::testing::TestApp::test_config();
    config.host = "127.0.0.1";
    config.port = 0;
    config.server.min_workers = static_cast<int>(threads);
    config.server.max_workers = static_cast<int>(threads);
    config.server.queue_timeout = 60'000;
    config.cache.wait_timeout = wait_timeout;
    config.trust_proxy = std::move(trust_proxy);
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

TEST_CASE("cache: a request that would lead and is rejected by a hook lets the next one lead") {
  Server server;
  const OpensAtEnd opener(server.gate);
  Gate rejection;
  server.before_rejection = &rejection;
  const OpensAtEnd rejection_opener(rejection);
  server.failures = 1;
  const auto first = server.send(get("/slow"));
  REQUIRE(eventually([&] { return server.calls == 1; }));
  const auto second = server.send(get("/slow", "X-Reject-At-Start: 1\r\n"));
  server.settle();
  const auto third = server.send(get("/slow"));
  server.settle();
  CHECK(server.handled == 1);
  server.gate.open();
  CHECK(first->read_response().status == 500);
  // Before the rejection is sent.
  CHECK(eventually([&] { return server.calls == 2; }));
  rejection.open();
  CHECK(second->read_response().status == 401);
  CHECK(is_call(third->read_response(), 2));
}

TEST_CASE("cache: the wait without a thread ends after cache.waitTimeout") {
  Server server({.ttl = 60'000}, {}, 5'000);  // all of them arrive before
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
  CHECK(server.handled == 1);
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

namespace {

/// Responses to requests of which most are rejected.
struct Crowd {
  /// Nothing in their heads tells that the requests have the same key.
  Crowd(Server& server, int count, std::string_view target, std::string_view fields = "") {
    const int before = server.handled;
    for (int i = 0; i < count; ++i) {
      const std::string query = "?" + std::to_string(before + i);
      clients.push_back(server.send(get(std::string(target) + query, fields)));
    }
    REQUIRE(eventually([&] { return server.handled == before + count; }));
  }
  std::size_t responses() const {
    std::size_t count = 0;
    for (const auto& client : clients) {
      pollfd readable{client->fd(), POLLIN, 0};
      if (poll(&readable, 1, 0) > 0) ++count;
    }
    return count;
  }
  /// Reads the responses there are: rejections.
  std::size_t take_rejections() {
    return std::erase_if(clients, [](const auto& client) {
      pollfd readable{client->fd(), POLLIN, 0};
      if (poll(&readable, 1, 0) <= 0) return false;
      const auto response = client->read_response();
      CHECK(response.status == 503);
      CHECK(response.field("retry-after") == "1");
      return true;
    });
  }

  std::vector<std::unique_ptr<Client>> clients;
};

fw::RouteCacheOptions keyed_by_kind() {
  return {.ttl = 60'000, .key = [](fw::Request& req) {
            return std::string(req.header("x-kind").value_or("none"));
          }};
}

}  // namespace

TEST_CASE("cache: threads that wait for a response leave room for other routes") {
  Server server(keyed_by_kind(), {}, kLong, kManyThreads);
  const OpensAtEnd opener(server.gate);
  const auto leader = server.send(get("/slow"));
  REQUIRE(eventually([&] { return server.calls == 1; }));
  // A third may wait for the response.
  constexpr std::size_t kFew = 20;
  constexpr std::size_t kThird = 3;
  Crowd crowd(server, kFew, "/slow");
  REQUIRE(eventually([&] { return crowd.responses() == kFew - kThird; }));
  CHECK(crowd.take_rejections() == kFew - kThird);
  // All that wait for the route are at most a half.
  const auto second_leader = server.send(get("/slow?b", "X-Kind: b\r\n"));
  REQUIRE(eventually([&] { return server.calls == 2; }));
  Crowd second(server, kFew, "/slow", "X-Kind: b\r\n");
  REQUIRE(eventually([&] { return second.responses() == kFew - 1; }));
  CHECK(second.take_rejections() == kFew - 1);
  // Another route has its share.
  const auto other_leader = server.send(get("/other"));
  REQUIRE(eventually([&] { return server.calls == 3; }));
  Crowd other(server, 1, "/other");
  server.settle();
  CHECK(other.responses() == 0);
  server.gate.open();
  for (const auto& client : crowd.clients) CHECK(is_call(client->read_response(), 1));
  for (const auto& client : second.clients) CHECK(is_call(client->read_response(), 2));
  CHECK(is_call(other.clients.front()->read_response(), 3));
  CHECK(server.calls == 3);
  // The places are free again.
  server.gate.close();
  const auto last_leader = server.send(get("/slow?c", "X-Kind: c\r\n"));
  REQUIRE(eventually([&] { return server.calls == 4; }));
  Crowd last(server, kFew, "/slow", "X-Kind: c\r\n");
  REQUIRE(eventually([&] { return last.responses() == kFew - kThird; }));
  server.gate.open();
}

TEST_CASE("cache: requests of one partition leave room for other routes") {
  Server server({.ttl = 60'000, .partition_key = [](fw::Request&) { return std::string("all"); }},
                {}, kLong, kManyThreads);
  const OpensAtEnd opener(server.gate);
  const auto leader = server.send(get("/slow"));
  const auto other_leader = server.send(get("/other"));
  REQUIRE(eventually([&] { return server.calls == 2; }));
  std::vector<std::unique_ptr<Client>> spellings;
  for (std::size_t i = 0; i < 4 * kManyThreads; ++i) {
    spellings.push_back(
        server.send(get("/slow", "Authorization: Bearer " + std::to_string(i) + "\r\n")));
  }
  REQUIRE(eventually([&] { return server.handled == 2 + 4 * static_cast<int>(kManyThreads); }));
  const auto other = server.send(get("/other", "Authorization: Bearer other\r\n"));
  REQUIRE(eventually([&] { return server.handled == 3 + 4 * static_cast<int>(kManyThreads); }));
  server.settle();
  server.gate.open();
  CHECK(other->read_response().status == 200);
  CHECK(server.calls == 2);
}

TEST_CASE("cache: requests of another partition do not wait for a run that is not theirs") {
  Server server(
      {.ttl = 60'000,
       .partition_key =
           [](fw::Request& req) { return std::string(req.header("x-tenant").value_or("")); }},
      {}, kLong, kManyThreads);
  const OpensAtEnd opener(server.gate);
  server.is_quick = true;
  CHECK(is_call(server.send(get("/slow", "X-Tenant: fresh\r\n"))->read_response(), 1));
  server.is_quick = false;
  const auto first = server.send(get("/slow", "X-Tenant: a\r\n"));
  REQUIRE(eventually([&] { return server.calls == 2; }));
  const auto hit = server.send(get("/slow", "X-Tenant: fresh\r\n"))->read_response();
  CHECK(hit.field("x-cache") == "HIT");
  CHECK(is_call(hit, 1));
  // Other tenants run their handlers at the same time.
  const auto second = server.send(get("/slow", "X-Tenant: b\r\n"));
  CHECK(eventually([&] { return server.calls == 3; }));
  server.gate.open();
  CHECK(first->read_response().status == 200);
  CHECK(second->read_response().status == 200);
}

TEST_CASE("cache: a field with an equals sign does not wait for the run of two fields") {
  fw::RouteCacheOptions options{.ttl = 60'000};
  options.headers = {"X-A"};
  Server server(options);
  const OpensAtEnd opener(server.gate);
  const auto two = server.send(get("/slow", "X-A: a\r\nX-A: b\r\n"));
  REQUIRE(eventually([&] { return server.calls == 1; }));
  const auto one = server.send(get("/slow", "X-A: a=b\r\n"));
  CHECK(eventually([&] { return server.calls == 2; }));
}

TEST_CASE("cache: a stored response for one scheme is sent while another scheme's is made") {
  Server server({.ttl = 60'000}, {}, kLong, kThreads, true);
  const OpensAtEnd opener(server.gate);
  const std::string https = get("/slow", "X-Forwarded-Proto: https\r\n");
  server.is_quick = true;
  CHECK(is_call(server.send(https)->read_response(), 1));
  server.is_quick = false;
  const auto first = server.send(get("/slow", "X-Forwarded-Proto: http\r\n"));
  REQUIRE(eventually([&] { return server.calls == 2; }));
  CHECK(server.send(https)->read_response().field("x-cache") == "HIT");
  // Those with the same scheme wait without a thread, however they say it.
  const auto second = server.send(get("/slow"));
  server.settle();
  CHECK(server.handled == 3);
  server.gate.open();
  CHECK(is_call(first->read_response(), 2));
  CHECK(is_call(second->read_response(), 2));
}

TEST_CASE("cache: all that waited without a thread are handled while the first ones are not") {
  Gate middleware;
  Server server({.ttl = 60'000}, {}, kLong, kManyThreads);
  const OpensAtEnd opener(server.gate);
  const OpensAtEnd middleware_opener(middleware);
  server.held = &middleware;
  const auto leader = server.send(get("/slow"));
  REQUIRE(eventually([&] { return server.calls == 1; }));
  std::vector<std::unique_ptr<Client>> first;
  for (int i = 0; i < 4; ++i) first.push_back(server.send(get("/slow", "X-Hold: 1\r\n")));
  server.settle();
  std::vector<std::unique_ptr<Client>> others;
  for (int i = 0; i < 20; ++i) others.push_back(server.send(get("/slow")));
  server.settle();
  CHECK(server.handled == 1);
  server.gate.open();
  for (const auto& client : others) CHECK(is_call(client->read_response(), 1));
  middleware.open();
  for (const auto& client : first) CHECK(is_call(client->read_response(), 1));
}

TEST_CASE("cache: requests that middlewares take out of the cache stop early waits of the route") {
  // On a busy machine, a thread may receive the first such request after the gate has been opened.
  CHECK(eventually([] {
    Server server({.ttl = 60'000}, {}, kLong, kManyThreads);
    const OpensAtEnd opener(server.gate);
    const auto leader = server.send(get("/slow"));
    REQUIRE(eventually([&] { return server.calls == 1; }));
    const auto known = server.send(get("/slow", "X-Key: 1\r\n"));
    server.settle();
    CHECK(server.handled == 1);
    server.gate.open();
    CHECK(is_call(leader->read_response(), 1));
    CHECK(is_call(known->read_response(), 2));
    // From now on, the route knows.
    server.gate.close();
    const auto next_leader = server.send(get("/slow?next"));
    REQUIRE(eventually([&] { return server.calls == 3; }));
    const auto other = server.send(get("/slow?next", "X-Key: 1\r\n"));
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (server.calls != 4 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(2ms);
    }
    return server.calls == 4;
  }));
}

TEST_CASE("cache: a request with credentials does not stop early waits, also if they are wrong") {
  for (const std::string_view field : {"X-API-Key: wrong\r\n", "Cookie: api_key=wrong\r\n"}) {
    CAPTURE(std::string(field));
    Server server({.ttl = 60'000, .allow_cookie_cache = true}, {}, kLong, kManyThreads);
    const OpensAtEnd opener(server.gate);
    const auto leader = server.send(get("/slow"));
    REQUIRE(eventually([&] { return server.calls == 1; }));
    const auto unknown = server.send(get("/slow", field));
    server.settle();
    // One that has waited early is seen to have another key now.
    server.gate.open();
    CHECK(leader->read_response().status == 200);
    CHECK(unknown->read_response().status == 200);
    server.gate.close();
    const int calls = server.calls;
    const auto next_leader = server.send(get("/slow?next"));
    REQUIRE(eventually([&] { return server.calls == calls + 1; }));
    const int handled = server.handled;
    const auto other = server.send(get("/slow?next"));
    server.settle();
    CHECK(server.handled == handled);
    server.gate.open();
    CHECK(is_call(other->read_response(), calls + 1));
  }
}

TEST_CASE("cache: a run that lasts longer than cache.waitTimeout is not waited for") {
  constexpr auto kWait = 100ms;
  Server server({.ttl = 60'000}, {}, kWait.count(), kManyThreads);
  const OpensAtEnd opener(server.gate);
  const auto hung = server.send(get("/slow"));
  REQUIRE(eventually([&] { return server.calls == 1; }));
  std::this_thread::sleep_for(kWait);
  server.is_quick = true;
  CHECK(is_call(server.send(get("/slow"))->read_response(), 2));
  server.gate.open();
  CHECK(is_call(hung->read_response(), 1));
}

namespace {

/// Two runs for /slow that last longer than cache.waitTimeout; each ends when its gate opens.
struct TwoLateRuns {
  explicit TwoLateRuns(int failing = 0) {
    server.of_second = &second;
    server.failing = failing;
    for (const int call : {1, 2}) {
      slow.push_back(server.send(get("/slow")));
      REQUIRE(eventually([&] { return server.calls == call; }));
      std::this_thread::sleep_for(kWait);
    }
  }

  static constexpr auto kWait = 100ms;
  Server server{{.ttl = 60'000}, {}, kWait.count(), kManyThreads};
  Gate second;
  const OpensAtEnd opener{server.gate};
  const OpensAtEnd second_opener{second};
  std::vector<std::unique_ptr<Client>> slow;
};

}  // namespace

TEST_CASE("cache: a response that takes longer than cache.waitTimeout is stored, and a newer one") {
  TwoLateRuns runs;
  Server& server = runs.server;
  const auto stored = [&] { return server.send(get("/slow"))->read_response(); };
  // The newer run has not ended.
  server.gate.open();
  CHECK(is_call(runs.slow[0]->read_response(), 1));
  CHECK(is_call(stored(), 1));
  runs.second.open();
  CHECK(is_call(runs.slow[1]->read_response(), 2));
  CHECK(is_call(stored(), 2));
}

TEST_CASE("cache: a response that takes longer than cache.waitTimeout replaces no newer one") {
  TwoLateRuns runs;
  Server& server = runs.server;
  server.is_quick = true;
  CHECK(is_call(server.send(get("/slow"))->read_response(), 3));
  server.gate.open();
  CHECK(is_call(runs.slow[0]->read_response(), 1));
  runs.second.open();
  CHECK(is_call(runs.slow[1]->read_response(), 2));
  CHECK(is_call(server.send(get("/slow"))->read_response(), 3));
  CHECK(server.calls == 3);
}

TEST_CASE("cache: a late response replaces no newer one, also if a run between them has failed") {
  TwoLateRuns runs(2);
  Server& server = runs.server;
  runs.second.open();
  CHECK(runs.slow[1]->read_response().status == 500);
  server.is_quick = true;
  CHECK(is_call(server.send(get("/slow"))->read_response(), 3));
  server.gate.open();
  CHECK(is_call(runs.slow[0]->read_response(), 1));
  CHECK(is_call(server.send(get("/slow"))->read_response(), 3));
}

TEST_CASE("cache: requests that waited for an invalidated response wait for the next one") {
  Server server;
  const OpensAtEnd opener(server.gate);
  const auto clients = server.send_all(20 * static_cast<int>(kThreads));
  server.app.cache().clear();
  server.gate.open();
  CHECK(is_call(clients[0]->read_response(), 1));
  for (std::size_t i = 1; i < clients.size(); ++i) CHECK(is_call(clients[i]->read_response(), 2));
  CHECK(server.calls == 2);
}

TEST_CASE("cache: requests that waited for an invalidated response are never invalidated again") {
  Server server;
  const OpensAtEnd opener(server.gate);
  server.invalidates = true;
  const auto clients = server.send_all();
  server.gate.open();
  CHECK(is_call(clients[0]->read_response(), 1));
  for (std::size_t i = 1; i < clients.size(); ++i) CHECK(is_call(clients[i]->read_response(), 2));
  CHECK(server.calls == 2);
}

namespace {

/// Requests for a response that has been invalidated, of which the one that is to lead the next run
/// is in a middleware until the end.
struct SlowToLead {
  SlowToLead() {
    server.held = &middleware;
    leader = server.send(get("/slow"));
    REQUIRE(eventually([&] { return server.calls == 1; }));
    next = server.send(get("/slow", "X-Hold: 1\r\n"));
    server.settle();
    for (int i = 0; i < 20; ++i) others.push_back(server.send(get("/slow")));
    server.settle();
    server.app.cache().clear();
    server.gate.open();
    CHECK(is_call(leader->read_response(), 1));
    REQUIRE(eventually([&] { return server.handled == 2; }));
  }

  Gate middleware;
  Server server{{.ttl = 60'000}, {}, 30'000, kManyThreads};
  const OpensAtEnd opener{server.gate};
  const OpensAtEnd middleware_opener{middleware};
  std::unique_ptr<Client> leader;
  std::unique_ptr<Client> next;
  std::vector<std::unique_ptr<Client>> others;
};

}  // namespace

TEST_CASE("cache: requests wait without a thread for a run that is slow to begin") {
  SlowToLead slow;
  std::this_thread::sleep_for(500ms);  // in which they would be released
  CHECK(slow.server.handled == 2);
  slow.middleware.open();
  CHECK(is_call(slow.next->read_response(), 2));
  for (const auto& client : slow.others) CHECK(is_call(client->read_response(), 2));
  CHECK(slow.server.calls == 2);
}

TEST_CASE("cache: a request that comes first leads those that wait for a slower one") {
  SlowToLead slow;
  CHECK(is_call(slow.server.send(get("/slow"))->read_response(), 2));
  for (const auto& client : slow.others) CHECK(is_call(client->read_response(), 2));
  slow.middleware.open();
  CHECK(is_call(slow.next->read_response(), 2));
  CHECK(slow.server.calls == 2);
}

TEST_CASE("cache: requests get the response of the first run after they came, whatever follows") {
  Server server({.ttl = 60'000}, {}, 600'000, kManyThreads);
  Gate second;
  server.of_second = &second;
  const OpensAtEnd opener(server.gate);
  const OpensAtEnd second_opener(second);
  const auto parked = [&] {
    return dynamic_cast<fw::detail::StoredResponses&>(server.app.cache()).runs()->arrivals();
  };
  const auto first = server.send(get("/slow"));
  REQUIRE(eventually([&] { return server.calls == 1; }));
  std::vector<std::unique_ptr<Client>> others;
  for (int i = 0; i < 20; ++i) others.push_back(server.send(get("/slow")));
  REQUIRE(eventually([&] { return parked() == 20; }));
  // The application invalidates the response more often than the handler ends.
  std::vector<std::unique_ptr<Client>> leaders;
  for (const int calls : {2, 3}) {
    server.app.cache().clear();
    leaders.push_back(server.send(get("/slow")));
    REQUIRE(eventually([&] { return server.calls == calls; }));
  }
  second.open();
  CHECK(is_call(leaders[0]->read_response(), 2));
  for (const auto& client : others) CHECK(is_call(client->read_response(), 2));
  CHECK(server.calls == 3);
  server.gate.open();
  CHECK(is_call(first->read_response(), 1));
  CHECK(is_call(leaders[1]->read_response(), 3));
}

TEST_CASE("cache: a run that began before an invalidation does not replace a newer response") {
  Server server;
  const OpensAtEnd opener(server.gate);
  const auto clients = server.send_all(2);
  server.app.cache().clear();
  server.is_quick = true;
  CHECK(is_call(server.send(get("/slow"))->read_response(), 2));
  // The first run ends with a response that is for its client only.
  server.sets_cookie = true;
  server.gate.open();
  CHECK(is_call(clients[0]->read_response(), 1));
  CHECK(clients[1]->read_response().status == 200);
  const auto stored = server.send(get("/slow"))->read_response();
  CHECK(stored.field("x-cache") == "HIT");
  CHECK(is_call(stored, 2));
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
