// Starting, serving and stopping with the real adapter on a real port.
#include <doctest/doctest.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <set>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <thread>

#include "app/process_signals.hpp"
#include "http/loopback.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"

namespace lifecycle_test {

namespace {

using fw::Json;
using fw::support::RecordingSink;
using fw::support::server_config;
using fw::support::TableBuilder;
using namespace std::chrono_literals;

/// One application with a fast and a slow route.
class Server {
 public:
  explicit Server(fw::Config config = server_config()) : app(std::move(config)) {
    table_.routes([this](fw::Router& router) {
      router.get("/fast", [](fw::Request&, fw::Response& res) { res.json("fast"); });
      router.get("/slow", [this](fw::Request& req, fw::Response& res) {
        slow_started.set_value();
        std::this_thread::sleep_for(
            std::chrono::milliseconds(std::stoi(std::string(req.query("ms").value_or("300")))));
        res.json("slow");
      });
      router.get("/stream", [](fw::Request& req, fw::Response& res) {
        res.set_header("x-kept", "yes");
        res.stream([&req, &res, left = 2](std::span<char> buffer) mutable -> std::size_t {
          if (left-- == 0) return 0;
          req.app().logger().info("a part of " + std::string(req.path()));
          const std::string text(res.get_header("x-kept").value_or("no"));
          return text.copy(buffer.data(), buffer.size());
        });
      });
      router.post("/stop", [](fw::Request& req, fw::Response& res) {
        req.app().stop();
        res.json("stopping");
      });
    });
    app.set_logger(fw::Logger(sink));
    app.mount(table_.table());
  }

  httplib::Client client() const {
    httplib::Client result("127.0.0.1", app.port());
    result.set_read_timeout(60s);
    result.set_write_timeout(60s);
    return result;
  }

  /// Runs `listen` on a thread and returns once the port is open.
  std::future<int> listen() {
    std::promise<void> ready;
    app.on_ready([&](fw::App&) { ready.set_value(); });
    auto status = std::async(std::launch::async, [this] { return app.listen(); });
    ready.get_future().wait();
    return status;
  }

  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  std::promise<void> slow_started;
  fw::App app;

 private:
  TableBuilder table_;
};

}  // namespace

TEST_CASE("lifecycle: start, response, stop") {
  Server server;
  CHECK(server.app.address().empty());
  server.app.start();
  CHECK(server.app.address() == "http://127.0.0.1:" + std::to_string(server.app.port()));
  CHECK_THROWS_AS(server.app.start(), std::logic_error);
  const auto r = server.client().Get("/fast");
  REQUIRE(r);
  CHECK(r->status == 200);
  CHECK(Json::parse(r->body)["data"] == "fast");
  CHECK(r->get_header_value("x-request-id").size() == 36);
  server.app.stop();
  CHECK(server.app.address().empty());
  server.app.stop();
}

TEST_CASE("lifecycle: the log has the bound address, and address() a URL for clients") {
  fw::Config config = server_config();
  config.host = "0.0.0.0";
  Server server(config);
  server.app.start();
  const std::string port = std::to_string(server.app.port());
  CHECK(server.app.address() == "http://127.0.0.1:" + port);
  CHECK(server.sink->messages(fw::LogLevel::info) ==
        std::vector<std::string>{"listening on http://0.0.0.0:" + port});
}

TEST_CASE("lifecycle: in fairway dev, the log omits the internal address") {
  ::setenv("FAIRWAY_DEV", "1", 1);
  Server server;
  server.app.start();
  server.app.stop();
  ::unsetenv("FAIRWAY_DEV");
  CHECK(server.sink->messages(fw::LogLevel::info).empty());
}

TEST_CASE("lifecycle: every call of stop returns after the last handler and close callback") {
  Server server;
  std::atomic<bool> is_handling = false;
  std::atomic<int> closed = 0;
  server.app.use([&](fw::Request&, fw::Response&, fw::Next next) {
    is_handling = true;
    next();
    is_handling = false;
  });
  server.app.on_close([&](fw::App& app) {
    ++closed;
    CHECK(!is_handling);
    app.stop();  // is under way: returns
  });
  server.app.start();
  auto client = server.client();
  auto response = std::async(std::launch::async, [&] { return client.Get("/slow?ms=300"); });
  server.slow_started.get_future().wait();
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      server.app.stop();
      CHECK(closed == 1);
      CHECK(!is_handling);
    });
  }
  for (auto& caller : callers) caller.join();
  const auto r = response.get();
  REQUIRE(r);
  CHECK(r->status == 200);
  CHECK_THROWS_AS(server.app.start(), std::logic_error);
}

