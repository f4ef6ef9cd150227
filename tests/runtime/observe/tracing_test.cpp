// Traces of requests of whole applications, as a collector receives them.
#include <fairway/auth.hpp>
#include <fairway/errors.hpp>
#include <fairway/sockets.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "eventually.hpp"
#include "exchange/route_plan.hpp"
#include "features/session/session_prefetch.hpp"
#include "http/loopback.hpp"
#include "support/collector.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"
#include "support/traced.hpp"
#include "testing/memory_transaction.hpp"

namespace tracing_test {

namespace {

using fairway::test::eventually;
using fw::Json;
using fw::support::children;
using fw::support::CollectedSpan;
using fw::support::Collector;
using fw::support::count_named;
using fw::support::kCaller;
using fw::support::kSampled;
using fw::support::kTrace;
using fw::support::kUnsampled;
using fw::support::named;
using fw::support::OneFileApp;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::Shared;
using fw::support::Traced;
using fw::support::traced;
using fw::support::traceparent_in;
using fw::testing::TestApp;
using namespace std::chrono_literals;

/// A request that has waited for a thread, and before that for its session.
class WaitingTransaction : public fw::testing::MemoryTransaction {
 public:
  class Plan : public fw::detail::RoutePlan {
   public:
    using RoutePlan::RoutePlan;
    bool prepare(const fw::http::RequestHead&,
                 const std::shared_ptr<fw::http::WaitingRequest>&) noexcept override {
      return false;
    }
  };

  explicit WaitingTransaction(bool is_planned)
      : MemoryTransaction(waiting_head(), fw::http::Framing(), [] { return std::string(); }) {
    queued_for_ = 60'000ms;
    if (!is_planned) return;
    plan_ = std::make_unique<Plan>(fw::routing::Matcher::Match(), nullptr);
    plan_->begin = std::chrono::steady_clock::now() - 1h;
    plan_->session = std::make_shared<fw::detail::SessionPrefetch>("id", "key", nullptr);
  }
  fw::http::RequestPlan* plan() const override { return plan_.get(); }

 private:
  static fw::http::RequestHead waiting_head() {
    fw::http::RequestHead head;
    head.method = "GET";
    head.target = "/";
    return head;
  }

