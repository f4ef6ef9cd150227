// Sockets of a generated client with the application that the client is generated for.
#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <sockets_client.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "cpp_client/rooms.hpp"
#include "cpp_client/rooms_server.hpp"
#include "cpp_client/tls_identity.hpp"
#include "temporary_directory.hpp"

namespace sockets_test {

using sockets_api::SocketClosed;
using Mood = sockets_api::RoomSaid::Mood;

TEST_CASE("cpp client sockets: typed messages go both ways with a running service") {
  RoomsServer server;
  SocketsClient client = client_of(server.url());
  RoomSocket room = client.room({.id = 7, .name = "\xC3\xA9"});
  CHECK(room.is_open());
  room.send(RoomSayMessage{{.text = "hi \"\xC3\xA9\""}});
  room.send(RoomTypingMessage{});
  const auto first = room.next();
  REQUIRE(first);
  CHECK(std::get<RoomSaidMessage>(*first).data.text == "hi \"\xC3\xA9\"");
  CHECK(std::get<RoomSaidMessage>(*first).data.mood == Mood::good);
  const auto second = room.next();
  REQUIRE(second);
  CHECK(std::holds_alternative<RoomTypingMessage>(*second));
  room.close(3001, "bye");
  CHECK(!room.next());
  CHECK(room.closed() == SocketClose{3001, "bye"});
  CHECK(!room.is_open());
  CHECK(thrown_by<SocketClosed>([&] { room.send(RoomTypingMessage{}); }).code() == 3001);

  auto board = client.board({.x_player = "me"});
  board.send(sockets_api::BoardMoveMessage{{.x = 1, .y = -2}});
  for (const auto& message : board) {
    CHECK(std::get<sockets_api::BoardMoveMessage>(message).data.y == -2);
    break;
  }
  const std::string large(300'000, 'x');
  auto numbered = client.numbered();
  numbered.send_text(large);
  numbered.send_binary(std::string_view("a\0b", 3));
  CHECK(numbered.next() == sockets_api::RawMessage{large, true});
  CHECK(numbered.next() == sockets_api::RawMessage{std::string("a\0b", 3), false});
}

TEST_CASE("cpp client sockets: the service says what it has not accepted") {
  RoomsServer server;
  SocketsClient client = client_of(server.url());
  std::promise<sockets_api::SocketFailure> failed;
  RoomSocket room = client.room({.id = 7}, {.on_failure = [&](const auto& failure, const auto&) {
                                  failed.set_value(failure);
                                }});
  room.send(RoomSayMessage{{.text = ""}});
  const auto failure = failed.get_future().get();
  CHECK(failure.received == "say");
  CHECK(failure.message == "Validation failed");
  REQUIRE(failure.errors.size() == 1);
  CHECK(failure.errors[0].field == "text");
  const auto error = thrown_by<sockets_api::ValidationFailure>([&] { client.room({.id = 0}); });
  CHECK(error.status() == 400);
  CHECK(error.fields().at(0).field == "id");
}

TEST_CASE("cpp client sockets: a service that restarts is found again") {
  RoomsServer server;
  SocketsClient client = client_of(server.url());
  std::atomic<int> opened{0};
  RoomSocket room =
      client.room({.id = 7}, {.reconnect = true, .on_open = [&](const auto& socket) {
                                ++opened;
                                socket.send(RoomSayMessage{{.text = std::to_string(opened)}});
                              }});
  const auto next = [&] { return text_of(room.next().value()); };
  CHECK(next() == "said 1");
  server.stop();
  server.start();
  CHECK(next() == "said 2");
  CHECK(opened == 2);
}

TEST_CASE("cpp client sockets: https, with the certificates of the client's other calls") {
  const fairway::test::TemporaryDirectory directory;
  const std::string certificate = directory.path() / "certificate.pem";
  const std::string key = directory.path() / "key.pem";
  e2e::Identity().write(certificate, key);
  RoomsServer server(tls_settings(certificate, key));
  const auto open = [&](const sockets_api::TlsOptions& tls, const std::string& url) {
    SocketsClient client({.base_url = url, .tls = tls});
    auto numbered = client.numbered();
    const std::string large(300'000, 'x');
    numbered.send_text(large);
    return numbered.next() == sockets_api::RawMessage{large, true};
  };
  CHECK(open({.ca_file = certificate}, server.url("https")));
  CHECK(open({.verify = false}, server.url("https")));
  const auto kind_of = [&](const sockets_api::TlsOptions& tls, const std::string& url) {
    return thrown_by<TransportError>([&] { open(tls, url); }).kind();
  };
  CHECK(kind_of({}, server.url("https")) == Kind::tls);
  CHECK(kind_of({.ca_file = "missing.pem"}, server.url("https")) == Kind::tls);
  CHECK(kind_of({.certificate_file = "missing.pem", .key_file = "missing.pem", .verify = false},
                server.url("https")) == Kind::tls);
  const std::string port = server.url().substr(server.url().rfind(':'));
  // The certificate is for the address.
  CHECK(kind_of({.ca_file = certificate}, "https://localhost" + port) == Kind::tls);
}

}  // namespace sockets_test
