#include <doctest/doctest.h>

#include "support/table_builder.hpp"

namespace hooks_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::testing::TestApp;
namespace hooks = fw::hooks;

using Names = std::vector<std::string>;

template <class Event>
void record(fw::App& app, Names& names) {
  app.hooks().on<Event>([&names](Event&) { names.emplace_back(Event::kName); });
}

void record_all(fw::App& app, Names& names) {
  record<hooks::RequestStart>(app, names);
  record<hooks::RouteMatched>(app, names);
  record<hooks::RouteNotFound>(app, names);
  record<hooks::ValidationSuccess>(app, names);
  record<hooks::ValidationFailed>(app, names);
  record<hooks::HandlerBefore>(app, names);
  record<hooks::HandlerAfter>(app, names);
  record<hooks::HandlerError>(app, names);
  record<hooks::ResponseBefore>(app, names);
  record<hooks::ResponseAfter>(app, names);
  record<hooks::ErrorBeforeResponse>(app, names);
  record<hooks::ErrorAfterResponse>(app, names);
}

void routes(fw::Router& app) {
  app.get("/ok/:id", {.validate = {.param = {{"id", "integer!"}}}},
          [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });
  app.get("/err", [](fw::Request&, fw::Response&) { throw std::runtime_error("h"); });
  app.get("/text", [](fw::Request&, fw::Response& res) { res.text("t"); });
  app.get("/stream", [](fw::Request&, fw::Response& res) { res.stream("s"); });
  app.get("/redirect", [](fw::Request&, fw::Response& res) { res.redirect("/x"); });
  app.get("/raise", [](fw::Request& req, fw::Response&) { req.app().raise(400, "orig", "C"); });
}

}  // namespace

TEST_CASE("hooks: events of a request are in order") {
  Names names;
  OneFileApp app(routes, TestApp::test_config(), [&](fw::App& a) { record_all(a, names); });
  const auto events = [&](const std::string& path) {
    names.clear();
    app.request("GET", path).send();
    return names;
  };
  CHECK(events("/ok/1") == Names{"request:start", "route:matched", "validation:success",
                                 "handler:before", "response:before", "handler:after",
                                 "response:after"});
  CHECK(events("/ok/x") == Names{"request:start", "route:matched", "validation:error",
                                 "error:beforeResponse", "response:before", "error:afterResponse",
                                 "response:after"});
  CHECK(events("/err") == Names{"request:start", "route:matched", "handler:before", "handler:error",
                                "error:beforeResponse", "response:before", "error:afterResponse",
                                "response:after"});
  const Names plain{"request:start",   "route:matched", "handler:before",
                    "response:before", "handler:after", "response:after"};
  CHECK(events("/text") == plain);
  CHECK(events("/stream") == plain);
  CHECK(events("/redirect") == plain);
  CHECK(events("/nope") ==
        Names{"request:start", "route:notFound", "response:before", "response:after"});
}

TEST_CASE("hooks: response:before can change data, status and headers") {
  OneFileApp app(routes, TestApp::test_config(), [](fw::App& a) {
    a.hooks().on<hooks::ResponseBefore>([](hooks::ResponseBefore& event) {
      event.data = Json{{"patched", event.data}};
      event.status = 203;
      event.res.set_header("X-P", "1");
    });
  });
  const auto r = app.request("GET", "/ok/1").send();
  CHECK(r.status == 203);
  CHECK(r.header("x-p") == "1");
  CHECK(r.json()["data"] == Json{{"patched", {{"ok", true}}}});
}

TEST_CASE("hooks: an invalid status is an error, as over a socket") {
  OneFileApp app(routes, TestApp::test_config(), [](fw::App& a) {
    a.hooks().on<hooks::ResponseBefore>([](hooks::ResponseBefore& event) {
      if (event.status < 400) event.status = 1'000;
    });
  });
  const auto r = app.request("GET", "/ok/1").send();
  CHECK(r.status == 500);
  CHECK(r.json()["message"] == "Internal Server Error");
}

TEST_CASE("hooks: an invalid status of an error response is a 500 with a line in the access log") {
  const auto sink = std::make_shared<RecordingSink>();
  fw::Config config = TestApp::test_config();
  config.access_log.enabled = true;
  config.access_log.errors = true;
  OneFileApp app(routes, config, [&](fw::App& a) {
    a.set_logger(fw::Logger(sink));
    a.hooks().on<hooks::ErrorBeforeResponse>(
        [](hooks::ErrorBeforeResponse& event) { event.status = 101; });
  });
  const auto r = app.request("GET", "/raise").send();
  CHECK(r.status == 500);
  CHECK(r.json()["message"] == "Internal Server Error");
  CHECK(r.json()["requestId"] == r.header("x-request-id"));
  CHECK(r.header("cache-control") == "no-store");
  const auto errors = sink->messages(fw::LogLevel::error);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0] == "the response could not be completed");
  CHECK(errors[1].starts_with("GET /raise 500 "));
}

