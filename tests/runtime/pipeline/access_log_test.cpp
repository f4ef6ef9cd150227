#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <regex>
#include <thread>

#include "eventually.hpp"
#include "support/table_builder.hpp"

namespace access_log_test {

namespace {

using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::testing::TestApp;

void routes(fw::Router& app) {
  app.get("/x", [](fw::Request&, fw::Response& res) { res.json({{"ok", true}}); });
  app.get("/status", [](fw::Request& req, fw::Response& res) {
    res.json(1, std::stoi(std::string(*req.query("s"))));
  });
  app.get("/throw", [](fw::Request& req, fw::Response&) { req.app().raise(400, "x"); });
  app.post("/x", [](fw::Request&, fw::Response& res) { res.json(1); });
  app.get("/slow", [](fw::Request& req, fw::Response& res) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    res.json(1, req.query("s") ? 500 : 404);
  });
  app.get("/text", [](fw::Request& req, fw::Response& res) {
    res.text(std::string(std::stoul(std::string(*req.query("n"))), 'x'));
  });
  app.get("/stream", [](fw::Request&, fw::Response& res) {
    res.stream([](std::span<char>) { return std::size_t{0}; });
  });
}

struct Logged {
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  OneFileApp app;

  explicit Logged(fw::AccessLogConfig access_log = {}, fw::LogLevel level = fw::LogLevel::trace)
      : app(routes, config(std::move(access_log)),
            [&](fw::App& a) { a.set_logger(fw::Logger(sink, level)); }) {}

  static fw::Config config(fw::AccessLogConfig access_log) {
    fw::Config config = TestApp::test_config();
    config.access_log = std::move(access_log);
    config.response.log_errors = {.unknown_errors = false, .http5xx = false};
    return config;
  }

