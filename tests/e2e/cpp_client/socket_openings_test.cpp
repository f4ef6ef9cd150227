// How sockets of a generated client are opened, and what an opening that is rejected throws.
#include <doctest/doctest.h>

#include <functional>
#include <sockets_client.hpp>
#include <string>

#include "cpp_client/raw_server.hpp"
#include "cpp_client/rooms.hpp"
#include "cpp_client/socket_server.hpp"

namespace sockets_test {

using e2e::json_response;
using e2e::RawServer;
using e2e::SocketPeer;
using e2e::SocketServer;
using sockets_api::ApiError;

namespace {

/// The kind of the TransportError of an opening that gets this response.
Kind refused(const std::function<void(SocketPeer&)>& respond) {
  SocketServer server({[&](SocketPeer& peer) {
    respond(peer);
    peer.drop();
  }});
  SocketsClient client = client_of(server.url());
  return thrown_by<TransportError>([&] { client.room({.id = 7}); }).kind();
}

}  // namespace

TEST_CASE("cpp client sockets: the opening has the headers, the token and the protocols") {
  SocketServer server({[](SocketPeer& peer) {
    peer.open("Sec-WebSocket-Protocol: chat.v2\r\n");
    peer.wait_for_end();
  }});
  SocketsClient client({.base_url = server.url() + "/v1",
                        .headers = {{"X-All", "1"}, {"X-Player", "common"}, {"Upgrade", "h2c"}},
                        .token = [] { return std::string("secret"); },
                        .request_id = [] { return std::string("abc"); },
                        .trace = [] { return sockets_api::Headers{{"traceparent", "t-1"}}; }});
  client.room({.id = 7, .name = "a b"}, {.headers = {{"X-One", "2"}}}).close();
  const std::string request = server.requests().at(0);
  CHECK(request.starts_with("GET /v1/rooms/7?name=a%20b HTTP/1.1\r\nHost: 127.0.0.1:"));
  for (const char* field :
       {"Authorization: Bearer secret", "X-All: 1", "X-One: 2", "X-Player: common",
        "X-Request-ID: abc", "traceparent: t-1", "Connection: Upgrade", "Upgrade: websocket",
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

}  // namespace sockets_test
