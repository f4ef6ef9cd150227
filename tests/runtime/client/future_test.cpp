// fw::all and fw::Future: work at the same time, and what cancels it.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <barrier>
#include <future>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "eventually.hpp"
#include "support/scripted_upstream.hpp"
#include "support/table_builder.hpp"

namespace future_test {

namespace {

using fw::support::always;
using fw::support::OneFileApp;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::Shared;

/// Its calls have time on a busy machine.
fw::Config quiet() {
  fw::Config config = fw::testing::TestApp::test_config();
  config.fetch.timeout = 600'000;
  return config;
}

constexpr int kLong = 60'000;

/// An upstream that never responds, and tells when a client has left.
class Silent {
 public:
  Silent()
      : upstream([this](ScriptedConnection& connection) {
          connection.read_request();
          arrived.set_value();
          connection.wait_for_end();
          left.set_value();
        }) {}

  std::promise<void> arrived;
  std::promise<void> left;
  ScriptedUpstream upstream;  // last: its threads use what is above
};

TEST_CASE("fw::all: functions get the same signal of the request") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", [](fw::Request& req, fw::Response& res) {
          std::barrier meet(3);
          const auto signal = [&] {
            meet.arrive_and_wait();
            return req.signal();
          };
          const auto [a, b, c] = fw::all(signal, signal, signal);
          res.json(a == b && b == c && a.stop_possible());
        });
      },
      quiet());
  for (int i = 0; i < 20; ++i) CHECK(app.request("GET", "/").send().json()["data"] == true);
}

TEST_CASE("fw::all: functions run concurrently, and their results are returned") {
  std::barrier meet(3);
  const auto [number, text, nothing] = fw::all(
      [&] {
        meet.arrive_and_wait();
        return 1;
      },
      [&] {
        meet.arrive_and_wait();
        return std::string("two");
      },
      [&] { meet.arrive_and_wait(); });
  CHECK(number == 1);
  CHECK(text == "two");
  CHECK(nothing == std::monostate());
  CHECK(fw::all() == std::tuple<>());
}

TEST_CASE("fw::all: the first exception cancels the calls of the other functions") {
  fw::App app(quiet());
  Silent silent;
  Silent nested;
  std::string reason;
  CHECK_THROWS_WITH_AS(
      fw::all(
          [&] {
            try {
              app.fetch.get(silent.upstream.url(), {.timeout = kLong});
            } catch (const fw::AbortError& error) {
              reason = error.reason();
              throw;
            }
          },
          [&] { fw::all([&] { app.fetch.get(nested.upstream.url(), {.timeout = kLong}); }); },
          [&] {
            silent.arrived.get_future().wait();
            throw std::runtime_error("first");
          }),
      "first", std::runtime_error);
  CHECK(reason == "another function of fw::all has failed");
}

TEST_CASE("fw::all: functions belong to the calling request") {
  Shared<std::multiset<std::string>> ids;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    for (std::string text; !(text = connection.read_request()).empty();) {
      const auto at = text.find("x-request-id: ");
      ids.update([&](auto& all) {
        all.insert(at == std::string::npos ? "none" : text.substr(at + 14, 2));
      });
      connection.respond(200, "ok");
    }
  });
  OneFileApp app([&](fw::Router& router) {
    router.get("/", [&](fw::Request&, fw::Response& res) {
      const auto call = [&] { return router.fetch.get(upstream.url()).text(); };
      fw::all(call, call);
      auto later = router.fetch.async(upstream.url());
      res.text(later.get().text());
    });
  });
  CHECK(app.request("GET", "/").header("x-request-id", "R1").send().body == "ok");
  CHECK(ids.get() == std::multiset<std::string>{"R1", "R1", "R1"});
}

TEST_CASE("future: the value is returned once, exceptions are rethrown, and destruction cancels") {
  fw::App app(quiet());
  ScriptedUpstream upstream(always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  auto future = app.fetch.async(upstream.url());
  CHECK(future.wait_for(kLong));
  CHECK(future.ready());
  auto response = future.get();
  CHECK_THROWS_AS(future.get(), std::logic_error);
  CHECK(response.text() == "ok");
  CHECK_THROWS_AS(app.fetch.async("http://127.0.0.1:1/").get(), fw::NetworkError);
  CHECK_THROWS_AS(app.fetch.async("no URL").get(), fw::OptionError);

  Silent silent;
  {
    auto dropped = app.fetch.async(silent.upstream.url(), {.timeout = kLong});
    CHECK(!dropped.wait_for(1));
    silent.arrived.get_future().wait();
  }
  CHECK(silent.left.get_future().wait_for(fairway::test::kPatience) == std::future_status::ready);
}

TEST_CASE("future: background work beyond the thread limit runs on the calling thread") {
  std::promise<void> go;
  const auto gone = go.get_future().share();
  std::vector<fw::Future<std::thread::id>> waiting;
  for (int i = 0; i < 256; ++i) {
    waiting.emplace_back([gone] {
      gone.wait();
      return std::this_thread::get_id();
    });
  }
  fw::Future<std::thread::id> next([] { return std::this_thread::get_id(); });
  CHECK(next.ready());
  CHECK(next.get() == std::this_thread::get_id());
  const auto ids =
      fw::all([] { return std::this_thread::get_id(); }, [] { return std::this_thread::get_id(); });
  CHECK(std::get<1>(ids) == std::this_thread::get_id());
  go.set_value();
  for (auto& future : waiting) CHECK(future.get() != std::this_thread::get_id());
  fw::Future<std::thread::id> later([] { return std::this_thread::get_id(); });
  CHECK(later.get() != std::this_thread::get_id());
}

TEST_CASE("fetch: calls within a traced request carry the trace") {
  Shared<std::vector<std::string>> traces;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    for (std::string text; !(text = connection.read_request()).empty();) {
      const auto at = text.find("traceparent: ");
      std::string trace = at == std::string::npos ? "none" : text.substr(at + 13, 55);
      if (text.find("tracestate: a=1\r\n") != std::string::npos) trace += " with state";
      traces.update([&](auto& all) { all.push_back(trace); });
      connection.respond(200, "ok");
    }
  });
  fw::Config config = quiet();
  config.fetch.trace_context = true;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/", [&](fw::Request&, fw::Response& res) {
          router.fetch.get(upstream.url()).text();
          res.text(router.fetch.get(upstream.url()).text());
        });
      },
      config);
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-";
  app.request("GET", "/")
      .header("traceparent", trace + "b7ad6b7169203331-00")
      .header("tracestate", "a=1")
      .send();
  auto seen = traces.get();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].starts_with(trace));
  CHECK(seen[0].ends_with("-00 with state"));
  CHECK(seen[0].find("b7ad6b7169203331") == std::string::npos);
  CHECK(seen[0] != seen[1]);
  app.request("GET", "/").header("traceparent", "00-0-0-0").send();
  seen = traces.get();
  REQUIRE(seen.size() == 4);
  CHECK(seen[2].substr(0, 36) == seen[3].substr(0, 36));
  CHECK(seen[2].ends_with("-03"));
  CHECK(!seen[2].starts_with(trace));
}

}  // namespace

}  // namespace future_test
