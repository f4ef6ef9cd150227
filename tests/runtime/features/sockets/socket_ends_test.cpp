// How sockets end: by the client, by the application, by an error, and with the server.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
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

namespace socket_ends_test {

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
using namespace std::chrono_literals;

}  // namespace

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

TEST_CASE("sockets: req.on_close runs for a lost connection while other callbacks take long" *
          doctest::skip(fw::http::test::tests_http2())) {
  Gate may_end;
  Gate callback_ends;
  Gate message_ends;
  std::atomic<bool> is_blocked{false};
  std::atomic<bool> is_in_callback{false};
  std::atomic<bool> is_in_message{false};
  std::atomic<int> calls{0};
  fw::Config config = server_config();
  config.server.min_workers = config.server.max_workers = 2;
  config.server.queue_timeout = 60'000;
  Server server(
      [&](fw::Router& app) {
        app.get("/blocks", [&](Request& req, fw::Response& res) {
          req.on_close([&] {
            is_in_callback = true;
            callback_ends.wait();
          });
          is_blocked = true;
          may_end.wait();
          res.text("");
        });
        app.socket("/", raw(), [&](Request& req, Socket& socket) {
          req.on_close([&] { ++calls; });
          socket.on_text([&](std::string_view text, Socket& from) {
            is_in_message = true;
            message_ends.wait();
            from.send_text(text);
          });
        });
      },
      config);
  const fw::http::test::OpensAtEnd opens_request(may_end);
  const fw::http::test::OpensAtEnd opens_callback(callback_ends);
  const fw::http::test::OpensAtEnd opens_message(message_ends);
  SocketClient client(server);
  Client other(server.port());
  other.send("GET /blocks HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(eventually([&] { return is_blocked.load(); }));
  client.client.send(text_frame("go"));
  REQUIRE(eventually([&] { return is_in_message.load(); }));
  // No worker is free: the monitor detects both ends, and the callback of the first one delays the
  // callback of the second one.
  other.reset();
  REQUIRE(eventually([&] { return is_in_callback.load(); }));
  client.client.reset();
  std::this_thread::sleep_for(600ms);  // the monitor looks every 250 ms
  message_ends.open();
  CHECK(eventually([&] { return calls == 1; }));
  callback_ends.open();
  may_end.open();
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

}  // namespace socket_ends_test
#endif