TEST_CASE("lifecycle: stop waits for handlers that outlast the shutdown timeout") {
  fw::Config config = server_config();
  config.shutdown.timeout = 20;
  Server server(config);
  std::atomic<bool> is_handling = false;
  server.app.use([&](fw::Request&, fw::Response&, fw::Next next) {
    is_handling = true;
    next();
    is_handling = false;
  });
  server.app.on_close([&](fw::App&) { CHECK(!is_handling); });
  server.app.start();
  auto client = server.client();
  auto response = std::async(std::launch::async, [&] { return client.Get("/slow?ms=500"); });
  server.slow_started.get_future().wait();
  std::thread other([&] { server.app.stop(); });
  server.app.stop();
  other.join();
  CHECK(!is_handling);
  response.wait();
}

TEST_CASE("lifecycle: an application that listens on another thread can be destroyed") {
  std::future<int> status;
  {
    Server server;
    status = server.listen();
  }
  CHECK(status.get() == 0);
}

TEST_CASE("lifecycle: the source of a stream can use its request until the stream ends") {
  for (const bool is_observed : {false, true}) {
    CAPTURE(is_observed);
    Server server;
    if (is_observed) {
      server.app.hooks().on<fw::hooks::ResponseAfter>([&](fw::hooks::ResponseAfter& event) {
        server.app.logger().info("sent " + std::string(event.req.path()));
      });
    }
    server.app.start();
    const auto r = server.client().Get("/stream");
    REQUIRE(r);
    CHECK(r->body == "yesyes");
    server.app.stop();
    std::vector<std::string> messages;
    for (const auto& record : server.sink->records()) {
      if (record.request_id != r->get_header_value("x-request-id")) continue;
      if (record.message.ends_with(" /stream")) messages.push_back(record.message);
    }
    std::vector<std::string> expected = {"a part of /stream", "a part of /stream"};
    if (is_observed) expected.push_back("sent /stream");
    CHECK(messages == expected);
  }
}

TEST_CASE("lifecycle: a logger that throws at the end of a stream does no harm") {
  class FailingSink : public fw::LogSink {
   public:
    void write(const fw::LogRecord& record) override {
      if (record.level == fw::LogLevel::error) throw std::runtime_error("the log is full");
    }
  };
  Server server;
  server.app.set_logger(fw::Logger(std::make_shared<FailingSink>()));
  server.app.hooks().on<fw::hooks::ResponseAfter>(
      [](fw::hooks::ResponseAfter&) { throw std::runtime_error("the hook fails"); });
  server.app.start();
  for (int i = 0; i < 2; ++i) {
    const auto r = server.client().Get("/stream");
    REQUIRE(r);
    CHECK(r->body == "yesyes");
  }
}

TEST_CASE("lifecycle: a signal drains, runs the close callbacks and exits with status 0") {
  for (const int signal_number : {SIGTERM, SIGINT}) {
    Server server;
    std::atomic<bool> closed = false;
    server.app.on_close([&](fw::App&) { closed = true; });
    auto status = server.listen();
    auto client = server.client();
    auto response = std::async(std::launch::async, [&] { return client.Get("/slow"); });
    server.slow_started.get_future().wait();
    ::kill(::getpid(), signal_number);
    CHECK(status.get() == 0);
    CHECK(closed);
    const auto r = response.get();
    REQUIRE(r);
    CHECK(r->status == 200);
  }
}

TEST_CASE("lifecycle: a late signal writes only to open descriptors") {
  const auto descriptors = [] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code ignored;
      names.insert(std::filesystem::read_symlink(entry, ignored).string());
    }
    return names;
  };
  const auto unread_bytes = [] {
    int sum = 0;
    for (int descriptor = 0; descriptor < 1024; ++descriptor) {
      int size = 0;
      if (::ioctl(descriptor, FIONREAD, &size) == 0) sum += size;
    }
    return sum;
  };
  std::set<std::string> listening;
  int unread = 0;
  {
    fw::detail::StopSignal first;
    fw::detail::StopSignal second;
    listening = descriptors();
    unread = unread_bytes();
    first.notify();
    CHECK(!first.wait());
    second.notify();
    CHECK(unread_bytes() > unread);
  }
  CHECK(descriptors() == listening);

  // What was meant for an earlier one is nothing to the next ones, which take its descriptors over.
  fw::detail::StopSignal first;
  fw::detail::StopSignal second;
  CHECK(descriptors() == listening);
  CHECK(unread_bytes() == unread);
  ::kill(::getpid(), SIGTERM);
  CHECK(first.wait());
  CHECK(second.wait());
}

