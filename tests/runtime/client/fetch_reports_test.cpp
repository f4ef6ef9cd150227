// What calls tell others: log lines, hooks and metrics, and the headers that they propagate.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "client/outbound_client.hpp"
#include "client/recorder.hpp"
#include "support/scripted_upstream.hpp"
#include "support/table_builder.hpp"

namespace fetch_reports_test {

namespace {

using fw::Json;
using fw::client::test::has;
using fw::client::test::quiet;
using fw::client::test::Recorder;
using fw::support::always;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using namespace std::chrono_literals;

}  // namespace

TEST_CASE("fetch: log lines and messages contain no query values") {
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(quiet());
  app.set_logger(fw::Logger(sink, fw::LogLevel::debug));
  ScriptedUpstream silent([](ScriptedConnection& connection) { connection.wait_for_end(); });
  ScriptedUpstream busy(
      always("HTTP/1.1 302 Found\r\nLocation: http://h/?code=secret\r\n"
             "Content-Length: 0\r\n\r\n"));
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing";
  };
  CHECK(!has(message([&] { app.fetch.get("http://127.0.0.1:1/?token=secret"); }), "secret"));
  CHECK(!has(message([&] { app.fetch.get("http://user:secret@h/"); }), "secret"));
  CHECK(!has(message([&] {
               app.fetch.get(busy.url("/?token=secret"), {.redirect = fw::Redirect::error});
             }),
             "secret"));
  // The message has the whole URL; logs remove its secrets.
  CHECK(message([&] { app.fetch.get(silent.url("/?token=secret"), {.timeout = 20}); }) ==
        "[app.fetch] GET " + silent.url("/?token=secret") + " timed out after 20ms");
  app.fetch.get(busy.url("/?token=secret"), {.redirect = fw::Redirect::manual});
  const auto records = sink->records();
  REQUIRE(records.size() == 4);
  for (const auto& record : records) {
    CHECK(!has(record.message, "secret"));
    CHECK(has(record.message, "?token=…"));
    CHECK(!has(record.fields.dump(), "secret"));
  }
}

TEST_CASE("fetch: hooks see each call once, and log lines each attempt") {
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(quiet());
  app.set_logger(fw::Logger(sink, fw::LogLevel::debug));
  std::vector<std::string> events;
  app.hooks().on<fw::hooks::FetchBefore>([&](fw::hooks::FetchBefore& event) {
    events.push_back("before " + std::to_string(event.attempt));
    event.headers.set("x-signed", "yes");
    if (event.url.ends_with("/refused")) throw std::runtime_error("not now");
  });
  app.hooks().on<fw::hooks::FetchAfter>([&](fw::hooks::FetchAfter& event) {
    events.push_back("after " + std::to_string(event.attempt) + " " +
                     std::to_string(event.response.status()));
  });
  app.hooks().on<fw::hooks::FetchFailed>([&](fw::hooks::FetchFailed& event) {
    events.push_back("error " + std::to_string(event.attempt));
  });
  std::promise<std::string> first_request;
  std::atomic<bool> is_first = true;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    for (std::string text; !(text = connection.read_request()).empty();) {
      if (is_first.exchange(false)) first_request.set_value(text);
      connection.respond(500, "no");
    }
  });
  CHECK(app.fetch.get(upstream.url("/x"), {.retry = 1, .retry_delay = 0}).text() == "no");
  CHECK(has(first_request.get_future().get(), "x-signed: yes"));
  CHECK_THROWS_AS(app.fetch.get("http://127.0.0.1:1/", {.retry = 1, .retry_delay = 0}),
                  fw::NetworkError);
  CHECK_THROWS_WITH(app.fetch.get(upstream.url("/refused")), "not now");
  CHECK(events ==
        std::vector<std::string>{"before 0", "after 1 500", "before 0", "error 1", "before 0"});
  const auto records = sink->records();
  REQUIRE(records.size() == 4);
  const Json& first = records[0].fields;
  CHECK(records[0].level == fw::LogLevel::error);
  CHECK(first.at("type") == "outbound");
  CHECK(first.at("method") == "GET");
  CHECK(first.at("url") == upstream.url("/x"));
  CHECK(first.at("status") == 500);
  CHECK(first.contains("duration"));
  CHECK(records[2].fields.contains("error"));
  CHECK(!records[2].fields.contains("status"));
}

TEST_CASE("fetch: calls within a request propagate its id and the configured headers") {
  Recorder recorder;
  fw::Config config = quiet();
  config.fetch.propagate_headers = {"X-Tenant"};
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/", [&](fw::Request&, fw::Response& res) {
          router.fetch.get(recorder.upstream.url(), {.headers = {{"x-own", "1"}}}).text();
          res.json(nullptr);
        });
      },
      config);
  app.request("GET", "/").header("X-Request-Id", "R1").header("x-tenant", "t1").send();
  CHECK(has(recorder.last(), "\r\nx-request-id: R1\r\n"));
  CHECK(has(recorder.last(), "\r\nx-tenant: t1\r\n"));
  app.app().fetch.get(recorder.upstream.url()).text();
  CHECK(!has(recorder.last(), "x-request-id"));
}

