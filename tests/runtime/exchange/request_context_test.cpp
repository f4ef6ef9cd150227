#include <fairway/future.hpp>
#include <fairway/request_context.hpp>

#include <doctest/doctest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "support/table_builder.hpp"

namespace request_context_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::support::TableBuilder;
using fw::testing::TestApp;

std::optional<fw::AuthIdentity> verify(std::string_view credential, fw::Request&) {
  if (credential == "bad") return std::nullopt;
  return fw::AuthIdentity{.subject = "s-" + std::string(credential),
                          .user_id = credential == "subject" ? "" : std::string(credential),
                          .roles = {"admin"},
                          .claims = {{"secret", "s3cret"}}};
}

/// As a service would see it.
Json seen() {
  const auto request = fw::current_request();
  if (!request) return "no request";
  if (!request->caller) return "anonymous";
  const fw::Caller& caller = *request->caller;
  return caller.user_id + "|" + caller.subject + "|" + caller.provider + "|" + caller.scheme;
}

void respond(fw::Request&, fw::Response& res) { res.json(seen()); }

void identify_callers(fw::App& app) {
  app.use(fw::auth({.provider = "directory", .verify = verify}));
}

Json data_of(TestApp& app, const std::string& path, const std::string& credential) {
  auto request = app.request("GET", path);
  if (!credential.empty()) request.header("Authorization", "Bearer " + credential);
  return request.send().json().at("data");
}

TEST_CASE("request context: code without the request can read its id and caller") {
  TableBuilder table;
  const auto identify = [](fw::Request& req, fw::Response&, fw::Next next) {
    req.auth() = fw::AuthContext{.is_authenticated = true, .user_id = "of the route"};
    next();
  };
  table.middleware("identify", fw::define_middleware(identify));
  table.routes([](fw::Router& router) {
    router.get("/", respond);
    router.get("/id",
               [](fw::Request&, fw::Response& res) { res.json(fw::current_request().value().id); });
    router.get("/future", [](fw::Request&, fw::Response& res) {
      fw::Future<Json> work([] { return seen(); });
      res.json(work.get());
    });
    router.get("/own", {.middlewares = {"identify"}}, respond);
  });
  auto config = TestApp::test_config();
  config.middlewares = {{.name = "identify"}};
  TestApp app(table.table(), config, identify_callers);
  CHECK(data_of(app, "/", "ada") == "ada|s-ada|directory|bearer");
  CHECK(data_of(app, "/", "") == "anonymous");
  CHECK(data_of(app, "/", "bad") == "anonymous");
  CHECK(data_of(app, "/future", "ada") == "ada|s-ada|directory|bearer");
  CHECK(data_of(app, "/own", "ada") == "of the route|||");
  CHECK(app.request("GET", "/id").header("X-Request-Id", "R1").send().json().at("data") == "R1");
  CHECK(seen() == "no request");
}

TEST_CASE("request context: absent if it is disabled") {
  auto config = TestApp::test_config();
  config.request_context.enabled = false;
  OneFileApp app([](fw::Router& router) { router.get("/", respond); }, config, identify_callers);
  CHECK(data_of(app, "/", "ada") == "no request");
}

TEST_CASE("request context: a cached response that depends on the caller is not shared") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", {.cache = {{.ttl = 60'000, .allow_authorization_cache = true}}}, respond);
      },
      TestApp::test_config(), identify_callers);
  CHECK(data_of(app, "/", "ada") == "ada|s-ada|directory|bearer");
  CHECK(data_of(app, "/", "bob") == "bob|s-bob|directory|bearer");
  CHECK(data_of(app, "/", "") == "anonymous");
}

