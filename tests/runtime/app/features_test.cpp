// Programs without the parts of the framework that their application does not use.
#include <doctest/doctest.h>

#include "support/table_builder.hpp"

namespace features_test {

namespace {

using fw::detail::Features;
using fw::support::RecordingSink;
using fw::support::TableBuilder;
using fw::testing::TestApp;

constexpr Features kNone = {};

void respond(fw::Request&, fw::Response& res) { res.json(1); }

/// The errors of the start of an application with one route.
std::vector<std::string> start(const Features& features, const fw::RouteOptions& options) {
  TableBuilder table;
  table.page("a.html", "<p>a</p>").features(features).routes([&](fw::Router& app) {
    app.get("/", fw::RouteOptions(options), respond);
  });
  try {
    const TestApp app(table.table());
  } catch (const fw::StartupError& error) {
    return error.errors();
  }
  return {};
}

}  // namespace

TEST_CASE("features: a route that needs one which the table lacks fails the start") {
  const auto error = [](const char* option) {
    return std::vector<std::string>{
        std::string(
            "src/routes/index.cpp:10: GET /: the features of the application's table do not "
            "include '") +
        option + "'"};
  };
  Features features = {.page_rendering = &fw::detail::kPageRendering};
  CHECK(start(features, {}).empty());
  CHECK(start(features, {.cache = 1'000}) == error("cache"));
  CHECK(start(features, {.docs = {.summary = "A", .operation_id = "a"}, .mcp = true}) ==
        error("mcp"));
  CHECK(start(features, {.frontend = {.page = "a"}}) == error("frontend"));
  features.page_routes = &fw::detail::kPageRoutes;
  CHECK(start(features, {.frontend = {.page = "a"}}) == error("frontend"));
  features.cached_routes = &fw::detail::kCachedRoutes;
  CHECK(start(features, {.frontend = {.page = "a"}}).empty());
  CHECK(start(features, {.cache = 1'000}).empty());
}

TEST_CASE("features: pages without what renders them fail the start") {
  CHECK(start(kNone, {}) ==
        std::vector<std::string>{"the features of the application's table do not include pages"});
}

TEST_CASE("features: without pages, there is none to render") {
  TableBuilder table;
  table.features(kNone).routes([](fw::Router& app) {
    app.get("/", {}, [](fw::Request&, fw::Response& res) {
      res.set_header("content-security-policy", "default-src 'self'");
      res.render("a", {{"x", 1}});
    });
  });
  const auto sink = std::make_shared<RecordingSink>();
  TestApp app(table.table(), TestApp::test_config(),
              [&](fw::App& a) { a.set_logger(fw::Logger(sink, fw::LogLevel::error)); });
  CHECK(app.request("GET", "/").send().status == 500);
  CHECK(sink->records().at(0).fields.dump().find("there is no page 'a'") != std::string::npos);
}

TEST_CASE("features: without the viewer, the document is served, and the log says why") {
  fw::Config config = TestApp::test_config();
  config.openapi.enabled = true;
  TableBuilder table;
  table.features(kNone).openapi(R"({"openapi": "3.1.0", "info": {"title": "A"}, "paths": {}})");
  const auto sink = std::make_shared<RecordingSink>();
  TestApp app(table.table(), config,
              [&](fw::App& a) { a.set_logger(fw::Logger(sink, fw::LogLevel::info)); });
  CHECK(app.request("GET", "/docs").send().status == 404);
  CHECK(app.request("GET", "/openapi.json").send().status == 200);
  CHECK(sink->messages().at(0) ==
        "/docs is not served: the program was built without the viewer, because no file in config/ "
        "has openapi.enabled; OPTIONS --docs-viewer of fairway_add_app adds it");
}

TEST_CASE("features: an application has the features of all its tables") {
  TableBuilder pages;
  TableBuilder cached;
  const Features with_pages = {.page_rendering = &fw::detail::kPageRendering};
  pages.page("a.html", "<p>a</p>").features(with_pages).routes([](fw::Router& app) {
    app.get("/page", {}, [](fw::Request&, fw::Response& res) { res.render("a"); });
  });
  const Features with_cache = {.cached_routes = &fw::detail::kCachedRoutes};
  cached.features(with_cache).routes([](fw::Router& app) {
    app.get("/cached", {.cache = 60'000}, respond);
  });
  TestApp app(pages.table(), TestApp::test_config(), [&](fw::App& a) { a.mount(cached.table()); });
  CHECK(app.request("GET", "/page").send().body.find("<p>a</p>") != std::string::npos);
  CHECK(app.request("GET", "/cached").send().header("x-cache") == "MISS");
  CHECK(app.request("GET", "/cached").send().header("x-cache") == "HIT");
}

}  // namespace features_test
