// Sockets on streams of HTTP/2 (RFC 8441). What applies to sockets in general is in
// features/sockets/sockets_test.cpp, which FAIRWAY_TEST_ENGINE=http2 runs over HTTP/2.
#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "http2_client.hpp"
#include "http2_server.hpp"
#include "socket_frames.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"

namespace http2_sockets_test {

using namespace fw::http::test;
using fw::Request;
using fw::Response;
using fw::Socket;
using fw::http::Fields;
using fw::support::TableBuilder;
using namespace std::chrono_literals;

namespace {

fw::RouteOptions raw(fw::SocketOptions socket = {}) {
  return {.receive = fw::raw, .send = fw::raw, .socket = std::move(socket)};
}

void echo(Request&, Socket& socket) {
  socket.on_text([](std::string_view text, Socket& from) { from.send_text(text); });
  socket.on_binary([](std::string_view bytes, Socket& from) { from.send_binary(bytes); });
}

/// An application that speaks HTTP/2 in cleartext.
class Application {
 public:
  explicit Application(std::function<void(fw::Router&)> factory,
                       const std::function<void(fw::Config&)>& change = {})
      : app_(config(change)) {
    table_.routes(std::move(factory));
    app_.mount(table_.table());
    app_.start();
  }
  std::uint16_t port() const { return static_cast<std::uint16_t>(app_.port()); }
  fw::App& app() { return app_; }

 private:
  static fw::Config config(const std::function<void(fw::Config&)>& change) {
    fw::Config config = fw::support::server_config();
    config.server.http2.cleartext = true;
    if (change) change(config);
    return config;
  }

