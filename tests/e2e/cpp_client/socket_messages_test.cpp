// What sockets of a generated client send and receive: messages, frames, and their limits.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <sockets_client.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cpp_client/rooms.hpp"
#include "cpp_client/rooms_server.hpp"
#include "cpp_client/socket_server.hpp"

namespace sockets_test {

using e2e::server_frame;
using e2e::SocketPeer;
using e2e::SocketServer;
using fairway_client::detail::FrameReader;

namespace {

/// The kind of the TransportError that ends a room with these frames of the service, and the code
/// with which the client says so.
std::pair<Kind, int> end_of(const std::string& frames,
                            std::size_t max_message = std::size_t{1} << 20U) {
  std::promise<int> code;
  SocketServer server({[&](SocketPeer& peer) {
    peer.open("", frames);
    code.set_value(peer.wait_for_end());
  }});
  SocketsClient client = client_of(server.url());
  RoomSocket room = client.room({.id = 7}, {.max_message = max_message});
  const auto error = thrown_by<TransportError>([&] { all(room); });
  CAPTURE(error.what());
  return {error.kind(), code.get_future().get()};
}

}  // namespace

TEST_CASE("cpp client sockets: messages that do not match the document") {
  std::promise<void> is_closed;
  SocketServer server({[&](SocketPeer& peer) {
    peer.open();
    peer.send_text(R"({"type":"later-version"})");
    peer.send_text(said("known"));
    peer.send_text(R"({"type":"error"})");
    peer.close(1000);
    peer.wait_for_end();
  }});
  SocketsClient client = client_of(server.url());
  RoomSocket room = client.room({.id = 7});
  CHECK(all(room) == std::vector<std::string>{"said known"});

  const std::pair<Kind, int> malformed = {Kind::malformed, 1007};
  CHECK(end_of(server_frame(0x81, "no JSON")) == malformed);
  CHECK(end_of(server_frame(0x81, "[]")) == malformed);
  CHECK(end_of(server_frame(0x81, "{}")) == malformed);
  CHECK(end_of(server_frame(0x81, R"({"type":1})")) == malformed);
  CHECK(end_of(server_frame(0x81, R"({"type":"said","by":1})")) == malformed);
  CHECK(end_of(server_frame(0x81, R"({"type":"said","by":"a","text":"b","mood":"odd"})")) ==
        malformed);
  CHECK(end_of(server_frame(0x81, std::string(2000, '[') + std::string(2000, ']'))) == malformed);
  CHECK(end_of(server_frame(0x82, said("bytes"))) == malformed);
}

TEST_CASE("cpp client sockets: frames that break the protocol") {
  const auto code_of = [](const std::string& frames) {
    const auto [kind, code] = end_of(frames);
    CHECK(kind == Kind::malformed);
    return code;
  };
  CHECK(code_of(server_frame(0xC1, "compressed")) == 1002);
  CHECK(code_of(server_frame(0x83, "unknown")) == 1002);
  CHECK(code_of(server_frame(0x8B, "unknown")) == 1002);
  CHECK(code_of("\x81\x81maskx") == 1002);
  CHECK(code_of(server_frame(0x80, "continuation")) == 1002);
  CHECK(code_of(server_frame(0x01, "a") + server_frame(0x81, "b")) == 1002);
  CHECK(code_of(server_frame(0x09, "fragment")) == 1002);
  CHECK(code_of(server_frame(0x89, std::string(126, 'x'))) == 1002);
  CHECK(code_of(server_frame(0x88, "x")) == 1002);
  CHECK(code_of(server_frame(0x88, "\x03\xEC")) == 1002);  // 1004
  CHECK(code_of(server_frame(0x88, "\x03\xE8\xFF")) == 1002);
  CHECK(code_of(server_frame(0x81, "\xED\xA0\x80")) == 1007);
}

TEST_CASE("cpp client sockets: the size of messages has a limit") {
  const std::pair<Kind, int> too_large = {Kind::malformed, 1009};
  CHECK(end_of(server_frame(0x81, std::string(101, 'x')), 100) == too_large);
  CHECK(end_of(server_frame(0x01, std::string(60, 'x')) + server_frame(0x80, std::string(60, 'x')),
               100) == too_large);
  // It need not arrive.
  CHECK(end_of("\x81\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF") == too_large);
  CHECK(end_of(std::string("\x81\x7F\x00\x00\x01\x00\x00\x00\x00\x00", 10)) == too_large);
}

TEST_CASE("cpp client sockets: frames are the same however their bytes arrive") {
  const std::string bytes =
      server_frame(0x01, "a\xC3") + server_frame(0x89, "ping") + server_frame(0x00, "") +
      server_frame(0x80, "\xA9") + server_frame(0x82, std::string(200, '\xFF')) +
      server_frame(0x82, std::string(70'000, 'x')) + server_frame(0x88, "\x0F\xA1why");
  const auto events_of = [&](std::size_t part) {
    FrameReader reader(100'000);
    std::vector<std::string> events;
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      std::string_view rest = std::string_view(bytes).substr(at, part);
      while (!rest.empty()) {
        switch (reader.read(rest)) {
          case FrameReader::Event::message:
            events.push_back((reader.is_text() ? "text " : "bytes ") + reader.take_message());
            break;
          case FrameReader::Event::ping:
            events.push_back("ping " + reader.payload());
            break;
          case FrameReader::Event::close:
            events.push_back(std::to_string(reader.code()) + " " + reader.payload());
            break;
          default:
            break;
        }
      }
    }
    return events;
  };
  const std::vector<std::string> expected = {"ping ping", "text a\xC3\xA9",
                                             "bytes " + std::string(200, '\xFF'),
                                             "bytes " + std::string(70'000, 'x'), "4001 why"};
  for (const std::size_t part : {1U, 2U, 3U, 7U, 100U, 65'536U, 1'000'000U}) {
    CAPTURE(part);
    CHECK(events_of(part) == expected);
  }
}

TEST_CASE("cpp client sockets: a slow loop gets all messages, and the service waits for it") {
  constexpr int kCount = 2000;
  const std::string padding(16'000, 'x');  // 32 MB in all, more than systems keep
  std::atomic<int> sent{0};
  SocketServer server({[&](SocketPeer& peer) {
    peer.open();
    for (; sent < kCount; ++sent) peer.send_text(said(std::to_string(sent) + padding));
    peer.close(1000);
    peer.wait_for_end();
  }});
  SocketsClient client = client_of(server.url());
  RoomSocket room = client.room({.id = 7});
  for (int before = -1; before != sent;) {
    before = sent;
    std::this_thread::sleep_for(50ms);
  }
  CHECK(sent < kCount);
  int count = 0;
  for (const RoomReceives& message : room) {
    REQUIRE(text_of(message) == "said " + std::to_string(count) + padding);
    ++count;
  }
  CHECK(count == kCount);
}

TEST_CASE("cpp client sockets: what waits for a service has a bound, and ends with its time") {
  std::atomic<bool> is_over{false};
  SocketServer server({[&](SocketPeer& peer) {
    peer.open();
    while (!is_over) std::this_thread::sleep_for(1ms);
  }});
  SocketsClient client({.base_url = server.url(), .write_timeout = 50ms});
  auto echo = client.echo();
  const std::string message(1 << 20, 'x');
  const auto error = thrown_by<TransportError>([&] {
    for (int i = 0; i < 1000; ++i) echo.send_text(message);
  });
  CHECK(error.kind() == Kind::timeout);
  CHECK(thrown_by<TransportError>([&] { echo.next(); }).kind() == Kind::timeout);
  CHECK(thrown_by<TransportError>([&] { echo.send_text("x"); }).kind() == Kind::timeout);
  is_over = true;
}

TEST_CASE("cpp client sockets: several threads send, and each message arrives whole") {
  constexpr int kThreads = 4;
  constexpr int kMessages = 200;
  RoomsServer server;
  SocketsClient client = client_of(server.url());
  auto numbered = client.numbered();
  std::vector<std::thread> senders;
  for (int thread = 0; thread < kThreads; ++thread) {
    senders.emplace_back([&numbered, thread] {
      for (int i = 0; i < kMessages; ++i) {
        numbered.send_text(std::to_string(thread) + std::string(300, 'x') + std::to_string(i));
      }
    });
  }
  std::vector<int> next(kThreads, 0);
  for (int i = 0; i < kThreads * kMessages; ++i) {
    const std::string text = numbered.next().value().content;
    const auto thread = static_cast<std::size_t>(text[0] - '0');
    CHECK(text.substr(301) == std::to_string(next.at(thread)++));
  }
  for (std::thread& sender : senders) sender.join();
}

TEST_CASE("cpp client sockets: arguments that cannot be sent") {
  SocketServer server({[](SocketPeer& peer) {
    peer.open();
    peer.wait_for_end();
  }});
  SocketsClient client = client_of(server.url());
  RoomSocket room = client.room({.id = 7});
  using Invalid = std::invalid_argument;
  thrown_by<Invalid>([&] { room.close(1001); });
  thrown_by<Invalid>([&] { room.close(5000); });
  thrown_by<Invalid>([&] { room.close(1000, std::string(124, 'x')); });
  thrown_by<Invalid>([&] { room.close(1000, "\xFF"); });
  thrown_by<Invalid>([&] { room.send(RoomSayMessage{{.text = "\xFF"}}); });
  thrown_by<Invalid>([&] { room.send(RoomTypingMessage{.data = 1}); });
  CHECK(room.is_open());
  room.close();
  auto echo = client.echo();
  thrown_by<Invalid>([&] { echo.send_text("\xFF"); });
  const std::string line = "a\r\nb";
  thrown_by<Invalid>([&] { client.room({.id = 7}, {.headers = {{"X-A", line}}}); });
}

}  // namespace sockets_test
