#include <doctest/doctest.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "errors/stack_trace.hpp"
#include "logging/async_sink.hpp"
#include "support/allocation_count.hpp"
#include "support/table_builder.hpp"
#include "testing/memory_transaction.hpp"

namespace errors_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::testing::TestApp;
using fw::testing::TestResponse;

struct Result {
  TestResponse response;
  std::vector<fw::support::LogLine> log;
  /// The body without the request id.
  Json body() const {
    Json json = response.json();
    CHECK(json["requestId"] == response.header("x-request-id").value_or(""));
    json.erase("requestId");
    return json;
  }
};

Result raise_in_handler(const std::function<void(fw::App&)>& raise,
                        fw::Config config = TestApp::test_config()) {
  auto sink = std::make_shared<RecordingSink>();
  config.access_log.enabled = false;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/x", [&](fw::Request& req, fw::Response&) { raise(req.app()); });
      },
      std::move(config), [&](fw::App& a) { a.set_logger(fw::Logger(sink)); });
  TestResponse response = app.request("GET", "/x").send();
  return {std::move(response), sink->records()};
}

}  // namespace

TEST_CASE("errors: every overload of raise") {
  const auto body = [](const std::function<void(fw::App&)>& raise) {
    return raise_in_handler(raise).body();
  };
  CHECK(body([](fw::App& app) { app.raise(404, "Thing not found"); }) ==
        Json{{"code", 404}, {"message", "Thing not found"}});
  CHECK(body([](fw::App& app) { app.raise(409, "Dup", "DUP_CODE"); })["code"] == "DUP_CODE");
  CHECK(body([](fw::App& app) { app.raise(409, "Dup", 40901); })["code"] == 40901);
  CHECK(body([](fw::App& app) { app.raise(400, "Hi {{name}}", {{"name", "Bob"}}, 5); }) ==
        Json{{"code", 5}, {"message", "Hi Bob"}});
  CHECK(body([](fw::App& app) {
          app.raise(400, "Bad", {{"a", 1}}, {{"field", "x"}, {"list", {1}}});
        }) ==
        Json{{"code", 400}, {"message", "Bad"}, {"details", {{"field", "x"}, {"list", {1}}}}});
  CHECK(body([](fw::App& app) {
          app.raise(400, "Bad", Json::object(), Json::array({1, 2}));
        })["details"] == Json{1, 2});
  CHECK(body([](fw::App& app) {
          app.raise({.status = 402, .message = "Pay", .code = "PAY", .details = {{"amount", 5}}});
        }) == Json{{"code", "PAY"}, {"message", "Pay"}, {"details", {{"amount", 5}}}});
  CHECK(body([](fw::App& app) { app.raise("some.key"); }) ==
        Json{{"code", 400}, {"message", "some.key"}});
  CHECK(body([](fw::App&) { throw fw::HttpError(451, "Legal", "LEGAL", {{"a", 1}}); }) ==
        Json{{"code", "LEGAL"}, {"message", "Legal"}, {"details", {{"a", 1}}}});
  CHECK(body([](fw::App& app) { app.raise(422, ""); })["message"] == "Validation Failed");
  CHECK(body([](fw::App& app) { app.raise(409, ""); })["message"] == "Request Failed");
  CHECK(body([](fw::App& app) { app.raise(503, ""); })["message"] == "Internal Server Error");
}

TEST_CASE("errors: raising a status below 400 is a programming error") {
  for (const int status : {200, 399, 600, 999}) {
    const Result result = raise_in_handler([&](fw::App& app) { app.raise(status, "weird"); });
    CHECK(result.response.status == 500);
    CHECK(result.body() == Json{{"code", 500}, {"message", "Internal Server Error"}});
  }
}

TEST_CASE("errors: unknown exceptions are hidden from clients but logged") {
  const Result result = raise_in_handler([](fw::App&) { throw std::runtime_error("secret text"); });
  CHECK(result.response.status == 500);
  CHECK(result.body() == Json{{"code", 500}, {"message", "Internal Server Error"}});
  REQUIRE(result.log.size() == 1);
  CHECK(result.log[0].level == fw::LogLevel::error);
  CHECK(result.log[0].message == "secret text");
  CHECK(result.log[0].request_id == result.response.header("x-request-id"));
  CHECK(result.log[0].fields["err"]["type"] == "std::runtime_error");
  CHECK(result.log[0].fields["route"] == "GET /x");
  CHECK(result.log[0].fields["source"] == "src/routes/index.cpp:10");

  const Result text = raise_in_handler([](fw::App&) { throw "just a text"; });
  CHECK(text.response.status == 500);
  REQUIRE(text.log.size() == 1);
  CHECK(text.log[0].message == "just a text");
}

