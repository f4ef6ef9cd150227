// How sockets of a generated client end: closed by a side, stopped or destroyed.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <sockets_client.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "cpp_client/raw_server.hpp"
#include "cpp_client/rooms.hpp"
#include "cpp_client/socket_server.hpp"

namespace sockets_test {

using e2e::RawServer;
using e2e::server_frame;
using e2e::SocketPeer;
using e2e::SocketServer;
using sockets_api::SocketClosed;

TEST_CASE("cpp client sockets: a close by the service ends the loop, or throws") {
  const auto closed_with = [](int code, RoomSocket::Options options = {}) {
    std::promise<int> reply;
    SocketServer server({[&](SocketPeer& peer) {
      // In the packet of the response.
      peer.open("", server_frame(0x81, said("hi")));
      peer.close(code, "over");
      reply.set_value(peer.wait_for_end());
    }});
    SocketsClient client = client_of(server.url());
    RoomSocket room = client.room({.id = 7}, options);
    CHECK(text_of(room.next().value()) == "said hi");
    CHECK(reply.get_future().get() == code);
    CHECK(room.closed() == SocketClose{code, "over"});
    CHECK(thrown_by<SocketClosed>([&] {
            room.next();
            room.send(RoomTypingMessage{});
          }).code() == code);
    CHECK(!room.next());  // the error comes once
    return 0;
  };
  closed_with(1000);
  closed_with(1001);
  closed_with(4001);
  closed_with(1008, {.reconnect = true});  // it would be closed again
  SocketServer server({[](SocketPeer& peer) {
    peer.open();
    peer.drop();
  }});
  SocketsClient client = client_of(server.url());
  RoomSocket room = client.room({.id = 7});
  CHECK(thrown_by<TransportError>([&] { room.next(); }).kind() == Kind::interrupted);
  CHECK(room.closed() == SocketClose{1006, "room: the connection was lost"});
}

TEST_CASE("cpp client sockets: what the service has sent is read, even if it takes nothing more") {
  std::promise<void> is_reset;
  SocketServer server({[&](SocketPeer& peer) {
                         peer.open("", server_frame(0x81, said("hi")));
                         peer.wait_for_bytes();
                         peer.close(4001, "enough");  // and a reset, because something is not read
                       },
                       [&](SocketPeer& peer) {
                         is_reset.set_value();
                         peer.open();
                         peer.wait_for_end();
                       }});
  SocketsClient client = client_of(server.url());
  std::vector<std::string> heard;
  RoomSocket room = client.room(
      {.id = 7}, {.on_open = [](const auto& socket) { socket.send(RoomTypingMessage{}); },
                  .on_message =
                      [&](const RoomReceives& message, const auto& socket) {
                        is_reset.get_future().wait();
                        heard.push_back(text_of(message));
                        socket.send(RoomTypingMessage{});
                      }});
  RoomSocket other = client.room({.id = 8});  // after the first connection has ended
  CHECK(thrown_by<SocketClosed>([&] { room.next(); }).reason() == "enough");
  CHECK(heard == std::vector<std::string>{"said hi"});
}

TEST_CASE("cpp client sockets: the stop token ends every wait") {
  const auto cancelled = [](const auto& call) {
    std::stop_source source;
    std::thread stopper([&] {
      std::this_thread::sleep_for(20ms);
      source.request_stop();
    });
    const auto error = thrown_by<TransportError>([&] { call(source.get_token()); });
    stopper.join();
    return error.kind() == Kind::cancelled;
  };
  const auto open = [](const std::string& url, const RoomSocket::Options& options) {
    SocketsClient client({.base_url = url, .retry = {.first_delay = 1h, .longest_delay = 1h}});
    RoomSocket room = client.room({.id = 7}, options);
    all(room);
  };
  e2e::DeafPort full(e2e::DeafPort::Queue::full);
  CHECK(cancelled([&](std::stop_token stop) { open(full.url(), {.stop = stop}); }));
  RawServer silent({std::string(RawServer::kSilence)});
  CHECK(cancelled([&](std::stop_token stop) { open(silent.url(), {.stop = stop}); }));
  SocketServer server({[](SocketPeer& peer) {
    peer.open();
    peer.wait_for_end();
  }});
  CHECK(cancelled(
      [&](std::stop_token stop) { open(server.url(), {.stop = stop, .reconnect = true}); }));
  SocketServer dropping({[](SocketPeer& peer) {
    peer.open();
    peer.drop();
  }});
  CHECK(cancelled(
      [&](std::stop_token stop) { open(dropping.url(), {.stop = stop, .reconnect = true}); }));
  std::promise<int> code;
  SocketServer listening({[&](SocketPeer& peer) {
    peer.open();
    code.set_value(peer.wait_for_end());
  }});
  CHECK(cancelled([&](std::stop_token stop) { open(listening.url(), {.stop = stop}); }));
  CHECK(code.get_future().get() == 1001);
  std::stop_source stopped;
  stopped.request_stop();
  CHECK(thrown_by<TransportError>([&] {
          open(server.url(), {.stop = stopped.get_token()});
        }).kind() == Kind::cancelled);
}

TEST_CASE("cpp client sockets: a close ends the wait between two connections") {
  std::promise<void> is_lost;
  SocketServer server({[&](SocketPeer& peer) {
    peer.open();
    peer.drop();
    is_lost.set_value();
  }});
  SocketsClient client(
      {.base_url = server.url(), .retry = {.first_delay = 1h, .longest_delay = 1h}});
  RoomSocket room = client.room({.id = 7}, {.reconnect = true});
  is_lost.get_future().wait();
  room.close();
  CHECK(all(room).empty());
  CHECK(room.closed() == SocketClose{1000, ""});
}

TEST_CASE("cpp client sockets: a socket that is destroyed sends what waits, and its close") {
  std::promise<std::string> text;
  std::promise<int> code;
  SocketServer server({[&](SocketPeer& peer) {
    peer.open();
    text.set_value(peer.read_text());
    const auto frame = peer.read();
    code.set_value(frame && frame->opcode() == 8 ? frame->code() : 0);
    peer.close(1000);
  }});
  SocketsClient client = client_of(server.url());
  {
    client.room({.id = 7}).send(RoomTypingMessage{});
  }
  CHECK(text.get_future().get() == R"({"type":"typing"})");
  CHECK(code.get_future().get() == 1000);
}

TEST_CASE("cpp client sockets: a service that keeps sending does not delay the destruction") {
  std::atomic<bool> is_destroyed{false};
  SocketServer server({[&](SocketPeer& peer) {
    std::string pings;
    for (int i = 0; i < 1'000; ++i) pings += server_frame(0x89, "");
    peer.open();
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!is_destroyed && std::chrono::steady_clock::now() < end) peer.send(pings);
    CHECK(is_destroyed);
  }});
  SocketsClient client = client_of(server.url());
  {
    const RoomSocket room = client.room({.id = 7});
  }
  is_destroyed = true;
}

}  // namespace sockets_test