  std::unique_ptr<Plan> plan_;
};

std::uint64_t seconds_of(const CollectedSpan& span) {
  return (span.end - span.begin + 500'000'000) / 1'000'000'000;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("tracing: a request has a span by the conventions of OpenTelemetry, with its stages") {
  Traced traced([](fw::Router& router) {
    router.get("/users/:id", {.validate = {.param = {{"id", "integer"}}}},
               [](fw::Request&, fw::Response& res) { res.json("user"); });
  });
  CHECK(traced.get("/users/7?token=s3cret") == 200);
  const auto spans = traced.collector.await(3);
  const CollectedSpan& server = named(spans, "GET /users/:id");
  CHECK(server.kind == 2);
  CHECK(server.parent.empty());
  CHECK(!server.has_failed);
  CHECK(server.begin <= server.end);
  CHECK(server.attributes == Json{{"http.request.method", "GET"},
                                  {"url.path", "/users/7"},
                                  {"url.scheme", "http"},
                                  {"http.route", "/users/:id"},
                                  {"code.file.path", "src/routes/index.cpp"},
                                  {"code.line.number", 10},
                                  {"http.response.status_code", 200},
                                  {"client.address", "127.0.0.1"},
                                  {"network.protocol.version", "1.1"}});
  CHECK(children(spans, server) == Names{"validation", "handler"});
  for (const CollectedSpan& span : spans) {
    CHECK(span.trace == server.trace);
    CHECK(span.begin >= server.begin);
    CHECK(span.end <= server.end);
  }
  // Within a day of now, so that nanoseconds and the clock are right.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::uint64_t seconds =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
  CHECK(server.begin / 1'000'000'000 > seconds - 86'400);
  CHECK(server.begin / 1'000'000'000 < seconds + 86'400);
}

TEST_CASE("tracing: a batch is a request of OTLP over HTTP, with the name of the service") {
  Traced traced(
      [](fw::Router& router) {
        router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
      },
      [](fw::Config& config) { config.tracing.headers = {{"x-key", "for the collector"}}; });
  traced.get("/");
  traced.collector.await(2);
  const std::string request = traced.collector.requests().front();
  CHECK(request.starts_with("POST /v1/traces HTTP/1.1\r\n"));
  CHECK(request.find("content-type: application/json\r\n") != std::string::npos);
  CHECK(request.find("x-key: for the collector\r\n") != std::string::npos);
  CHECK(request.find("traceparent") == std::string::npos);
  const Json body = Json::parse(request.substr(request.find("\r\n\r\n")));
  CHECK(body["resourceSpans"][0]["resource"]["attributes"][0] ==
        Json{{"key", "service.name"}, {"value", {{"stringValue", "shop"}}}});
  CHECK(body["resourceSpans"][0]["scopeSpans"][0]["scope"]["name"] == "fairway");
}

TEST_CASE("tracing: two applications and their caller have one tree") {
  const Collector collector;
  fw::support::TableBuilder inner_table;
  inner_table.routes([](fw::Router& router) {
    router.get("/prices/:id", [](fw::Request&, fw::Response& res) { res.json(7); });
  });
  fw::Config inner_config = traced(collector.url(), fw::support::server_config());
  inner_config.tracing.service_name = "prices";
  fw::App inner(inner_config);
  inner.mount(inner_table.table());
  inner.start();
  OneFileApp outer(
      [&](fw::Router& router) {
        router.get("/orders", [&](fw::Request&, fw::Response& res) {
          res.json(router.fetch.get(inner.address() + "/prices/7?token=s3cret").json());
        });
      },
      traced(collector.url()));
  const auto response = outer.request("GET", "/orders")
                            .header("traceparent", kSampled)
                            .header("tracestate", "vendor=1")
                            .send();
  CHECK(response == 200);
  const auto spans = collector.await(5);
  CHECK(spans.size() == 5);
  const CollectedSpan& first = named(spans, "GET /orders");
  CHECK(first.trace == kTrace);
  CHECK(first.parent == kCaller);
  CHECK(first.json["traceState"] == "vendor=1");
  CHECK((first.json["flags"].get<int>() & 0x300) == 0x300);  // the parent is remote
  const CollectedSpan& call = named(spans, "GET");
  CHECK(call.kind == 3);
  CHECK(call.attributes["server.address"] == "127.0.0.1");
  CHECK(call.attributes["server.port"] == inner.port());
  CHECK(call.attributes["url.full"] == inner.address() + "/prices/7?token=…");
  CHECK(call.attributes["http.response.status_code"] == 200);
  CHECK(call.attributes["network.protocol.version"] == "1.1");
  CHECK((call.json["flags"].get<int>() & 0x300) == 0x100);
  const CollectedSpan& second = named(spans, "GET /prices/:id");
  CHECK(second.trace == kTrace);
  CHECK(second.parent == call.id);
  CHECK(second.json["traceState"] == "vendor=1");
  CHECK(children(spans, first) == Names{"handler"});
  const auto handler =
      std::ranges::find_if(spans, [&](const auto& span) { return span.parent == first.id; });
  CHECK(call.parent == handler->id);
}

TEST_CASE("tracing: malformed headers begin a new trace") {
  Traced traced([](fw::Router& router) {
    router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
  });
  for (const std::string& parent :
       {"00-" + kTrace + "-" + kCaller, std::string("nonsense"), "ff" + kSampled.substr(2)}) {
    CHECK(traced.get("/", parent) == 200);
  }
  // Two headers are none, too.
  traced.app.request("GET", "/")
      .header("traceparent", kSampled)
      .header("traceparent", kSampled)
      .send();
  const auto spans = traced.collector.await(8);
  REQUIRE(spans.size() == 8);
  CHECK(count_named(spans, "GET /") == 4);
  for (const CollectedSpan& span : spans) {
    CHECK(span.trace != kTrace);
    if (span.name == "GET /") CHECK(span.parent.empty());
  }
}

TEST_CASE("tracing: a trace that the caller does not sample is passed on, and not sent") {
  Shared<std::vector<std::string>> seen;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    for (std::string text; !(text = connection.read_request()).empty();) {
      seen.update([&](auto& all) { all.push_back(traceparent_in(text)); });
      connection.respond(200, "ok");
    }
  });
  Traced traced([&](fw::Router& router) {
    router.get("/", [&](fw::Request& req, fw::Response& res) {
      auto span = req.span("own");
      res.text(router.fetch.get(upstream.url()).text());
    });
    router.get("/last", [](fw::Request&, fw::Response& res) { res.json(1); });
  });
  CHECK(traced.get("/", kUnsampled) == 200);
  traced.get("/last");
  const auto spans = traced.collector.await(2);
  CHECK(spans.size() == 2);
  CHECK(count_named(spans, "GET /last") == 1);
  REQUIRE(seen.get().size() == 1);
  CHECK(seen.get()[0].starts_with("00-" + kTrace + "-"));
  CHECK(seen.get()[0].ends_with("-00"));
  CHECK(seen.get()[0].find(kCaller) == std::string::npos);
}

