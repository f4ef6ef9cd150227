#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <thread>

#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace middleware_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::TableBuilder;
using fw::testing::TestApp;

struct Trace {
  std::vector<std::string> steps;
};

void note(fw::Request& req, const std::string& step) {
  if (req.get<Trace>() == nullptr) req.set(Trace{});
  req.get<Trace>()->steps.push_back(step);
}

fw::Middleware noting(const std::string& step) {
  return [step](fw::Request& req, fw::Response&, fw::Next next) {
    note(req, step);
    next();
  };
}

void send_trace(fw::Request& req, fw::Response& res) { res.json(req.get<Trace>()->steps); }

fw::Config with_middlewares(std::vector<fw::MiddlewareConfig> middlewares) {
  fw::Config config = TestApp::test_config();
  config.middlewares = std::move(middlewares);
  return config;
}

}  // namespace

TEST_CASE("middleware: global ones run first, then the route's in their order") {
  TableBuilder table;
  table.routes([](fw::Router& app) {
    app.get("/o", {.middlewares = {"m2", "m1"}}, send_trace);
    app.get("/plain", send_trace);
  });
  table.middleware("m1", fw::define_middleware(noting("m1")));
  table.middleware("m2", fw::define_middleware(noting("m2")));
  table.plugin({.name = "p", .setup = [](fw::App& app) { app.use(noting("global")); }});
  TestApp app(table.table(), with_middlewares({{.name = "m1"}, {.name = "m2"}}));
  CHECK(app.request("GET", "/o").send().json()["data"] == Json{"global", "m2", "m1"});
  CHECK(app.request("GET", "/plain").send().json()["data"] == Json{"global"});
  CHECK(app.request("GET", "/nope").send().status == 404);
}

TEST_CASE("middleware: a response ends the chain, and an exception gives an error response") {
  OneFileApp app([](fw::Router& router) { router.get("/o", send_trace); }, TestApp::test_config(),
                 [](fw::App& a) {
                   a.use([](fw::Request& req, fw::Response& res, fw::Next next) {
                     if (req.query("stop")) return res.json({{"stopped", true}});
                     if (req.query("boom")) throw std::runtime_error("global boom");
                     if (req.query("forget")) return;
                     note(req, "global");
                     next();
                     res.set_header("x-after", std::to_string(res.status_code()));
                     if (req.query("twice")) next();
                   });
                 });
  CHECK(app.request("GET", "/o?stop=1").send().json()["data"] == Json{{"stopped", true}});
  CHECK(app.request("GET", "/o?boom=1").send().status == 500);
  CHECK(app.request("GET", "/o?forget=1").send().status == 500);
  const auto r = app.request("GET", "/o").send();
  CHECK(r.header("x-after") == "200");
  // The handler ran once; what comes after the response does not take it back.
  CHECK(app.request("GET", "/o?twice=1").send().json()["data"] == Json{"global"});
}

TEST_CASE("middleware: next cannot be called later or by another thread") {
  std::optional<fw::Next> kept;
  std::string later;
  std::string elsewhere;
  int handled = 0;
  const auto attempt = [](const fw::Next& next) -> std::string {
    try {
      next();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  };
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/o", [&](fw::Request&, fw::Response& res) {
          ++handled;
          res.json(1);
        });
      },
      TestApp::test_config(),
      [&](fw::App& a) {
        a.use([&](fw::Request&, fw::Response&, fw::Next next) {
          // Of the request before: its frame may even have had the same address.
          if (kept) later = attempt(*kept);
          std::thread([&] { elsewhere = attempt(next); }).join();
          kept = next;
          next();
        });
      });
  CHECK(app.request("GET", "/o").send().status == 200);
  CHECK(app.request("GET", "/o").send().status == 200);
  CHECK(handled == 2);
  const std::string message =
      "a middleware called next after it had returned, or on another thread";
  CHECK(later == message);
  CHECK(elsewhere == message);
  REQUIRE(kept);
  CHECK(attempt(*kept) == message);
}