TEST_CASE("errors: hideInternalErrors false sends message and stack") {
  fw::Config config = TestApp::test_config();
  config.response.hide_internal_errors = false;
  const Json body =
      raise_in_handler([](fw::App&) { throw std::runtime_error("secret text"); }, config).body();
  CHECK(body["message"] == "secret text");
  CHECK(body["stack"] ==
        "std::runtime_error: secret text\n    at GET /x (src/routes/index.cpp:10)");
  CHECK(raise_in_handler([](fw::App& app) { app.raise(500, "Cause"); }, config).body() ==
        Json{{"code", 500}, {"message", "Cause"}});
}

TEST_CASE("errors: which errors are logged") {
  const auto raise_status = [](int status) {
    return [status](fw::App& app) { app.raise(status, "text"); };
  };
  CHECK(raise_in_handler(raise_status(404)).log.empty());
  CHECK(raise_in_handler(raise_status(503)).log.size() == 1);
  CHECK(raise_in_handler([](fw::App&) { throw fw::ValidationError({{"a", "b"}}); }).log.empty());
  fw::Config config = TestApp::test_config();
  config.response.log_errors = {.unknown_errors = false, .http5xx = false, .http4xx = true};
  CHECK(raise_in_handler(raise_status(503), config).log.empty());
  CHECK(raise_in_handler([](fw::App&) { throw std::runtime_error("x"); }, config).log.empty());
  const Result client_error = raise_in_handler(raise_status(404), config);
  REQUIRE(client_error.log.size() == 1);
  CHECK(client_error.log[0].level == fw::LogLevel::warn);
}

TEST_CASE("errors: validation errors thrown by a handler are a 422") {
  const Result result =
      raise_in_handler([](fw::App&) { throw fw::ValidationError({{"email", "taken"}}); });
  CHECK(result.response.status == 422);
  CHECK(result.body() == Json{{"code", 422},
                              {"message", "Validation failed"},
                              {"errors", {{{"field", "email"}, {"message", "taken"}}}}});
}

TEST_CASE("errors: content headers set before an error are removed") {
  OneFileApp app([](fw::Router& router) {
    router.get("/x", [&](fw::Request& req, fw::Response& res) {
      res.set_header("Content-Type", "text/csv").set_header("X-Kept", "1");
      req.app().raise(400, "x");
    });
  });
  const TestResponse r = app.request("GET", "/x").send();
  CHECK(r.header("content-type") == "application/json; charset=utf-8");
  CHECK(r.header("x-kept") == "1");
}

TEST_CASE("errors: browsers get an error page in development only") {
  fw::Config config = TestApp::test_config();
  config.environment = "development";
  const auto routes = [](fw::Router& router) {
    router.get("/fails", [](fw::Request&, fw::Response&) {
      try {
        throw std::out_of_range("row <7>");
      } catch (...) {
        std::throw_with_nested(std::runtime_error("cannot load \"a&b\""));
      }
    });
    router.get("/conflict",
               [](fw::Request& req, fw::Response&) { req.app().raise(409, "taken", "TAKEN"); });
  };
  const std::string browser = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
  OneFileApp app(routes, config);
  const TestResponse page = app.request("GET", "/fails?q=1").header("Accept", browser).send();
  CHECK(page.status == 500);
  CHECK(page.header("content-type") == "text/html; charset=utf-8");
  for (const char* part :
       {"<h1>cannot load &quot;a&amp;b&quot;</h1>", "std::runtime_error", "row &lt;7&gt;",
        "<dd>GET /fails?q=1</dd>", "<dd>GET /fails</dd>",
        "src/routes/index.cpp:", "&quot;message&quot;: &quot;Internal Server Error&quot;"}) {
    CAPTURE(part);
    CHECK(page.body.find(part) != std::string::npos);
  }
  CHECK(page.body.find("<7>") == std::string::npos);
  const bool has_stack = page.body.find("errors_test.cpp:") != std::string::npos;
  CHECK(has_stack == fw::detail::record_throws());
  const TestResponse conflict = app.request("GET", "/conflict").header("Accept", browser).send();
  CHECK(conflict.status == 409);
  CHECK(conflict.body.find("<h1>taken</h1>") != std::string::npos);
  CHECK(conflict.body.find("&quot;TAKEN&quot;") != std::string::npos);
  const TestResponse missing = app.request("POST", "/fails").header("Accept", browser).send();
  CHECK(missing.status == 405);
  CHECK(missing.body.find("<dt>methods here</dt><dd>GET, HEAD") != std::string::npos);

  CHECK(app.request("GET", "/fails").header("Accept", "application/json").send().json()["code"] ==
        500);
  CHECK(app.request("GET", "/fails").header("Accept", "text/htmlx").send().json()["code"] == 500);
  CHECK(app.request("GET", "/fails").send().json()["code"] == 500);
  config.environment = "production";
  OneFileApp production(routes, config);
  CHECK(production.request("GET", "/fails").header("Accept", browser).send().json()["message"] ==
        "Internal Server Error");
}

