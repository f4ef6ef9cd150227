// How traces reach the log and the collector.
#include <fairway/errors.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "eventually.hpp"
#include "observe/exposition.hpp"
#include "support/collector.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"
#include "support/traced.hpp"

namespace tracing_export_test {

namespace {

using fairway::test::eventually;
using fw::support::Collector;
using fw::support::kSampled;
using fw::support::kTrace;
using fw::support::kUnsampled;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::support::ScriptedConnection;
using fw::support::Traced;
using fw::support::traced;
using fw::testing::TestApp;
using namespace std::chrono_literals;

/// The counters of the spans, as in /metrics.
std::string figures(OneFileApp& app) {
  fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
  fw::detail::Access::core(app.app()).env.tracer->queue()->write(text);
  return text.finish();
}

}  // namespace

TEST_CASE("tracing: the log lines of a request have the id of its trace") {
  Traced traced(
      [](fw::Router& router) {
        router.get("/", [&](fw::Request&, fw::Response& res) {
          router.logger().info("in the handler");
          res.json(1);
        });
      },
      [](fw::Config& config) { config.access_log.errors = true; });
  traced.get("/", kUnsampled);
  int lines = 0;
  for (const auto& line : traced.sink->records()) {
    if (line.message != "in the handler" && !line.message.starts_with("GET / 200")) continue;
    ++lines;
    CHECK(line.trace_id == kTrace);
  }
  CHECK(lines == 2);
}

TEST_CASE("tracing: with 'logs', the log lines of a request are events of its span") {
  const auto events_with = [](bool logs) {
    Traced traced(
        [](fw::Router& router) {
          router.get("/", [&](fw::Request& req, fw::Response& res) {
            const auto span = req.span("inner");
            router.logger().child({{"part", "stock"}}).warn("low", {{"left", 3}, {"pin", "1234"}});
            router.logger().debug("of two\nlines", {{"list", {1, 2}}});
            res.json(1);
          });
        },
        [&](fw::Config& config) {
          config.tracing.logs = logs;
          config.logger.redact_keys = {"pin"};
        });
    traced.get("/", kSampled);
    CHECK(!traced.collector.await_named("inner").json.contains("events"));
    return traced.collector.await_named("GET /").json.value("events", fw::Json::array());
  };
  CHECK(events_with(false).empty());
  const fw::Json events = events_with(true);
  REQUIRE(events.size() >= 2);
  CHECK(events[0]["name"] == "log");
  CHECK(std::stoull(events[0]["timeUnixNano"].get<std::string>()) > 1'700'000'000'000'000'000);
  const auto value = [&](std::size_t event, const std::string& key) {
    for (const fw::Json& each : events[event]["attributes"]) {
      if (each["key"] == key) return *each["value"].begin();
    }
    return fw::Json();
  };
  CHECK(value(0, "level") == "warn");
  CHECK(value(0, "message") == "low");
  CHECK(value(0, "part") == "stock");
  CHECK(value(0, "left") == "3");
  CHECK(value(0, "pin") == "[Redacted]");
  CHECK(value(1, "message") == "of two\nlines");
  CHECK(value(1, "list") == "[1,2]");
}

TEST_CASE("tracing: JSON log lines have a traceId only in a trace") {
  const Collector collector;
  const auto routes = [](fw::Router& router) {
    router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
  };
  OneFileApp app(routes, traced(collector.url()));
  app.request("GET", "/").header("traceparent", kSampled).send();
  REQUIRE(!app.log_lines().empty());
  CHECK(app.log_lines().back()["traceId"] == kTrace);
  OneFileApp plain(routes);
  plain.request("GET", "/").header("traceparent", kSampled).send();
  REQUIRE(!plain.log_lines().empty());
  CHECK(!plain.log_lines().back().contains("traceId"));
}

TEST_CASE("tracing: error responses have no id of the trace, the error page of development does") {
  const auto body_of = [](const std::string& environment, const std::string& accept) {
    Traced traced([](fw::Router&) {},
                  [&](fw::Config& config) { config.environment = environment; });
    auto request = traced.app.request("GET", "/no-route");
    return request.header("traceparent", kSampled).header("accept", accept).send().body;
  };
  CHECK(body_of("development", "text/html").find(kTrace) != std::string::npos);
  CHECK(body_of("development", "application/json").find(kTrace) == std::string::npos);
  CHECK(body_of("production", "text/html").find(kTrace) == std::string::npos);
}

TEST_CASE("tracing: a collector that cannot be reached fails no request, and is reported once") {
  std::string endpoint;
  {
    endpoint = Collector().url();
  }
  const auto sink = std::make_shared<RecordingSink>();
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
      },
      traced(endpoint), [&](fw::App& own) { own.set_logger(fw::Logger(sink)); });
  const auto warnings = [&] {
    std::size_t count = 0;
    for (const std::string& message : sink->messages(fw::LogLevel::warn)) {
      count += message.starts_with("traces cannot be sent to the collector: ") ? 1 : 0;
    }
    return count;
  };
  for (int i = 0; i < 10; ++i) CHECK(app.request("GET", "/").send() == 200);
  CHECK(eventually([&] { return warnings() > 0; }));
  for (int i = 0; i < 10; ++i) CHECK(app.request("GET", "/").send() == 200);
  CHECK(warnings() == 1);
}