TEST_CASE("middleware: the error for a missing one mentions a missing config folder") {
  const auto startup_error = [](const std::string& environment) -> std::string {
    TableBuilder table;
    table.routes([](fw::Router& app) { app.get("/o", {.middlewares = {"m"}}, send_trace); });
    table.middleware("m", fw::define_middleware(noting("m")));
    fw::Config config = TestApp::test_config();
    config.environment = environment;
    try {
      TestApp app(table.table(), config);
    } catch (const fw::StartupError& error) {
      return error.errors().at(0);
    }
    return "";
  };
  const fairway::test::TemporaryDirectory directory;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const std::string elsewhere = startup_error("production");
  directory.write("config/default.json", "{}");
  const std::string in_test = startup_error("test");
  std::filesystem::current_path(before);
  CHECK(elsewhere.ends_with(
      "middleware 'm' is not in config.middlewares; add its name there "
      "(there is no config/ in " +
      directory.path().string() + ": was the program started in another directory?)"));
  CHECK(
      in_test.ends_with("add its name there (a TestApp reads no files: pass it "
                        "fw::load_config_from(\"config\"))"));
}

TEST_CASE("middleware: options of the reference override the configuration") {
  TableBuilder table;
  table.routes([](fw::Router& app) {
    app.get("/def", {.middlewares = {"role"}}, [](auto&, auto& res) { res.json(1); });
    app.get("/own", {.middlewares = {{"role", {{"role", "y"}}}}},
            [](auto&, auto& res) { res.json(1); });
  });
  table.middleware("role", fw::define_middleware([](const Json& options) -> fw::Middleware {
                     return [options](fw::Request&, fw::Response& res, fw::Next next) {
                       res.set_header("X-Role", options.dump());
                       next();
                     };
                   }));
  TestApp app(table.table(), with_middlewares({{.name = "role", .options = {{"role", "x"}}}}));
  CHECK(app.request("GET", "/def").send().header("x-role") == R"({"role":"x"})");
  CHECK(app.request("GET", "/own").send().header("x-role") == R"({"role":"y"})");
}

TEST_CASE("middleware: unknown references fail the start") {
  TableBuilder table;
  table.routes([](fw::Router& app) {
    app.get("/a", {.middlewares = {"audit"}}, send_trace);
    app.get("/b", {.middlewares = {"ghost"}}, send_trace);
    app.get("/c", {.middlewares = {"broken"}}, send_trace);
  });
  table.middleware("audit", fw::define_middleware(noting("audit")));
  table.middleware("broken", fw::define_middleware([](const Json&) -> fw::Middleware {
                     throw std::invalid_argument("option 'x' is missing");
                   }));
  try {
    const TestApp app(table.table(), with_middlewares({{.name = "ghost"}, {.name = "broken"}}));
    FAIL("the application started");
  } catch (const fw::StartupError& error) {
    REQUIRE(error.errors().size() == 3);
    CHECK(error.errors()[0] ==
          "src/routes/index.cpp:10: GET /a: middleware 'audit' is not in config.middlewares; add "
          "its name there, and remove 'ghost', which no middleware has as its name (the program "
          "has 'audit', 'broken')");
    CHECK(
        error.errors()[1].ends_with("GET /b: middleware 'ghost' has no file "
                                    "middlewares/ghost.cpp (the program has 'audit', 'broken')"));
    CHECK(error.errors()[2].find(
              "GET /c: middleware 'broken' (src/middlewares/broken.cpp) cannot be created: "
              "std::invalid_argument: option 'x' is missing") != std::string::npos);
  }
}

TEST_CASE("middleware: a misspelt name in the configuration is named at the start") {
  TableBuilder table;
  table.routes([](fw::Router& app) { app.get("/a", {.middlewares = {"audit-log"}}, send_trace); });
  table.middleware("audit-log", fw::define_middleware(noting("audit-log")));
  table.middleware("role", fw::define_middleware(noting("role")));
  std::string message;
  try {
    const TestApp app(table.table(), with_middlewares({{.name = "role"}, {.name = "audit-lgo"}}));
  } catch (const fw::StartupError& error) {
    message = error.errors().at(0);
  }
  CHECK(message ==
        "src/routes/index.cpp:10: GET /a: middleware 'audit-log' is not in config.middlewares, "
        "which lists 'audit-lgo' instead, a name that no middleware has (the program has "
        "'audit-log', 'role')");
}

}  // namespace middleware_test
