// Mounting, plugins, services, extensions.
#include <doctest/doctest.h>

#include "support/table_builder.hpp"

namespace app_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::TableBuilder;
using fw::testing::TestApp;

using Names = std::vector<std::string>;

void nothing(fw::Request&, fw::Response& res) { res.json(nullptr); }

Names errors_of(TableBuilder& table, const fw::Config& config = TestApp::test_config()) {
  try {
    const TestApp app(table.table(), config);
  } catch (const fw::StartupError& error) {
    return error.errors();
  }
  return {};
}

}  // namespace

TEST_CASE("mount: routes that differ from the table name file and route and the rebuild command") {
  TableBuilder table;
  table.outdated_routes(
      [](fw::Router& app) {
        app.get("/kept", nothing);
        app.get("/removed", nothing);
        app.post("/schema", {.validate = {.body = {{"a", "string"}}}}, nothing);
        app.get("/docs", {.docs = {.summary = "before"}, .objective = {.availability = 99}},
                nothing);
        app.post("/several",
                 {.multipart = {.enabled = false}, .body_parser = {}, .override_ = {.timeout = 1}},
                 nothing);
      },
      [](fw::Router& app) {
        app.get("/kept", nothing);
        app.get("/added", nothing);
        app.post("/schema", {.validate = {.body = {{"a", "string?"}}}}, nothing);
        app.get("/docs", {.docs = {.summary = "after"}, .objective = {.availability = 99.9}},
                nothing);
        app.post("/several", {.multipart = {.enabled = true}, .override_ = {.timeout = 2}},
                 nothing);
      });
  const std::string rebuild =
      "; rebuild the application. If that does not help, the route compiler has seen other macros "
      "or headers than the compiler of the program";
  CHECK(
      errors_of(table) ==
      Names{"src/routes/index.cpp: GET /added was added after the route table was built" + rebuild,
            "src/routes/index.cpp:12: the option .validate of POST /schema had another value when "
            "the route table was built" +
                rebuild,
            "src/routes/index.cpp:13: the options .docs, .objective of GET /docs had other values "
            "when "
            "the route table was built" +
                rebuild,
            "src/routes/index.cpp:14: the options .body_parser, .multipart, .override_ of POST "
            "/several had other values when the route table was built" +
                rebuild,
            "src/routes/index.cpp: GET /removed was removed after the route table was built" +
                rebuild});
}

TEST_CASE("mount: the options of routes are validated") {
  TableBuilder table;
  table.routes(
      [](fw::Router& app) {
        app.get("/a",
                {.override_ = {.cors = {.origins = {"https://a.example/"}, .headers = {"X A"}}}},
                nothing);
        app.get("/b", {.override_ = {.cors = {.max_age = -1}}}, nothing);
        app.get("/c",
                {.override_ = {.rate_limit =
                                   fw::RateLimitOptions{.max = 0, .window = 0, .key_by = "name"}}},
                nothing);
        app.post("/d",
                 {.multipart = {.enabled = true,
                                .max_files = 0,
                                .max_file_size = "big",
                                .allowed_mime_types = {"image/*", "png"}}},
                 nothing);
        app.get(
            "/e",
            {.cache = fw::RouteCacheOptions{.methods = {"get"}}, .frontend = {.mode = "static"}},
            nothing);
      },
      "/", "src/routes/index.cpp");
  CHECK(
      Json(errors_of(table)) ==
      Json(Names{
          "src/routes/index.cpp:10: GET /a: override_.cors.origins: 'https://a.example/' is not "
          "an origin; write a scheme and a host, such as \"https://app.example\", or \"*\"",
          "src/routes/index.cpp:10: GET /a: override_.cors.headers: 'X A' is not the name of a "
          "header",
          "src/routes/index.cpp:11: GET /b: 'override_.cors.max_age' must not be negative",
          "src/routes/index.cpp:12: GET /c: 'override_.rate_limit.max' must be a positive "
          "number of requests",
          "src/routes/index.cpp:12: GET /c: 'override_.rate_limit.window' must be a positive "
          "number of seconds",
          "src/routes/index.cpp:12: GET /c: 'override_.rate_limit.key_by' cannot be 'name'; "
          "write \"ip\" or \"user\"",
          "src/routes/index.cpp:13: POST /d: 'multipart.max_files' must be a positive number "
          "of files",
          "src/routes/index.cpp:13: POST /d: 'multipart.max_file_size' is not a valid size; write "
          "a number of bytes, or a string such as \"512kb\" or \"1mb\"",
          "src/routes/index.cpp:13: POST /d: multipart.allowed_mime_types: 'png' is not a media "
          "type; write a type such as \"image/png\", without parameters, or \"image/*\"",
          "src/routes/index.cpp:14: GET /e: 'cache.methods' has the unknown method 'get'; write "
          "methods in upper case, for example \"GET\"",
          "src/routes/index.cpp:14: GET /e: 'frontend.mode' 'static' excludes 'cache'; the "
          "rendering is stored already",
          "src/routes/index.cpp:14: GET /e: 'frontend.mode' 'static' needs 'frontend.page'; name "
          "the page, because static generation runs no handler that could choose it"}));
}