TEST_CASE("tracing: a collector that does not respond slows no request, and spans are dropped") {
  std::atomic<bool> may_respond = false;
  Collector collector([&](ScriptedConnection& connection) {
    while (!may_respond) std::this_thread::sleep_for(1ms);
    connection.respond(200, "{}");
  });
  fw::Config config = traced(collector.url());
  config.tracing.queue_size = 100;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
      },
      config);
  app.request("GET", "/").send();
  CHECK(eventually([&] { return !collector.requests().empty(); }));
  const auto has_lost = [&] {
    return figures(app).find("fairway_lost_spans_total{cause=\"queue\"} 0\n") == std::string::npos;
  };
  CHECK_FALSE(has_lost());
  for (int i = 0; i < 1'000 && !has_lost(); ++i) CHECK(app.request("GET", "/").send() == 200);
  CHECK(has_lost());
  may_respond = true;
}

TEST_CASE("tracing: what a collector responds decides whether spans were sent") {
  const std::string long_text(200'000, 'x');
  const auto reply = [](const std::string& status, const std::string& fields,
                        const std::string& body) {
    return "HTTP/1.1 " + status + "\r\n" + fields +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  struct Case {
    std::string reply;
    std::string figure;
    int attempts = 1;
  };
  const std::string sent = "fairway_sent_spans_total 1\n";
  const std::string rejected = "fairway_lost_spans_total{cause=\"rejected\"} 1\n";
  const std::vector<Case> cases = {
      // Accepted, whatever the body says.
      {reply("200 OK", "", "{{{"), sent},
      {reply("200 OK", "", long_text), sent},
      {reply("200 OK", "", R"({"partialSuccess":{"rejectedSpans":[1]}})"), sent},
      {reply("200 OK", "", R"({"partialSuccess":{"rejectedSpans":-1}})"), sent},
      {reply("200 OK", "", R"({"partialSuccess":{"rejectedSpans":"-1"}})"), sent},
      {reply("200 OK", "", R"({"partialSuccess":{"rejectedSpans":"1"}})"), rejected},
      // Not followed, and not repeated.
      {reply("302 Found", "Location: http://127.0.0.1:1/\r\n", ""), rejected},
      {reply("400 Bad Request", "", ""), rejected},
      {reply("413 Content Too Large", "", ""), rejected},
      // Repeated.
      {reply("429 Too Many Requests", "Retry-After: 1\r\n", ""), sent, 2},
      {reply("503 Service Unavailable", "", ""), sent, 2},
      {"nonsense\r\n\r\n", sent, 2}};
  for (const Case& each : cases) {
    CAPTURE(each.reply.substr(0, 100));
    std::atomic<int> attempts = 0;
    Collector collector([&](ScriptedConnection& connection) {
      if (++attempts > 1) return connection.respond(200, "{}");
      connection.send(each.reply);
      connection.close();
    });
    OneFileApp app([](fw::Router&) {}, traced(collector.url()));
    app.request("GET", "/no-route").send();  // one span
    CHECK(eventually([&] { return figures(app).find(each.figure) != std::string::npos; }));
    CHECK(attempts == each.attempts);
  }
}

TEST_CASE("tracing: the log says that a collector rejects spans, and why") {
  using namespace std::string_literals;
  struct Case {
    fw::TraceEncoding encoding;
    std::string reply;
  };
  const std::vector<Case> cases = {
      {fw::TraceEncoding::json,
       R"({"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}})"},
      // protoc: partial_success { rejected_spans: 1 error_message: "too old" }
      {fw::TraceEncoding::protobuf, "\x0a\x0b\x08\x01\x12\x07too old"s}};
  for (const Case& each : cases) {
    const fw::support::ScriptedUpstream collector([&](ScriptedConnection& connection) {
      connection.read_request();
      connection.respond(200, each.reply);
    });
    fw::Config config = traced(collector.url(""));
    config.tracing.encoding = each.encoding;
    const auto sink = std::make_shared<RecordingSink>();
    OneFileApp app([](fw::Router&) {}, config,
                   [&](fw::App& own) { own.set_logger(fw::Logger(sink)); });
    app.request("GET", "/no-route").send();  // one span
    CHECK(eventually([&] {
      const auto warnings = sink->messages(fw::LogLevel::warn);
      return std::find(warnings.begin(), warnings.end(),
                       "the collector rejected 1 of 1 span: too old") != warnings.end();
    }));
  }
}