  /// The lines of one request as "level message", durations as n.
  std::vector<std::string> lines(const std::string& target, const std::string& method = "GET",
                                 const std::string& body = "") {
    const std::size_t before = sink->records().size();
    app.request(method, target).header("Content-Type", "application/json").body(body).send();
    std::vector<std::string> result;
    const auto records = sink->records();
    for (std::size_t i = before; i < records.size(); ++i) {
      result.push_back(std::string(to_string(records[i].level)) + " " +
                       std::regex_replace(records[i].message, std::regex(" [0-9]+ms"), " nms"));
    }
    return result;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("access log: one line for each request that completes without an exception") {
  Logged log;
  CHECK(log.lines("/x?q=1") == Lines{"info GET /x 200 nms | 127.0.0.1"});
  CHECK(log.lines("/X/") == Lines{"info GET /X/ 200 nms | 127.0.0.1"});
  CHECK(log.lines("/nope") == Lines{"info GET /nope 404 nms | 127.0.0.1"});
  CHECK(log.lines("/x", "PUT") == Lines{"info PUT /x 405 nms | 127.0.0.1"});
  CHECK(log.lines("/status?s=500") == Lines{"error GET /status 500 nms | 127.0.0.1"});
  CHECK(log.lines("/status?s=404") == Lines{"info GET /status 404 nms | 127.0.0.1"});
  CHECK(log.lines("/throw").empty());
  CHECK(log.lines("/x", "POST", "not json").empty());
  CHECK(log.sink->records()[0].request_id.size() == 36);
}

TEST_CASE("access log: with 'errors' every response has one line with its final status") {
  auto sink = std::make_shared<RecordingSink>();
  fw::Config config = Logged::config({.errors = true});
  config.rate_limit = {.enabled = true, .max = 15, .window = 60};
  std::atomic<bool> may_end = false;
  OneFileApp app(
      [&](fw::Router& router) {
        routes(router);
        router.get("/me", {.auth = true}, [](fw::Request&, fw::Response& res) { res.json(1); });
        router.get("/n", {.validate = {.query = {{"n", "integer"}}}},
                   [](fw::Request&, fw::Response& res) { res.json(1); });
        router.get("/never", {.timeout = 20}, [&](fw::Request&, fw::Response&) {
          fairway::test::eventually([&] { return may_end.load(); });
        });
      },
      config, [&](fw::App& a) { a.set_logger(fw::Logger(sink)); });
  const auto lines = [&] {
    Lines result;
    for (const auto& record : sink->records()) {
      if (record.request_id.empty()) continue;  // of the start
      result.push_back(std::string(to_string(record.level)) + " " +
                       std::regex_replace(record.message, std::regex(" [0-9]+ms"), " nms"));
    }
    return result;
  };
  std::thread client([&] { CHECK(app.request("GET", "/never").send().status == 504); });
  CHECK(fairway::test::eventually([&] { return !lines().empty(); }));
  Lines expected = {"error GET /never 504 nms | 127.0.0.1"};  // while the handler runs
  CHECK(lines() == expected);
  may_end = true;
  client.join();
  const auto add = [&](const std::string& method, const std::string& target, int status,
                       const std::string& body = "") {
    const auto response =
        app.request(method, target).header("Content-Type", "application/json").body(body).send();
    CHECK(response.status == status);
    expected.push_back((status >= 500 ? "error " : "info ") + method + " " +
                       target.substr(0, target.find('?')) + " " + std::to_string(status) +
                       " nms | 127.0.0.1");
  };
  add("GET", "/x", 200);
  add("GET", "/throw", 400);
  add("GET", "/me", 401);
  add("GET", "/n?n=x", 422);
  add("GET", "/nope", 404);
  add("POST", "/x", 400, "not json");
  add("GET", "/status?s=500", 500);
  // The line of the handler that ended after its deadline is no access line.
  Lines all = lines();
  std::erase_if(all, [](const std::string& line) { return line.starts_with("warn the handler"); });
  CHECK(all == expected);

  int limited = 0;
  for (int i = 0; i < 20; ++i) limited += app.request("GET", "/x").send().status == 429 ? 1 : 0;
  CHECK(limited > 0);
  all = lines();
  CHECK(std::count(all.begin(), all.end(), "info GET /x 429 nms | 127.0.0.1") == limited);
}

TEST_CASE("access log: levels and markers follow the first matching rule") {
  Logged log({.level = fw::LogLevel::debug, .slow_threshold = 60'000, .warn_on4xx = true});
  CHECK(log.lines("/x") == Lines{"debug GET /x 200 nms | 127.0.0.1"});
  CHECK(log.lines("/status?s=404") == Lines{"warn GET /status 404 nms | 127.0.0.1"});
  Logged slow({.level = fw::LogLevel::debug, .slow_threshold = 10, .warn_on4xx = true});
  CHECK(slow.lines("/slow") == Lines{"warn GET /slow 404 nms | 127.0.0.1 [SLOW]"});
  CHECK(slow.lines("/slow?s") == Lines{"error GET /slow 500 nms | 127.0.0.1"});
}

TEST_CASE("access log: skipped paths have no line") {
  Logged log({.skip_paths = {"/x"}, .skip_path_prefixes = {"/sta"}});
  CHECK(log.lines("/x").empty());
  CHECK(log.lines("/x/").size() == 1);
  CHECK(log.lines("/X").size() == 1);
  CHECK(log.lines("/status?s=200").empty());
  CHECK(log.lines("/Status?s=200").size() == 1);
}

TEST_CASE("access log: sizes of responses are logged") {
  Logged log({.log_response_size = true});
  const auto size = [&](const std::string& target) {
    const std::string line = log.lines(target).at(0);
    return line.substr(line.find("127.0.0.1") + 9);
  };
  CHECK(size("/text?n=0") == " [-]");
  CHECK(size("/text?n=512") == " [512B]");
  CHECK(size("/text?n=1023") == " [1023B]");
  CHECK(size("/text?n=1536") == " [1.5kB]");
  CHECK(size("/text?n=2000000") == " [1.9MB]");
  CHECK(size("/stream") == "");
}

TEST_CASE("access log: no lines if disabled or below the log level") {
  Logged off({.enabled = false});
  CHECK(off.lines("/x").empty());
  Logged warn({}, fw::LogLevel::warn);
  CHECK(warn.lines("/x").empty());
  CHECK(warn.lines("/status?s=500").size() == 1);
}

TEST_CASE("access log: without a request context the line has no id") {
  auto sink = std::make_shared<RecordingSink>();
  fw::Config config = Logged::config({});
  config.request_context.enabled = false;
  OneFileApp app(routes, config, [&](fw::App& a) { a.set_logger(fw::Logger(sink)); });
  app.request("GET", "/x").send();
  REQUIRE(sink->records().size() == 1);
  CHECK(sink->records()[0].request_id.empty());
}

}  // namespace access_log_test
