// The bounds of HTTP/2 in the epoll engine on what a client makes the server do.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "http2_server.hpp"

namespace http2_floods_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

std::string many(std::size_t count, const std::string& frame) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += frame;
  return bytes;
}

}  // namespace

TEST_CASE("http2: streams above the limit are refused") {
  auto options = http2_options();
  options.http2.max_concurrent_streams = 4;
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve_http2(blocking_at(gate, blocked), std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  CHECK(client.exchange("/").body == "done");
  // Canceled requests are still handled, and count until their handlers return.
  for (int i = 0; i < 8; ++i) {
    const auto stream = client.get("/block");
    REQUIRE(eventually([&] { return blocked == i + 1; }));
    client.cancel(stream);
  }
  auto refused = client.get("/");
  client.receive_until([&] { return client.response(refused).is_closed; });
  CHECK(client.response(refused).reset == kRefusedStream);
  gate.open();
  REQUIRE(eventually([&] {
    const auto stream = client.get("/");
    const bool is_served = client.wait(stream).body == "done";
    if (!is_served) refused = stream;
    return is_served;
  }));
  // Trailers that the client has sent before it learned of the reset are no error.
  client.send_bytes(
      Http2Client::frame(1, 5, static_cast<std::uint32_t>(refused), std::string("\0\1x\1y", 5)) +
      Http2Client::frame(6, 0, 0, "12345678"));
  CHECK(client.receive_until([&] { return client.ping_acks() == 1; }));
  CHECK_FALSE(client.goaway());
}

TEST_CASE("http2: a reset after a complete response is no flood, a second one counts") {
  auto server = serve_http2(echo_target);
  Http2Client client(server.port());
  const auto reset = [](std::int32_t stream) {
    return Http2Client::frame(3, 0, static_cast<std::uint32_t>(stream), std::string("\0\0\0\0", 4));
  };
  for (int i = 0; i < 1'000; ++i) {
    const auto stream = client.get("/");
    REQUIRE(client.wait(stream).status == 200);
    client.send_bytes(reset(stream));
  }
  const auto last = client.get("/");
  REQUIRE(client.wait(last).status == 200);
  CHECK_FALSE(client.goaway());
  client.hold();
  client.send_bytes(many(2'000, reset(last)));
  client.receive_all();
  CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
}

TEST_CASE("http2: floods end the connection, and are counted") {
  struct Attack {
    std::string name;
    Flood kind;
    std::string bytes;
  };
  std::string resets;
  for (std::uint32_t id = 3; id < 2 * 2'000; id += 2) {
    resets += Http2Client::frame(1, 5, id, kRootHead);
    resets += Http2Client::frame(3, 0, id, std::string("\0\0\0\x08", 4));
  }
  const std::vector<Attack> floods = {
      {"reset", Flood::resets, resets},
      {"ping", Flood::frames, many(30'000, Http2Client::frame(6, 0, 0, "12345678"))},
      {"settings", Flood::frames, many(30'000, Http2Client::frame(4, 0, 0))},
      {"priority", Flood::frames,
       many(30'000, Http2Client::frame(2, 0, 3, std::string("\0\0\0\0\x10", 5)))},
      {"window update", Flood::frames,
       many(30'000, Http2Client::frame(8, 0, 0, std::string("\0\0\0\x01", 4)))},
      {"window update of a closed stream", Flood::frames,
       many(30'000, Http2Client::frame(8, 0, 1, std::string("\0\0\0\x01", 4)))},
      {"reset of a closed stream", Flood::resets,
       many(30'000, Http2Client::frame(3, 0, 1, std::string("\0\0\0\x08", 4)))},
      {"priority update", Flood::frames,
       many(30'000, Http2Client::frame(16, 0, 0, std::string("\0\0\0\x03u=1", 7)))},
      {"altsvc", Flood::frames, many(30'000, Http2Client::frame(10, 0, 0, std::string("\0\0", 2)))},
      {"unknown type", Flood::frames, many(30'000, Http2Client::frame(0xEE, 0, 0))},
      {"empty data", Flood::frames,
       Http2Client::frame(1, 4, 3, kRootHead) + many(30'000, Http2Client::frame(0, 0, 3))},
      {"continuation", Flood::continuations,
       Http2Client::frame(1, 1, 3, kRootHead) +
           many(1'000, Http2Client::frame(9, 0, 3, "\x40\x01x\x01y"))},
  };
  for (const Attack& flood : floods) {
    CAPTURE(flood.name);
    std::atomic<std::size_t> counted = 0;
    auto options = http2_options();
    options.report_floods = [&](std::size_t count) { counted += count; };
    auto server = serve_http2(echo_target, std::move(options));
    Http2Client client(server.port());
    CHECK(client.exchange("/").status == 200);  // now it has acknowledged the settings
    client.hold();  // its library would end the connection because of streams that it does not know
    std::thread sender([&] { client.send_bytes(flood.bytes); });
    try {
      client.receive_all();
    } catch (const std::runtime_error&) {
      FAIL_CHECK("the connection stays open");
    }
    ::shutdown(client.fd(), SHUT_RDWR);
    sender.join();
    CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
    CHECK(eventually([&] { return counted == 1; }));
    CHECK(server.floods(flood.kind) == 1);
    Http2Client other(server.port());
    CHECK(other.exchange("/").status == 200);
  }
}

TEST_CASE("http2: floods of priorities end the connection, whichever the client uses") {
  auto server = serve_http2(echo_target);
  const std::optional<std::uint32_t> no_old_priorities[] = {std::nullopt, 0, 1};
  const std::string frames[] = {
      Http2Client::frame(2, 0, 3, std::string("\0\0\0\0\x10", 5)),
      Http2Client::frame(16, 0, 0, std::string("\0\0\0\x03u=1", 7)),
  };
  for (const auto& setting : no_old_priorities) {
    for (const std::string& frame : frames) {
      CAPTURE(setting.value_or(2));
      CAPTURE(int{frame[3]});
      Http2Client client(server.port(), {.no_old_priorities = setting});
      CHECK(client.exchange("/").status == 200);
      client.hold();
      // After the flood, the PING is acknowledged unless the connection has ended.
      const std::string bytes = many(30'000, frame) + Http2Client::frame(6, 0, 0, "12345678");
      std::thread sender([&] { client.send_bytes(bytes); });
      client.receive_until([&] { return client.ping_acks() > 0; });
      ::shutdown(client.fd(), SHUT_RDWR);
      sender.join();
      CHECK(client.ping_acks() == 0);
      CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
    }
  }
}

TEST_CASE("http2: too many malformed requests end the connection") {
  auto server = serve_http2(echo_target);
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);
  client.hold();
  std::uint32_t id = 3;
  for (std::size_t round = 1; round < 100 && !client.goaway(); ++round) {
    for (int i = 0; i < 50; ++i, id += 2) {
      client.send_bytes(Http2Client::frame(1, 5, id, "\x82"));  // no path
    }
    client.send_bytes(Http2Client::frame(6, 0, 0, "12345678"));
    client.receive_until([&] { return client.ping_acks() == round || client.goaway(); });
  }
  CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
}

TEST_CASE("http2: a head that expands to much more takes no memory, and ends the connection") {
  auto server = serve_http2(tell);
  // The field enters the table, and is then repeated by one byte each.
  const auto head_of = [](std::size_t count) {
    Fields fields;
    const std::string value(3'000, 'y');
    for (std::size_t i = 0; i < count; ++i) fields.add("x", value);
    return fields;
  };
  Http2Client client(server.port());
  CHECK(client.wait(client.begin("GET", "/", head_of(20))).status == 431);
  CHECK(client.exchange("/").status == 200);
  client.begin("GET", "/", head_of(30));
  client.receive_all();
  CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
  Http2Client other(server.port());
  const auto stream = other.begin("POST", "/", {}, true);
  other.send_trailers(stream, head_of(30));
  other.receive_all();
  CHECK(other.goaway().value_or(0) == kEnhanceYourCalm);
  CHECK(server.floods(Flood::fields) == 2);
}

TEST_CASE("http2: acknowledgments that the client does not read end the connection") {
  auto options = http2_options();
  options.send_timeout = std::chrono::minutes(1);
  auto server = serve_http2(
      [](const auto& transaction) { respond(*transaction, std::string(16 * 1024 * 1024, 'x')); },
      std::move(options));
  Http2Client client(
      server.port(),
      {.reads_automatically = false, .window = 1'000'000'000, .receive_buffer = 16 * 1024});
  client.enlarge_window(0, 1'000'000'000);
  const auto stream = client.get("/");
  REQUIRE(client.receive_until([&] { return client.response(stream).has_head; }));
  // Nothing is read from here on, so that the response soon blocks the connection.
  const std::string pings = many(4, Http2Client::frame(6, 0, 0, "12345678"));
  std::size_t sent = 0;
  CHECK(eventually([&] {
    client.send_bytes(pings);
    sent += 4;
    return server.floods(Flood::frames) == 1;
  }));
  CHECK(sent < 10'000);  // the bound of frames, whether their acknowledgments are read or not
}

TEST_CASE("http2: the heads of requests that wait count as buffered memory") {
  auto options = http2_options();
  options.max_buffered_bytes = 256 * 1024;
  options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
  auto server = serve_http2(read_whole(), std::move(options));
  Http2Client client(server.port());
  Fields fields;
  for (int i = 0; i < 4; ++i) fields.add("x", std::string(3'000, 'y'));
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 40; ++i) streams.push_back(client.begin("POST", "/", fields, true));
  // Twenty-one heads of more than 12,000 bytes fill the memory. Which ones are rejected or shed,
  // and how many in all, depends on when the server reads them.
  const auto rejected = [&] {
    return std::count_if(streams.begin(), streams.end(), [&](std::int32_t stream) {
      return client.response(stream).status == 503;
    });
  };
  CHECK(client.receive_until([&] { return rejected() >= 19; }));
  for (const auto stream : streams) client.cancel(stream);
  const auto other = client.begin("POST", "/", fields, true);
  client.send_body(other, "body");
  CHECK(client.wait(other).body == "4");
}

}  // namespace http2_floods_test