TEST_CASE("tracing: each engine has spans") {
  for (const fw::HttpEngine engine : {fw::HttpEngine::automatic, fw::HttpEngine::httplib}) {
    const Collector collector;
    fw::support::TableBuilder table;
    table.routes([](fw::Router& router) {
      router.get("/a", [](fw::Request&, fw::Response& res) { res.json(1); });
    });
    fw::Config config = traced(collector.url(), fw::support::server_config());
    config.server.engine = engine;
    config.server.queue_timeout = fw::ServerConfig().queue_timeout;
    fw::App app(config);
    app.mount(table.table());
    app.start();
    OneFileApp client([&](fw::Router& router) {
      router.get("/", [&](fw::Request&, fw::Response& res) {
        res.text(router.fetch.get(app.address() + "/a").text());
      });
    });
    CHECK(client.request("GET", "/").send() == 200);
    CHECK(collector.await_named("GET /a").attributes["client.address"] == "127.0.0.1");
  }
}

TEST_CASE("tracing: batches are protobuf, if configured, and so is the response") {
  std::promise<std::string> received;
  const fw::support::ScriptedUpstream collector([&](ScriptedConnection& connection) {
    received.set_value(connection.read_request());
    // One rejected span.
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\x0a\x02\x08\x01");
  });
  fw::Config config = traced(collector.url(""));
  config.tracing.encoding = fw::TraceEncoding::protobuf;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
      },
      config);
  app.request("GET", "/").send();
  CHECK(eventually([&] {
    const std::string page = figures(app);
    return page.find("fairway_sent_spans_total 1\n") != std::string::npos &&
           page.find("{cause=\"rejected\"} 1\n") != std::string::npos;
  }));
  const std::string request = received.get_future().get();
  CHECK(request.find("content-type: application/x-protobuf\r\n") != std::string::npos);
  CHECK(request.find("\x2a\x05GET /") != std::string::npos);  // the name of a span
}

TEST_CASE("tracing: requests whose traces are sent are exemplars of their duration") {
  const Collector collector;
  for (const double ratio : {1.0, 0.0}) {
    fw::Config config = traced(collector.url());
    config.tracing.ratio = ratio;
    config.admin.port = 9464;  // a TestApp does not open it
    OneFileApp app(
        [](fw::Router& router) {
          router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
          router.get("/fails", [](fw::Request&, fw::Response&) { throw std::runtime_error("no"); });
        },
        config);
    app.request("GET", "/").send();
    app.request("GET", "/fails").send();
    fw::detail::Exposition text(fw::detail::Exposition::Format::openmetrics);
    fw::detail::Access::core(app.app()).env.metrics->write(text);
    const std::string page = text.finish();
    // In the bucket of the duration, which depends on the machine.
    const auto has_exemplar = [&](const std::string& status) {
      const std::string series = "http_response_status_code=\"" + status + "\",le=";
      REQUIRE(page.find(series) != std::string::npos);
      for (auto at = page.find(series); at != std::string::npos; at = page.find(series, at + 1)) {
        const auto line = page.substr(at, page.find('\n', at) - at);
        if (line.find("# {trace_id=\"") != std::string::npos) return true;
      }
      return false;
    };
    CAPTURE(ratio);
    CHECK(has_exemplar("200") == (ratio == 1.0));
    CHECK(has_exemplar("500"));  // errors are always sent
  }
}

TEST_CASE("tracing: a stop sends the last spans") {
  const Collector collector;
  fw::Config config = traced(collector.url());
  config.tracing.export_interval = 3'600'000;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
      },
      config);
  app.request("GET", "/").send();
  fw::detail::Access::core(app.app()).trace_export->stop(60s);
  CHECK(collector.spans().size() == 2);
}

TEST_CASE("tracing: a stop of the application ends the export") {
  const Collector collector;
  fw::support::TableBuilder table;
  table.routes([](fw::Router& router) {
    router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
  });
  fw::App app(traced(collector.url(), fw::support::server_config()));
  app.mount(table.table());
  app.start();
  app.stop();
  const auto& queue = fw::detail::Access::core(app).env.tracer->queue();
  queue->push({fw::detail::SpanRecord()});
  fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
  queue->write(text);
  CHECK(text.finish().find("fairway_lost_spans_total{cause=\"queue\"} 1\n") != std::string::npos);
}

TEST_CASE("tracing: settings that cannot work are errors of the start") {
  const auto errors_of = [](const std::function<void(fw::Config&)>& change) {
    fw::Config config = TestApp::test_config();
    config.tracing.endpoint = "http://127.0.0.1:4318";
    change(config);
    try {
      OneFileApp app([](fw::Router&) {}, config);
    } catch (const fw::StartupError& error) {
      return error.errors();
    }
    return std::vector<std::string>();
  };
  using Errors = std::vector<std::string>;
  CHECK(errors_of([](fw::Config&) {}).empty());
  CHECK(errors_of([](fw::Config& config) { config.request_context.enabled = false; }) ==
        Errors{"configuration: /tracing/endpoint: traces need /requestContext/enabled: set it to "
               "true"});
  CHECK(errors_of([](fw::Config& config) { config.tracing.endpoint = "localhost:4318"; }).size() >=
        1);
  CHECK(errors_of([](fw::Config& config) { config.tracing.ratio = 1.5; }).size() == 1);
  CHECK(errors_of([](fw::Config& config) {
          config.tracing.headers = {{"content-length", "1"}};
        }).size() == 1);
}

}  // namespace tracing_export_test