TEST_CASE("request context: cache functions can read the caller") {
  const auto user = [](fw::Request&) {
    const auto caller = fw::current_request().value().caller;
    return caller ? caller->user_id : "anonymous";
  };
  int runs = 0;
  OneFileApp app(
      [&](fw::Router& router) {
        const auto count = [&](fw::Request&, fw::Response& res) { res.json(++runs); };
        const auto respond_to_caller = [&](fw::Request&, fw::Response& res) {
          ++runs;
          res.json(seen());
        };
        const auto is_known = [](fw::Request&) {
          return fw::current_request()->caller.has_value();
        };
        router.get("/partition", {.cache = {{.ttl = 60'000, .partition_key = user}}},
                   respond_to_caller);
        router.get("/key",
                   {.cache = {{.ttl = 60'000, .key = user, .allow_authorization_cache = true}}},
                   respond_to_caller);
        router.get(
            "/condition",
            {.cache = {{.ttl = 60'000, .condition = is_known, .allow_authorization_cache = true}}},
            count);
        router.get(
            "/guard",
            {.auth = fw::AuthRequirement{.check =
                                             [](fw::Request&, fw::AuthContext&) {
                                               return fw::current_request()->caller.has_value();
                                             }},
             .cache = {{.ttl = 60'000, .allow_authorization_cache = true}}},
            count);
      },
      TestApp::test_config(), identify_callers);
  for (const char* path : {"/partition", "/key"}) {
    CAPTURE(path);
    runs = 0;
    for (int i = 0; i < 3; ++i) {
      CHECK(data_of(app, path, "ada") == "ada|s-ada|directory|bearer");
      CHECK(data_of(app, path, "bob") == "bob|s-bob|directory|bearer");
    }
    CHECK(runs == 2);
  }
  for (const char* path : {"/condition", "/guard"}) {
    CAPTURE(path);
    runs = 0;
    for (int i = 0; i < 3; ++i) CHECK(data_of(app, path, "ada") == 1);
  }
}

TEST_CASE("request context: a cache hit is logged with its own id and user") {
  auto sink = std::make_shared<RecordingSink>();
  auto config = TestApp::test_config();
  config.request_context.log_user = true;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", {.cache = {{.ttl = 60'000, .allow_authorization_cache = true}}},
                   [](fw::Request&, fw::Response& res) { res.json(1); });
      },
      config,
      [&](fw::App& a) {
        a.set_logger(fw::Logger(sink));
        identify_callers(a);
        a.hooks().on<fw::hooks::CacheHit>([&a](fw::hooks::CacheHit&) { a.logger().info("hit"); });
      });
  for (const char* credential : {"ada", "bob"}) {
    app.request("GET", "/")
        .header("Authorization", "Bearer " + std::string(credential))
        .header("X-Request-Id", "of " + std::string(credential))
        .send();
  }
  std::string hits;
  for (const auto& line : sink->records()) {
    if (line.message == "hit") hits += line.request_id + "|" + line.user;
  }
  CHECK(hits == "of bob|bob");
}

TEST_CASE("request context: each function of fw::all sees the caller") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", [](fw::Request&, fw::Response& res) {
          const auto [a, b, c] = fw::all(seen, seen, seen);
          res.json({a, b, c});
        });
      },
      TestApp::test_config(), identify_callers);
  const std::string ada = "ada|s-ada|directory|bearer";
  CHECK(data_of(app, "/", "ada") == Json{ada, ada, ada});
}

TEST_CASE("request context: log lines contain the user if configured") {
  const auto users = [](bool is_logged) {
    auto sink = std::make_shared<RecordingSink>();
    auto config = TestApp::test_config();
    config.request_context.log_user = is_logged;
    OneFileApp app(
        [](fw::Router& router) {
          router.get("/", [&router](fw::Request&, fw::Response& res) {
            router.logger().info("from the handler");
            res.json(1);
          });
        },
        config,
        [&](fw::App& a) {
          a.set_logger(fw::Logger(sink));
          identify_callers(a);
        });
    for (const char* credential : {"ada", "subject", ""}) data_of(app, "/", credential);
    std::string all;
    for (const auto& line : sink->records()) {
      if (line.message == "from the handler") all += "<" + line.user + ">";
    }
    return all;
  };
  CHECK(users(true) == "<ada><s-subject><>");
  CHECK(users(false) == "<><><>");
}

TEST_CASE("request context: the log line of a timeout contains the user") {
  auto sink = std::make_shared<RecordingSink>();
  auto config = TestApp::test_config();
  config.request_context.log_user = true;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", {.timeout = 20}, [](fw::Request& req, fw::Response&) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any never;
          never.wait(lock, req.signal(), [] { return false; });
        });
      },
      config,
      [&](fw::App& a) {
        a.set_logger(fw::Logger(sink));
        identify_callers(a);
      });
  CHECK(app.request("GET", "/").header("Authorization", "Bearer ada").send().status == 504);
  int named = 0;
  for (const auto& line : sink->records()) named += line.user == "ada" ? 1 : 0;
  CHECK(named >= 1);
}

}  // namespace

}  // namespace request_context_test
