// Sockets of clients that send too much, read too little, or open too many.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "features/sockets/socket_server.hpp"
#include "http/loopback.hpp"
#include "http/socket_frames.hpp"
#include "server_connections.hpp"
#include "support/server_config.hpp"
#if FAIRWAY_EPOLL

namespace socket_bounds_test {

namespace {

using fw::Request;
using fw::Socket;
using fw::http::test::binary_frame;
using fw::http::test::Client;
using fw::http::test::close_frame;
using fw::http::test::eventually;
using fw::http::test::Gate;
using fw::http::test::ServerFrame;
using fw::http::test::text_frame;
using fw::support::server_config;
using namespace fw::sockets::test;
using namespace std::chrono_literals;

/// A message that counts how often it is formatted.
struct Announced {
  static constexpr std::string_view kEventName = "said";
  std::string text;
  std::atomic<int>* formatted;
};

void fw_encode(fw::detail::JsonWriter& out, const Announced& message) {
  ++*message.formatted;
  out.raw(R"({"text":)");
  out.string(message.text);
  out.raw("}");
}

void to_json(fw::Json& json, const Announced& message) { json = {{"text", message.text}}; }

}  // namespace

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

TEST_CASE("sockets: a topic formats a message once for each window of compression") {
  fw::RouteOptions options = chat();
  options.compression = true;
  Server server([&](fw::Router& app) {
    app.socket("/", options, [&app](Request&, Socket& socket) {
      app.topics().get<Announced>("room").subscribe(socket);
    });
  });
  std::vector<SocketClient> clients;
  for (const std::string_view fields :
       {"", "Sec-WebSocket-Extensions: permessage-deflate\r\n", "",
        "Sec-WebSocket-Extensions: permessage-deflate\r\n",
        "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=9\r\n"}) {
    clients.emplace_back(server, "/", fields);
    REQUIRE(clients.back().response.status == 101);
  }
  std::atomic<int> formatted = 0;
  const std::string text(1000, 'a');
  CHECK(server.app.topics().get<Announced>("room").publish({text, &formatted}) == 5);
  CHECK(formatted == 3);
  for (SocketClient& client : clients) {
    const auto frame = client.next();
    REQUIRE(frame);
    const bool is_compressed = client.response.field("sec-websocket-extensions") != "(none)";
    CHECK(frame->first == (is_compressed ? 0xc1 : 0x81));
    CHECK((frame->payload.size() < text.size()) == is_compressed);
  }
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

TEST_CASE("sockets: a topic has a socket once, until it unsubscribes") {
  Socket kept;
  Server server([&](fw::Router& app) {
    app.socket("/", chat({}), [&](Request&, Socket& socket) {
      for (int i = 0; i < 3; ++i) app.topics().get<Said>("room").subscribe(socket);
      kept = socket;
    });
  });
  SocketClient client(server);
  fw::Topic<Said>& room = server.app.topics().get<Said>("room");
  CHECK(room.subscribers() == 1);
  CHECK(room.publish({"first"}) == 1);
  CHECK(room.unsubscribe(kept));
  CHECK_FALSE(room.unsubscribe(kept));
  CHECK(room.publish({"missed"}) == 0);
  CHECK(kept.send("said", {{"text", "last"}}));
  CHECK(client.next_text() == R"({"type":"said","text":"first"})");
  CHECK(fw::Json::parse(client.next_text()).at("text") == "last");
}

}  // namespace socket_bounds_test
#endif
