// The admin listener of a running application: its address, its token, and its pages.
#include <fairway/auth.hpp>
#include <fairway/errors.hpp>
#include <fairway/health.hpp>
#include <fairway/metrics.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "eventually.hpp"
#include "features/topics/topic_relay.hpp"
#include "free_port.hpp"
#include "http/loopback.hpp"
#include "observe/exposition.hpp"
#include "observe/metric_families.hpp"
#include "support/listed_metrics.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"
#include "testing/memory_transaction.hpp"

namespace admin_test {

/// An event of a topic.
struct Noted {};
void fw_encode(fw::detail::JsonWriter& out, const Noted&) { out.raw("{}"); }
void to_json(fw::Json& json, const Noted&) { json = fw::Json::object(); }

using fw::Json;
using fw::support::RecordingSink;
using fw::support::TableBuilder;
using namespace std::chrono_literals;

namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

httplib::Headers bearer(const std::string& token) { return {{"authorization", "Bearer " + token}}; }

httplib::Client patient(httplib::Client client) {
  client.set_read_timeout(60s);
  client.set_write_timeout(60s);
  return client;
}

httplib::Client client_of(int port) { return patient(httplib::Client("127.0.0.1", port)); }

/// An application with an admin listener on a unix socket.
struct Application {
  explicit Application(const std::function<void(fw::Config&)>& change = {}) {
    config = fw::support::server_config();
    config.admin.socket = (folder.path() / "admin.sock").string();
    if (change) change(config);
    table.routes([this](fw::Router& router) {
      router.get("/users/:id", [](fw::Request&, fw::Response& res) { res.json("user"); });
      router.post("/users", {.validate = {.body = {{"name", "string"}}}},
                  [](fw::Request&, fw::Response& res) { res.status(201).json("made"); });
      router.get("/private", {.auth = true}, [](fw::Request&, fw::Response& res) { res.json(1); });
      router.get("/cached", {.cache = {{.ttl = 60'000}}},
                 [](fw::Request&, fw::Response& res) { res.json("kept"); });
      router.get("/limited", {.override_ = {.rate_limit = fw::RateLimitOptions{.max = 1}}},
                 [](fw::Request&, fw::Response& res) { res.json("one"); });
      router.get("/own-429", [](fw::Request&, fw::Response& res) { res.status(429).json("no"); });
      router.get("/wait", [this](fw::Request&, fw::Response& res) {
        ++waiting;
        released.get_future().wait();
        res.json("done");
      });
    });
    app.emplace(config);
    app->set_logger(fw::Logger(sink));
    app->mount(table.table());
  }

  httplib::Client admin() const {
    httplib::Client client = patient(httplib::Client(config.admin.socket));
    client.set_address_family(AF_UNIX);
    client.set_default_headers({{"host", "localhost"}});  // instead of the path of the socket
    return client;
  }
  httplib::Client client() const { return client_of(app->port()); }
  std::string metrics() const {
    const auto response = admin().Get("/metrics");
    REQUIRE(response);
    REQUIRE(response->status == 200);
    CHECK(fw::support::unlisted_metrics(response->body) == "");
    return response->body;
  }
  /// The state, and the states of the checks: "failing {"database":"failed"}".
  std::string readiness() const {
    const auto response = admin().Get("/readyz");
    REQUIRE(response);
    const Json body = Json::parse(response->body);
    const bool is_ready = body["status"] == "ready";
    CHECK(response->status == (is_ready ? 200 : 503));
    return body["status"].get<std::string>() + " " + body["checks"].dump();
  }

  fairway::test::TemporaryDirectory folder;
  fw::Config config;
  TableBuilder table;
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  std::atomic<int> waiting = 0;
  std::promise<void> released;
  std::optional<fw::App> app;
};

bool has_line(const std::string& text, const std::string& wanted) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == wanted) return true;
  }
  return false;
}

/// The value of a series; -1 if there is none.
double value_of(const std::string& text, const std::string& series) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(series + " ")) return std::stod(line.substr(series.size() + 1));
  }
  return -1;
}

std::size_t series_in(const std::string& text) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.starts_with('#') ? 0 : 1;
  return count;
}

