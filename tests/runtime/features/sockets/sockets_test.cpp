// Sockets through the whole pipeline, over real connections: how they are opened, and the messages
// of both directions.
#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "features/sockets/socket_server.hpp"
#include "http/loopback.hpp"
#include "http/socket_frames.hpp"
#include "server_connections.hpp"
#include "support/server_config.hpp"
#if FAIRWAY_EPOLL

namespace sockets_test {

namespace {

using fw::Json;
using fw::Request;
using fw::Socket;
using fw::http::test::binary_frame;
using fw::http::test::Client;
using fw::http::test::close_frame;
using fw::http::test::eventually;
using fw::http::test::Gate;
using fw::http::test::text_frame;
using fw::support::server_config;

using namespace fw::sockets::test;

}  // namespace

TEST_CASE("sockets: a socket is opened, and messages are exchanged as declared") {
  for (const bool has_types : {false, true}) {
    Record record;
    Server server([&](fw::Router& app) { register_chat(app, record); }, server_config(),
                  has_types
                      ? std::vector<fw::detail::RouteTypes>{{.receive = kReceived, .send = kSent}}
                      : std::vector<fw::detail::RouteTypes>{});
    SocketClient client(server);
    REQUIRE(client.response.status == 101);
    CHECK(client.response.field("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    CHECK(client.response.field("upgrade") == "websocket");
    CHECK(client.response.field("connection") == "Upgrade");
    CHECK(client.response.field("sec-websocket-extensions") == "(none)");
    client.client.send(text_frame(R"({"type":"say","text":"hi"})"));
    CHECK(client.next_text() == R"({"type":"said","text":"hi!"})");
    client.client.send(text_frame(R"( { "text" : "a" , "type" : "say" } )"));
    CHECK(client.next_text() == R"({"type":"said","text":"a!"})");
    client.client.send(text_frame(R"({ "type" : "typing" })"));
    CHECK(client.next_text() == R"({"type":"said","text":"typing{}"})");
    client.client.send(close_frame(1000));
    CHECK(client.next_close() == 1000);
    CHECK(client.sees_end());
    CHECK(record.becomes({"1000 client"}));
    CHECK(!record.sockets().front().is_open());
    CHECK(!record.sockets().front().send(Said{"late"}));
  }
}

TEST_CASE("sockets: any thread sends, and the order of its messages is kept") {
  Record record;
  Server server([&](fw::Router& app) { register_chat(app, record); });
  SocketClient client(server);
  REQUIRE(eventually([&] { return record.sockets().size() == 1; }));
  std::thread sender([&] {
    Socket socket = record.sockets().front();
    for (int i = 0; i < 100; ++i) socket.send("said", {{"text", std::to_string(i)}});
    socket.close(4001, "done");
  });
  for (int i = 0; i < 100; ++i) {
    CHECK(client.next_text() == R"({"type":"said","text":")" + std::to_string(i) + "\"}");
  }
  sender.join();
  const auto close = client.next();
  REQUIRE(close);
  CHECK(close->code() == 4001);
  CHECK(close->payload.substr(2) == "done");
  client.client.send(close_frame(4001));
  CHECK(client.sees_end());
  CHECK(record.becomes({"4001 server"}));
}

TEST_CASE("sockets: an invalid message gets an error, or closes the socket with 1007") {
  Record record;
  Server server([&](fw::Router& app) { register_chat(app, record); }, server_config(),
                {{.receive = kReceived, .send = kSent}});
  SocketClient client(server);
  const Json too_long = client.ask({{"type", "say"}, {"text", "longer"}});
  CHECK(too_long["type"] == "error");
  CHECK(too_long["received"] == "say");
  CHECK(too_long["errors"][0]["field"] == "text");
  CHECK(too_long["errors"][0]["message"] == "text must be at most 5 characters long");
  CHECK(client.ask({{"type", "say"}})["errors"][0]["message"] == "text is required");
  for (const std::string_view text : {"", "{", "[]", "7", R"({"text":"a"})", R"({"type":7})",
                                      R"({"type":"say",})", R"({"type":"say"}})"}) {
    client.client.send(text_frame(text));
    const Json error = Json::parse(client.next_text());
    CHECK(error["type"] == "error");
    CHECK(error["message"] == "The message is not a JSON object with a \"type\"");
  }
  CHECK(client.ask({{"type", "other"}})["message"] == "The type of the message is unknown");
  CHECK(client.ask({{"type", "say"}, {"text", "ok"}})["text"] == "ok!");
  client.client.send(binary_frame("x"));
  CHECK(client.next_close() == 1003);

  Server strict(
      [&](fw::Router& app) { register_chat(app, record, chat({.close_on_invalid = true})); });
  SocketClient closed(strict);
  closed.send({{"type", "other"}});
  CHECK(closed.next_close() == 1007);
}

TEST_CASE("sockets: what does not conform to the declaration is an error of the application") {
  Record record;
  Server server([&](fw::Router& app) { register_chat(app, record); });
  SocketClient client(server);
  REQUIRE(eventually([&] { return record.sockets().size() == 1; }));
  Socket socket = record.sockets().front();
  CHECK_THROWS_WITH_AS(socket.send("other"),
                       "SOCKET / does not declare the message 'other' in 'send'",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(socket.send("said"),
                       "the message 'said' of SOCKET / is not as declared: 'text' is required",
                       std::invalid_argument);
  CHECK_THROWS_AS(socket.send("said", {{"text", "a"}, {"type", "b"}}), std::invalid_argument);
  CHECK_THROWS_AS(socket.send("said", {{"text", std::string(300'000, 'a')}}), std::length_error);
  CHECK_THROWS_AS(socket.send_text("a"), std::logic_error);
  CHECK_THROWS_AS(socket.on_text([](std::string_view) {}), std::logic_error);
  CHECK_THROWS_AS(socket.on("other", [](const Json&) {}), std::invalid_argument);
  CHECK_THROWS_AS(socket.close(1005), std::invalid_argument);
  CHECK_THROWS_AS(socket.close(1000, std::string(124, 'a')), std::invalid_argument);
  // Members that are not declared are removed.
  socket.send("said", {{"text", 7}, {"secret", true}});
  CHECK(client.next_text() == R"({"type":"said","text":"7"})");
  socket.send("typing", {{"secret", true}});
  CHECK(client.next_text() == R"({"type":"typing"})");
}

TEST_CASE("sockets: raw texts and bytes, compressed if the client agrees") {
  fw::RouteOptions options = raw({.max_message = "16kb"});
  options.compression = true;
  Server server([&](fw::Router& app) { app.socket("/", options, echo_raw); });
  SocketClient client(server);
  client.client.send(text_frame("hi") + binary_frame(std::string("\0\xff", 2)));
  auto frame = client.next();
  CHECK(frame->first == 0x81);
  CHECK(frame->payload == "hi");
  frame = client.next();
  CHECK(frame->first == 0x82);
  CHECK(frame->payload == std::string("\0\xff", 2));

  SocketClient compressed(server, "/", "Sec-WebSocket-Extensions: permessage-deflate\r\n");
  if (compressed.response.field("sec-websocket-extensions") != "(none)") {
    compressed.client.send(text_frame(std::string(10'000, 'a')));
    frame = compressed.next();
    CHECK(frame->first == 0xc1);
    CHECK(frame->payload.size() < 100);
    compressed.client.send(fw::http::test::masked_frame(0xc1, frame->payload));
    CHECK(compressed.next()->payload == frame->payload);
  }
  client.client.send(text_frame(std::string(16 * 1024 + 1, 'a')));
  CHECK(client.next_close() == 1009);
}

// With HTTP/2, statuses and fields are others: see http2_sockets_test.cpp.
TEST_CASE("sockets: requests that open none get an error response" *
          doctest::skip(fw::http::test::tests_http2())) {
  Server server([&](fw::Router& app) {
    app.socket("/", raw({.protocols = {"b", "a"}}), echo_raw);
    app.socket("/own", raw({.origins = {"https://app.example"}}), echo_raw);
    app.socket("/any", raw({.origins = {"*"}}), echo_raw);
    app.socket("/refuses", raw(),
               [](Request& req, Socket&) { throw fw::HttpError(409, std::string(req.path())); });
    app.socket("/:id",
               {.validate = {.param = {{"id", "integer"}}}, .receive = fw::raw, .send = fw::raw},
               echo_raw);
  });
  const auto status = [&](std::string_view bytes) {
    return Client(server.port()).exchange(bytes).status;
  };
  Client plain(server.port());
  const auto response = plain.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(response.status == 426);
  CHECK(response.field("upgrade") == "websocket");
  CHECK(response.field("sec-websocket-version") == "13");
  // The connection stays open.
  CHECK(plain.exchange(request("/7")).status == 101);
  CHECK(status(request("/x")) == 400);
  CHECK(status(request("/refuses")) == 409);
  CHECK(status("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n") == 405);
  CHECK(status(request("/own", "Origin: https://evil.example\r\n")) == 403);
  CHECK(status(request("/own", "Origin: https://app.example\r\n")) == 101);
  CHECK(status(request("/own")) == 101);
  CHECK(status(request("/own", "Origin: http://a\r\n")) == 101);
  CHECK(status(request("/any", "Origin: https://evil.example\r\n")) == 101);
  SocketClient chosen(server, "/", "Sec-WebSocket-Protocol: x, a, b\r\n");
  CHECK(chosen.response.field("sec-websocket-protocol") == "a");
  SocketClient none(server, "/", "Sec-WebSocket-Protocol: x\r\n");
  CHECK(none.response.status == 101);
  CHECK(none.response.field("sec-websocket-protocol") == "(none)");
}

TEST_CASE("sockets: only pages of the own origin open them by default") {
  Server server([&](fw::Router& app) { app.socket("/", raw(), echo_raw); });
  const auto status = [&](std::string_view origin) {
    return Client(server.port())
        .exchange(request("/", "Origin: " + std::string(origin) + "\r\n"))
        .status;
  };
  CHECK(status("http://a") == 101);
  CHECK(status("https://a") == 403);
  CHECK(status("http://b") == 403);
  CHECK(status("null") == 403);
}

TEST_CASE(
    "sockets: the messages of one run in order and never two at once, of others in parallel") {
  std::atomic<int> running{0};
  std::atomic<bool> has_overlapped{false};
  Gate gate;
  Server server([&](fw::Router& app) {
    app.socket("/", raw(), [&](Request&, Socket& socket) {
      socket.on_text([&](std::string_view text, Socket& from) {
        if (running.fetch_add(1) > 0) has_overlapped = true;
        from.send_text(text);
        running.fetch_sub(1);
      });
    });
    app.socket("/waits", raw(), [&](Request&, Socket& socket) {
      socket.on_text([&](std::string_view text, Socket& from) {
        from.send_text("first");
        gate.wait();
        from.send_text(text);
      });
    });
  });
  SocketClient waiting(server, "/waits");
  waiting.client.send(text_frame("x"));
  // What a handler sends arrives while it runs, and other sockets continue.
  CHECK(waiting.next_text() == "first");
  SocketClient client(server);
  std::string frames;
  for (int i = 0; i < 500; ++i) frames += text_frame(std::to_string(i));
  client.client.send(frames);
  for (int i = 0; i < 500; ++i) CHECK(client.next_text() == std::to_string(i));
  CHECK(!has_overlapped.load());
  gate.open();
  CHECK(waiting.next_text() == "x");
}

TEST_CASE("sockets: messages are received while handlers send") {
  Server server([](fw::Router& app) { app.socket("/", raw(), echo_raw); });
  // More than wait for a handler: while it sends, a worker is woken to receive the others.
  constexpr int kMessages = 40;
  std::string burst;
  for (int i = 0; i < kMessages; ++i) burst += text_frame(std::to_string(i));
  const auto exchange = [&] {
    SocketClient client(server);
    for (int round = 0; round < 100; ++round) {
      client.client.send(burst);
      for (int i = 0; i < kMessages; ++i) {
        if (client.next_text() != std::to_string(i)) return false;
      }
    }
    return true;
  };
  std::vector<std::future<bool>> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(std::async(std::launch::async, exchange));
  for (std::future<bool>& client : clients) CHECK(client.get());
}

TEST_CASE("sockets: the access log has a line at the opening and one at the close") {
  fw::Config config = server_config();
  config.access_log.enabled = true;
  Server server([&](fw::Router& app) { app.socket("/", raw(), echo_raw); }, config);
  SocketClient client(server);
  client.client.send(text_frame("a"));
  CHECK(client.next_text() == "a");
  client.client.send(close_frame(4000));
  CHECK(eventually([&] { return server.has_logged("GET / 101 "); }));
  CHECK(eventually([&] { return server.has_logged("SOCKET / 4000 "); }));
  CHECK(server.has_logged("| 1 received, 1 sent"));
}

TEST_CASE("sockets: declarations that cannot be served stop the start") {
  const auto error = [](const std::function<void(fw::Router&)>& factory,
                        fw::Config config = server_config()) {
    try {
      Server server(factory, std::move(config));
    } catch (const fw::StartupError& start) {
      return std::string(start.what());
    }
    return std::string("(started)");
  };
  const auto with = [&](fw::RouteOptions options) {
    return error([&](fw::Router& app) { app.socket("/", options, echo_raw); });
  };
  const auto has = [](const std::string& whole, std::string_view part) {
    const bool found = whole.find(part) != std::string::npos;
    if (!found) MESSAGE(whole);
    return found;
  };
  CHECK(has(with({.send = {{"error", {}}}}), "the name belongs to the message about invalid"));
  CHECK(has(with({.receive = {{"a", {{"type", "string"}}}}}), "must not have a member 'type'"));
  CHECK(has(with({.receive = {{"a", {}}, {"a", {}}}}), "the message is declared twice"));
  CHECK(has(with({.receive = {{"", {}}}}), "a message needs a name"));
  CHECK(has(with({.receive = {{"a", {{"b", "strin"}}}}}), "receive: message 'a': b: 'strin'"));
  CHECK(has(with({.cache = 1000, .receive = fw::raw}), "'cache' does not apply to a socket"));
  CHECK(has(with({.receive = fw::raw, .socket = {.overflow = "x"}}),
            "'socket.overflow' cannot be 'x'"));
  CHECK(has(error([](fw::Router& app) {
              app.get("/", {.receive = fw::raw}, [](Request&, fw::Response& res) { res.json(1); });
            }),
            "'receive' applies to a socket only"));
  CHECK(has(error([](fw::Router& app) {
              app.get("/", [](Request&, fw::Response& res) { res.json(1); });
              app.socket("/", raw(), echo_raw);
            }),
            "SOCKET /: matches the same requests as GET /"));
  fw::Config config = server_config();
  config.server.engine = fw::HttpEngine::httplib;
  config.server.http2.cleartext = false;
  config.server.queue_timeout = fw::ServerConfig().queue_timeout;
  CHECK(has(error([](fw::Router& app) { app.socket("/", raw(), echo_raw); }, config),
            "the httplib engine has no sockets"));
}

}  // namespace sockets_test
#endif