TEST_CASE("hooks: error:beforeResponse can change status and body") {
  OneFileApp app(routes, TestApp::test_config(), [](fw::App& a) {
    a.hooks().on<hooks::ErrorBeforeResponse>([](hooks::ErrorBeforeResponse& event) {
      event.status = 418;
      event.body["extra"] = 1;
    });
  });
  const auto r = app.request("GET", "/raise").send();
  CHECK(r.status == 418);
  CHECK(r.json()["code"] == "C");
  CHECK(r.json()["extra"] == 1);
}

TEST_CASE("hooks: error:beforeResponse can set the fields of the error") {
  const auto fail = [](fw::Request& req, fw::Response& res) {
    res.set_header("cache-control", "public, max-age=86400").set_header("etag", "\"1\"");
    req.app().raise(404, "gone");
  };
  fw::Config config = TestApp::test_config();
  config.environment = "development";  // with pages for errors
  OneFileApp app([&](fw::Router& router) { router.get("/gone", fail); }, config,
                 [](fw::App& a) {
                   a.hooks().on<hooks::ErrorBeforeResponse>([](hooks::ErrorBeforeResponse& event) {
                     CHECK_FALSE(event.res.get_header("etag"));
                     event.res.set_header("cache-control", "max-age=5");
                     event.res.set_header("content-type", "application/problem+json");
                   });
                 });
  const auto response = app.request("GET", "/gone").send();
  CHECK(response.status == 404);
  CHECK(response.header("cache-control") == "max-age=5");
  CHECK(response.header("content-type") == "application/problem+json");
  const auto page = app.request("GET", "/gone").header("Accept", "text/html").send();
  CHECK(page.header("content-type") == "text/html; charset=utf-8");
  CHECK_FALSE(response.header("etag"));
}

TEST_CASE("hooks: exceptions of before-hooks propagate, exceptions of other hooks are logged") {
  auto sink = std::make_shared<RecordingSink>();
  const auto fail = [](auto&) { throw std::runtime_error("thrown by a hook"); };
  OneFileApp after(routes, TestApp::test_config(), [&](fw::App& a) {
    a.set_logger(fw::Logger(sink));
    a.hooks().on<hooks::ResponseBefore>(fail);
    a.hooks().on<hooks::HandlerAfter>(fail);
    a.hooks().on<hooks::ResponseAfter>(fail);
  });
  CHECK(after.request("GET", "/ok/1").send().status == 200);
  const auto errors = sink->messages(fw::LogLevel::error);
  REQUIRE(errors.size() == 3);
  CHECK(errors[0] == "hook response:before: std::runtime_error: thrown by a hook");

  OneFileApp before(routes, TestApp::test_config(),
                    [&](fw::App& a) { a.hooks().on<hooks::RouteMatched>(fail); });
  CHECK(before.request("GET", "/ok/1").send().status == 500);
}

TEST_CASE("hooks: they run in order of registration and can be unsubscribed") {
  const fw::Logger logger(std::make_shared<RecordingSink>());
  fw::Hooks registry;
  Names names;
  CHECK(!registry.any<hooks::AppReady>());
  const auto first = registry.on<hooks::AppReady>([&](hooks::AppReady&) { names.push_back("a"); });
  registry.on<hooks::AppReady>([&](hooks::AppReady&) { names.push_back("b"); });
  fw::App app(TestApp::test_config());
  hooks::AppReady event{app};
  registry.emit(event, logger);
  first();
  first();
  registry.emit(event, logger);
  CHECK(names == Names{"a", "b", "b"});
  CHECK(registry.any<hooks::AppReady>());
}

TEST_CASE("hooks: a response sent before the handler ends the request") {
  OneFileApp app(routes, TestApp::test_config(), [](fw::App& a) {
    a.hooks().on<hooks::RequestStart>([](hooks::RequestStart& event) {
      if (event.req.query("closed")) event.res.status(503).text("closed");
    });
    a.hooks().on<hooks::RouteNotFound>(
        [](hooks::RouteNotFound& event) { event.res.status(404).text("own page"); });
  });
  CHECK(app.request("GET", "/err?closed").send().status == 503);
  CHECK(app.request("GET", "/nope").send().body == "own page");
}

}  // namespace hooks_test
