// Upstreams that respond before they have the request: they get all of it, whatever the caller does
// with the response, unless they do not want it.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "client/outbound_client.hpp"
#include "client/transfer.hpp"
#include "http/loopback.hpp"
#include "support/scripted_upstream.hpp"
#include "support/table_builder.hpp"

namespace early_responses_test {

using fw::http::test::Client;
using fw::http::test::eventually;
using fw::http::test::Gate;
using fw::http::test::OpensAtEnd;
using fw::support::ArrivingRequest;
using fw::support::RecordingSink;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::TableBuilder;

namespace {

/// More than the sockets keep.
constexpr std::size_t kSize = std::size_t{16} * 1024 * 1024;

/// Only the limits that a test sets end anything, on a busy machine, too.
fw::Config early_config() {
  constexpr int kLong = 600'000;
  fw::Config config = fw::testing::TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  config.server.send_timeout = kLong;
  config.server.queue_timeout = 60'000;
  config.fetch.timeout = kLong;
  config.fetch.idle_timeout = kLong;
  return config;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// Responds when it has the head of a request, and counts the bytes of its body.
class EarlyUpstream {
 public:
  /// `rest` is sent when the whole request has arrived. The body is read when `gate` opens.
  explicit EarlyUpstream(std::string response, std::string rest = "", Gate* gate = nullptr)
      : response_(std::move(response)),
        rest_(std::move(rest)),
        gate_(gate),
        upstream_([this](ScriptedConnection& connection) { serve(connection); }) {}

  std::string url() const { return upstream_.url(); }
  bool has_all() const { return is_complete_; }
  std::size_t arrived() const { return arrived_; }
  bool has_ended() const { return has_ended_; }

 private:
  void serve(ScriptedConnection& connection) {
    ArrivingRequest request(connection);
    if (!request.has_head()) return;
    connection.send(response_);
    if (gate_ != nullptr) gate_->wait();
    while (true) {
      arrived_ += request.part().size();
      if (request.is_complete()) break;
      if (!request.read()) {
        has_ended_ = true;
        return;
      }
    }
    is_complete_ = true;
    connection.send(rest_);
    connection.wait_for_end();
    has_ended_ = true;
  }

  const std::string response_;
  const std::string rest_;
  Gate* const gate_;
  std::atomic<std::size_t> arrived_ = 0;
  std::atomic<bool> is_complete_ = false;
  std::atomic<bool> has_ended_ = false;
  ScriptedUpstream upstream_;  // last: its threads use what is above
};

/// Passes uploads on: `/proxy` by the proxy, `/held` by the proxy when it has arrived, `/dropped`
/// by a call whose response is dropped, and `/passed` by a call whose response is passed on.
class Gateway {
 public:
  explicit Gateway(const std::string& url, const fw::Config& config = early_config())
      : app(config) {
    table_.routes([this, url](fw::Router& router) {
      const fw::RouteOptions streamed{.body_parser = {.max_body_size = "64mb", .stream = true}};
      const auto forward = [this, url](fw::Request& req, fw::Response& res) {
        app.fetch.proxy(req, res, {.url = url, .timeout = 600'000});
      };
      const auto call = [this, url](fw::Request& req) {
        return app.fetch(url, {.method = "POST", .body = req.body_stream()});
      };
      router.post("/proxy", streamed, forward);
      router.post("/held", {.body_parser = {.max_body_size = "64mb"}}, forward);
      router.post("/dropped", streamed, [call](fw::Request& req, fw::Response& res) {
        const int status = call(req).status();
        res.status(status).end();
      });
      router.post("/passed", streamed, [call](fw::Request& req, fw::Response& res) {
        fw::FetchResponse response = call(req);
        res.status(response.status()).stream(std::move(response).body());
      });
    });
    app.mount(table_.table());
    app.start();
  }

  /// The status of an upload.
  int post(const std::string& path, bool is_chunked, std::size_t size = kSize) const {
    Client client(static_cast<std::uint16_t>(app.port()));
    const std::jthread sender([&] {
      const std::string body(size, 'x');
      client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n" +
                  (is_chunked
                       ? fmt::format("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                                     size, body)
                       : fmt::format("Content-Length: {}\r\n\r\n{}", size, body)));
    });
    return client.read_response().status;
  }

 private:
  TableBuilder table_;

 public:
  fw::App app;  // last, because it refers to the others
};

}  // namespace

TEST_CASE("early responses: an upload arrives whole, and the client gets the status") {
  struct Case {
    const char* response;
    const char* rest;
    int status;
  };
  const auto check = [](const std::string& path, bool is_chunked, const Case& each) {
    CAPTURE(path);
    CAPTURE(is_chunked);
    CAPTURE(each.response);
    const EarlyUpstream upstream(each.response, each.rest);
    const Gateway gateway(upstream.url());
    CHECK(gateway.post(path, is_chunked) == each.status);
    CHECK(eventually([&] { return upstream.has_all() || upstream.has_ended(); }));
    CHECK(upstream.has_all());
    CHECK(upstream.arrived() >= kSize);
  };
  std::string path;
  SUBCASE("through the proxy") { path = "/proxy"; }
  SUBCASE("through the proxy, after it has arrived") { path = "/held"; }
  SUBCASE("through a call whose response is dropped") { path = "/dropped"; }
  SUBCASE("through a call whose response is passed on") { path = "/passed"; }
  for (const bool is_chunked : {false, true}) {
    for (const Case& each :
         {Case{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", 200},
          Case{"HTTP/1.1 204 No Content\r\n\r\n", "", 204},
          Case{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly", "", 200},
          Case{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nearly\r\n", "0\r\n\r\n",
               200}}) {
      check(path, is_chunked, each);
    }
  }
}

TEST_CASE("early responses: a dropped response does not cut off a body that is a string") {
  Gate gate;
  const EarlyUpstream upstream(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
          // As much as makes the call return before the request has been sent.
          fmt::format("{:x}\r\n{}\r\n", 300'000, std::string(300'000, 'x')),
      "0\r\n\r\n", &gate);
  const OpensAtEnd opener(gate);
  fw::App app(early_config());
  CHECK(app.fetch(upstream.url(), {.method = "POST", .body = std::string(kSize, 'x')}).ok());
  gate.open();
  CHECK(eventually([&] { return upstream.has_all() || upstream.has_ended(); }));
  CHECK(upstream.arrived() == kSize);
}

TEST_CASE("early responses: a dropped response ends its connection when the request is sent") {
  const EarlyUpstream upstream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  fw::Config config = early_config();
  fw::FetchInit init{.method = "POST"};
  SUBCASE("of a string") { init.body = std::string(100'000, 'x'); }
  SUBCASE("of a source with a size") { init.body = fw::Readable(std::string(100'000, 'x')); }
  SUBCASE("of a source without a size, after idleTimeout") {
    // Only the end of the response would show it.
    config.fetch.idle_timeout = 300;
    init.body = fw::Readable([left = 10](std::span<char> buffer) mutable {
      if (left-- == 0) return std::size_t{0};
      std::ranges::fill(buffer, 'x');
      return buffer.size();
    });
  }
  fw::App app(config);
  CHECK(app.fetch(upstream.url(), std::move(init)).ok());
  CHECK(eventually([&] { return upstream.has_ended(); }));
  CHECK(upstream.has_all());
}

TEST_CASE("early responses: a source that is cut off by a dropped response is in the log") {
  Gate gate;
  const EarlyUpstream upstream(
      "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + std::string(300'000, 'x'), "", &gate);
  const OpensAtEnd opener(gate);
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(early_config());
  app.set_logger(fw::Logger(sink));
  bool is_wanted = false;
  SUBCASE("by the drop") {}
  SUBCASE("by discard, as the application wants") { is_wanted = true; }
  {
    auto response = app.fetch(upstream.url() + "/in?key=secret",
                              {.method = "PUT", .body = fw::Readable([](std::span<char> buffer) {
                                                  std::ranges::fill(buffer, 'x');
                                                  return buffer.size();  // without an end
                                                })});
    if (is_wanted) response.discard();
  }
  gate.open();
  CHECK(eventually([&] { return upstream.has_ended(); }));
  const auto records = sink->records();
  REQUIRE(records.size() == (is_wanted ? 0 : 1));
  if (is_wanted) return;
  CHECK(records[0].level == fw::LogLevel::warn);
  CHECK(records[0].message.ends_with("because the source has not been read to its end"));
  CHECK(records[0].fields["url"] == upstream.url() + "/in?key=…");
}

TEST_CASE("early responses: a second has one warning about requests that are cut off") {
  const ScriptedUpstream upstream([](ScriptedConnection& connection) {
    if (!ArrivingRequest(connection).has_head()) return;
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" +
                    std::string(300'000, 'x'));
    connection.wait_for_end();
  });
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(early_config());
  app.set_logger(fw::Logger(sink));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    CHECK(
        app.fetch(upstream.url(), {.method = "PUT", .body = fw::Readable([](std::span<char> part) {
                                                      std::ranges::fill(part, 'x');
                                                      return part.size();  // without an end
                                                    })})
            .ok());
  }
  const auto seconds =
      std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
  const std::size_t warnings = sink->messages(fw::LogLevel::warn).size();
  CHECK(warnings >= 1);
  CHECK(warnings <= 1 + static_cast<std::size_t>(seconds.count()));
}

TEST_CASE("early responses: the memory of uploads whose responses were dropped is bounded") {
  Gate gate;
  std::atomic<int> whole = 0;
  std::atomic<int> cut_off = 0;
  const ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    ArrivingRequest request(connection);
    if (!request.has_head()) return;
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" +
                    std::string(300'000, 'x'));
    gate.wait();
    while (!request.is_complete() && request.read()) {
    }
    ++(request.is_complete() ? whole : cut_off);
    connection.wait_for_end();
  });
  const OpensAtEnd opener(gate);
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(early_config());
  app.set_logger(fw::Logger(sink));
  for (int i = 0; i < 5; ++i) {  // 16 MB each
    CHECK(app.fetch(upstream.url(), {.method = "POST", .body = std::string(kSize, 'x')}).ok());
  }
  CHECK(eventually([&] { return !sink->messages(fw::LogLevel::warn).empty(); }));
  const auto messages = sink->messages(fw::LogLevel::warn);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].ends_with("because too many others are being sent for dropped responses"));
  gate.open();
  CHECK(eventually([&] { return whole + cut_off == 5; }));
  CHECK(cut_off == 1);
  // Those that have been sent make room.
  CHECK(app.fetch(upstream.url(), {.method = "POST", .body = std::string(kSize, 'x')}).ok());
  CHECK(eventually([&] { return whole + cut_off == 6; }));
  CHECK(cut_off == 1);
}

namespace {

/// Its responses begin when it has the whole request, and never end. Connections are known by the
/// path of their request.
class EndlessUpstream {
 public:
  std::string url(int number) const { return upstream_.url("/" + std::to_string(number)); }
  /// The requests whose connections have ended.
  std::set<int> ended() const { return ended_.get(); }

 private:
  void serve(ScriptedConnection& connection) {
    ArrivingRequest request(connection);
    if (!request.has_head()) return;
    while (!request.is_complete() && request.read()) {
    }
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    connection.wait_for_end();
    ended_.update([&](std::set<int>& ended) { ended.insert(std::stoi(request.path().substr(1))); });
  }

  fw::support::Shared<std::set<int>> ended_;
  ScriptedUpstream upstream_{[this](ScriptedConnection& connection) { serve(connection); }};
};

/// That it has been sent shows only when the response ends.
fw::Readable without_size() {
  return fw::Readable([is_first = true](std::span<char> buffer) mutable -> std::size_t {
    if (!std::exchange(is_first, false)) return 0;
    buffer[0] = 'x';
    return 1;
  });
}

}  // namespace

TEST_CASE("early responses: uploads without a size leave room for others") {
  const EndlessUpstream endless;
  Gate gate;
  const EarlyUpstream upstream(
      "HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" + std::string(300'000, 'x'), "", &gate);
  const OpensAtEnd opener(gate);
  fw::App app(early_config());
  for (int i = 0; i < 257; ++i) {
    CHECK(app.fetch(endless.url(i), {.method = "POST", .body = without_size()}).ok());
  }
  // Of which nothing has been sent for the longest time.
  std::set<int> first;
  for (int i = 0; i < 257 - 128; ++i) first.insert(i);
  CHECK(eventually([&] { return endless.ended().size() >= first.size(); }));
  CHECK(endless.ended() == first);
  CHECK(app.fetch(upstream.url(), {.method = "POST", .body = std::string(kSize, 'x')}).ok());
  gate.open();
  CHECK(eventually([&] { return upstream.has_all(); }));
  CHECK(endless.ended() == first);
}

TEST_CASE("early responses: the uploads to one upstream do not cut off those to others") {
  const EndlessUpstream many;
  const EndlessUpstream few;
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(early_config());
  app.set_logger(fw::Logger(sink));
  CHECK(app.fetch(few.url(0), {.method = "POST", .body = without_size()}).ok());
  for (int i = 0; i < 140; ++i) {
    CHECK(app.fetch(many.url(i), {.method = "POST", .body = without_size()}).ok());
  }
  CHECK(eventually([&] { return many.ended().size() == 13; }));
  CHECK(few.ended().empty());
  CHECK(eventually([&] { return !sink->messages(fw::LogLevel::warn).empty(); }));
  const auto messages = sink->messages(fw::LogLevel::warn);
  REQUIRE(!messages.empty());
  CHECK(messages[0].starts_with("[app.fetch] POST " + many.url(0) + ": "));
  CHECK(messages[0].ends_with("because too many others are being sent for dropped responses"));
}

TEST_CASE("early responses: uploads that are not being sent make room for others") {
  std::atomic<int> cut_off = 0;
  std::atomic<int> whole = 0;
  Gate gate;
  const ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    ArrivingRequest request(connection);
    if (!request.has_head()) return;
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" +
                    std::string(300'000, 'x'));
    if (request.path() == "/stalled") gate.wait();
    while (!request.is_complete() && request.read()) {
    }
    ++(request.is_complete() ? whole : cut_off);
    connection.wait_for_end();
  });
  const OpensAtEnd opener(gate);
  fw::App app(early_config());
  for (int i = 0; i < 4; ++i) {  // 64 MB
    CHECK(app.fetch(upstream.url("/stalled"), {.method = "POST", .body = std::string(kSize, 'x')})
              .ok());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1'500));  // not a short pause
  CHECK(app.fetch(upstream.url("/read"), {.method = "POST", .body = std::string(kSize, 'x')}).ok());
  CHECK(eventually([&] { return whole + cut_off == 1; }));
  CHECK(whole == 1);
  gate.open();
  CHECK(eventually([&] { return whole + cut_off == 5; }));
  CHECK(cut_off == 1);
}

TEST_CASE("early responses: an upload of a dropped response that is slow ends some time") {
  std::atomic<bool> is_over = false;
  std::atomic<bool> has_ended = false;
  const ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    ArrivingRequest request(connection);
    if (!request.has_head()) return;
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" +
                    std::string(300'000, 'x'));
    while (!request.is_complete() && request.read()) {  // for more than a minute
      if (!is_over) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    has_ended = !request.is_complete();
  });
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(early_config());
  app.set_logger(fw::Logger(sink));
  fw::detail::Access::core(app).client->set_transport(
      fw::client::make_transport({.longest_detached = std::chrono::milliseconds(500)}));
  CHECK(app.fetch(upstream.url(), {.method = "POST", .body = std::string(kSize, 'x')}).ok());
  CHECK(eventually([&] { return !sink->messages(fw::LogLevel::warn).empty(); }));
  is_over = true;
  REQUIRE(sink->messages(fw::LogLevel::warn).size() == 1);
  CHECK(sink->messages(fw::LogLevel::warn)[0].ends_with("because its time is over"));
  CHECK(eventually([&] { return has_ended.load(); }));
}

TEST_CASE("early responses: an upload is cut off by discard, and by the end of the application") {
  Gate gate;
  const EarlyUpstream upstream(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
          fmt::format("{:x}\r\n{}\r\n", 300'000, std::string(300'000, 'x')),
      "", &gate);
  const OpensAtEnd opener(gate);
  fw::App app(early_config());
  {
    auto response = app.fetch(upstream.url(), {.method = "POST", .body = std::string(kSize, 'x')});
    SUBCASE("by discard") { response.discard(); }
    SUBCASE("by the end, before it is dropped") { app.stop(); }
  }
  SUBCASE("by the end, after it was dropped") { app.stop(); }
  gate.open();
  CHECK(eventually([&] { return upstream.has_ended(); }));
  CHECK(!upstream.has_all());
}

TEST_CASE("early responses: an upstream that does not read the rest is ended by idleTimeout") {
  Gate gate;
  fw::Config config = early_config();
  config.fetch.idle_timeout = 300;
  SUBCASE("without content: the call fails") {
    const EarlyUpstream upstream("HTTP/1.1 204 No Content\r\n\r\n", "", &gate);
    const OpensAtEnd opener(gate);
    fw::App app(config);
    try {
      app.fetch(upstream.url(), {.method = "POST", .body = std::string(kSize, 'x')});
      FAIL("the call has succeeded");
    } catch (const fw::TimeoutError& error) {
      CHECK(std::string(error.what()).ends_with("no part of the request could be sent for 300ms"));
    }
    CHECK(Gateway(upstream.url(), config).post("/dropped", false) >= 500);
  }
  SUBCASE("of a dropped response: the connection is closed") {
    const EarlyUpstream upstream(
        "HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" + std::string(300'000, 'x'), "", &gate);
    const OpensAtEnd opener(gate);
    const auto sink = std::make_shared<RecordingSink>();
    fw::App app(config);
    app.set_logger(fw::Logger(sink));
    std::size_t before = 0;
    {
      auto response =
          app.fetch(upstream.url(), {.method = "POST", .body = std::string(kSize, 'x')});
      before = open_descriptors();
    }
    CHECK(eventually([&] { return open_descriptors() < before; }));
    CHECK(eventually([&] { return !sink->messages(fw::LogLevel::warn).empty(); }));
    CHECK(sink->messages(fw::LogLevel::warn)[0].ends_with(
        "because nothing of it has been sent for idleTimeout"));
    gate.open();
    CHECK(eventually([&] { return upstream.has_ended(); }));
    CHECK(!upstream.has_all());
  }
}

TEST_CASE("early responses: an upstream that closes after its response does not want the rest") {
  std::string response;
  SUBCASE("200") { response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"; }
  SUBCASE("204") { response = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"; }
  const ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    connection.limit_unread(256 * 1024);
    connection.read_some();
    connection.send(response);
    // More than the sockets keep, so that the response has been read, too: the reset that follows
    // would discard it.
    std::size_t arrived = 0;
    while (arrived < kSize) {
      const std::string part = connection.read_some();
      if (part.empty()) return;
      arrived += part.size();
    }
    connection.close();
  });
  const int status = std::stoi(response.substr(9));
  const Gateway gateway(upstream.url());
  for (const char* const path : {"/proxy", "/dropped", "/held"}) {
    CAPTURE(path);
    CHECK(gateway.post(path, false, 2 * kSize) == status);
    CHECK(gateway.post(path, true, 2 * kSize) == status);
  }
}

TEST_CASE("early responses: what is not accepted is not sent, and its response is passed on") {
  Gate gate;
  const ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    connection.read_some();
    connection.send("HTTP/1.1 413 Too Large\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nearly\r\n");
    gate.wait();
    connection.send("0\r\n\r\n");
    connection.wait_for_end();
  });
  const OpensAtEnd opener(gate);
  const Gateway gateway(upstream.url());
  for (const char* const path : {"/proxy", "/passed"}) {
    CAPTURE(path);
    Client client(static_cast<std::uint16_t>(gateway.app.port()));
    const std::jthread sender([&] {
      client.send("POST " + std::string(path) +
                  " HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: "
                  "1000000\r\n\r\n" +
                  std::string(1'000'000, 'x'));
    });
    while (client.input().find("early") == std::string::npos) REQUIRE(client.receive_more());
    CHECK(client.input().starts_with("HTTP/1.1 413 "));
  }
  gate.open();
}

TEST_CASE("early responses: a client that leaves during its upload ends the call") {
  const EarlyUpstream upstream("HTTP/1.1 204 No Content\r\n\r\n");
  const Gateway gateway(upstream.url());
  std::string path;
  SUBCASE("of the proxy") { path = "/proxy"; }
  SUBCASE("of a handler") { path = "/dropped"; }
  Client client(static_cast<std::uint16_t>(gateway.app.port()));
  client.send(
      "POST " + path +
      " HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n" +
      std::string(100'000, 'x'));
  CHECK(eventually([&] { return upstream.arrived() >= 100'000; }));
  client.close();
  CHECK(eventually([&] { return upstream.has_ended(); }));
  CHECK(!upstream.has_all());
}

}  // namespace early_responses_test