TEST_CASE("tracing: with a ratio of 0, errors are sent with their spans, if configured") {
  const auto routes = [](fw::Router& router) {
    router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
    router.get("/missing", [](fw::Request& req, fw::Response&) { req.app().raise(404, "x"); });
    router.get("/error", [](fw::Request&, fw::Response&) { throw std::runtime_error("x"); });
  };
  Traced traced(routes, [](fw::Config& config) { config.tracing.ratio = 0; });
  traced.get("/");
  traced.get("/missing");
  traced.get("/error");
  const auto spans = traced.collector.await(2);
  CHECK(spans.size() == 2);
  CHECK(children(spans, named(spans, "GET /error")) == Names{"handler"});
}

TEST_CASE("tracing: errors of the server fail the span, errors of clients do not") {
  Traced traced([](fw::Router& router) {
    router.get("/missing", [](fw::Request& req, fw::Response&) { req.app().raise(404, "x"); });
    router.get("/thrown", [](fw::Request&, fw::Response&) { throw std::range_error("s3cret"); });
    router.get("/sent", [](fw::Request&, fw::Response& res) { res.status(503).json("no"); });
  });
  for (const char* target : {"/missing", "/thrown", "/sent", "/no-route"}) traced.get(target);
  const auto spans = traced.collector.await(7);
  const CollectedSpan& missing = named(spans, "GET /missing");
  CHECK(!missing.has_failed);
  CHECK(missing.attributes["http.response.status_code"] == 404);
  const CollectedSpan& thrown = named(spans, "GET /thrown");
  CHECK(thrown.has_failed);
  CHECK(thrown.attributes["error.type"] == "std::range_error");
  const CollectedSpan& sent = named(spans, "GET /sent");
  CHECK(sent.has_failed);
  CHECK(sent.attributes["error.type"] == "503");
  const CollectedSpan& unmatched = named(spans, "GET");
  CHECK(!unmatched.attributes.contains("http.route"));
  for (const CollectedSpan& span : spans) {
    if (span.name == "handler") CHECK(span.has_failed == (span.parent != sent.id));
  }
}

TEST_CASE("tracing: nothing secret leaves the application") {
  fw::AuthOptions options;
  options.verify = [](std::string_view, fw::Request&) -> std::optional<fw::AuthIdentity> {
    return fw::AuthIdentity{.user_id = "user-s3cret"};
  };
  Traced traced(
      [](fw::Router& router) {
        router.post("/items/:id", {.validate = {.body = {{"name", "string:1-3"}}}, .auth = true},
                    [](fw::Request&, fw::Response& res) { res.json(1); });
        router.post("/fails",
                    [](fw::Request&, fw::Response&) { throw std::runtime_error("text-s3cret"); });
      },
      {}, [&](fw::App& app) { app.use(fw::auth(options)); });
  const auto send = [&](const std::string& target, const std::string& name) {
    return traced.app.request("POST", target)
        .header("authorization", "Bearer token-s3cret")
        .header("cookie", "a=cookie-s3cret")
        .header("user-agent", "agent-s3cret")
        .header("x-request-id", "id-s3cret")
        .header("host", "host-s3cret")
        .json({{"name", name}})
        .send();
  };
  CHECK(send("/items/7?q=query-s3cret", "ok") == 200);
  CHECK(send("/items/7?q=query-s3cret", "body-s3cret") == 422);
  CHECK(send("/fails", "body-s3cret") == 500);
  const auto spans = traced.collector.await(12);
  CHECK(count_named(spans, "auth") == 3);
  CHECK(count_named(spans, "guard") == 2);
  for (const std::string& request : traced.collector.requests()) {
    CHECK(request.find("s3cret") == std::string::npos);
  }
}

