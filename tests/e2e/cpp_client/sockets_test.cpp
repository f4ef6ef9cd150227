// Sockets of a generated client: what they send and receive, how they end, and how they connect
// again.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <netdb.h>
#include <optional>
#include <sockets_client.hpp>
#include <stop_token>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "cpp_client/raw_server.hpp"
#include "cpp_client/socket_server.hpp"
#include "cpp_client/tls_identity.hpp"
#include "sanitizers.hpp"
#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace sockets_test {
namespace {

/// The ports that are the addresses of "two.addresses.test" in this process.
std::vector<std::string> addresses_of_host;

}  // namespace
}  // namespace sockets_test

// Instead of the function of the system, which it calls.
extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* wish,
                           addrinfo** found) {
  static const auto look_up = reinterpret_cast<decltype(&getaddrinfo)>(  // NOLINT
      dlsym(RTLD_NEXT, "getaddrinfo"));
  if (host == nullptr || std::string_view(host) != "two.addresses.test") {
    return look_up(host, service, wish, found);
  }
  for (const std::string& port : sockets_test::addresses_of_host) {
    const int error = look_up("127.0.0.1", port.c_str(), wish, found);
    if (error != 0) return error;
    while (*found != nullptr) found = &(*found)->ai_next;
  }
  return 0;
}

namespace sockets_test {

using namespace std::chrono_literals;
using e2e::ClientFrame;
using e2e::json_response;
using e2e::RawServer;
using e2e::server_frame;
using e2e::SocketPeer;
using e2e::SocketServer;
using fairway_client::detail::FrameReader;
using sockets_api::ApiError;
using sockets_api::RoomReceives;
using sockets_api::RoomSaidMessage;
using sockets_api::RoomSayMessage;
using sockets_api::RoomSocket;
using sockets_api::RoomTypingMessage;
using sockets_api::SocketClose;
using sockets_api::SocketClosed;
using sockets_api::SocketsClient;
using sockets_api::TransportError;
using Kind = TransportError::Kind;
using Mood = sockets_api::RoomSaid::Mood;

namespace {

SocketsClient client_of(const std::string& url) {
  return SocketsClient({.base_url = url, .retry = {.first_delay = 5ms, .longest_delay = 20ms}});
}

std::string said(const std::string& text) {
  return R"({"type":"said","by":"a","text":")" + text + R"(","mood":"good"})";
}

/// "said hi", "joined a", "typing".
std::string text_of(const RoomReceives& message) {
  if (const auto* said = std::get_if<RoomSaidMessage>(&message)) return "said " + said->data.text;
  if (const auto* joined = std::get_if<sockets_api::RoomJoinedMessage>(&message)) {
    return "joined " + joined->data.by.value_or("");
  }
  return "typing";
}

std::vector<std::string> all(RoomSocket& room) {
  std::vector<std::string> texts;
  for (const RoomReceives& message : room) texts.push_back(text_of(message));
  return texts;
}

/// The error of this type that the call throws.
template <class Error, class Call>
Error thrown_by(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    FAIL("another error: " << std::string(error.what()));
  }
  FAIL("no error");
  throw std::logic_error("unreachable");
}

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

/// The kind of the TransportError of an opening that gets this response.
Kind refused(const std::function<void(SocketPeer&)>& respond) {
  SocketServer server({[&](SocketPeer& peer) {
    respond(peer);
    peer.drop();
  }});
  SocketsClient client = client_of(server.url());
  return thrown_by<TransportError>([&] { client.room({.id = 7}); }).kind();
}

/// The settings of a service with these files.
std::string tls_settings(const std::string& certificate, const std::string& key) {
  return R"({"server": {"tls": {"certificate": ")" + certificate + R"(", "key": ")" + key +
         R"("}}})";
}

/// The application of the routes, as a process that can be stopped and started again.
class RoomsServer {
 public:
  explicit RoomsServer(const std::string& settings = "{}") : port_(e2e::free_port()) {
    std::filesystem::create_directory(directory_.path() / "config");
    std::ofstream(directory_.path() / "config" / "local.json") << settings;
    start();
  }

  void start() {
    process_.emplace(
        FAIRWAY_SOCKETS_PROGRAM,
        std::vector<std::string>{"--host", "127.0.0.1", "--port", std::to_string(port_)},
        directory_.path());
    REQUIRE(e2e::wait_until_listening(port_, *process_));
  }
  void stop() {
    process_->signal(SIGTERM);
    CHECK(process_->wait() == 0);
  }
  std::string url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_);
  }

 private:
  fairway::test::TemporaryDirectory directory_;
  int port_;
  std::optional<e2e::ChildProcess> process_;
};

}  // namespace

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

