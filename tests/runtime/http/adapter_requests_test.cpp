// Requests and responses over a socket: what is accepted, what is rejected, in which order.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>

#include "engines.hpp"

namespace adapter_requests_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

std::string get(std::string_view target, std::string_view fields = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

}  // namespace

TEST_CASE("adapter: two responses on one connection") {
  Server server(echo_target);
  Client client(server.port());
  for (int i = 0; i < 20; ++i) {
    const auto response = client.exchange(get("/x?y=%20"));
    REQUIRE(response.status == 200);
    CHECK(response.body == "GET /x?y=%20");
    CHECK(response.field("content-type") == "text/plain");
    CHECK(response.field("content-length") == "12");
    CHECK(response.field("connection") == "(none)");
    CHECK(response.field("date").size() == 29);
  }
}

TEST_CASE("adapter: the handler gets the head and the address of the request") {
  Server server([](const std::shared_ptr<Transaction>& transaction) {
    const auto& head = transaction->head();
    respond(*transaction, fmt::format("{} {} {}", head.method, head.remote_address,
                                      head.fields.find("X-One").value_or("")));
  });
  Client client(server.port());
  CHECK(client.exchange(get("/", "X-One:  a b \r\n")).body == "GET 127.0.0.1 a b");
}

TEST_CASE("adapter: the connection is kept or closed as the client requests" *
          not_on_http2("`Connection`")) {
  struct Case {
    std::string_view request;
    std::string_view connection;
    bool closes;
  };
  Server server(echo_target);
  for (const auto& [request, connection, closes] :
       {Case{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "(none)", false},
        Case{"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "close", true},
        Case{"GET / HTTP/1.0\r\n\r\n", "close", true},
        Case{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive", false}}) {
    const auto sent = request;  // clang 14 cannot capture a binding
    CAPTURE(sent);
    Client client(server.port());
    CHECK(client.exchange(request).field("connection") == connection);
    if (closes) {
      CHECK(client.sees_end());
    } else {
      CHECK(client.exchange(get("/again")).body == "GET /again");
    }
  }
}

TEST_CASE("adapter: a response can close the connection" * not_on_http2("`Connection`")) {
  Server server([](const std::shared_ptr<Transaction>& transaction) {
    transaction->respond({200, {{"Connection", "close"}}}, "bye");
  });
  Client client(server.port());
  CHECK(client.exchange(get("/")).field("connection") == "close");
  CHECK(client.sees_end());
}

TEST_CASE("adapter: pipelined requests get their responses in order") {
  Server server(echo_target);
  Client client(server.port());
  std::string requests;
  for (int i = 0; i < 200; ++i) requests += get("/" + std::to_string(i));
  client.send(requests);
  for (int i = 0; i < 200; ++i) CHECK(client.read_response().body == "GET /" + std::to_string(i));
}

TEST_CASE("adapter: input after a request that closes the connection is ignored" *
          not_on_http2("`Connection: close`")) {
  Server server(echo_target);
  Client client(server.port());
  client.send(get("/last", "Connection: close\r\n") + get("/never"));
  CHECK(client.read_response().body == "GET /last");
  CHECK(client.sees_end());
  CHECK_FALSE(client.was_reset());
}

TEST_CASE("adapter: requests that arrive byte by byte") {
  Server server(echo_target);
  Client client(server.port());
  for (const char byte : get("/a") + get("/b")) client.send({&byte, 1});
  CHECK(client.read_response().body == "GET /a");
  CHECK(client.read_response().body == "GET /b");
}

TEST_CASE("adapter: HEAD, 204 and 304 have no body") {
  Server server([](const std::shared_ptr<Transaction>& transaction) {
    const auto& target = transaction->head().target;
    respond(*transaction, "hello", target == "/" ? 200 : std::stoi(target.substr(1)));
  });
  Client client(server.port());
  const auto head = client.exchange("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD");
  CHECK(head.field("content-length") == "5");
  CHECK(client.exchange(get("/204")).field("content-length") == "(none)");
  CHECK(client.exchange(get("/304")).field("content-length") == "(none)");
  CHECK(client.exchange(get("/")).body == "hello");
}

TEST_CASE("adapter: origin, absolute, asterisk and authority form of the request target" *
          not_on_httplib("an empty line before a request") *
          not_on_http2("the form of the target")) {
  Server server(echo_target);
  Client client(server.port());
  CHECK(client.exchange("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").body == "OPTIONS *");
  CHECK(client.exchange(get("http://other/p?q")).body == "GET /p?q");
  CHECK(client.exchange("\r\n" + get("/after-empty-line")).body == "GET /after-empty-line");
}

TEST_CASE("adapter: ambiguous and malformed requests are rejected" *
          not_on_http2("the syntax of heads")) {
  struct Case {
    int status;
    std::string_view request;
  };
  std::atomic<int> handled{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    ++handled;
    respond(*transaction, "handled");
  });
  const std::string long_target =
      "GET /" + std::string(17'000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const auto& [status, request] : {
           Case{400, "GET / HTTP/1.1\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"},
           Case{400, "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"},
           Case{400,
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nx"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\nx"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"},
           Case{400,
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
                "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
           Case{400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"},
           Case{400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n"},
           Case{400,
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
           Case{400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\nHost: a\n\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n folded\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost : a\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nX(y): 1\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n"},
           Case{400, "GET / HTTP/1.1\r\nHost: a\r\nX: \x7F\r\n\r\n"},
           Case{400, {"GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", 34}},
           Case{400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"},
           Case{400, "GET /\tHTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET /\xC3\xA4 HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET /#f HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET /\r\nHost: a\r\n\r\n"},
           Case{400, "GET\r\n\r\n"},
           Case{400, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET * HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET http://u@a/x HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "GET / HTTP/1.1x\r\nHost: a\r\n\r\n"},
           Case{400, "GET / http/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "(GET) / HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{400, "\x16\x03\x01\x02"},
           Case{431, long_target},
           Case{417, "POST / HTTP/1.1\r\nHost: a\r\nExpect: more\r\nContent-Length: 1\r\n\r\n"},
           Case{501, "PURGE / HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{501, "get / HTTP/1.1\r\nHost: a\r\n\r\n"},
           Case{505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
       }) {
    const auto sent = request;
    CAPTURE(sent);
    Client client(server.port());
    const auto response = client.exchange(std::string(request) + get("/smuggled"));
    CHECK(response.status == status);
    CHECK(response.body.substr(0, 7) == "error: ");
    CHECK(response.field("connection") == "close");
    CHECK(client.sees_end());
    CHECK_FALSE(client.was_reset());
  }
  CHECK(handled == 0);
}

TEST_CASE("adapter: heads are limited in size and number of fields" *
          not_on_http2("the size of a head is counted otherwise")) {
  auto options = test_options();
  options.max_header_size = 1024;
  options.max_header_count = 10;
  Server server(echo_target, options);
  Client fits(server.port());
  CHECK(fits.exchange(get("/", "X: " + std::string(900, 'x') + "\r\n")).status == 200);
  Client too_large(server.port());
  CHECK(too_large.exchange(get("/", "X: " + std::string(1024, 'x') + "\r\n")).status == 431);
  CHECK(too_large.sees_end());
  Client endless(server.port());
  CHECK(endless.exchange("GET / HTTP/1.1\r\nX: " + std::string(1200, 'x')).status == 431);
  std::string fields;
  for (int i = 0; i < 9; ++i) fields += "X: 1\r\n";
  CHECK(Client(server.port()).exchange(get("/", fields)).status == 200);
  CHECK(Client(server.port()).exchange(get("/", fields + "X: 1\r\n")).status == 431);
}

}  // namespace adapter_requests_test