TEST_CASE("lifecycle: a stop during the set-up closes the application") {
  fw::Config config = server_config();
  config.middlewares = {{.name = "stopping"}};
  fw::App app(std::move(config));
  TableBuilder table;
  table.routes([](fw::Router& router) {
    router.get("/", {.middlewares = {"stopping"}},
               [](fw::Request&, fw::Response& res) { res.json("never"); });
  });
  table.middleware("stopping", fw::define_middleware([&app](const Json&) -> fw::Middleware {
                     app.stop();
                     return [](fw::Request&, fw::Response&, fw::Next next) { next(); };
                   }));
  bool is_closed = false;
  app.on_close([&](fw::App&) { is_closed = true; });
  app.mount(table.table());
  CHECK_THROWS_AS(app.start(), std::logic_error);
  CHECK(is_closed);
}

TEST_CASE("lifecycle: a handler can call stop") {
  Server server;
  auto status = server.listen();
  const auto r = server.client().Post("/stop");
  REQUIRE(r);
  CHECK(Json::parse(r->body)["data"] == "stopping");
  CHECK(status.get() == 0);
}

TEST_CASE("lifecycle: draining is bounded by shutdown.timeout") {
  fw::Config config = server_config();
  config.shutdown.timeout = 50;
  Server server(config);
  const auto has_warned = [&] {
    const auto warnings = server.sink->messages(fw::LogLevel::warn);
    return std::ranges::any_of(warnings, [](const std::string& warning) {
      return warning.find("still running after 50 ms") != std::string::npos;
    });
  };
  std::atomic<bool> was_bounded = false;
  server.app.use([&](fw::Request&, fw::Response&, fw::Next next) {
    next();
    was_bounded = fw::http::test::eventually(has_warned);  // until then, it runs
  });
  auto status = server.listen();
  auto client = server.client();
  auto response = std::async(std::launch::async, [&] { return client.Get("/slow?ms=0"); });
  server.slow_started.get_future().wait();
  server.app.stop();
  CHECK(status.get() == 0);
  response.wait();
  CHECK(was_bounded);
}

TEST_CASE("lifecycle: one signal ends all applications of the process") {
  Server first;
  Server second;
  auto first_status = first.listen();
  auto second_status = second.listen();
  ::kill(::getpid(), SIGTERM);
  CHECK(first_status.get() == 0);
  CHECK(second_status.get() == 0);
}

TEST_CASE("lifecycle: a port in use and set-up errors exit with status 1") {
  Server first;
  first.app.start();
  fw::Config config = server_config();
  config.port = first.app.port();
  Server second(config);
  CHECK(second.app.listen() == 1);
  fw::App broken(server_config());
  TableBuilder table;
  table.plugin({.name = "a", .dependencies = {"ghost"}});
  broken.mount(table.table());
  CHECK(broken.listen() == 1);
  CHECK(broken.address().empty());
}

TEST_CASE("lifecycle: requests that the adapter rejects have an error body") {
  Server server;
  server.app.start();
  httplib::Client client = server.client();
  const auto r = client.Get("/fast", {{"X-Long", std::string(20'000, 'x')}});
  REQUIRE(r);
  CHECK(r->status == 431);
  const Json body = Json::parse(r->body);
  CHECK(body["code"] == 431);
  CHECK(body["requestId"] == r->get_header_value("x-request-id"));
}

TEST_CASE("lifecycle: a connection above the limit is rejected with an error body" *
          doctest::skip(!FAIRWAY_EPOLL)) {
  fw::Config config = server_config();
  config.server.max_connections_per_address = 1;
  Server server(config);
  server.app.start();
  httplib::Client first = server.client();
  first.set_keep_alive(true);
  REQUIRE(first.Get("/fast"));
  httplib::Client second = server.client();
  const auto r = second.Get("/fast");
  REQUIRE(r);
  CHECK(r->status == 503);
  CHECK(r->get_header_value("Retry-After") == "1");
  CHECK(Json::parse(r->body)["code"] == 503);
}

TEST_CASE("lifecycle: invalid server settings fail the start") {
  fw::Config config = server_config();
  config.server.min_workers = 5;
  config.server.max_workers = 2;
  Server server(config);
  CHECK_THROWS_WITH_AS(server.app.start(), doctest::Contains("/server/minWorkers: 5 is more than"),
                       fw::StartupError);
}

}  // namespace lifecycle_test
