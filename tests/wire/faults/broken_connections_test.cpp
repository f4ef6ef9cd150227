// Connections that end where nobody expects it, at every stage of a request: the server lives, and
// nothing of them stays.
#include <doctest/doctest.h>

#include <csignal>
#include <string>

#include "support/latency.hpp"
#include "support/server_process.hpp"

namespace broken_connections_test {

using fw::http::test::Client;
using fw::http::test::eventually;
using namespace std::chrono_literals;

namespace {

struct Stage {
  const char* name;
  std::string bytes;
  std::chrono::milliseconds pause;  ///< for the server to get there
  bool reads = false;               ///< the client takes some of the response
};

enum class How { closed, half_closed, reset };

std::vector<Stage> stages() {
  const std::string get = " HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string post = "POST /x HTTP/1.1\r\nHost: a\r\n";
  return {
      {"before a request", "", 0ms},
      {"in the request line", "GET /x HT", 1ms},
      {"in the head", "GET /x HTTP/1.1\r\nHost: a\r\nX-Fie", 1ms},
      {"in a body with a length", post + "Content-Length: 100\r\n\r\nhello", 1ms},
      {"in a chunk", post + "Transfer-Encoding: chunked\r\n\r\n64\r\nhello", 1ms},
      {"in a trailer", post + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", 1ms},
      {"before the body that is asked for",
       post + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n", 1ms},
      {"while the handler runs", "GET /-/sleep/20" + get, 5ms},
      {"while the handler runs, with a request behind", "GET /-/sleep/20" + get + "GET /x" + get,
       5ms},
      {"while the response is sent", "GET /-/text/5000000" + get, 2ms},
      {"while the response is read", "GET /-/text/5000000" + get, 0ms, true},
      {"while the response is streamed", "GET /-/stream/20000000" + get, 2ms},
      {"while the stream is read", "GET /-/stream/20000000" + get, 0ms, true},
      {"between pipelined requests", "GET /1" + get + "GET /2" + get + "GE", 0ms, true},
      {"after an error response", "GET /x HTTP/1.1\r\n\r\nmore", 1ms},
  };
}

void end(Client& client, How how) {
  switch (how) {
    case How::closed:
      client.close();
      break;
    case How::half_closed:
      // Every response is read to its end, and there is one.
      client.end_sending();
      while (client.receive_more()) client.forget_input();
      break;
    case How::reset:
      client.reset();
      break;
  }
}

}  // namespace

TEST_CASE("faults: connections that break at every stage do no harm") {
  wire::ServerProcess server(WIRE_SERVER);
  wire::p99_of(server.port(), 20);
  REQUIRE(eventually([&] { return server.descriptors() < 20; }));
  const auto descriptors = server.descriptors();
  for (const auto& stage : stages()) {
    for (const auto how : {How::closed, How::half_closed, How::reset}) {
      CAPTURE(stage.name);
      CAPTURE(static_cast<int>(how));
      for (int i = 0; i < 5; ++i) {
        Client client(server.port());
        client.send(stage.bytes);
        if (stage.reads) client.receive_more();
        std::this_thread::sleep_for(stage.pause);
        end(client, how);
      }
      REQUIRE(server.process().running());
      CHECK(Client(server.port()).exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
      CHECK(eventually([&] { return server.descriptors() <= descriptors + 1; }));
    }
  }
  CHECK(server.process().standard_error() == "");
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
}

TEST_CASE("faults: memory stays constant over many connections") {
  const wire::ServerProcess server(WIRE_SERVER);
  const auto visit = [&](int count) {
    for (int i = 0; i < count; ++i) {
      Client client(server.port());
      REQUIRE(client.exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
      if (i % 3 == 0) client.reset();
    }
    return server.resident_bytes();
  };
  const auto before = visit(1000);
  CHECK(visit(8000) < before + wire::megabytes(8));
}

}  // namespace broken_connections_test