TEST_CASE("errors: a lack of memory has a line in the log, and a response without hooks") {
  const Result result = raise_in_handler([](fw::App&) { throw std::bad_alloc(); });
  CHECK(result.response.status == 500);
  CHECK(result.body() == Json{{"code", 500}, {"message", "Internal Server Error"}});
  REQUIRE(result.log.size() == 1);
  CHECK(result.log[0].message == "std::bad_alloc: there is not enough memory");
  CHECK(result.log[0].fields == nullptr);
  fw::Config config = TestApp::test_config();
  config.response.log_errors.unknown_errors = false;
  CHECK(raise_in_handler([](fw::App&) { throw std::bad_alloc(); }, config).log.empty());
}

TEST_CASE("errors: without memory for the error response, the process does not end") {
  // The process would end in the destructor of a tree, which needs memory.
  struct Case {
    std::exception_ptr error;
    int status;
  };
  const Case cases[] = {
      {std::make_exception_ptr(std::bad_alloc()), 500},
      {std::make_exception_ptr(std::runtime_error("fails")), 500},
      {std::make_exception_ptr(fw::HttpError(404, "there is none", "NONE", {{"a", 1}, {"b", {2}}})),
       404},
      {std::make_exception_ptr(fw::ValidationError({{"a", "is wrong"}, {"b", "is wrong, too"}})),
       422}};
  fw::Config config = TestApp::test_config();
  config.access_log.errors = true;
  config.response.log_errors.http4xx = true;
  config.logger.redact_keys = {"password"};
  std::function<void()> fail;
  OneFileApp app([&](fw::Router& router) { router.get("/", [&](auto&, auto&) { fail(); }); },
                 config,
                 [](fw::App& a) {
                   const fw::LoggerConfig log{.redact_keys = {"password"}, .file = "/dev/null"};
                   a.set_logger(fw::Logger(std::make_shared<fw::detail::AsyncSink>(log)));
                 });
  const auto& pipeline = fw::detail::Access::core(app.app()).pipeline();
  const auto request = [&] {
    fw::http::RequestHead head;
    head.method = "GET";
    head.target = "/";
    const auto transaction = std::make_shared<fw::testing::MemoryTransaction>(
        std::move(head), fw::http::Framing(), [] { return std::string(); });
    try {
      pipeline.handle(transaction);
    } catch (const std::bad_alloc&) {
      // The engine cuts off the response then, if it cannot send one.
    }
    return transaction;
  };
  for (const Case& each : cases) {
    CAPTURE(each.status);
    static bool was_reached = false;
    int failed = 0;
    do {
      CAPTURE(failed);
      std::optional<fw::support::AtAllocation> failure;
      fail = [&] {
        was_reached = false;
        failure.emplace(static_cast<std::size_t>(failed + 1), [] {
          was_reached = true;
          return false;
        });
        std::rethrow_exception(each.error);
      };
      const auto transaction = request();
      failure.reset();
      if (!was_reached) CHECK(transaction->response_head().status == each.status);
      ++failed;
    } while (was_reached);
    CHECK(failed > 3);
    std::optional<fw::support::FailingAllocations> all_fail;
    fail = [&] {
      all_fail.emplace(1);
      std::rethrow_exception(each.error);
    };
    request();
    all_fail.reset();
  }
}

}  // namespace errors_test