TEST_CASE("tracing: a request that times out ends its span once, and its handler later") {
  std::atomic<bool> has_begun = false;
  std::atomic<bool> may_end = false;
  Traced traced([&](fw::Router& router) {
    router.get("/", {.timeout = 1}, [&](fw::Request& req, fw::Response& res) {
      has_begun = true;
      const auto span = req.span("work");
      while (!may_end) std::this_thread::sleep_for(1ms);
      res.json(1);
    });
  });
  // On a busy machine, the time may be over before the handler begins.
  std::atomic<std::size_t> requests = 0;
  std::thread client([&] {
    while (!has_begun) {
      ++requests;
      CHECK(traced.get("/") == 504);
    }
  });
  REQUIRE(fairway::test::eventually([&] { return has_begun.load(); }));
  const CollectedSpan server = traced.collector.await(requests).back();
  CHECK(count_named(traced.collector.spans(), "handler") == 0);
  may_end = true;
  client.join();
  CHECK(server.has_failed);
  CHECK(server.attributes["error.type"] == "timeout");
  CHECK(server.attributes["http.response.status_code"] == 504);
  const auto spans = traced.collector.await(requests + 2);
  CHECK(spans.size() == requests + 2);
  CHECK(named(spans, "handler").parent == server.id);
  CHECK(named(spans, "handler").end > server.end);
  CHECK(named(spans, "work").parent == named(spans, "handler").id);
}

TEST_CASE("tracing: a stream of events ends its span when it ends") {
  std::optional<fw::EventStream> stream;
  Traced traced([&](fw::Router& router) {
    router.get("/live", {.responses = {{"200", fw::events({{"tick", {{"n", "integer"}}}})}}},
               [&](fw::Request&, fw::Response& res) { stream.emplace(res.events()); });
  });
  auto events = traced.app.events("/live");
  traced.get("/no-route");
  traced.collector.await(1);
  CHECK(count_named(traced.collector.spans(), "GET /live") == 0);
  traced.collector.await_named("handler");  // although the stream has not ended
  stream->send("tick", Json{{"n", 1}});
  CHECK(events.next()->json()["n"] == 1);
  stream->close();
  CHECK(!events.next());
  const auto spans = traced.collector.await(3);
  CHECK(spans.size() == 3);
  const CollectedSpan& server = named(spans, "GET /live");
  CHECK(server.attributes["http.response.status_code"] == 200);
  CHECK(named(spans, "handler").parent == server.id);
}

