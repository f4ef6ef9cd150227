// `/requests` of the admin listener: what it shows of requests in each state, and when they leave.
#include <fairway/auth.hpp>
#include <fairway/sockets.hpp>
#include <fairway/validator.hpp>

#include <doctest/doctest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "http/loopback.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
#include "http/http2_client.hpp"
#endif

namespace admin_requests_test {

using fw::Json;
using fw::http::test::Client;
using fw::http::test::eventually;
using fw::support::TableBuilder;
using namespace std::chrono_literals;

namespace {

/// Whoever passes it waits until it opens.
class Gate {
 public:
  void pass() { opened_.wait(); }
  void open() {
    if (!is_open_.exchange(true)) promise_.set_value();
  }

 private:
  std::promise<void> promise_;
  std::shared_future<void> opened_ = promise_.get_future().share();
  std::atomic<bool> is_open_ = false;
};

struct Application {
  explicit Application(const std::function<void(fw::Config&)>& change = {}) {
    config = fw::support::server_config();
    config.admin.socket = (folder.path() / "admin.sock").string();
    if (change) change(config);
    table.routes([this](fw::Router& router) {
      router.get("/users/:id", [this](fw::Request&, fw::Response& res) {
        gate.pass();
        res.json("user");
      });
      router.post("/users", [](fw::Request&, fw::Response& res) { res.json("made"); });
      router.post("/checked", {.validate = {.body = {{"name", "string"}}}},
                  [](fw::Request&, fw::Response& res) { res.json("made"); });
      router.get("/guarded",
                 {.auth = fw::AuthRequirement{.required = false,
                                              .check =
                                                  [this](fw::Request&, fw::AuthContext&) {
                                                    gate.pass();
                                                    return true;
                                                  }}},
                 [](fw::Request&, fw::Response& res) { res.json(1); });
      router.get("/late", {.timeout = 20}, [this](fw::Request&, fw::Response& res) {
        gate.pass();
        res.json(1);
      });
      router.get("/download", [this](fw::Request&, fw::Response& res) {
        res.stream(fw::Readable([this, parts = 0](std::span<char> buffer) mutable {
          if (parts++ == 1) gate.pass();
          buffer[0] = 'x';
          return parts > 2 ? std::size_t{0} : std::size_t{1};
        }));
      });
      router.get("/live", {.responses = {{"200", fw::events({{"message", "string"}})}}},
                 [this](fw::Request&, fw::Response& res) {
                   const std::lock_guard lock(mutex);
                   streams.push_back(res.events());
                 });
      if (config.server.engine == fw::HttpEngine::epoll) {
        router.socket("/chat", {.receive = fw::raw, .send = fw::raw},
                      [](fw::Request&, fw::Socket&) {});
      }
    });
    app.emplace(config);
    app->set_logger(fw::Logger(std::make_shared<fw::support::RecordingSink>()));
    app->set_validator([this](const fw::ValidationInput& input) -> fw::ValidationResult {
      gate.pass();
      return {.value = input.value, .errors = {}};
    });
    app->use(fw::auth({.verify = [](std::string_view, fw::Request&) {
      return std::optional(fw::AuthIdentity{.user_id = "7"});
    }}));
    app->mount(table.table());
    app->start();
  }
  ~Application() {
    gate.open();
    app->stop();
  }

  std::uint16_t port() const { return static_cast<std::uint16_t>(app->port()); }
  httplib::Client admin() const {
    httplib::Client client(config.admin.socket);
    client.set_read_timeout(60s);
    client.set_address_family(AF_UNIX);
    client.set_default_headers({{"host", "localhost"}});  // instead of the path of the socket
    return client;
  }
  Json page() const {
    const auto response = admin().Get("/requests");
    REQUIRE(response);
    REQUIRE(response->status == 200);
    return Json::parse(response->body);
  }
  /// Waits until one request is listed, in this state, and returns its row.
  Json row_in(std::string_view state) const {
    Json row;
    CHECK_MESSAGE(eventually([&] {
                    const Json shown = page();
                    if (shown["total"] != 1 || shown["states"] != Json{{state, 1}}) return false;
                    row = shown["requests"].at(0);
                    return row["state"] == state;
                  }),
                  page().dump());
    return row;
  }
  bool becomes_empty() const {
    return eventually([&] {
      return page() == Json{{"total", 0}, {"states", Json::object()}, {"requests", Json::array()}};
    });
  }

