// Sockets through the whole pipeline, over real connections: how they are opened, the messages of
// both directions, bounds, and how they end.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "http/loopback.hpp"
#include "http/socket_frames.hpp"
#include "server_connections.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"
#if FAIRWAY_EPOLL

namespace sockets_test {

/// The structs that the route compiler generates for messages.
struct Say {
  static constexpr std::string_view kEventName = "say";
  std::string text;

  friend void to_json(fw::Json& json, const Say& say) { json = {{"text", say.text}}; }
  friend void from_json(const fw::Json& json, Say& say) { json.at("text").get_to(say.text); }
  friend void fw_decode(fw::detail::JsonReader& in, Say& out) {
    static constexpr std::string_view kMembers[] = {"text"};
    for (fw::detail::JsonObject object(in, kMembers, 1); object.next();) {
      in.string(out.text, {.least = 1, .most = 5});
    }
  }
};

struct Said {
  static constexpr std::string_view kEventName = "said";
  std::string text;
};
void to_json(fw::Json& json, const Said& said) { json = {{"text", said.text}}; }
void fw_encode(fw::detail::JsonWriter& out, const Said& said) {
  out.raw(R"({"text":)");
  out.string(said.text);
  out.raw("}");
}

namespace {

using fw::CloseReason;
using fw::Json;
using fw::Request;
using fw::Socket;
using fw::http::test::binary_frame;
using fw::http::test::Client;
using fw::http::test::close_frame;
using fw::http::test::eventually;
using fw::http::test::Gate;
using fw::http::test::ServerFrame;
using fw::http::test::text_frame;
using fw::support::RecordingSink;
using fw::support::server_config;
using fw::support::TableBuilder;
using fw::testing::TestApp;
using namespace std::chrono_literals;

constexpr fw::detail::MessageType kReceived[] = {
    {"say", &typeid(Say), fw::detail::decode_message<Say>}};
constexpr fw::detail::MessageType kSent[] = {{"said", &typeid(Said)}};

fw::RouteOptions chat(fw::SocketOptions socket = {}) {
  return {.receive = {{"say", {{"text", "string:1-5"}}}, {"typing", {}}},
          .send = {{"said", {{"text", "string"}}}, {"typing", {}}},
          .socket = std::move(socket)};
}

fw::RouteOptions raw(fw::SocketOptions socket = {}) {
  return {.receive = fw::raw, .send = fw::raw, .socket = std::move(socket)};
}

void echo_raw(Request&, Socket& socket) {
  socket.on_text([](std::string_view text, Socket& from) { from.send_text(text); });
  socket.on_binary([](std::string_view bytes, Socket& from) { from.send_binary(bytes); });
}

/// An application that listens on a port.
class Server {
 public:
  explicit Server(std::function<void(fw::Router&)> factory, fw::Config config = server_config(),
                  std::vector<fw::detail::RouteTypes> types = {})
      : app(std::move(config)) {
    table_.routes(std::move(factory));
    if (!types.empty()) table_.types(std::move(types));
    app.set_logger(fw::Logger(sink));
    app.mount(table_.table());
    app.start();
  }
  std::uint16_t port() const { return static_cast<std::uint16_t>(app.port()); }
  bool has_logged(std::string_view part) const {
    return std::ranges::any_of(sink->messages(), [&](const std::string& message) {
      return message.find(part) != std::string::npos;
    });
  }

  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();

 private:
  TableBuilder table_;

 public:
  fw::App app;  // last, because it refers to the table
};

std::string request(std::string_view path = "/", std::string_view fields = "") {
  return "GET " + std::string(path) +
         " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         std::string(fields) + "\r\n";
}

/// A client that has opened a socket.
class SocketClient {
 public:
  explicit SocketClient(const Server& server, std::string_view path = "/",
                        std::string_view fields = "", int receive_buffer = 0)
      : client(server.port(), receive_buffer) {
    response = client.exchange(request(path, fields));
    bytes_ = client.input();
    client.forget_input();
  }