std::string requests(const std::string& method, const std::string& route, int status) {
  const std::string path = route.empty() ? "" : fmt::format("http_route=\"{}\",", route);
  return fmt::format(
      "http_server_request_duration_seconds_count{{http_request_method=\"{}\",{}"
      "http_response_status_code=\"{}\"}}",
      method, path, status);
}

/// A request that has waited for a thread.
class QueuedTransaction : public fw::testing::MemoryTransaction {
 public:
  QueuedTransaction(const std::string& target, std::chrono::milliseconds wait)
      : MemoryTransaction(head_of(target), fw::http::Framing(), [] { return std::string(); }) {
    queued_for_ = wait;
  }

 private:
  static fw::http::RequestHead head_of(const std::string& target) {
    fw::http::RequestHead head;
    head.method = "GET";
    head.target = target;
    return head;
  }
};

/// A request whose response cannot be sent.
class BrokenTransaction : public QueuedTransaction {
 public:
  explicit BrokenTransaction(const std::string& target) : QueuedTransaction(target, 0ms) {}
  bool respond(const fw::http::ResponseHead&, std::string_view) override { throw std::bad_alloc(); }
};

std::vector<std::string> health_warnings(const Application& application) {
  auto warnings = application.sink->messages(fw::LogLevel::warn);
  std::erase_if(warnings, [](const std::string& text) { return !text.starts_with("the health"); });
  return warnings;
}

std::vector<std::string> start_errors(Application& application) {
  try {
    application.app->start();
  } catch (const fw::StartupError& error) {
    return error.errors();
  }
  return {};
}

}  // namespace

TEST_CASE("admin: without it, nothing is measured, and no page exists") {
  Application application([](fw::Config& config) { config.admin = {}; });
  application.app->start();
  CHECK(fw::detail::Access::core(*application.app).env.metrics == nullptr);
  for (const char* path : {"/livez", "/readyz", "/metrics", "/config"}) {
    CHECK(application.client().Get(path)->status == 404);
  }
}

TEST_CASE("admin: the pages are on its unix socket only, for GET and HEAD") {
  Application application;
  application.app->start();
  auto admin = application.admin();
  for (const char* path : {"/livez", "/readyz", "/metrics", "/config"}) {
    CAPTURE(path);
    const auto response = admin.Get(std::string(path) + "?x=1");
    REQUIRE(response);
    CHECK(response->status == 200);
    CHECK(response->get_header_value("cache-control") == "no-store");
    CHECK_FALSE(response->body.empty());
    const auto head = admin.Head(path);
    REQUIRE(head);
    CHECK(head->status == 200);
    CHECK(head->body.empty());
    const auto post = admin.Post(path, "x", "text/plain");
    REQUIRE(post);
    CHECK(post->status == 405);
    CHECK(post->get_header_value("allow") == "GET, HEAD");
    CHECK(post->get_header_value("cache-control") == "no-store");
    CHECK(application.client().Get(path)->status == 404);
  }
  CHECK(admin.Get("/livez")->body == R"({"status":"alive"})");
  CHECK(admin.Get("/users/7")->status == 404);
  application.app->stop();
  CHECK_FALSE(std::filesystem::exists(application.config.admin.socket));
}

TEST_CASE("admin: a token is required if there is one") {
  Application application([](fw::Config& config) { config.admin.token = kToken; });
  application.app->start();
  auto admin = application.admin();
  for (const httplib::Headers& wrong :
       {httplib::Headers{}, bearer(""), bearer(kToken + "0"), bearer(kToken.substr(1)),
        httplib::Headers{{"authorization", "Basic " + kToken}},
        httplib::Headers{{"authorization", kToken}}}) {
    const auto response = admin.Get("/livez", wrong);
    REQUIRE(response);
    CHECK(response->status == 401);
    CHECK(response->get_header_value("www-authenticate") == "Bearer");
  }
  CHECK(admin.Get("/livez", bearer(kToken))->status == 200);
  CHECK(admin.Get("/other")->status == 401);
}

TEST_CASE("admin: it listens on its port, and a port that is in use is an error of the start") {
  const std::uint16_t port = fairway::test::free_port();
  const auto on_port = [&](fw::Config& config) { config.admin = {.port = port}; };
  Application application(on_port);
  application.app->start();
  CHECK(client_of(port).Get("/readyz")->status == 200);
  Application second(on_port);
  const auto errors = start_errors(second);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].starts_with("configuration: /admin: cannot listen on 127.0.0.1:"));
}