  fairway::test::TemporaryDirectory folder;
  fw::Config config;
  Gate gate;
  std::mutex mutex;
  std::vector<fw::EventStream> streams;
  TableBuilder table;
  std::optional<fw::App> app;
};

std::string get(std::string_view target, std::string_view fields = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

constexpr std::string_view kHalfOfBody =
    "POST /users HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    "Content-Length: 6\r\n\r\n\"ab";

/// Each engine of the build.
std::vector<fw::HttpEngine> engines() {
#if FAIRWAY_EPOLL
  return {fw::HttpEngine::epoll, fw::HttpEngine::httplib};
#else
  return {fw::HttpEngine::httplib};
#endif
}

std::function<void(fw::Config&)> with_engine(fw::HttpEngine engine) {
  return [engine](fw::Config& config) {
    config.server.engine = engine;
    if (engine == fw::HttpEngine::httplib) {
      config.server.queue_timeout = fw::Config().server.queue_timeout;
    }
  };
}

}  // namespace

TEST_CASE("admin requests: without an admin listener, requests are not listed") {
  Application application([](fw::Config& config) { config.admin = {}; });
  CHECK(fw::detail::Access::core(*application.app).env.active == nullptr);
  Client client(application.port());
  CHECK(client.exchange(get("/requests")).status == 404);
}

TEST_CASE("admin requests: a request in its handler is listed, without what may be secret") {
  for (const fw::HttpEngine engine : engines()) {
    CAPTURE(static_cast<int>(engine));
    Application application(with_engine(engine));
    CHECK(application.becomes_empty());
    Client client(application.port());
    client.send(get("/users/confidential?key=confidential",
                    "X-Request-Id: abc-7\r\nAuthorization: Bearer confidential\r\n"
                    "Cookie: a=confidential\r\n"));
    const Json row = application.row_in("handler");
    CHECK(row["id"] == "abc-7");
    CHECK(row["method"] == "GET");
    CHECK(row["route"] == "/users/:id");
    CHECK(row["late"] == false);
    CHECK(row.size() == 6);
    const auto age = row["age"].get<std::int64_t>();
    CHECK(age >= 0);
    CHECK(eventually([&] { return application.row_in("handler")["age"] > age; }));
    CHECK(application.page().dump().find("confidential") == std::string::npos);
    application.gate.open();
    CHECK(client.read_response().status == 200);
    CHECK(application.becomes_empty());
    CHECK(client.exchange(get("/unknown")).status == 404);
    CHECK(application.becomes_empty());
  }
}

TEST_CASE("admin requests: an id that cannot be in a header field is listed as it is logged") {
  Application application;
  Client client(application.port());
  client.send(get("/users/7", "X-Request-Id: caf\xE9\"\r\n"));
  CHECK(application.row_in("handler")["id"] == "caf\u00E9\"");
  application.gate.open();
  CHECK(client.read_response().status == 200);
}

TEST_CASE("admin requests: a guard and a validation have states of their own") {
  {
    Application application;
    Client client(application.port());
    client.send(get("/guarded", "Authorization: Bearer confidential\r\n"));
    CHECK(application.row_in("guard")["route"] == "/guarded");
    application.gate.open();
    CHECK(client.read_response().status == 200);
    CHECK(application.becomes_empty());
  }
  Application application;
  Client client(application.port());
  client.send(
      "POST /checked HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
      "Content-Length: 12\r\n\r\n{\"name\":\"a\"}");
  CHECK(application.row_in("validation")["route"] == "/checked");
  application.gate.open();
  CHECK(client.read_response().status == 200);
  CHECK(application.becomes_empty());
}

TEST_CASE("admin requests: a request is listed while its body arrives, until its client has gone") {
  for (const fw::HttpEngine engine : engines()) {
    CAPTURE(static_cast<int>(engine));
    Application application(with_engine(engine));
    {
      Client client(application.port());
      client.send(kHalfOfBody);
      const Json row = application.row_in("receiving");
      CHECK(row["method"] == "POST");
      CHECK(row["route"] == "/users");
      client.send("cd\"");
      CHECK(client.read_response().status == 200);
      CHECK(application.becomes_empty());
    }
    Client client(application.port());
    client.send(kHalfOfBody);
    application.row_in("receiving");
    client.reset();
    CHECK(application.becomes_empty());
  }
}

TEST_CASE("admin requests: a handler that continues after its deadline is late") {
  Application application;
  Client client(application.port());
  CHECK(client.exchange(get("/late")).status == 504);
  const Json row = application.row_in("handler");
  CHECK(row["late"] == true);
  CHECK(row["route"] == "/late");
  application.gate.open();
  CHECK(application.becomes_empty());
}

TEST_CASE("admin requests: a handler whose client has gone is listed until it returns") {
  Application application;
  Client client(application.port());
  client.send(get("/users/7"));
  application.row_in("handler");
  client.reset();
  application.row_in("handler");
  application.gate.open();
  CHECK(application.becomes_empty());
}

TEST_CASE("admin requests: a streamed response is being sent until its end") {
  for (const fw::HttpEngine engine : engines()) {
    CAPTURE(static_cast<int>(engine));
    Application application(with_engine(engine));
    Client client(application.port());
    client.send(get("/download"));
    CHECK(application.row_in("sending")["route"] == "/download");
    application.gate.open();
    CHECK(client.read_response().is_complete);
    CHECK(application.becomes_empty());
  }
}

TEST_CASE(
    "admin requests: a stream of events is listed until it is closed or its client has gone") {
  for (const fw::HttpEngine engine : engines()) {
    CAPTURE(static_cast<int>(engine));
    Application application(with_engine(engine));
    for (const bool closes : {true, false}) {
      CAPTURE(closes);
      Client client(application.port());
      client.send(get("/live", "X-Request-Id: live-1\r\n"));
      const Json row = application.row_in("stream");
      CHECK(row["route"] == "/live");
      CHECK(row["id"] == "live-1");
      if (closes) {
        const std::lock_guard lock(application.mutex);
        application.streams.back().close();
      } else {
        client.reset();
        // What is sent tells the engine that nobody receives it.
        CHECK(eventually([&] {
          const std::lock_guard lock(application.mutex);
          return !application.streams.back().send("message", "x");
        }));
      }
      CHECK(application.becomes_empty());  // although the application still has the stream
    }
  }
}

#if FAIRWAY_EPOLL
TEST_CASE("admin requests: a socket is listed until its end") {
  Application application(with_engine(fw::HttpEngine::epoll));
  Client client(application.port());
  const auto response = client.exchange(
      get("/chat",
          "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Request-Id: chat-1\r\n"));
  REQUIRE(response.status == 101);
  const Json row = application.row_in("socket");
  CHECK(row["route"] == "/chat");
  CHECK(row["id"] == "chat-1");
  client.reset();
  CHECK(application.becomes_empty());
}
#endif

#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
TEST_CASE("admin requests: requests of one HTTP/2 connection are listed, until they are canceled") {
  Application application([](fw::Config& config) { config.server.http2.cleartext = true; });
  fw::http::test::Http2Client client(application.port());
  const auto first = client.get("/users/7");
  CHECK(application.row_in("handler")["route"] == "/users/:id");
  const auto second = client.begin("POST", "/users", {}, true);
  client.send_body(second, "\"ab", false);
  CHECK(eventually(
      [&] { return application.page()["states"] == Json{{"handler", 1}, {"receiving", 1}}; }));
  client.cancel(second);
  application.row_in("handler");
  application.gate.open();
  CHECK(client.wait(first).status == 200);
  CHECK(application.becomes_empty());
}
#endif

}  // namespace admin_requests_test