  /// Nothing at the end of the connection.
  std::optional<ServerFrame> next() {
    while (true) {
      if (auto frame = fw::http::test::take_frame(bytes_)) return frame;
      if (!client.receive_more()) return std::nullopt;
      bytes_ += client.input();
      client.forget_input();
    }
  }
  /// Whether the connection ends with the socket. With HTTP/2, it continues.
  bool sees_end() { return fw::http::test::tests_http2() || client.sees_end(); }
  /// The payload of the next frame; "(end)" without one.
  std::string next_text() {
    const auto frame = next();
    return frame ? frame->payload : "(end)";
  }
  /// The code of the close frame that is next; 0 if it is something else.
  int next_close() {
    const auto frame = next();
    return frame && frame->opcode() == 8 ? frame->code() : 0;
  }
  void send(const Json& message) { client.send(text_frame(message.dump())); }
  Json ask(const Json& message) {
    send(message);
    return Json::parse(next_text());
  }

  Client client;
  fw::http::test::ReceivedResponse response;

 private:
  std::string bytes_;
};

/// What handlers have seen, and the sockets.
class Record {
 public:
  void add(std::string what) {
    const std::lock_guard lock(mutex_);
    list_.push_back(std::move(what));
  }
  void keep(Socket socket) {
    socket.on_close([this](const CloseReason& reason) {
      add(std::to_string(reason.code) + (reason.by_client ? " client" : " server"));
    });
    const std::lock_guard lock(mutex_);
    sockets_.push_back(std::move(socket));
  }
  std::vector<std::string> list() const {
    const std::lock_guard lock(mutex_);
    return list_;
  }
  std::vector<Socket> sockets() const {
    const std::lock_guard lock(mutex_);
    return sockets_;
  }
  bool becomes(const std::vector<std::string>& expected) const {
    return eventually([&] { return list() == expected; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> list_;
  std::vector<Socket> sockets_;
};

void register_chat(fw::Router& app, Record& record, fw::RouteOptions options = chat()) {
  app.socket("/", std::move(options), [&record](Request&, Socket& socket) {
    record.keep(socket);
    socket.on<Say>([](const Say& say, Socket& from) { from.send(Said{say.text + "!"}); });
    socket.on("typing", [](const Json& data, Socket& from) {
      from.send("said", {{"text", "typing" + data.dump()}});
    });
  });
}

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

TEST_CASE("sockets: a client that floods is not read while its messages wait") {
  Gate gate;
  std::atomic<int> handled{0};
  Server server([&](fw::Router& app) {
    app.socket("/", raw(), [&](Request&, Socket& socket) {
      socket.on_text([&](std::string_view) {
        gate.wait();
        ++handled;
      });
    });
  });
  SocketClient client(server);
  const timeval timeout{0, 300'000};
  setsockopt(client.client.fd(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  const std::string frame = text_frame(std::string(60'000, 'a'));
  int sent = 0;
  while (sent < 2'000 && client.client.send(frame)) ++sent;
  CHECK(sent < 2'000);  // 120 MB do not fit in the buffers of the kernel
  gate.open();
  CHECK(eventually([&] { return handled.load() >= sent; }));
}

TEST_CASE("sockets: a client that does not read is closed, or loses the oldest messages") {
  Record record;
  Server server([&](fw::Router& app) {
    app.socket("/close", raw({.queue = "64kb"}),
               [&](Request&, Socket& socket) { record.keep(socket); });
    app.socket("/drop", raw({.queue = "64kb", .overflow = "drop_oldest"}),
               [&](Request&, Socket& socket) { record.keep(socket); });
  });
  const std::string text(8'000, 'a');
  // The server must have tried to send before the client counts as slow. On a busy machine, it may
  // not have tried before the bound for that.
  CHECK(eventually([&] {
    const auto before = record.sockets().size();
    SocketClient closed(server, "/close", "", 4'096);
    REQUIRE(eventually([&] { return record.sockets().size() == before + 1; }));
    Socket socket = record.sockets().back();
    int sent = 0;
    while (sent < 100'000 && socket.send_text(text)) {
      ++sent;
      if (socket.pending() > 48 * 1024) std::this_thread::sleep_for(10ms);
    }
    CHECK(sent < 100'000);
    CHECK(!socket.is_open());
    REQUIRE(eventually([&] { return record.list().size() == before + 1; }));
    const std::string end = record.list().back();
    CHECK((end == "1008 server" || end == "1013 server"));
    return end == "1008 server";
  }));

  const auto before = record.sockets().size();
  SocketClient slow(server, "/drop", "", 4'096);
  REQUIRE(eventually([&] { return record.sockets().size() == before + 1; }));
  Socket socket = record.sockets().back();
  while (socket.dropped() == 0) {
    REQUIRE(socket.send_text(text));
    CHECK(socket.pending() <= 64 * 1024);
  }
  socket.send_text("last");
  while (slow.next_text() != "last") {
  }
}

TEST_CASE("sockets: a client is not slow before the server has tried to send") {
  Record record;
  Server server([&](fw::Router& app) {
    app.socket("/", raw({.queue = "16kb"}), [&](Request&, Socket& socket) {
      record.keep(socket);
      // Nothing can be sent before the handler returns.
      for (int i = 0; i < 12; ++i) {
        record.add(socket.send_text(std::string(4'000, 'a')) ? "sent" : "not sent");
      }
    });
    app.socket("/endless", raw({.queue = "16kb"}), [&](Request&, Socket& socket) {
      while (socket.send_text(std::string(4'000, 'a'))) {
      }
    });
  });
  SocketClient client(server);
  for (int i = 0; i < 12; ++i) CHECK(client.next_text().size() == 4'000);
  CHECK(record.list() == std::vector<std::string>(12, "sent"));
  client.client.send(text_frame("a"));
  CHECK(client.next_close() == 1003);  // and it is still open
  // What has not been tried has a bound, too.
  SocketClient endless(server, "/endless");
  std::optional<ServerFrame> last;
  std::size_t received = 0;
  while (const auto frame = endless.next()) {
    last = frame;
    received += frame->payload.size();
    if (frame->opcode() == 8) break;
  }
  REQUIRE(last);
  CHECK(last->code() == 1013);
  CHECK(received <= 16 * 16 * 1024);
}

TEST_CASE("sockets: a message must arrive in time, whatever else the client sends") {
  Record record;
  fw::Config config = server_config();
  config.server.request_timeout = 200;
  Server server([&](fw::Router& app) { register_chat(app, record); }, config);
  const auto becomes_late = [&](const std::string& part) {
    SocketClient client(server);
    client.client.send(part);
    const auto frame = client.next();
    return frame && frame->opcode() == 8 && frame->code() == 1008;
  };
  CHECK(becomes_late(fw::http::test::masked_frame(1, "{")));
  CHECK(becomes_late(text_frame("{}").substr(0, 7)));
  CHECK(becomes_late(text_frame("{}").substr(0, 1)));
  CHECK(becomes_late(fw::http::test::masked_frame(1, "{") +
                     fw::http::test::masked_frame(0x8a, "pong")));
  // A silent client is not late.
  SocketClient silent(server);
  CHECK(becomes_late(fw::http::test::masked_frame(1, "{")));
  CHECK(silent.ask({{"type", "say"}, {"text", "a"}})["text"] == "a!");
}

TEST_CASE("sockets: unfinished messages do not keep the memory of other clients") {
  Record record;
  fw::Config config = server_config();
  config.server.max_buffered_bytes = "1mb";
  config.server.min_data_rate = "0b";
  Server server(
      [&](fw::Router& app) {
        register_chat(app, record);
        app.post("/", [](Request& req, fw::Response& res) { res.json(req.body().dump().size()); });
      },
      config);
  const auto status = [&] {
    const std::string body = "\"" + std::string(200'000, 'a') + "\"";
    return Client(server.port())
        .exchange(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            "Content-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body)
        .status;
  };
  std::vector<std::unique_ptr<SocketClient>> holders;
  for (int i = 0; i < 16; ++i) {
    holders.push_back(std::make_unique<SocketClient>(server));
    holders.back()->client.send(fw::http::test::masked_frame(1, std::string(60'000, 'a')));
  }
  // Sockets are closed with a code that says why.
  CHECK(eventually([&] {
    const auto list = record.list();
    return std::ranges::find(list, "1013 server") != list.end();
  }));
  CHECK(eventually([&] { return status() == 200; }));
}

TEST_CASE("sockets: messages that wait count for the memory of all clients") {
  fw::Config config = server_config();
  config.server.max_buffered_bytes = "256kb";
  Gate gate;
  const fw::http::test::OpensAtEnd opens(gate);
  Record record;
  std::atomic<int> received{0};
  Server server(
      [&](fw::Router& app) {
        app.socket("/receives", raw(), [&](Request&, Socket& socket) {
          record.keep(socket);
          socket.on_binary([&](std::string_view) {
            ++received;
            gate.wait();
          });
        });
        app.socket("/sends", raw({.queue = "1mb"}),
                   [&](Request&, Socket& socket) { record.keep(socket); });
      },
      config);
  std::vector<std::unique_ptr<SocketClient>> clients;
  const std::string frame = binary_frame(std::string(60'000, 'a'));
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<SocketClient>(server, "/receives"));
    clients.back()->client.send(binary_frame("first"));
    REQUIRE(eventually([&] { return received == i + 1; }));
    clients.back()->client.send(frame + frame);  // wait for the handler
  }
  const auto is_open = [](const Socket& socket) { return socket.is_open(); };
  CHECK(eventually([&] { return !std::ranges::all_of(record.sockets(), is_open); }));
  gate.open();
  for (auto& client : clients) client->client.close();
  REQUIRE(eventually([&] { return record.list().size() == clients.size(); }));
  const auto ends = record.list();
  CHECK(std::ranges::find(ends, "1013 server") != ends.end());

  SocketClient slow(server, "/sends", "", 4'096);
  REQUIRE(eventually([&] { return record.sockets().size() == clients.size() + 1; }));
  Socket socket = record.sockets().back();
  while (socket.send_text(std::string(8'000, 'a'))) {
  }
  CHECK(socket.pending() == 0);
  std::optional<ServerFrame> last;
  do {
    last = slow.next();
  } while (last && last->opcode() != 8);
  REQUIRE(last);
  CHECK(last->code() == 1013);
  slow.client.send(close_frame(1013));
  CHECK(eventually([&] { return record.list().size() == clients.size() + 1; }));
  CHECK(record.list().back() == "1013 server");
}

TEST_CASE("sockets: the queue of a client that is disconnected for memory is freed at once") {
  fw::Config config = server_config();
  config.server.max_buffered_bytes = "1mb";
  config.server.min_workers = config.server.max_workers = 1;
  config.server.queue_timeout = 60'000;
  Gate gate;
  const fw::http::test::OpensAtEnd opens(gate);
  std::atomic<bool> is_blocked{false};
  Record record;
  Server server(
      [&](fw::Router& app) {
        app.socket("/slow", raw({.queue = "2mb"}),
                   [&](Request&, Socket& socket) { record.keep(socket); });
        app.socket("/echo", raw(), [&](Request&, Socket& socket) {
          socket.on_text([&](std::string_view text, Socket& from) {
            if (text == "block") {
              is_blocked = true;
              gate.wait();
            }
            from.send_text(text);
          });
        });
      },
      config);
  SocketClient slow(server, "/slow", "", 4'096);
  SocketClient other(server, "/echo");
  REQUIRE(eventually([&] { return record.sockets().size() == 1; }));
  Socket socket = record.sockets().front();
  const std::string text(8'000, 'a');
  do {
    while (socket.pending() < 64 * 1024) REQUIRE(socket.send_text(text));
    // The only worker has tried to send before it has responded twice.
    for (int i = 0; i < 2; ++i) {
      other.client.send(text_frame("a"));
      REQUIRE(other.next_text() == "a");
    }
  } while (socket.pending() < 64 * 1024);
  other.client.send(text_frame("block"));
  REQUIRE(eventually([&] { return is_blocked.load(); }));
  while (socket.pending() < 850 * 1024 && socket.send_text(text)) {
  }
  CHECK(eventually([&] { return socket.pending() == 0; }));
  CHECK(!socket.is_open());
  CHECK(!socket.send_text(text));
  // With HTTP/2, its callbacks run on a thread of their own.
  if (!fw::http::test::tests_http2()) CHECK(record.list().empty());
  gate.open();
  CHECK(record.becomes({"1006 client"}));
}

TEST_CASE("sockets: the connection of a failed opening is closed, and no frame becomes a request" *
          doctest::skip(fw::http::test::tests_http2())) {
  std::atomic<int> smuggled{0};
  Server server([&](fw::Router& app) {
    app.socket("/", raw({.max_per_address = 1}), echo_raw);
    app.socket("/refuses", raw(), [](Request&, Socket&) { throw fw::HttpError(409, "no"); });
    app.get("/other", [&](Request&, fw::Response& res) {
      ++smuggled;
      res.text("");
    });
  });
  const std::string next = "GET /other HTTP/1.1\r\nHost: a\r\n\r\n";
  SocketClient only(server);
  const auto status = [&](std::string handshake) {
    Client client(server.port());
    const auto response = client.exchange(handshake + next);
    CHECK(response.field("connection") == "close");
    CHECK(client.sees_end());
    return response.status;
  };
  std::string old = request();
  old.replace(old.find("13"), 2, "12");
  CHECK(status(request()) == 429);
  CHECK(status(request("/", "Origin: http://b\r\n")) == 403);
  CHECK(status(request("/refuses")) == 409);
  CHECK(status(old) == 426);
  CHECK(status(request("/absent")) == 404);
  CHECK(smuggled == 0);
  // Another protocol is ignored (RFC 9110, 7.8).
  Client h2c(server.port());
  h2c.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + next);
  CHECK(h2c.read_response().status == 426);
  CHECK(h2c.read_response().status == 200);
}

TEST_CASE("sockets: a lost connection, and a client that has only finished sending, end as 1006") {
  for (const bool resets : {true, false}) {
    Record record;
    std::atomic<bool> is_cancelled{false};
    Server server([&](fw::Router& app) {
      app.socket("/", chat(), [&](Request& req, Socket& socket) {
        record.keep(socket);
        req.on_close([&] { is_cancelled = true; });
        socket.on("say", [&](const Json& data) { record.add(data["text"]); });
      });
    });
    SocketClient client(server);
    client.send({{"type", "say"}, {"text", "last"}});
    CHECK(record.becomes({"last"}));
    if (resets) {
      client.client.reset();
    } else {
      client.client.end_sending();
    }
    CHECK(record.becomes({"last", "1006 client"}));
    CHECK(eventually([&] { return is_cancelled.load(); }));
  }
}

TEST_CASE("sockets: callbacks of a lost connection run once, and never inside a send") {
  constexpr int kRounds = 20;
  static thread_local bool t_is_sending = false;
  Gate is_reset;
  const fw::http::test::OpensAtEnd opens(is_reset);
  std::atomic<int> handled{0};
  std::atomic<int> calls{0};
  std::atomic<int> inside{0};
  Record record;
  fw::Config config = server_config();
  config.server.min_workers = config.server.max_workers = 1;  // nobody else sees the disconnect
  config.server.queue_timeout = 60'000;
  Server server(
      [&](fw::Router& app) {
        app.socket("/", raw(), [&](Request& req, Socket& socket) {
          record.keep(socket);
          req.on_close([&] {
            if (t_is_sending) ++inside;
            ++calls;
          });
          socket.on_text([&](std::string_view text, Socket& from) {
            ++handled;
            is_reset.wait();
            t_is_sending = true;
            from.send_text(text);
            t_is_sending = false;
          });
        });
      },
      config);
  for (int round = 1; round <= kRounds; ++round) {
    CAPTURE(round);
    is_reset.close();
    SocketClient client(server);
    client.client.send(text_frame("go"));
    REQUIRE(eventually([&] { return handled == round; }));
    client.client.reset();
    CHECK(eventually([&] {
      const ServerConnections connections(server.port());
      return connections.open + connections.left == 0;
    }));
    is_reset.open();
    REQUIRE(eventually([&] { return calls >= round; }));
    REQUIRE(eventually([&] { return record.list().size() == record.sockets().size(); }));
    CHECK(calls == round);
  }
  CHECK(inside == 0);
}

TEST_CASE("sockets: messages before a close are handled before its callback") {
  Record record;
  Server server([&](fw::Router& app) {
    app.socket("/", chat(), [&](Request&, Socket& socket) {
      record.keep(socket);
      socket.on("say", [&](const Json& data) { record.add(data["text"]); });
    });
  });
  Client client(server.port());
  // In one packet with the request.
  client.send(request() + text_frame(R"({"type":"say","text":"a"})") +
              text_frame(R"({"type":"say","text":"b"})") + close_frame(1001));
  CHECK(record.becomes({"a", "b", "1001 client"}));
}

TEST_CASE("sockets: what a client sends after the application has closed is not handled") {
  std::atomic<int> handled{0};
  Gate gate;
  Server server([&](fw::Router& app) {
    app.socket("/", raw(), [&](Request&, Socket& socket) {
      socket.on_text([&](std::string_view, Socket& from) {
        if (++handled > 1) return;
        gate.wait();
        from.close(4001, "banned");
      });
    });
  });
  SocketClient client(server);
  client.client.send(text_frame("a") + text_frame("b") + text_frame("c"));
  REQUIRE(eventually([&] { return handled == 1; }));
  gate.open();
  CHECK(client.next_close() == 4001);
  client.client.send(text_frame("d"));
  CHECK(client.sees_end());
  CHECK(handled == 1);
}

TEST_CASE("sockets: a handler that throws closes the socket with 1011") {
  Record record;
  Server server([&](fw::Router& app) {
    app.socket("/", raw(), [&](Request&, Socket& socket) {
      record.keep(socket);
      socket.on_text([](std::string_view) { throw std::runtime_error("broken handler"); });
    });
  });
  SocketClient client(server);
  client.client.send(text_frame("a"));
  CHECK(client.next_close() == 1011);
  client.client.send(close_frame(1011));
  CHECK(record.becomes({"1011 server"}));
  CHECK(eventually([&] { return server.has_logged("a handler of a message of SOCKET / failed"); }));
  SocketClient other(server);
  other.client.send(binary_frame("a"));
  CHECK(other.next_close() == 1003);
}

TEST_CASE("sockets: a broken rule of the protocol closes the socket with 1002") {
  Server server([&](fw::Router& app) { app.socket("/", raw(), echo_raw); });
  SocketClient client(server);
  client.client.send("\x81\x02hi");
  CHECK(client.next_close() == 1002);
  CHECK(client.sees_end());
  SocketClient text(server);
  text.client.send(text_frame("\xff"));
  CHECK(text.next_close() == 1007);
}

TEST_CASE("sockets: silent clients get pings, and are closed without a response") {
  Record record;
  fw::Config config = server_config();
  config.server.heartbeat = 200;
  Server server([&](fw::Router& app) { register_chat(app, record); }, config);
  std::vector<std::string> ends;
  // On a busy machine, a response may be late.
  CHECK(eventually([&] {
    SocketClient client(server);
    REQUIRE(client.response.status == 101);
    bool has_responded = true;
    for (int i = 0; i < 3 && has_responded; ++i) {
      const auto ping = client.next();
      has_responded = ping.has_value();
      if (!ping) break;
      CHECK(ping->opcode() == 9);
      client.client.send(fw::http::test::masked_frame(0x8a, ping->payload));
    }
    const auto last = client.next();
    if (last) {
      CHECK(last->opcode() == 9);
      CHECK(!client.next());
    }
    ends.emplace_back("1006 client");
    CHECK(record.becomes(ends));
    return has_responded && last;
  }));
}

TEST_CASE("sockets: the stop of the server closes them with 1001") {
  Record record;
  auto server = std::make_unique<Server>([&](fw::Router& app) { register_chat(app, record); });
  SocketClient polite(*server);
  SocketClient silent(*server);
  REQUIRE(eventually([&] { return record.sockets().size() == 2; }));
  std::thread stopper([&] { server->app.stop(); });
  CHECK(polite.next_close() == 1001);
  polite.client.send(close_frame(1001));
  CHECK(silent.next_close() == 1001);
  stopper.join();
  CHECK(record.becomes({"1001 server", "1001 server"}));
  server.reset();
}

TEST_CASE("sockets: limits of an address, and topics") {
  Server server([&](fw::Router& app) {
    app.socket("/", chat({.max_per_address = 2}), [&app](Request&, Socket& socket) {
      app.topics().get<Said>("room").subscribe(socket);
    });
  });
  std::optional<SocketClient> first(server);
  SocketClient second(server);
  CHECK(Client(server.port()).exchange(request()).status == 429);
  CHECK(server.app.topics().get<Said>("room").publish({"all"}) == 2);
  CHECK(first->next_text() == R"({"type":"said","text":"all"})");
  CHECK(second.next_text() == R"({"type":"said","text":"all"})");
  first->client.send(close_frame(1000));
  CHECK(first->next_close() == 1000);
  CHECK(eventually([&] { return server.app.topics().get<Said>("room").subscribers() == 1; }));
  CHECK(eventually([&] { return Client(server.port()).exchange(request()).status == 101; }));
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

TEST_CASE("sockets: threads send while clients vanish and the server stops") {
  Record record;
  auto server = std::make_unique<Server>([&](fw::Router& app) { register_chat(app, record); });
  std::atomic<bool> ends{false};
  std::vector<std::thread> senders;
  for (int i = 0; i < 32; ++i) {
    senders.emplace_back([&] {
      while (!ends.load()) {
        for (Socket socket : record.sockets()) socket.send(Said{"x"});
        std::this_thread::sleep_for(10ms);
      }
    });
  }
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, i] {
      for (int round = 0; round < 8; ++round) {
        SocketClient client(*server);
        if (client.response.status != 101) return;
        client.send({{"type", "say"}, {"text", "a"}});
        if (!client.next()) return;
        if ((i + round) % 2 == 0) client.client.reset();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  std::vector<std::unique_ptr<SocketClient>> open;
  for (int i = 0; i < 4; ++i) open.push_back(std::make_unique<SocketClient>(*server));
  server->app.stop();
  ends = true;
  for (std::thread& sender : senders) sender.join();
  CHECK(eventually([&] { return record.list().size() == record.sockets().size(); }));
  for (const Socket& socket : record.sockets()) CHECK(!socket.is_open());
  server.reset();
}

}  // namespace sockets_test

#endif