TEST_CASE("mount: a re-exported definition is served under both prefixes") {
  TableBuilder table;
  const auto routes = [](fw::Router& app) {
    app.get("/:id", [](fw::Request& req, fw::Response& res) { res.json(req.route()); });
  };
  table.routes(routes, "/users", "src/routes/users.cpp");
  table.routes(routes, "/admin/users", "src/routes/admin/users.cpp");
  TestApp app(table.table());
  CHECK(app.request("GET", "/users/1").send().json()["data"] == "/users/:id");
  CHECK(app.request("GET", "/admin/users/1").send().json()["data"] == "/admin/users/:id");
}

TEST_CASE("mount: a factory that throws fails the start, and its routes are not mounted") {
  TableBuilder table;
  table.outdated_routes([](fw::Router&) {},
                        [](fw::Router& app) {
                          app.get("/x", nothing);
                          throw std::runtime_error("no database");
                        });
  CHECK(errors_of(table) == Names{"src/routes/index.cpp: the factory failed: "
                                  "std::runtime_error: no database"});
}

TEST_CASE("mount: a router rejects routes after its factory has returned") {
  fw::Router* escaped = nullptr;
  OneFileApp app([&](fw::Router& router) { escaped = &router; });
  REQUIRE(escaped != nullptr);
  CHECK_THROWS_AS(escaped->get("/late", nothing), std::logic_error);
}

TEST_CASE("plugins: set up after their dependencies and closed in reverse") {
  Names steps;
  const auto plugin = [&](const char* name, fw::TextList dependencies) {
    return fw::Plugin{
        .name = name,
        .dependencies = std::move(dependencies),
        .setup = [&steps, name](fw::App&) { steps.push_back(std::string("set ") + name); },
        .on_ready = [&steps, name](fw::App&) { steps.push_back(std::string("ready ") + name); },
        .on_close = [&steps, name](fw::App&) { steps.push_back(std::string("close ") + name); }};
  };
  TableBuilder table;
  table.plugin(plugin("c", {"b"})).plugin(plugin("a", {})).plugin(plugin("b", {"a"}));
  {
    const TestApp app(table.table());
  }
  CHECK(steps == Names{"set a", "set b", "set c", "ready a", "ready b", "ready c", "close c",
                       "close b", "close a"});
}

TEST_CASE("plugins: cycles, missing dependencies and failures keep the application from starting") {
  TableBuilder cycle;
  cycle.plugin({.name = "a", .dependencies = {"b"}}).plugin({.name = "b", .dependencies = {"a"}});
  CHECK(errors_of(cycle) == Names{"plugins depend on each other in a circle: a -> b -> a"});
  TableBuilder missing;
  missing.plugin({.name = "a", .dependencies = {"ghost"}});
  CHECK(errors_of(missing) == Names{"plugin 'a' depends on 'ghost', but there is no such plugin"});
  TableBuilder failing;
  bool dependent_ran = false;
  failing.plugin({.name = "a", .setup = [](fw::App&) { throw std::runtime_error("x"); }});
  failing.plugin(
      {.name = "b", .dependencies = {"a"}, .setup = [&](fw::App&) { dependent_ran = true; }});
  CHECK(errors_of(failing) == Names{"src/plugins/a.cpp: plugin 'a': std::runtime_error: x"});
  CHECK(!dependent_ran);
}

TEST_CASE("plugins: setup has events before and after") {
  namespace hooks = fw::hooks;
  Names names;
  TableBuilder table;
  table.plugin({.name = "good"});
  const TestApp app(table.table(), TestApp::test_config(), [&](fw::App& a) {
    a.hooks().on<hooks::PluginBeforeSetup>(
        [&](hooks::PluginBeforeSetup& e) { names.push_back("before " + std::string(e.plugin)); });
    a.hooks().on<hooks::PluginAfterSetup>(
        [&](hooks::PluginAfterSetup& e) { names.push_back("after " + std::string(e.plugin)); });
    a.hooks().on<hooks::RoutesReady>([&](hooks::RoutesReady&) { names.emplace_back("routes"); });
    a.hooks().on<hooks::AppReady>([&](hooks::AppReady&) { names.emplace_back("ready"); });
  });
  CHECK(names == Names{"before good", "after good", "routes", "ready"});
}