TEST_CASE("tracing: a socket ends its span when it is closed, and has the spans of its messages") {
  const fw::RouteOptions options = {.receive = {{"say", {{"text", "string"}}}},
                                    .send = {{"said", {{"text", "string"}}}}};
  Traced traced([&](fw::Router& router) {
    router.socket("/rooms", options, [](fw::Request&, fw::Socket& socket) {
      socket.on("say", [](const Json&, fw::Socket&) { const auto span = fw::span("message"); });
    });
  });
  auto socket = traced.app.socket("/rooms");
  CHECK(socket.response == 101);
  socket.send("say", {{"text", "hi"}});
  // Although the socket is open.
  const CollectedSpan message = traced.collector.await_named("message");
  CHECK(count_named(traced.collector.spans(), "GET /rooms") == 0);
  socket.close(4'001);
  const CollectedSpan server = traced.collector.await_named("GET /rooms");
  CHECK(server.attributes["http.response.status_code"] == 101);
  CHECK(server.attributes["fairway.socket.close_code"] == 4'001);
  CHECK(message.trace == server.trace);
}

TEST_CASE("tracing: a cached response is shared by all traces, and a hit has a span") {
  std::atomic<int> calls = 0;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) connection.respond(200, "x");
  });
  Traced traced([&](fw::Router& router) {
    router.get("/c", {.cache = {{.ttl = 60'000}}}, [&](fw::Request& req, fw::Response& res) {
      const auto span = req.span("own");
      router.fetch.get(upstream.url()).text();
      res.json(++calls);
    });
  });
  const std::string other = "00-" + std::string(32, 'a') + "-" + kCaller + "-01";
  const auto first = traced.get("/c", kSampled);
  const auto second = traced.get("/c", other);
  CHECK(second.header("x-cache") == "HIT");
  CHECK(calls == 1);
  CHECK(first.header("vary") == second.header("vary"));
  const auto spans = traced.collector.await(5);
  CHECK(spans.size() == 5);
  for (const CollectedSpan& span : spans) {
    if (span.name != "GET /c") continue;
    const bool is_hit = span.trace == std::string(32, 'a');
    CHECK(span.attributes["fairway.cache"] == (is_hit ? "hit" : "miss"));
    if (is_hit) CHECK(children(spans, span).empty());
  }
}

TEST_CASE("tracing: a request that waits for the response of another has a span for it") {
  std::atomic<bool> may_end = false;
  std::atomic<bool> is_running = false;
  const auto routes = [&](fw::Router& router) {
    // As long as the timeout, requests wait for one that is running.
    router.get("/c", {.cache = {{.ttl = 60'000}}, .timeout = 600'000},
               [&](fw::Request&, fw::Response& res) {
                 is_running = true;
                 while (!may_end) std::this_thread::sleep_for(1ms);
                 res.json(1);
               });
  };
  Traced traced(routes, [](fw::Config& config) { config.cache.wait_timeout = 1; });
  std::thread leader([&] { traced.get("/c"); });
  CHECK(eventually([&] { return is_running.load(); }));
  CHECK(traced.get("/c", kSampled) == 503);
  may_end = true;
  leader.join();
  const auto spans = traced.collector.await(4);
  CHECK(spans.size() == 4);
  const CollectedSpan& wait = named(spans, "cache wait");
  CHECK(wait.trace == kTrace);
  CHECK(wait.end > wait.begin);
}

TEST_CASE("tracing: a request that waits before it is handled has a span for it" *
          doctest::skip(!FAIRWAY_EPOLL)) {
  using fw::http::test::Client;
  std::atomic<int> calls = 0;
  std::atomic<int> may_end = 0;  // of the calls, in order
  const Collector collector;
  fw::support::TableBuilder table;
  table.routes([&](fw::Router& router) {
    router.get("/c", {.cache = {{.ttl = 60'000}}}, [&](fw::Request&, fw::Response& res) {
      const int call = ++calls;
      while (may_end < call) std::this_thread::sleep_for(1ms);
      res.json(1);
    });
    router.get("/plain", [](fw::Request&, fw::Response& res) { res.json(1); });
  });
  fw::Config config = traced(collector.url(), fw::support::server_config());
  config.cache.wait_timeout = 600'000;
  fw::App app(config);
  app.mount(table.table());
  app.start();
  // Nothing tells when the second request has been received. If that is too late, its response is
  // in the cache, and another attempt is made.
  CHECK(eventually([&] {
    const int attempt = calls + 1;
    const std::string head = "GET /c?n=" + std::to_string(attempt) + " HTTP/1.1\r\nHost: a\r\n";
    const std::string trace = std::to_string(attempt + 1'000'000) + kTrace.substr(7);
    Client leader(app.port());
    leader.send(head + "\r\n");
    CHECK(eventually([&] { return calls == attempt; }));
    Client follower(app.port());
    follower.send(head + "traceparent: 00-" + trace + "-" + kCaller + "-01\r\n\r\n");
    for (int i = 0; i < 20; ++i) {
      Client(app.port()).exchange("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    may_end = attempt;
    CHECK(follower.read_response().status == 200);
    CHECK(leader.read_response().status == 200);
    std::optional<CollectedSpan> server;
    CHECK(eventually([&] {
      for (const CollectedSpan& span : collector.spans()) {
        if (span.trace == trace && span.name == "GET /c") server = span;
      }
      return server.has_value();
    }));
    // Its spans are sent together.
    for (const CollectedSpan& span : collector.spans()) {
      if (span.trace != trace || span.name != "cache wait") continue;
      CHECK(span.end > span.begin);
      return server && span.parent == server->id;
    }
    return false;
  }));
  may_end = 1'000'000;
}

TEST_CASE("tracing: the waits for a thread and for a session are spans of the request") {
  for (const bool is_planned : {false, true}) {
    CAPTURE(is_planned);
    Traced traced([](fw::Router&) {});
    fw::detail::Access::core(traced.app.app())
        .pipeline()
        .handle(std::make_shared<WaitingTransaction>(is_planned));
    const auto spans = traced.collector.await(is_planned ? 3 : 2);
    const CollectedSpan& server = named(spans, "GET");
    CHECK(children(spans, server) ==
          (is_planned ? Names{"session read", "queue"} : Names{"queue"}));
    const CollectedSpan& queue = named(spans, "queue");
    CHECK(seconds_of(queue) == 60);
    CHECK(server.begin <= queue.begin);
    CHECK(seconds_of(server) >= (is_planned ? 3'600 : 60));
    CHECK(seconds_of(server) < (is_planned ? 3'660 : 120));
    if (!is_planned) continue;
    const CollectedSpan& read = named(spans, "session read");
    CHECK(read.begin == server.begin);
    CHECK(read.end <= queue.begin);
    CHECK(seconds_of(read) >= 3'540);
  }
}

TEST_CASE("tracing: with a threshold, slow requests are sent, and the wait for a thread counts") {
  Traced traced([](fw::Router&) {},
                [](fw::Config& config) {
                  config.tracing.ratio = 0;
                  config.tracing.errors = false;
                  config.tracing.slow_threshold = 50'000;
                });
  for (const bool is_planned : {false, true}) {
    fw::detail::Access::core(traced.app.app())
        .pipeline()
        .handle(std::make_shared<WaitingTransaction>(is_planned));
  }
  const auto spans = traced.collector.await(5);
  CHECK(spans.size() == 5);
  CHECK(count_named(spans, "GET") == 2);
  CHECK(count_named(spans, "queue") == 2);
}

TEST_CASE("tracing: errors are not sent if the settings say so") {
  Traced traced(
      [](fw::Router& router) {
        router.get("/error", [](fw::Request&, fw::Response&) { throw std::runtime_error("x"); });
      },
      [](fw::Config& config) {
        config.tracing.ratio = 0;
        config.tracing.errors = false;
      });
  CHECK(traced.get("/error") == 500);
  CHECK(traced.get("/last", kSampled) == 404);
  const auto spans = traced.collector.await(1);
  CHECK(spans.size() == 1);
  CHECK(named(spans, "GET").trace == kTrace);
}

TEST_CASE("tracing: the rendering of a page has a span, also if the page is for everyone") {
  const Collector collector;
  fw::support::TableBuilder table;
  table.page("hello.html", "<h1>{{name}}</h1>");
  table.routes([](fw::Router& router) {
    const auto render = [](fw::Request&, fw::Response& res) {
      res.render("hello", {{"name", "Ada"}});
    };
    router.get("/each", {.frontend = {.page = "hello"}}, render);
    router.get("/all", {.frontend = {.page = "hello", .mode = "revalidate", .revalidate = 60}},
               render);
  });
  TestApp app(table.table(), traced(collector.url()));
  for (const std::string target : {"/each", "/all"}) {
    CHECK(app.request("GET", target).header("accept", "text/html").send() == 200);
  }
  const auto spans = collector.await(6);
  CHECK(spans.size() == 6);
  for (const std::string name : {"GET /each", "GET /all"}) {
    const CollectedSpan& server = named(spans, name);
    for (const CollectedSpan& span : spans) {
      if (span.trace != server.trace || span.name != "template") continue;
      CHECK(span.attributes["fairway.page"] == "hello");
    }
    CHECK(children(spans, server) == Names{"handler"});
  }
  CHECK(count_named(spans, "template") == 2);
}

}  // namespace tracing_test
