// An application with sockets, over real connections, and a client of it.
#pragma once

#include <fairway/app.hpp>
#include <fairway/sockets.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/loopback.hpp"
#include "http/socket_frames.hpp"
#include "server_connections.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"

namespace fw::sockets::test {

/// The structs that the route compiler generates for messages.
struct Say {
  static constexpr std::string_view kEventName = "say";
  std::string text;

  friend void to_json(Json& json, const Say& say) { json = {{"text", say.text}}; }
  friend void from_json(const Json& json, Say& say) { json.at("text").get_to(say.text); }
  friend void fw_decode(detail::JsonReader& in, Say& out) {
    static constexpr std::string_view kMembers[] = {"text"};
    for (detail::JsonObject object(in, kMembers, 1); object.next();) {
      in.string(out.text, {.least = 1, .most = 5});
    }
  }
};

struct Said {
  static constexpr std::string_view kEventName = "said";
  std::string text;
};

inline void to_json(Json& json, const Said& said) { json = {{"text", said.text}}; }

inline void fw_encode(detail::JsonWriter& out, const Said& said) {
  out.raw(R"({"text":)");
  out.string(said.text);
  out.raw("}");
}

inline constexpr detail::MessageType kReceived[] = {
    {"say", &typeid(Say), detail::decode_message<Say>}};
inline constexpr detail::MessageType kSent[] = {{"said", &typeid(Said)}};

inline RouteOptions chat(SocketOptions socket = {}) {
  return {.receive = {{"say", {{"text", "string:1-5"}}}, {"typing", {}}},
          .send = {{"said", {{"text", "string"}}}, {"typing", {}}},
          .socket = std::move(socket)};
}

inline RouteOptions raw(SocketOptions socket = {}) {
  return {.receive = fw::raw, .send = fw::raw, .socket = std::move(socket)};
}

inline void echo_raw(Request&, Socket& socket) {
  socket.on_text([](std::string_view text, Socket& from) { from.send_text(text); });
  socket.on_binary([](std::string_view bytes, Socket& from) { from.send_binary(bytes); });
}

/// An application that listens on a port.
class Server {
 public:
  explicit Server(std::function<void(Router&)> factory, Config config = support::server_config(),
                  std::vector<detail::RouteTypes> types = {})
      : app(std::move(config)) {
    table_.routes(std::move(factory));
    if (!types.empty()) table_.types(std::move(types));
    app.set_logger(Logger(sink));
    app.mount(table_.table());
    app.start();
  }
  std::uint16_t port() const { return static_cast<std::uint16_t>(app.port()); }
  bool has_logged(std::string_view part) const {
    return std::ranges::any_of(sink->messages(), [&](const std::string& message) {
      return message.find(part) != std::string::npos;
    });
  }

  std::shared_ptr<support::RecordingSink> sink = std::make_shared<support::RecordingSink>();

 private:
  support::TableBuilder table_;

 public:
  App app;  // last, because it refers to the table
};

inline std::string request(std::string_view path = "/", std::string_view fields = "") {
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
  std::optional<http::test::ServerFrame> next() {
    while (true) {
      if (auto frame = http::test::take_frame(bytes_)) return frame;
      if (!client.receive_more()) return std::nullopt;
      bytes_ += client.input();
      client.forget_input();
    }
  }
  /// Whether the connection ends with the socket. With HTTP/2, it continues.
  bool sees_end() { return http::test::tests_http2() || client.sees_end(); }
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
  void send(const Json& message) { client.send(http::test::text_frame(message.dump())); }
  Json ask(const Json& message) {
    send(message);
    return Json::parse(next_text());
  }

  http::test::Client client;
  http::test::ReceivedResponse response;

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
    return http::test::eventually([&] { return list() == expected; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> list_;
  std::vector<Socket> sockets_;
};

inline void register_chat(Router& app, Record& record, RouteOptions options = chat()) {
  app.socket("/", std::move(options), [&record](Request&, Socket& socket) {
    record.keep(socket);
    socket.on<Say>([](const Say& say, Socket& from) { from.send(Said{say.text + "!"}); });
    socket.on("typing", [](const Json& data, Socket& from) {
      from.send("said", {{"text", "typing" + data.dump()}});
    });
  });
}

}  // namespace fw::sockets::test