TEST_CASE("admin: without a token, its port accepts the names of this machine only") {
  const std::uint16_t port = fairway::test::free_port();
  const auto status_of = [&](const std::string& host, const httplib::Headers& others = {}) {
    httplib::Headers headers = others;
    headers.emplace("host", host);
    const auto response = client_of(port).Get("/metrics", headers);
    return response ? response->status : -1;
  };
  {
    Application application([&](fw::Config& config) { config.admin = {.port = port}; });
    application.app->start();
    for (const char* host : {"localhost", "LocalHost:9464", "127.0.0.1", "127.8.8.8:80", "[::1]",
                             "[::1]:9464", "[::ffff:127.0.0.1]"}) {
      CAPTURE(host);
      CHECK(status_of(host) == 200);
    }
    for (const char* host : {"rebound.example", "rebound.example:9464", "localhost.rebound.example",
                             "127.0.0.1.rebound.example", "192.0.2.1", "[2001:db8::1]:80", ""}) {
      CAPTURE(host);
      CHECK(status_of(host) == 421);
    }
    for (const char* path : {"/livez", "/readyz", "/other"}) {
      const httplib::Headers rebound = {{"host", "rebound.example"}};
      CHECK(client_of(port).Get(path, rebound)->status == 421);
    }
  }
  Application application(
      [&](fw::Config& config) { config.admin = {.port = port, .token = kToken}; });
  application.app->start();
  CHECK(status_of("metrics.example", bearer(kToken)) == 200);
}

TEST_CASE("admin: its unix socket accepts any Host") {
  Application application;
  application.app->start();
  auto admin = application.admin();
  admin.set_default_headers({{"host", "metrics.example"}});
  CHECK(admin.Get("/livez")->status == 200);
}

TEST_CASE("admin: /config has the effective values, and no secrets") {
  Application application([](fw::Config& config) {
    config.admin.token = kToken;
    config.session.store.url = "redis://user:word@store.example:6379";
    config.session.store.type = fw::StoreType::redis;
    config.app = {{"payment", {{"apiKey", "k-123"}, {"currency", "EUR"}}}};
  });
  application.app->start();
  const auto response = application.admin().Get("/config", bearer(kToken));
  REQUIRE(response);
  CHECK(response->status == 200);
  const Json shown = Json::parse(response->body);
  CHECK(shown["environment"] == "test");
  CHECK(shown["shutdown"]["timeout"] == 60'000);
  CHECK(shown["admin"]["token"] == "[Redacted]");
  CHECK(shown["session"]["store"]["url"] == "redis://[Redacted]@store.example:6379");
  CHECK(shown["app"]["payment"] == Json{{"apiKey", "[Redacted]"}, {"currency", "EUR"}});
  for (const char* secret : {kToken.c_str(), "word@", "k-123"}) {
    CHECK(response->body.find(secret) == std::string::npos);
  }
}

TEST_CASE("admin: metrics have the spans that were sent and lost, if there are traces") {
  Application untraced;
  untraced.app->start();
  CHECK(untraced.metrics().find("spans") == std::string::npos);
  Application traced([](fw::Config& config) { config.tracing.endpoint = "http://127.0.0.1:1"; });
  traced.app->start();
  const std::string text = traced.metrics();
  CHECK(has_line(text, "fairway_sent_spans_total 0"));
  CHECK(has_line(text, "fairway_lost_spans_total{cause=\"collector\"} 0"));
}

TEST_CASE("admin: the log level is read and changed while the application runs") {
  Application application;
  application.app->start();
  auto admin = application.admin();
  CHECK(admin.Get("/log-level")->body == R"({"level":"info"})");
  const fw::Logger logger = application.app->logger();
  logger.debug("line 1");
  const auto put = [&](const std::string& body) {
    return admin.Put("/log-level", body, "application/json");
  };
  CHECK(put(R"({"level":"debug"})")->body == R"({"level":"debug"})");
  logger.debug("line 2");
  CHECK(put(R"({"level":"error"})")->status == 200);
  logger.warn("line 3");
  CHECK(admin.Get("/log-level")->body == R"({"level":"error"})");
  auto lines = application.sink->messages();
  std::erase_if(lines, [](const std::string& text) {
    return !text.starts_with("line") && !text.starts_with("the log level");
  });
  CHECK(lines == std::vector<std::string>{
                     "the log level changes from 'info' to 'debug' (admin listener)", "line 2",
                     "the log level changes from 'debug' to 'error' (admin listener)"});
  for (const std::string& wrong :
       {std::string(), std::string("debug"), std::string(R"({"level":"loud"})"),
        std::string(R"({"level":40})"), std::string(R"({"level":"debug","name":"x"})"),
        std::string(R"(["debug"])"), R"({"level":"debug)" + std::string(2'000, ' ') + "\"}"}) {
    CAPTURE(wrong);
    CHECK(put(wrong)->status == 400);
  }
  CHECK(logger.level() == fw::LogLevel::error);
  const auto post = admin.Post("/log-level");
  CHECK(post->status == 405);
  CHECK(post->get_header_value("allow") == "GET, HEAD, PUT");
  CHECK(admin.Put("/config")->status == 405);
}