  TableBuilder table_;
  fw::App app_;
};

std::int32_t open(Http2Client& client, std::string_view path = "/", const Fields& more = {},
                  std::string_view protocol = "websocket") {
  Fields fields;
  fields.add(":protocol", protocol);
  fields.add("sec-websocket-version", "13");
  for (const auto& [name, value] : more) fields.add(name, value);
  return client.begin("CONNECT", path, fields, true);
}

/// The next frame of the server; nothing at the end of the stream.
std::optional<ServerFrame> next(Http2Client& client, std::int32_t stream) {
  std::optional<ServerFrame> frame;
  auto& response = client.response(stream);
  client.receive_until([&] {
    frame = take_frame(response.body);
    return frame || response.is_closed || response.is_complete;
  });
  return frame;
}

std::string next_text(Http2Client& client, std::int32_t stream) {
  const auto frame = next(client, stream);
  return frame ? frame->payload : "(end)";
}

void say(Http2Client& client, std::int32_t stream, std::string_view text) {
  client.send_body(stream, text_frame(text), false);
}

}  // namespace

TEST_CASE("http2 sockets: CONNECT for a path without a socket is an error") {
  std::atomic<int> calls{0};
  Application application([&](fw::Router& app) {
    app.get("/", [&](Request&, Response& res) {
      ++calls;
      res.text("no socket");
    });
  });
  Http2Client client(application.port());
  // The client would take 200 for an open socket.
  for (const char* path : {"/", "/other"}) {
    const auto stream = open(client, path);
    CHECK(client.wait(stream).status == 404);
  }
  CHECK(calls == 0);
  CHECK(client.exchange("/").body == "no socket");
}

TEST_CASE("http2 sockets: several sockets and requests share a connection") {
  Application application([](fw::Router& app) {
    app.socket("/echo", raw(), echo);
    app.get("/", [](Request& req, Response& res) { res.text(std::string(req.http_version())); });
  });
  Http2Client client(application.port());
  const auto first = open(client, "/echo");
  const auto second = open(client, "/echo", {{"sec-websocket-protocol", "none"}});
  say(client, first, "one");
  say(client, second, "two");
  CHECK(next_text(client, second) == "two");
  CHECK(client.exchange("/").body == "2");
  CHECK(next_text(client, first) == "one");
  const auto& response = client.response(first);
  CHECK(response.status == 200);
  CHECK(!response.fields.find("sec-websocket-accept"));
  CHECK(!response.fields.find("upgrade"));
  client.send_body(first, close_frame(1000), false);
  const auto close = next(client, first);
  REQUIRE(close);
  CHECK(close->code() == 1000);
  CHECK(!next(client, first));
  CHECK(client.response(first).is_complete);  // the stream ends, not the connection
  say(client, second, "three");
  CHECK(next_text(client, second) == "three");
}

TEST_CASE("http2 sockets: requests that open none") {
  Application application([](fw::Router& app) {
    app.socket("/echo", raw(), echo);
    app.get("/plain", [](Request&, Response& res) { res.text("plain"); });
  });
  Http2Client client(application.port());
  const auto status_of = [&](std::int32_t stream) { return client.wait(stream).status; };
  CHECK(status_of(client.get("/echo")) == 400);
  CHECK(status_of(open(client, "/none")) == 404);
  CHECK(status_of(open(client, "/echo", {}, "connect-udp")) == 501);
  CHECK(status_of(client.begin("CONNECT", "/echo",
                               {{":protocol", "websocket"}, {"sec-websocket-version", "8"}},
                               true)) == 400);
  CHECK(status_of(client.begin("CONNECT", "/echo",
                               {{":protocol", "websocket"}, {"sec-websocket-version", "13"}},
                               false)) == 400);
  CHECK(status_of(open(client, "/echo", {{"origin", "https://evil.example"}})) == 403);
  CHECK(status_of(open(client, "/plain")) == 404);
  CHECK(client.exchange("/plain").body == "plain");
}

TEST_CASE("http2 sockets: a response of success instead of the socket is an error") {
  Application application([](fw::Router& app) { app.socket("/echo", raw(), echo); });
  fw::Hooks& hooks = application.app().hooks();
  const auto wants = [](Request& req, std::string_view what) { return req.header("x-by") == what; };
  hooks.on<fw::hooks::RequestStart>([=](fw::hooks::RequestStart& event) {
    if (wants(event.req, "start")) event.res.json({{"closed", true}});
  });
  hooks.on<fw::hooks::RouteMatched>([=](fw::hooks::RouteMatched& event) {
    if (wants(event.req, "matched")) event.res.status(204).end();
  });
  hooks.on<fw::hooks::HandlerBefore>([=](fw::hooks::HandlerBefore& event) {
    if (wants(event.req, "before")) event.res.text("closed");
    if (wants(event.req, "redirect")) event.res.redirect("/elsewhere");
    if (wants(event.req, "error")) fw::raise(409, "not now");
  });
  hooks.on<fw::hooks::ErrorBeforeResponse>([=](fw::hooks::ErrorBeforeResponse& event) {
    if (wants(event.req, "error")) event.status = 200;
  });
  Http2Client client(application.port());
  const auto status_of = [&](std::string_view by) {
    return client.wait(open(client, "/echo", {{"x-by", by}})).status;
  };
  for (const char* by : {"start", "matched", "before", "error"}) {
    CAPTURE(by);
    CHECK(status_of(by) == 500);
  }
  CHECK(status_of("redirect") == 302);
  const auto stream = open(client, "/echo");
  say(client, stream, "open");
  CHECK(next_text(client, stream) == "open");
}

TEST_CASE("http2 sockets: large messages pass the windows in both directions") {
  constexpr std::size_t kSize = 300'000;
  Application application([](fw::Router& app) {
    app.socket("/", raw({.max_message = "400kb", .queue = "1mb"}), echo);
  });
  Http2Client client(application.port());
  const auto stream = open(client);
  std::string message;
  for (std::size_t i = 0; i < kSize; ++i) message += static_cast<char>('a' + i % 26);
  for (int round = 0; round < 3; ++round) {
    client.send_body(stream, binary_frame(message), false);
    const auto frame = next(client, stream);
    REQUIRE(frame);
    CHECK(frame->payload == message);
  }
}

TEST_CASE("http2 sockets: a handler of messages does not delay other streams") {
  Gate gate;
  Application application([&](fw::Router& app) {
    app.socket("/", raw(), [&](Request&, Socket& socket) {
      socket.on_text([&](std::string_view text, Socket& from) {
        gate.wait();
        from.send_text(text);
      });
    });
    app.get("/other", [](Request&, Response& res) { res.text("other"); });
  });
  const OpensAtEnd opener(gate);
  Http2Client client(application.port());
  const auto stream = open(client);
  say(client, stream, "one");
  CHECK(client.exchange("/other").body == "other");
  gate.open();
  CHECK(next_text(client, stream) == "one");
}

TEST_CASE("http2 sockets: the end of a stream, however it comes, is the end of its socket") {
  std::atomic<int> code{0};
  std::atomic<int> calls{0};
  std::stop_token signal;
  Application application([&](fw::Router& app) {
    app.socket("/", raw(), [&](Request& req, Socket& socket) {
      signal = req.signal();
      req.on_close([&] { ++calls; });
      socket.on_text([](std::string_view text, Socket& from) { from.send_text(text); });
      socket.on_close([&](const fw::CloseReason& reason) { code = reason.code; });
    });
  });
  auto client = std::make_unique<Http2Client>(application.port());
  const auto stream = open(*client);
  say(*client, stream, "one");
  REQUIRE(next_text(*client, stream) == "one");
  SUBCASE("a reset") { client->cancel(stream); }
  SUBCASE("no more data, which is like the end of a connection") {
    client->send_body(stream, "", true);
    CHECK(client->wait(stream).is_complete);
  }
  SUBCASE("the connection") { client.reset(); }
  CHECK(eventually([&] { return code != 0; }));
  CHECK(code == 1006);
  // Before the socket's own end.
  CHECK(signal.stop_requested());
  CHECK(calls == 1);
}

TEST_CASE("http2 sockets: a close in the last data of a stream is no disconnect") {
  std::atomic<int> code{0};
  std::atomic<int> calls{0};
  Application application([&](fw::Router& app) {
    app.socket("/", raw(), [&](Request& req, Socket& socket) {
      req.on_close([&] { ++calls; });
      socket.on_close([&](const fw::CloseReason& reason) { code = reason.code; });
      socket.send_text("ready");
    });
  });
  Http2Client client(application.port());
  const auto stream = open(client);
  REQUIRE(next_text(client, stream) == "ready");
  client.send_body(stream, close_frame(1000), true);
  const auto close = next(client, stream);
  REQUIRE(close);
  CHECK(close->code() == 1000);
  CHECK(client.wait(stream).is_complete);
  CHECK(eventually([&] { return code != 0; }));
  CHECK(code == 1000);
  CHECK(calls == 0);
}

TEST_CASE("http2 sockets: the stop of the server closes them with 1001") {
  Application application([](fw::Router& app) { app.socket("/", raw(), echo); });
  Http2Client client(application.port());
  const auto stream = open(client);
  say(client, stream, "one");
  REQUIRE(next_text(client, stream) == "one");
  std::thread stopper([&] { application.app().stop(); });
  const auto close = next(client, stream);
  REQUIRE(close);
  CHECK(close->code() == 1001);
  client.send_body(stream, close_frame(1001), false);
  client.receive_all();
  CHECK(client.response(stream).is_complete);
  stopper.join();
}

TEST_CASE("http2 sockets: a client that cancels runs no more handlers than it has streams") {
  // Each cancelled socket has a message whose handler waits.
  Gate gate;
  std::atomic<int> opened{0};
  std::atomic<int> waiting{0};
  Application application(
      [&](fw::Router& app) {
        app.socket("/", raw(), [&](Request&, Socket& socket) {
          ++opened;
          socket.on_text([&](std::string_view, Socket&) {
            ++waiting;
            gate.wait();
          });
          socket.send_text("ready");
        });
      },
      [](fw::Config& config) { config.server.http2.max_concurrent_streams = 4; });
  const OpensAtEnd opener(gate);
  Http2Client client(application.port());
  bool is_refused = false;
  for (int i = 0; i < 20 && !is_refused; ++i) {
    const auto stream = open(client);
    is_refused = next_text(client, stream) != "ready";
    if (is_refused) break;
    say(client, stream, "x");
    REQUIRE(eventually([&] { return waiting == i + 1; }));
    client.cancel(stream);
  }
  CHECK(is_refused);
  CHECK(opened == 8);  // twice the number of streams
}

}  // namespace http2_sockets_test