TEST_CASE("fetch: a cached response depends on a header that would have been propagated") {
  Recorder recorder;
  fw::Config config = quiet();
  config.fetch.propagate_headers = {"X-Tenant"};
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
          router.fetch.get(recorder.upstream.url()).text();
          res.json(nullptr);
        });
      },
      config);
  app.request("GET", "/").send();
  app.request("GET", "/").header("X-Tenant", "b").send();
  CHECK(has(recorder.last(), "\r\nx-tenant: b\r\n"));
}

TEST_CASE("fetch: propagated headers are sent to no other origin") {
  Recorder other;
  Recorder own;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) {
      connection.respond(302, "", "Location: " + other.upstream.url("/there") + "\r\n");
    }
  });
  fw::Config config = quiet();
  config.fetch.propagate_headers = {"X-Tenant", "X-Plan"};
  std::vector<fw::FetchHeaders> sent;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/away", [&](fw::Request&, fw::Response& res) {
          router.fetch.get(upstream.url("/"), {.headers = {{"x-plan", "own"}}}).text();
          res.json(nullptr);
        });
        router.get("/others", [&](fw::Request&, fw::Response& res) {
          const fw::FetchClient others = router.fetch.create(
              {.base_url = own.upstream.url("/"), .addresses = fw::Addresses::public_only});
          for (const auto& call : {std::function([&] {
                                     router.fetch.get(own.upstream.url("/"),
                                                      {.addresses = fw::Addresses::public_only});
                                   }),
                                   std::function([&] { others.get("/"); })}) {
            CHECK_THROWS_AS(call(), fw::AddressError);
          }
          res.json(nullptr);
        });
      },
      config,
      [&](fw::App& application) {
        application.hooks().on<fw::hooks::FetchBefore>(
            [&](fw::hooks::FetchBefore& event) { sent.push_back(event.headers); });
      });
  const auto get = [&](const char* path) {
    app.request("GET", path).header("X-Tenant", "t1").header("X-Plan", "p1").send();
  };
  get("/away");
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].get("x-tenant") == "t1");
  CHECK_FALSE(has(other.last(), "x-tenant"));
  CHECK(has(other.last(), "x-plan: own"));  // a header of the call itself
  get("/others");
  REQUIRE(sent.size() == 3);
  for (const std::size_t i : {1U, 2U}) {
    CHECK_FALSE(sent[i].has("x-tenant"));
    CHECK_FALSE(sent[i].has("x-plan"));
  }
}

TEST_CASE("fetch: attempts are measured by server and outcome, if there is an admin listener") {
  fw::Config config = quiet();
  config.admin.socket = "admin.sock";
  OneFileApp app([](fw::Router&) {}, config);
  app.fetch_stub("GET https://api.test/*", [](const fw::testing::FetchCall& call) {
    if (call.url.ends_with("/broken")) throw std::runtime_error("no upstream");
    return fw::testing::FetchReply{.status = call.url.ends_with("/down") ? 503 : 200};
  });
  const auto& fetch = app.app().fetch;
  const auto page = [&] {
    fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
    fw::detail::Access::core(app.app()).client->metrics()->write(text);
    return text.finish();
  };
  const auto lines_in = [](const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  const auto counts = [](const std::string& labels, int count) {
    return "http_client_request_duration_seconds_count{http_request_method=\"GET\"," + labels +
           "} " + std::to_string(count) + "\n";
  };
  const auto client = fetch.create({.base_url = "https://api.test/v1"});
  client.get("users");
  client.get("users?name=ada");
  client.get("down", {.retry = 1, .retry_delay = 0});
  CHECK_THROWS_AS(client.get("broken"), fw::NetworkError);
  const std::string server = R"(server_address="api.test",server_port="443",)";
  CHECK(has(page(), counts(server + R"(http_response_status_code="200")", 2)));
  CHECK(has(page(), counts(server + R"(http_response_status_code="503")", 2)));
  CHECK(has(page(), counts(server + R"(error_type="network")", 1)));
  CHECK_FALSE(has(page(), "users"));

  std::size_t size = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string url = "http://host" + std::to_string(i) + ".test/";
    app.fetch_stub("GET " + url, [](const auto&) { return fw::testing::FetchReply{}; });
    fetch.get(url);
    if (i == 0) size = lines_in(page());
  }
  CHECK(has(page(), counts(R"(http_response_status_code="200")", 300)));
  CHECK(lines_in(page()) == size);

  OneFileApp unmeasured([](fw::Router&) {});
  CHECK(fw::detail::Access::core(unmeasured.app()).client->metrics() == nullptr);
}

}  // namespace fetch_reports_test