TEST_CASE("health: an application is ready after its start, and not from its stop on") {
  Application application;
  std::string at_start;
  application.app->on_ready([&](fw::App&) { at_start = application.readiness(); });
  application.app->start();
  CHECK(at_start == "starting {}");
  CHECK(application.readiness() == "ready {}");

  auto slow = std::async(std::launch::async, [&, client = application.client()]() mutable {
    return client.Get("/wait")->status;
  });
  REQUIRE(fairway::test::eventually([&] { return application.waiting == 1; }));
  auto stopped = std::async(std::launch::async, [&] { application.app->stop(); });
  CHECK(fairway::test::eventually([&] { return application.readiness() == "stopping {}"; }));
  CHECK(application.admin().Get("/livez")->status == 200);
  const std::string text = application.metrics();
  CHECK(has_line(text, "http_server_active_requests 1"));
  CHECK(value_of(text, "fairway_busy_workers") >= 1);
  CHECK(value_of(text, "fairway_connections") == 1);
  application.released.set_value();
  CHECK(slow.get() == 200);
  stopped.get();
  CHECK_FALSE(application.admin().Get("/livez"));
}

#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
TEST_CASE("metrics: connections of HTTP/2 that end because of a flood are counted by its kind") {
  Application application([](fw::Config& config) { config.server.http2.cleartext = true; });
  application.app->start();
  const std::string frames = R"(fairway_http2_floods_total{kind="frame"})";
  CHECK(value_of(application.metrics(), frames) == 0);
  fw::http::test::Client client(static_cast<std::uint16_t>(application.app->port()));
  std::string bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string("\0\0\0\4\0\0\0\0\0", 9);
  for (int i = 0; i < 30'000; ++i) bytes += std::string("\0\0\0\xEE\0\0\0\0\0", 9);
  client.send(bytes);
  CHECK(fairway::test::eventually([&] { return value_of(application.metrics(), frames) == 1; }));
  for (const char* kind : {"reset", "continuation", "field"}) {
    CHECK(has_line(application.metrics(),
                   fmt::format(R"(fairway_http2_floods_total{{kind="{}"}} 0)", kind)));
  }
  application.app->stop();
}
#endif

TEST_CASE("metrics: without HTTP/2, there are no floods to count") {
  Application application;
  application.app->start();
  CHECK(application.metrics().find("fairway_http2_floods") == std::string::npos);
}

TEST_CASE("metrics: events of topics are counted without a label for each topic") {
  Application application;
  application.app->start();
  application.app->topics().get<Noted>("a").publish({});
  application.app->topics().get<Noted>("b").publish({});
  auto& figures = fw::detail::Access::relay(application.app->topics()).figures();
  figures.delivered = 5;
  figures.lost = 3;
  figures.unreadable = 1;
  const std::string text = application.metrics();
  CHECK(has_line(text, "fairway_topic_events_published_total 2"));
  CHECK(has_line(text, "fairway_topic_events_delivered_total 5"));
  CHECK(has_line(text, "fairway_topic_events_lost_total 3"));
  CHECK(has_line(text, "fairway_topic_events_unreadable_total 1"));
}

TEST_CASE("metrics: the figures of the engine stay until the admin listener closes") {
  Application application;
  std::promise<void> release;
  std::atomic<bool> is_running = false;
  application.app->health().check(
      "slow",
      [&] {
        is_running = true;
        release.get_future().wait();
      },
      60'000);
  application.app->start();
  auto probe = std::async(std::launch::async, [&] { return application.readiness(); });
  REQUIRE(fairway::test::eventually([&] { return is_running.load(); }));
  // The stop waits for the check, after the engine has ended.
  auto stopped = std::async(std::launch::async, [&] { application.app->stop(); });
  CHECK(fairway::test::eventually(
      [&] { return value_of(application.metrics(), "fairway_workers") == 0; }));
  CHECK(value_of(application.metrics(), "fairway_busy_workers") == 0);
  CHECK(value_of(application.metrics(), "fairway_connections") == 0);
  release.set_value();
  CHECK(probe.get().starts_with("stopping "));
  stopped.get();
}

TEST_CASE("health: a check fails by an exception, and by false") {
  Application application;
  fw::Health& health = application.app->health();
  std::atomic<int> mode = 0;
  health.check(
      "database",
      [&] {
        if (mode == 1) throw std::runtime_error("the secret password is wrong");
      },
      1min);
  health.check("queue", [&] { return mode != 2; }, 1min);
  application.app->start();
  CHECK(application.readiness() == R"(ready {"database":"ok","queue":"ok"})");
  mode = 1;
  CHECK(application.readiness() == R"(failing {"database":"failed","queue":"ok"})");
  CHECK(application.readiness() == R"(failing {"database":"failed","queue":"ok"})");
  mode = 2;
  CHECK(application.readiness() == R"(failing {"database":"ok","queue":"failed"})");
  mode = 0;
  CHECK(application.readiness() == R"(ready {"database":"ok","queue":"ok"})");
  CHECK(health_warnings(application) ==
        std::vector<std::string>{"the health check 'database' fails: the secret password is wrong",
                                 "the health check 'queue' fails: it returned false"});
  const auto infos = application.sink->messages(fw::LogLevel::info);
  CHECK(std::count(infos.begin(), infos.end(), "the health check 'database' passes again") == 1);
}

TEST_CASE("health: a check fails by its deadline") {
  Application application;
  std::atomic<bool> hangs = false;
  std::atomic<bool> was_asked = false;
  application.app->health().check(
      "slow",
      [&](std::stop_token stop) {
        while (hangs && !stop.stop_requested()) std::this_thread::sleep_for(1ms);
        if (stop.stop_requested()) was_asked = true;
      },
      50ms);
  application.app->start();
  // On a busy machine, it may be late without hanging.
  const auto passes = [&] { return application.readiness() == R"(ready {"slow":"ok"})"; };
  CHECK(fairway::test::eventually(passes));
  was_asked = false;
  hangs = true;
  CHECK(application.readiness() == R"(failing {"slow":"timeout"})");
  CHECK(fairway::test::eventually([&] { return was_asked.load(); }));
  hangs = false;
  CHECK(fairway::test::eventually(passes));
  const auto warnings = health_warnings(application);
  CHECK(!warnings.empty());
  for (const std::string& warning : warnings) {
    CHECK(warning == "the health check 'slow' fails: no result after 50 ms");
  }
}

TEST_CASE("health: a check that hangs delays neither other probes nor the stop after a timeout") {
  Application application;
  std::promise<void> release;
  std::atomic<int> calls = 0;
  application.app->health().check(
      "hangs",
      [&] {
        ++calls;
        release.get_future().wait();
      },
      20ms);
  application.app->start();
  for (int i = 0; i < 3; ++i) CHECK(application.readiness() == R"(failing {"hangs":"timeout"})");
  CHECK(fairway::test::eventually([&] { return calls == 1; }));
  release.set_value();
}

TEST_CASE("health: few probes wait for a slow check, and the others get the last response") {
  constexpr std::size_t kProbes = 16;
  Application application;
  fw::http::test::Gate gate;
  application.app->health().check("slow", [&] { gate.wait(); }, 60'000);
  application.app->start();
  std::atomic<std::size_t> at_once = 0;
  std::vector<std::future<std::string>> probes;
  const fw::http::test::OpensAtEnd opens(gate);
  std::string expected = "busy {}";
  SUBCASE("a recent one") {
    gate.open();
    CHECK(application.readiness() == R"(ready {"slow":"ok"})");
    gate.close();
    expected = R"(ready {"slow":"ok"})";
  }
  SUBCASE("there is none") {}
  for (std::size_t i = 0; i < kProbes; ++i) {
    probes.push_back(std::async(std::launch::async, [&] {
      std::string state = application.readiness();
      ++at_once;
      return state;
    }));
  }
  CHECK(fairway::test::eventually([&] { return at_once == kProbes / 2; }));
  CHECK(application.admin().Get("/livez")->status == 200);
  CHECK(application.readiness() == expected);
  CHECK(at_once == kProbes / 2);
  gate.open();
  std::size_t waited = 0;
  for (auto& each : probes) {
    const std::string state = each.get();
    CHECK((state == expected || state == R"(ready {"slow":"ok"})"));
    waited += state != "busy {}";
  }
  CHECK(waited == (expected == "busy {}" ? kProbes / 2 : kProbes));
}

TEST_CASE("health: checks cannot be added after the start") {
  Application application;
  application.app->start();
  CHECK_THROWS_AS(application.app->health().check("late", [] {}), std::logic_error);
}

TEST_CASE("metrics: requests are counted by route, method and status") {
  Application application;
  application.app->start();
  auto client = application.client();
  for (int i = 0; i < 3; ++i) CHECK(client.Get("/users/" + std::to_string(i))->status == 200);
  CHECK(client.Head("/users/7")->status == 200);
  CHECK(client.Post("/users", R"({"name":"Ada"})", "application/json")->status == 201);
  CHECK(client.Get("/users")->status == 405);
  CHECK(client.Get("/nothing")->status == 404);
  // A response may arrive before its request is counted.
  CHECK(fairway::test::eventually(
      [&] { return has_line(application.metrics(), "http_server_active_requests 0"); }));
  const std::string text = application.metrics();
  CHECK(value_of(text, requests("GET", "/users/:id", 200)) == 3);
  CHECK(value_of(text, requests("HEAD", "/users/:id", 200)) == 1);
  CHECK(value_of(text, requests("POST", "/users", 201)) == 1);
  CHECK(value_of(text, requests("GET", "", 405)) == 1);
  CHECK(value_of(text, requests("GET", "", 404)) == 1);
  CHECK(has_line(text, "# TYPE http_server_request_duration_seconds histogram"));
  CHECK(value_of(text, "fairway_connections") >= 0);
  CHECK(value_of(text, "fairway_workers") >= 1);
  CHECK(value_of(text, "process_resident_memory_bytes") > 1'000'000);
  CHECK(value_of(text, "process_open_fds") > 3);
  CHECK(value_of(text, "process_start_time_seconds") > 1'600'000'000);
  CHECK(value_of(text, "process_cpu_seconds_total") > 0);
  CHECK_FALSE(text.ends_with("# EOF\n"));
}

TEST_CASE("metrics: waits for a thread are counted") {
  fw::Config config = fw::testing::TestApp::test_config();
  config.admin.socket = "admin.sock";
  config.access_log.enabled = true;  // which reads the clock, as it does for most requests
  fw::support::OneFileApp app(
      [](fw::Router& router) {
        router.get("/a", [](fw::Request&, fw::Response& res) { res.json(1); });
      },
      config);
  const fw::detail::AppCore& core = fw::detail::Access::core(app.app());
  for (const auto wait : {0ms, 30ms}) {
    core.pipeline().handle(std::make_shared<QueuedTransaction>("/a", wait));
  }
  fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
  core.env.metrics->write(text);
  const std::string page = text.finish();
  CHECK(value_of(page, requests("GET", "/a", 200)) == 2);
  CHECK(value_of(page, R"(fairway_queue_duration_seconds_bucket{le="0.025"})") == 1);
  CHECK(value_of(page, R"(fairway_queue_duration_seconds_bucket{le="0.05"})") == 2);
}

TEST_CASE("metrics: a request whose response fails is counted, and no longer active") {
  fw::Config config = fw::testing::TestApp::test_config();
  config.admin.socket = "admin.sock";
  fw::support::OneFileApp app(
      [](fw::Router& router) {
        router.get("/a", [](fw::Request&, fw::Response& res) { res.json(1); });
      },
      config);
  const fw::detail::AppCore& core = fw::detail::Access::core(app.app());
  CHECK_THROWS_AS(core.pipeline().handle(std::make_shared<BrokenTransaction>("/a")),
                  std::bad_alloc);
  fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
  core.env.metrics->write(text);
  const std::string page = text.finish();
  CHECK(value_of(page, requests("GET", "/a", 500)) == 1);
  CHECK(has_line(page, "http_server_active_requests 0"));
}

TEST_CASE("metrics: clients that ask for OpenMetrics get it") {
  Application application;
  application.app->start();
  const auto response = application.admin().Get(
      "/metrics", {{"accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.2"}});
  REQUIRE(response);
  CHECK(response->get_header_value("content-type") ==
        "application/openmetrics-text; version=1.0.0; charset=utf-8");
  CHECK(response->body.ends_with("# EOF\n"));
  CHECK(has_line(response->body, "# TYPE process_cpu_seconds counter"));
}

TEST_CASE("metrics: the bytes of bodies are counted, of streams as they are sent") {
  Application application;
  application.table.routes(
      [](fw::Router& router) {
        router.get("/text", [](fw::Request&, fw::Response& res) { res.text("12345"); });
        router.get("/none", [](fw::Request&, fw::Response& res) { res.status(204).text("12345"); });
        router.get("/stream", [](fw::Request&, fw::Response& res) {
          res.stream(fw::Readable([left = 3](std::span<char> buffer) mutable -> std::size_t {
            if (left-- == 0) return 0;
            buffer[0] = 'x';
            return 1;
          }));
        });
        router.post("/echo", [](fw::Request& req, fw::Response& res) {
          res.text(std::string(req.raw_body()));
        });
      },
      "/", "src/routes/bytes.cpp");
  application.app.emplace(application.config);
  application.app->mount(application.table.table());
  application.app->start();
  auto client = application.client();
  CHECK(client.Get("/text")->body == "12345");
  CHECK(client.Head("/text")->status == 200);
  CHECK(client.Get("/none")->status == 204);
  CHECK(client.Get("/stream")->body == "xxx");
  CHECK(client.Post("/echo", "1234567", "text/plain")->body == "1234567");
  const auto bytes = [](const std::string& direction, const std::string& method,
                        const std::string& route) {
    return "fairway_" + direction + "_body_bytes_total{http_request_method=\"" + method +
           "\",http_route=\"" + route + "\"}";
  };
  CHECK(fairway::test::eventually(
      [&] { return value_of(application.metrics(), bytes("response", "GET", "/stream")) == 3; }));
  const std::string page = application.metrics();
  CHECK(value_of(page, bytes("response", "GET", "/text")) == 5);
  CHECK(value_of(page, bytes("response", "HEAD", "/text")) == -1);
  CHECK(value_of(page, bytes("response", "GET", "/none")) == -1);
  CHECK(value_of(page, requests("GET", "/none", 204)) == 1);
  CHECK(value_of(page, bytes("request", "POST", "/echo")) == 7);
  CHECK(value_of(page, bytes("response", "POST", "/echo")) == 7);
}

TEST_CASE("metrics: rejected requests are counted by cause") {
  Application application([](fw::Config& config) {
    config.rate_limit.enabled = true;
    config.rate_limit.max = 1'000;
    config.body_parser.max_body_size = "1kb";
  });
  application.app->start();
  auto client = application.client();
  CHECK(client.Post("/users", R"({"name":7})", "application/json")->status == 422);
  CHECK(client.Post("/users", R"({"name":")" + std::string(2'000, 'x') + "\"}", "application/json")
            ->status == 413);
  CHECK(client.Get("/private")->status == 401);
  CHECK(client.Get("/limited")->status == 200);
  CHECK(client.Get("/limited")->status == 429);
  CHECK(client.Get("/own-429")->status == 429);
  httplib::Headers many;
  for (int i = 0; i < 150; ++i) many.emplace("x", "1");
  CHECK(client.Get("/users/7", many)->status == 431);
  CHECK(fairway::test::eventually(
      [&] { return has_line(application.metrics(), "http_server_active_requests 0"); }));
  const std::string text = application.metrics();
  const auto rejected = [&](const std::string& cause) {
    return value_of(text, "fairway_rejected_requests_total{cause=\"" + cause + "\"}");
  };
  CHECK(rejected("validation") == 1);
  CHECK(rejected("body_size") == 1);
  CHECK(rejected("unauthenticated") == 1);
  CHECK(rejected("forbidden") == 0);
  CHECK(rejected("rate_limit") == 1);
  CHECK(rejected("malformed") == 1);
  CHECK(rejected("overload") == 0);
}

TEST_CASE("metrics: a response of the cache is counted by route") {
  Application application([](fw::Config& config) { config.cache.enabled = true; });
  application.app->start();
  auto client = application.client();
  for (int i = 0; i < 3; ++i) CHECK(client.Get("/cached")->status == 200);
  CHECK(fairway::test::eventually(
      [&] { return has_line(application.metrics(), "http_server_active_requests 0"); }));
  const std::string text = application.metrics();
  const auto responses = [&](const std::string& result) {
    return value_of(text,
                    "fairway_cache_responses_total{http_request_method=\"GET\",http_route=\""
                    "/cached\",result=\"" +
                        result + "\"}");
  };
  CHECK(responses("miss") == 1);
  CHECK(responses("hit") == 2);
  CHECK(responses("stale") == 0);
}

TEST_CASE("metrics: clients cannot add series by paths and methods") {
  Application application;
  application.app->start();
  auto client = application.client();
  client.set_keep_alive(true);
  const auto ask = [&](const std::string& method, const std::string& path) {
    httplib::Request request;
    request.method = method;
    request.path = path;
    return client.send(request);
  };
  ask("GET", "/unknown");
  ask("PURGE", "/unknown");
  ask("PATCH", "/unknown");
  const auto settled = [&] {
    return has_line(application.metrics(), "http_server_active_requests 0");
  };
  CHECK(fairway::test::eventually(settled));
  const std::size_t before = series_in(application.metrics());
  for (int i = 0; i < 2'000; ++i) {
    ask(i % 4 == 0 ? "PATCH" : "GET", fmt::format("/unknown/{}?q={}", i, i));
    if (i % 20 == 0) ask(fmt::format("METHOD{}", i), fmt::format("/users/{}", i));
  }
  CHECK(fairway::test::eventually(settled));
  CHECK(series_in(application.metrics()) == before);
  CHECK(value_of(application.metrics(), requests("GET", "", 404)) == 1'501);
}

TEST_CASE("metrics: the application's own are on the page, and count nothing without it") {
  Application application;
  const fw::Counter orders =
      application.app->metrics().counter("orders_placed", {"channel"}, {.help = "Orders."});
  orders.add({"web"});
  orders.add({"web"}, 2);
  application.app->metrics().gauge("queue_length").set(7);
  application.app->metrics().histogram("price", {}, {.buckets = {10, 100}}).observe(50);
  application.app->start();
  const std::string text = application.metrics();
  CHECK(has_line(text, "# HELP orders_placed_total Orders."));
  CHECK(has_line(text, "# TYPE orders_placed_total counter"));
  CHECK(has_line(text, "orders_placed_total{channel=\"web\"} 3"));
  CHECK(has_line(text, "queue_length 7"));
  CHECK(has_line(text, "price_bucket{le=\"10.0\"} 0"));
  CHECK(has_line(text, "price_bucket{le=\"100.0\"} 1"));
  CHECK(has_line(text, "price_sum 50"));

  Application without([](fw::Config& config) { config.admin = {}; });
  without.app->metrics().counter("orders_placed", {"channel"}).add({"web"});
  fw::detail::Exposition exposition(fw::detail::Exposition::Format::prometheus);
  fw::detail::Access::families(without.app->metrics()).write(exposition);
  CHECK_FALSE(has_line(exposition.finish(), "orders_placed_total{channel=\"web\"} 1"));
}

}  // namespace admin_test
