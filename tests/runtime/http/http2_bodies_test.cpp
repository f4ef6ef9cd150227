// Bodies of requests of HTTP/2 in the epoll engine, and their flow control.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "http2_server.hpp"

namespace http2_bodies_test {

using namespace fw::http;
using namespace fw::http::test;

TEST_CASE("http2: bodies with and without a length, large and small") {
  auto server = serve_http2(read_whole(8 * 1024 * 1024));
  Http2Client client(server.port());
  for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 4'000'000U}) {
    CAPTURE(size);
    for (const bool has_length : {false, true}) {
      Fields fields;
      if (has_length) fields.add("content-length", std::to_string(size));
      const auto stream = client.begin("POST", "/", fields, true);
      client.send_body(stream, std::string(size, 'x'));
      CHECK(client.wait(stream).body == std::to_string(size));
    }
  }
}

TEST_CASE("http2: a body above the limit is rejected, with and without a length") {
  for (const bool is_awaited : {false, true}) {
    CAPTURE(is_awaited);
    auto options = http2_options();
    if (is_awaited) options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
    auto server = serve_http2(read_whole(1'000), std::move(options));
    Http2Client client(server.port());
    for (const bool has_length : {false, true}) {
      Fields fields;
      if (has_length) fields.add("content-length", "100000");
      const auto stream = client.begin("POST", "/", fields, true);
      client.send_body(stream, std::string(100'000, 'x'));
      const auto& response = client.wait(stream);
      CHECK(response.status == 413);
      CHECK(response.body == "status 1");
    }
    CHECK(client.exchange("/").body == "0");  // the connection stays open
  }
}

TEST_CASE("http2: awaited bodies occupy no thread") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 1;
  options.plan = plan_bodies([](const RequestHead&) { return 1'000'000; });
  auto server = serve_http2(read_whole(), std::move(options));
  Http2Client client(server.port());
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 50; ++i) {
    streams.push_back(client.begin("POST", "/", {}, true));
    client.send_body(streams.back(), "half", false);
  }
  CHECK(client.exchange("/").body == "0");
  for (const auto stream : streams) client.send_body(stream, std::string(100'000, 'x'));
  for (const auto stream : streams) CHECK(client.wait(stream).body == "100004");
}

TEST_CASE("http2: a body that is not read stops its client, but no other stream") {
  Gate gate;
  std::atomic<std::size_t> read = 0;
  auto server = serve_http2([&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/") return respond(*transaction, "other");
    gate.wait();
    std::vector<char> buffer(1'000);
    while (true) {
      const auto part = transaction->read_body_part(10'000'000, buffer,
                                                    std::chrono::steady_clock::time_point::max());
      if (part.size == 0) return respond(*transaction, std::to_string(read));
      read += part.size;
    }
  });
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.begin("POST", "/upload", {{"content-length", "3000000"}}, true);
  client.send_body(stream, std::string(3'000'000, 'x'));
  // More than the window of the stream has not been sent, or the connection would be blocked.
  CHECK(client.exchange("/").body == "other");
  CHECK(client.exchange("/").body == "other");
  gate.open();
  CHECK(client.wait(stream).body == "3000000");
}

TEST_CASE(
    "http2: a reader that is always slower than its client needs memory for the distance only") {
  constexpr std::size_t kPiece = 16 * 1024;
  constexpr std::size_t kPieces = 400;
  constexpr std::size_t kDistance = 8;
  auto options = http2_options();
  options.max_buffered_bytes = 2 * 1024 * 1024;
  std::atomic<std::size_t> sent{0};
  std::atomic<std::size_t> read{0};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        std::string buffer(kPiece, '\0');
        constexpr std::uint64_t kLimit = 100'000'000;
        constexpr auto kForever = std::chrono::steady_clock::time_point::max();
        while (true) {
          eventually([&] { return sent == kPieces || sent > read / kPiece + kDistance; });
          const auto part = transaction->read_body_part(kLimit, buffer, kForever);
          if (part.size == 0) break;
          read += part.size;
        }
        respond(*transaction, std::to_string(read));
      },
      options);
  Http2Client client(server.port());
  const auto stream = client.begin("POST", "/", {}, true);
  const std::string piece(kPiece, 'x');
  for (std::size_t i = 1; i <= kPieces; ++i) {
    client.send_body(stream, piece, i == kPieces);
    sent = i;
    // The window of a stream is small until the first bytes have been read.
    while (sent > read / kPiece + 2 * kDistance && !client.response(stream).has_head) {
      if (wait_readable(client.fd(), 1ms)) client.receive();
    }
  }
  CHECK(client.wait(stream).body == std::to_string(kPiece * kPieces));
}

TEST_CASE("http2: readers of bodies on all workers do not stop each other") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 1;
  auto server = serve_http2(read_whole(), std::move(options));
  Http2Client client(server.port());
  const auto stream = client.begin("POST", "/", {}, true);
  client.send_body(stream, "first", false);
  std::this_thread::sleep_for(50ms);  // the only worker waits for the body
  client.send_body(stream, "second");
  CHECK(client.wait(stream).body == "11");
}

TEST_CASE("http2: 100 Continue is sent when the body is wanted") {
  for (const bool is_awaited : {false, true}) {
    CAPTURE(is_awaited);
    auto options = http2_options();
    if (is_awaited) options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
    auto server = serve_http2(read_whole(1'000), std::move(options));
    Http2Client client(server.port());
    const auto stream = client.begin("POST", "/", {{"expect", "100-continue"}}, true);
    REQUIRE(client.receive_until([&] { return client.response(stream).has_continue; }));
    client.send_body(stream, "body");
    CHECK(client.wait(stream).body == "4");
    const auto other = client.begin("POST", "/", {{"expect", "coffee"}}, true);
    CHECK(client.wait(other).status == 417);
    const auto large =
        client.begin("POST", "/", {{"expect", "100-continue"}, {"content-length", "5000"}}, true);
    CHECK(client.wait(large).status == 413);
    CHECK_FALSE(client.response(large).has_continue);
  }
}

TEST_CASE("http2: a client may end its sending with the last bytes of a body") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 1;
  options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve_http2(
      [&, read = read_whole()](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/block") return blocking_at(gate, blocked)(transaction);
        read(transaction);
      },
      std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.begin("POST", "/", {}, true);
  client.send_body(stream, "part", false);
  client.send_bytes(Http2Client::frame(6, 0, 0, "12345678"));
  client.receive_until([&] { return client.ping_acks() == 1; });
  // The only thread finds the rest and the end together.
  Client other(server.port());
  other.send(kBlock);
  REQUIRE(eventually([&] { return blocked == 1; }));
  client.send_body(stream, "rest");
  ::shutdown(client.fd(), SHUT_WR);
  gate.open();
  CHECK(client.wait(stream).body == "8");
}

TEST_CASE("http2: a body that does not arrive times out") {
  for (const bool is_awaited : {false, true}) {
    CAPTURE(is_awaited);
    auto options = http2_options();
    options.request_timeout = 100ms;
    if (is_awaited) options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
    auto server = serve_http2(read_whole(1'000), std::move(options));
    Http2Client client(server.port());
    const auto stream = client.begin("POST", "/", {}, true);
    client.send_body(stream, "part", false);
    const std::string timed_out = std::to_string(static_cast<int>(BodyStatus::timed_out));
    CHECK(client.wait(stream).body == "status " + timed_out);
  }
}

}  // namespace http2_bodies_test