TEST_CASE("app: all errors of a start are reported together") {
  fw::Config config = TestApp::test_config();
  config.port = 70'000;
  TableBuilder table;
  table.routes([](fw::Router& app) { app.get("/x", {.middlewares = {"m"}}, nothing); });
  table.plugin({.name = "a", .dependencies = {"ghost"}});
  CHECK(errors_of(table, config).size() == 3);
}

TEST_CASE("app: services and extensions can be added and looked up") {
  struct Store {
    int value;
  };
  fw::App app(TestApp::test_config());
  app.services().add<Store>(Store{7});
  CHECK(app.services().get<Store>().value == 7);
  CHECK_THROWS_AS(app.services().add<Store>(Store{8}), std::logic_error);
  CHECK(app.services().try_get<std::string>() == nullptr);
  CHECK_THROWS_WITH(app.services().get<Names>(),
                    "there is no service std::vector<std::string>; add it with "
                    "app.services().add<…>() before it is used");
  fw::App(TestApp::test_config()).services().add<Names>();
  app.extend("number", 42);
  CHECK(app.extension<int>("number") == 42);
  CHECK_THROWS_AS(app.extend("number", 1), std::logic_error);
  CHECK_THROWS_AS(app.extension<int>("question"), std::out_of_range);
  CHECK_THROWS_AS(app.extension<std::string>("number"), std::bad_any_cast);
}

TEST_CASE("app: services that are used and never added are reported") {
  struct NeverAdded {};
  struct NeverNeeded {};
  struct Added {};
  struct Base {};
  struct Derived : Base {};
  // Code that never runs counts, because it may run later.
  const std::function<void(fw::Services&)> code = [](fw::Services& services) {
    services.get<NeverAdded>();
    services.try_get<NeverNeeded>();
    services.get<Added>();
    services.add<Added>();
    services.get<Base>();
    services.add_instance<Base>(std::make_shared<Derived>());
  };
  REQUIRE(code);
  const auto names = fw::detail::services_never_added();
  REQUIRE(names.size() == 1);
  CHECK(names.front().find("NeverAdded") != std::string::npos);

  // Also if the start fails.
  fw::Config config = TestApp::test_config();
  config.host = "no address";
  auto sink = std::make_shared<fw::support::RecordingSink>();
  fw::App app(config);
  app.set_logger(fw::Logger(sink));
  CHECK(app.listen() == 1);
  CHECK(sink->messages(fw::LogLevel::warn) ==
        std::vector<std::string>{"the program gets the service " + names.front() +
                                 ", but contains no code that adds it; add it with "
                                 "app.services().add<" +
                                 names.front() + ">() in main or in a plugin"});
}

TEST_CASE("app: configuration calls after the start throw") {
  OneFileApp app([](fw::Router& router) { router.get("/x", nothing); });
  CHECK_THROWS_AS(app.app().use([](fw::Request&, fw::Response&, fw::Next) {}), std::logic_error);
  CHECK_THROWS_AS(app.app().mount({}), std::logic_error);
  CHECK_THROWS_AS(app.app().extend("late", 1), std::logic_error);
  CHECK_THROWS_WITH_AS(app.app().on_ready([](fw::App&) {}),
                       "app.on_ready must be called before the application starts",
                       std::logic_error);
  CHECK_THROWS_AS(app.app().on_close([](fw::App&) {}), std::logic_error);
}

TEST_CASE("app: several applications in one process are isolated") {
  const auto routes = [](fw::Router& router) {
    router.get("/name", [&](fw::Request&, fw::Response& res) {
      res.json(router.services().get<std::string>());
    });
  };
  OneFileApp first(routes, TestApp::test_config(),
                   [](fw::App& a) { a.services().add<std::string>("first"); });
  OneFileApp second(routes, TestApp::test_config(),
                    [](fw::App& a) { a.services().add<std::string>("second"); });
  CHECK(first.request("GET", "/name").send().json()["data"] == "first");
  CHECK(second.request("GET", "/name").send().json()["data"] == "second");
}

TEST_CASE("app: the OpenAPI document is served when it is enabled") {
  TableBuilder table;
  table.openapi(R"({"openapi":"3.1.0"})");
  CHECK(TestApp(table.table()).request("GET", "/openapi.json").send().status == 404);
  fw::Config config = TestApp::test_config();
  config.openapi.enabled = true;
  TestApp app(table.table(), config);
  const auto r = app.request("GET", "/openapi.json").send();
  CHECK(r.status == 200);
  CHECK(r.header("content-type") == "application/json; charset=utf-8");
  CHECK(r.body == R"({"openapi":"3.1.0"})");
}

}  // namespace app_test
