// Functions of the options of a socket, which the generated client calls.
#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <sockets_client.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cpp_client/rooms.hpp"
#include "cpp_client/socket_server.hpp"

namespace sockets_test {

using e2e::server_frame;
using e2e::SocketPeer;
using e2e::SocketServer;

TEST_CASE("cpp client sockets: the functions of the options get what the loop would") {
  SocketServer server({[](SocketPeer& peer) {
    peer.open("", server_frame(0x81, said("early")));
    CHECK(peer.read_text() == R"({"text":"open","type":"say"})");
    CHECK(peer.read_text() == R"({"text":"early","type":"say"})");
    peer.send_text(R"({"type":"joined"})");
    CHECK(peer.read_text() == R"({"type":"typing"})");
    peer.close(1000);
    peer.wait_for_end();
  }});
  SocketsClient client = client_of(server.url());
  std::vector<std::string> heard;
  std::promise<SocketClose> closed;
  RoomSocket room = client.room(
      {.id = 7},
      {.on_open = [](const auto& socket) { socket.send(RoomSayMessage{{.text = "open"}}); },
       .on_message =
           [&](const RoomReceives& message, const auto& socket) {
             heard.push_back(text_of(message));
             if (heard.size() == 1) {
               socket.send(RoomSayMessage{{.text = "early"}});
             } else {
               socket.send(RoomTypingMessage{});
             }
           },
       .on_close = [&](const SocketClose& close) { closed.set_value(close); }});
  CHECK(!room.next());
  CHECK(closed.get_future().get().code == 1000);
  CHECK(heard == std::vector<std::string>{"said early", "joined "});
}

TEST_CASE("cpp client sockets: what a function throws ends the socket") {
  std::promise<int> code;
  SocketServer server({[&](SocketPeer& peer) {
    peer.open("", server_frame(0x81, said("hi")));
    code.set_value(peer.wait_for_end());
  }});
  SocketsClient client = client_of(server.url());
  RoomSocket room =
      client.room({.id = 7}, {.reconnect = true, .on_message = [](const auto&, const auto&) {
                                throw TransportError(Kind::interrupted, "of another call");
                              }});
  CHECK(std::string(thrown_by<TransportError>([&] { room.next(); }).what()) == "of another call");
  CHECK(room.closed() == SocketClose{1006, "of another call"});
  CHECK(code.get_future().get() == 1000);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("cpp client sockets: a function of a socket cannot wait for it") {
  SocketServer server({[](SocketPeer& peer) {
    peer.open("", server_frame(0x81, said("hi")));
    peer.wait_for_end();
  }});
  SocketsClient client = client_of(server.url());
  std::optional<RoomSocket> room;
  std::promise<void> is_assigned;
  std::vector<std::string> errors;
  std::promise<SocketClose> closed;
  room.emplace(client.room(
      {.id = 7},
      {.on_message =
           [&](const auto&, const auto& socket) {
             is_assigned.get_future().wait();
             errors.emplace_back(thrown_by<std::logic_error>([&] { room->closed(); }).what());
             errors.emplace_back(thrown_by<std::logic_error>([&] { room->next(); }).what());
             socket.close(3000);
           },
       // The socket has ended.
       .on_close = [&](const auto&) { closed.set_value((room->next(), room->closed())); }}));
  is_assigned.set_value();
  CHECK(closed.get_future().get().code == 3000);
  CHECK(errors == std::vector<std::string>{
                      "room: a function of the socket calls closed(), which would wait for the end "
                      "of that function",
                      "room: a function of the socket calls next(), which would wait for the end "
                      "of that function"});
}

TEST_CASE("cpp client sockets: a function may close or destroy its socket") {
  SocketServer server({[](SocketPeer& peer) {
    peer.open("", server_frame(0x81, said("hi")));
    peer.wait_for_end();
  }});
  SocketsClient client = client_of(server.url());
  RoomSocket room = client.room(
      {.id = 7}, {.on_message = [](const auto&, const auto& socket) { socket.close(3000); }});
  CHECK(room.closed().code == 3000);
}

TEST_CASE(
    "cpp client sockets: a function that destroys the socket and the client is the last one") {
  std::promise<void> is_destroyed;
  SocketServer server({[&](SocketPeer& peer) {
    peer.open("", server_frame(0x81, said("first")));
    is_destroyed.get_future().wait();
    for (int i = 0; i < 10; ++i) peer.send_text(said("later"));
    peer.wait_for_end();
  }});
  std::optional<SocketsClient> client(client_of(server.url()));
  std::optional<RoomSocket> room;
  std::promise<void> is_assigned;
  std::vector<std::string> calls;
  auto functions = std::make_shared<int>();
  const std::weak_ptr<int> are_there = functions;
  room.emplace(client->room(
      {.id = 7}, {.on_message =
                      [&, functions](const RoomReceives& message, const auto& socket) {
                        calls.push_back(text_of(message));
                        if (calls.size() > 1) return;
                        is_assigned.get_future().wait();
                        // More than systems keep, so that the close frame waits for its turn.
                        for (int i = 0; i < 12; ++i) {
                          socket.send(RoomSayMessage{{.text = std::string(1 << 20, 'x')}});
                        }
                        room.reset();
                        client.reset();
                        is_destroyed.set_value();
                      },
                  .on_close = [&](const auto&) { calls.emplace_back("closed"); }}));
  functions.reset();
  is_assigned.set_value();
  while (!are_there.expired()) std::this_thread::sleep_for(1ms);
  CHECK(calls == std::vector<std::string>{"said first"});
}

}  // namespace sockets_test