TEST_CASE("cpp client sockets: the opening has the headers, the token and the protocols") {
  SocketServer server({[](SocketPeer& peer) {
    peer.open("Sec-WebSocket-Protocol: chat.v2\r\n");
    peer.wait_for_end();
  }});
  SocketsClient client({.base_url = server.url() + "/v1",
                        .headers = {{"X-All", "1"}, {"X-Player", "common"}, {"Upgrade", "h2c"}},
                        .token = [] { return std::string("secret"); },
                        .request_id = [] { return std::string("abc"); }});
  client.room({.id = 7, .name = "a b"}, {.headers = {{"X-One", "2"}}}).close();
  const std::string request = server.requests().at(0);
  CHECK(request.starts_with("GET /v1/rooms/7?name=a%20b HTTP/1.1\r\nHost: 127.0.0.1:"));
  for (const char* field :
       {"Authorization: Bearer secret", "X-All: 1", "X-One: 2", "X-Player: common",
        "X-Request-ID: abc", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: chat.v1, chat.v2"}) {
    CAPTURE(field);
    CHECK(request.find("\r\n" + std::string(field) + "\r\n") != std::string::npos);
  }
  CHECK(request.find("h2c") == std::string::npos);
  CHECK(request.find("Sec-WebSocket-Extensions") == std::string::npos);
}

TEST_CASE("cpp client sockets: the key of an opening gives the value that RFC 6455 shows") {
  CHECK(fairway_client::detail::accept_of("dGhlIHNhbXBsZSBub25jZQ==") ==
        "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  const std::string key = fairway_client::detail::random_key();
  CHECK(key.size() == 24);
  CHECK(key != fairway_client::detail::random_key());
}

TEST_CASE("cpp client sockets: an opening that is rejected throws the error of the service") {
  const std::string unauthorized =
      R"({"code": "TOKEN_EXPIRED", "message": "sign in", "requestId": "abc"})";
  const auto rejected = [&](const std::string& response) {
    RawServer server({response});
    SocketsClient client = client_of(server.url());
    return thrown_by<ApiError>([&] { client.room({.id = 7}); });
  };
  const ApiError error = rejected(json_response("401 Unauthorized", unauthorized));
  CHECK(error.status() == 401);
  CHECK(error.code() == "TOKEN_EXPIRED");
  CHECK(error.message() == "sign in");
  CHECK(error.request_id() == "abc");
  CHECK(rejected("HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "c\r\n{\"code\": 403\r\n10\r\n,\"message\":\"no\"}\r\n0\r\n\r\n")
            .message() == "no");
  CHECK(rejected("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 Nothing here\r\n\r\n").message() ==
        "Nothing here");
  CHECK(rejected("HTTP/1.1 302 Found\r\nLocation: /other\r\n\r\n").message() ==
        "redirected to /other");
  CHECK(refused([](SocketPeer& peer) { peer.send(json_response("200 OK", "{}")); }) ==
        Kind::malformed);
  CHECK(refused([](SocketPeer& peer) {
          peer.send(
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
              "Sec-WebSocket-Accept: other\r\n\r\n");
        }) == Kind::malformed);
  CHECK(refused([](SocketPeer& peer) {
          peer.send(
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: close\r\n"
              "Connection: keep-alive, upgraded\r\nSec-WebSocket-Accept: " +
              peer.accept() + "\r\n\r\n");
        }) == Kind::malformed);
  CHECK(refused([](SocketPeer& peer) { peer.open("Sec-WebSocket-Protocol: other\r\n"); }) ==
        Kind::malformed);
  CHECK(refused([](SocketPeer& peer) {
          peer.open("Sec-WebSocket-Extensions: permessage-deflate\r\n");
        }) == Kind::malformed);
  std::string interim;
  for (int i = 0; i < 100; ++i) interim += "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  CHECK(refused([&](SocketPeer& peer) {
          peer.send(interim);
          peer.open();
        }) == Kind::interrupted);
  CHECK(refused([](SocketPeer& peer) { peer.send("SSH-2.0-OpenSSH_9.2\r\n\r\n"); }) ==
        Kind::interrupted);
  CHECK(refused([](SocketPeer& peer) { peer.send("HTTP/1.1 101 Switching Protocols\r\nUpgr"); }) ==
        Kind::interrupted);
  CHECK(refused([](SocketPeer& peer) { peer.send("HTTP/1.1 101 " + std::string(100'000, 'x')); }) ==
        Kind::interrupted);
}

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

TEST_CASE("cpp client sockets: a lost connection is replaced, and messages wait for that") {
  std::promise<void> is_lost;
  std::promise<void> may_open;
  const auto lose = [](SocketPeer& peer) {
    peer.open();
    peer.drop();
  };
  const auto restart = [](SocketPeer& peer) {
    peer.open();
    peer.close(1012);
    peer.wait_for_end();
  };
  const auto reject = [&](SocketPeer& peer) {
    is_lost.set_value();
    may_open.get_future().wait();
    peer.send(json_response("503 Service Unavailable", "{}", "Retry-After: 0\r\n"));
    peer.drop();
  };
  std::vector<std::string> texts;
  const auto take_two = [&](SocketPeer& peer) {
    peer.open();
    for (int i = 0; i < 2; ++i) texts.push_back(peer.read_text());
    peer.send_text(said("yes"));
    peer.close(1000);
    peer.wait_for_end();
  };
  SocketServer server({lose, restart, reject, take_two});
  SocketsClient client = client_of(server.url());
  std::atomic<int> opened{0};
  RoomSocket room = client.room({.id = 7}, {.reconnect = true, .on_open = [&](const auto& socket) {
                                              ++opened;
                                              socket.send(RoomTypingMessage{});
                                            }});
  is_lost.get_future().wait();
  CHECK(!room.is_open());
  room.send(RoomSayMessage{{.text = "later"}});
  may_open.set_value();
  CHECK(all(room) == std::vector<std::string>{"said yes"});
  CHECK(texts ==
        std::vector<std::string>{R"({"type":"typing"})", R"({"text":"later","type":"say"})"});
  CHECK(opened == 3);
  CHECK(server.requests().size() == 4);
}

TEST_CASE("cpp client sockets: a service that is away ends the socket after the retries") {
  RawServer server({json_response("503 Service Unavailable", "{}")});
  SocketsClient client({.base_url = server.url(),
                        .retry = {.max_retries = 3, .first_delay = 1ms, .longest_delay = 1ms}});
  const auto open = [&](const RoomSocket::Options& options) {
    const std::size_t before = server.requests().size();
    CHECK(thrown_by<ApiError>([&] { client.room({.id = 7}, options); }).status() == 503);
    return server.requests().size() - before;
  };
  CHECK(open({}) == 1);
  CHECK(open({.reconnect = true}) == 4);
  CHECK(open({.reconnect = true, .max_reconnects = 1}) == 2);

  SocketServer dropping({[](SocketPeer& peer) {
    peer.open();
    peer.drop();
  }});
  SocketsClient other = client_of(dropping.url());
  RoomSocket room = other.room({.id = 7}, {.reconnect = true, .max_reconnects = 2});
  CHECK(thrown_by<TransportError>([&] { room.next(); }).kind() == Kind::interrupted);
  CHECK(dropping.requests().size() == 3);

  const int port = e2e::free_port();
  SocketsClient lonely({.base_url = "http://127.0.0.1:" + std::to_string(port)});
  CHECK(thrown_by<TransportError>([&] { lonely.room({.id = 7}); }).kind() == Kind::connect);
  SocketsClient lost({.base_url = "http://host.invalid"});
  CHECK(thrown_by<TransportError>([&] { lost.room({.id = 7}); }).kind() == Kind::connect);
}

TEST_CASE("cpp client sockets: an opening without a response in time is tried again") {
  SocketServer server({[](SocketPeer& peer) { peer.wait_for_end(); },
                       [](SocketPeer& peer) {
                         peer.open("", server_frame(0x81, said("hi")));
                         peer.wait_for_end();
                       }});
  SocketsClient client({.base_url = server.url(),
                        .read_timeout = 50ms,
                        .retry = {.first_delay = 1ms, .longest_delay = 1ms}});
  // More than once, if the machine is slow.
  RoomSocket room = client.room({.id = 7}, {.reconnect = true, .max_reconnects = 1000});
  CHECK(text_of(room.next().value()) == "said hi");
  SocketServer other({[](SocketPeer& peer) { peer.wait_for_end(); },
                      [](SocketPeer& peer) {
                        peer.open();
                        peer.wait_for_end();
                      }});
  SocketsClient patient = client_of(other.url());
  patient.room({.id = 7}, {.timeout = 50ms, .reconnect = true, .max_reconnects = 1000});
}

TEST_CASE("cpp client sockets: a connection that ends during the handshake of TLS is tried again") {
  const auto connections = [](const std::string& response, Kind expected) {
    std::atomic<int> count{0};
    SocketServer server({[&](SocketPeer& peer) {
                          ++count;
                          peer.wait_for_bytes();
                          peer.send(response);
                          peer.drop();
                        }},
                        SocketServer::Requests::left);
    SocketsClient client = client_of("https" + server.url().substr(4));
    const auto error =
        thrown_by<TransportError>([&] { client.room({.id = 7}, {.reconnect = true}); });
    CAPTURE(error.what());
    CHECK(error.kind() == expected);
    return count.load();
  };
  CHECK(connections("", Kind::interrupted) == 3);
  // The service has another protocol, or the end of a record is missing.
  CHECK(connections("HTTP/1.1 400 Bad Request\r\n\r\n", Kind::tls) == 1);
  CHECK(connections("\x16\x03\x03", Kind::interrupted) == 3);
}

TEST_CASE("cpp client sockets: a service cannot make a client connect without delays") {
  const auto rejected = [](SocketPeer& peer) {
    peer.send(json_response("503 Service Unavailable", "{}", "Retry-After: 0\r\n"));
    peer.drop();
  };
  const auto greeted = [](SocketPeer& peer) {
    peer.open("", server_frame(0x81, said("hi")));
    peer.close(1012);
    peer.wait_for_end();
  };
  const auto over = [](SocketPeer& peer) {
    peer.open();
    peer.close(1000);
    peer.wait_for_end();
  };
  SocketServer server({greeted, rejected, greeted, greeted, rejected, over});
  SocketsClient client(
      {.base_url = server.url(), .retry = {.first_delay = 20ms, .longest_delay = 1h}});
  const auto begin = std::chrono::steady_clock::now();
  RoomSocket room = client.room({.id = 7}, {.reconnect = true});
  CHECK(all(room).size() == 3);
  CHECK(std::chrono::steady_clock::now() - begin >= 10ms + 20ms + 40ms + 80ms + 160ms);
  CHECK(server.requests().size() == 6);
}

TEST_CASE("cpp client: the delays of connections begin again after one that has lasted") {
  using fairway_client::detail::reconnect_delay;
  using fairway_client::detail::Reconnection;
  const auto most = std::chrono::milliseconds::max();
  Reconnection strict({.first_delay = 100ms, .longest_delay = 1h}, 2);
  for (int i = 0; i < 5; ++i) {
    strict.begin();
    strict.opened();
    strict.received();
    CHECK(strict.next(0ms).value() >= 50ms * (1 << i));
  }
  for (int i = 0; i < 2; ++i) {
    strict.begin();
    CHECK(strict.next({}).has_value() == (i == 0));  // one more without a message
  }
  Reconnection lasting({.first_delay = 1ms, .longest_delay = 8ms}, 2);
  for (int i = 0; i < 5; ++i) {
    lasting.begin();
    lasting.opened();
    std::this_thread::sleep_for(10ms);
    CHECK(lasting.next({}).value() <= 1ms);
  }
  Reconnection asked({.first_delay = 1ms, .longest_delay = 2ms}, {});
  asked.begin();
  CHECK(asked.next(70ms, 30ms).value() == 70ms);
  CHECK(asked.next(10ms, 30ms).value() >= 30ms);
  CHECK(asked.next({}, 0ms).has_value() == false);  // `max_retries`, because it was never open
  CHECK(reconnect_delay({.first_delay = 100ms}, 0, 0ms) >= 50ms);
  CHECK(reconnect_delay({.first_delay = most, .longest_delay = most}, 5, most) >= most / 2);
  CHECK(reconnect_delay({}, 100, most) >= std::chrono::hours(24));
}

TEST_CASE("cpp client sockets: limits may be as long as their type allows") {
  const auto most = std::chrono::milliseconds::max();
  SocketServer server({[](SocketPeer& peer) {
    peer.open();
    peer.send_text(peer.read_text() == R"({"type":"typing"})" ? said("hi") : "");
    peer.close(1000);
    peer.wait_for_end();
  }});
  SocketsClient client({.base_url = server.url(),
                        .connect_timeout = most,
                        .read_timeout = most,
                        .write_timeout = most,
                        .timeout = most,
                        .retry = {.first_delay = most, .longest_delay = most}});
  RoomSocket room = client.room({.id = 7}, {.timeout = most, .reconnect = true});
  room.send(RoomTypingMessage{});
  CHECK(all(room) == std::vector<std::string>{"said hi"});
  const SocketServer dropping({[](SocketPeer& peer) { peer.drop(); }});
  SocketsClient waiting(
      {.base_url = dropping.url(), .retry = {.first_delay = most, .longest_delay = most}});
  std::stop_source source;
  std::thread stopper([&] {
    while (dropping.requests().empty()) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(20ms);
    source.request_stop();
  });
  CHECK(thrown_by<TransportError>([&] {
          waiting.room({.id = 7}, {.stop = source.get_token(), .reconnect = true});
        }).kind() == Kind::cancelled);
  stopper.join();
}

TEST_CASE("cpp client sockets: a process without free descriptors gets an error of the client" *
          doctest::skip(fairway::test::kChecksObjects)) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int free = dup(0);
  close(free);
  const auto kind_with = [&](int limit) {
    const rlimit fewer{static_cast<rlim_t>(limit), before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &fewer);
    std::optional<Kind> kind;
    try {
      SocketsClient client = client_of("http://127.0.0.1:9");
      client.room({.id = 7});
    } catch (const TransportError& error) {
      kind = error.kind();
    } catch (const std::exception&) {
      // Another type.
    }
    setrlimit(RLIMIT_NOFILE, &before);
    return kind;
  };
  CHECK(kind_with(free) == Kind::connect);
  CHECK(kind_with(free + 2) == Kind::connect);
}

TEST_CASE("cpp client sockets: the first address of a host does not use up the time") {
  const fairway::test::TemporaryDirectory directory;
  const std::string certificate = directory.path() / "certificate.pem";
  const std::string key = directory.path() / "key.pem";
  e2e::Identity().write(certificate, key);
  RoomsServer server(tls_settings(certificate, key));
  const e2e::DeafPort deaf(e2e::DeafPort::Queue::full);
  const auto port_of = [](const std::string& url) { return url.substr(url.rfind(':') + 1); };
  addresses_of_host = {port_of(deaf.url()), port_of(server.url())};
  bool is_open = false;
  for (auto limit = 100ms; !is_open && limit < 5s; limit *= 2) {  // the machine may be slow
    SocketsClient client({.base_url = "https://two.addresses.test",
                          .connect_timeout = limit,
                          .tls = {.verify = false}});
    try {
      is_open = client.numbered().is_open();
    } catch (const TransportError& error) {
      CHECK(error.kind() == Kind::timeout);
    }
  }
  CHECK(is_open);
}

TEST_CASE("cpp client sockets: a silent service is a broken connection") {
  std::atomic<int> pings{0};
  SocketServer server({[&](SocketPeer& peer) {
    peer.open();
    const auto frame = peer.read();
    if (frame && frame->opcode() == 9 && frame->is_masked) ++pings;
    peer.wait_for_end();
  }});
  for (auto limit = 50ms;; limit *= 2) {
    SocketsClient client({.base_url = server.url(), .read_timeout = limit});
    std::optional<RoomSocket> room;
    try {
      room.emplace(client.room({.id = 7}));
    } catch (const TransportError&) {
      continue;  // the machine is slow
    }
    CHECK(thrown_by<TransportError>([&] { room->next(); }).kind() == Kind::timeout);
    CHECK(room->closed().code == 1006);
    break;
  }
  while (pings != 1) std::this_thread::sleep_for(1ms);

  RawServer silent({std::string(RawServer::kSilence)});
  SocketsClient late({.base_url = silent.url(), .read_timeout = 30ms});
  CHECK(thrown_by<TransportError>([&] { late.room({.id = 7}); }).kind() == Kind::timeout);
  SocketsClient patient({.base_url = silent.url()});
  const auto limited = [&] { patient.room({.id = 7}, {.timeout = 30ms}); };
  CHECK(thrown_by<TransportError>(limited).kind() == Kind::timeout);
  e2e::DeafPort deaf(e2e::DeafPort::Queue::full);
  SocketsClient waiting({.base_url = deaf.url(), .connect_timeout = 30ms});
  CHECK(thrown_by<TransportError>([&] { waiting.room({.id = 7}); }).kind() == Kind::timeout);
}

TEST_CASE("cpp client sockets: pings get pongs") {
  std::promise<void> is_answered;
  SocketServer server({[&](SocketPeer& peer) {
    peer.open("", server_frame(0x89, "a") + server_frame(0x8A, "unasked"));
    const auto pong = peer.read();
    CHECK((pong && pong->opcode() == 10 && pong->payload == "a" && pong->is_masked));
    is_answered.set_value();
    peer.wait_for_end();
  }});
  SocketsClient client = client_of(server.url());
  RoomSocket room = client.room({.id = 7});
  is_answered.get_future().wait();
  room.close();
  CHECK(all(room).empty());
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
