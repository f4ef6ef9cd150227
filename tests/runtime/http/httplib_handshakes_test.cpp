// Handshakes of the httplib engine, where each connection has a thread.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "computing_channel.hpp"
#include "http/httplib/handshake_turns.hpp"
#include "loopback.hpp"

namespace httplib_handshakes_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

/// Half of the processors.
int at_a_time() { return static_cast<int>(std::max(std::thread::hardware_concurrency() / 2, 1U)); }

}  // namespace

TEST_CASE("httplib handshakes: half of the processors are left for established connections") {
  Handshakes handshakes;
  const Server server(echo_target, options_with(handshakes), make_httplib_adapter());
  const OpensAtEnd opens(handshakes.gate);
  PlainClient established(server.port(), "e");
  CHECK(established.client.exchange(kGet).body == "GET /");
  std::vector<PlainClient> clients;
  for (int i = 0; i < at_a_time() + 4; ++i) clients.emplace_back(server.port(), "h");
  REQUIRE(eventually([&] { return handshakes.count == at_a_time(); }));
  for (int i = 0; i < 8; ++i) CHECK(established.client.exchange(kGet).body == "GET /");
  CHECK(handshakes.count == at_a_time());
  handshakes.gate.open();
  for (PlainClient& each : clients) CHECK(each.client.exchange(kGet).body == "GET /");
  CHECK(handshakes.most <= at_a_time());
}

TEST_CASE("httplib handshakes: a turn that does not come in time is not taken") {
  HandshakeTurns turns(1);
  bool is_run = false;
  const bool is_taken =
      turns.run(1ms, [&] { CHECK_FALSE(turns.run(1ms, [&] { is_run = true; })); });
  CHECK(is_taken);
  CHECK_FALSE(is_run);
  CHECK(turns.run(1ms, [&] { is_run = true; }));
  CHECK(is_run);
}

TEST_CASE("httplib handshakes: clients that stall do not lock others out") {
  Handshakes handshakes;
  handshakes.gate.open();
  AdapterOptions options = options_with(handshakes);
  options.max_workers = 5;
  const Server server(echo_target, options, make_httplib_adapter());
  PlainClient established(server.port(), "e");
  CHECK(established.client.exchange(kGet).body == "GET /");
  const auto begin = std::chrono::steady_clock::now();
  std::vector<PlainClient> stalled;
  for (int i = 0; i < 4; ++i) stalled.emplace_back(server.port(), "");
  PlainClient next(server.port(), "h");
  CHECK(next.client.exchange(kGet).body == "GET /");
  CHECK(std::chrono::steady_clock::now() - begin >= 1s);  // which they have in any case
  CHECK(established.client.exchange(kGet).body == "GET /");
  const auto is_closed = [](const PlainClient& each) {
    return wait_readable(each.client.fd(), 0ms);
  };
  CHECK(std::ranges::count_if(stalled, is_closed) == 1);
}

TEST_CASE("httplib handshakes: clients that stall keep their thread while others need none") {
  Handshakes handshakes;
  handshakes.gate.open();
  AdapterOptions options = options_with(handshakes);
  options.max_workers = 5;
  const Server server(echo_target, options, make_httplib_adapter());
  std::vector<PlainClient> stalled;
  for (int i = 0; i < 4; ++i) stalled.emplace_back(server.port(), "");
  PlainClient next(server.port(), "h");
  CHECK(next.client.exchange(kGet).body == "GET /");
  std::this_thread::sleep_for(1'200ms);  // longer than other clients would wait
  for (PlainClient& each : stalled) {
    each.client.send("h");
    CHECK(each.client.exchange(kGet).body == "GET /");
  }
}

TEST_CASE("httplib handshakes: clients that have gone cost nothing") {
  Handshakes handshakes;
  Server server(echo_target, options_with(handshakes), make_httplib_adapter());
  const OpensAtEnd opens(handshakes.gate);
  std::vector<PlainClient> computing;
  for (int i = 0; i < at_a_time(); ++i) computing.emplace_back(server.port(), "h");
  REQUIRE(eventually([&] { return handshakes.count == at_a_time(); }));
  for (int i = 0; i < 8; ++i) PlainClient(server.port(), "h");
  handshakes.gate.open();
  for (PlainClient& each : computing) CHECK(each.client.exchange(kGet).body == "GET /");
  CHECK(server.stop(1min));
  CHECK(handshakes.count == at_a_time());
}

TEST_CASE("httplib handshakes: a queue of them does not delay a stop beyond its time") {
  Handshakes handshakes;
  Server server(echo_target, options_with(handshakes), make_httplib_adapter());
  const OpensAtEnd opens(handshakes.gate);
  std::vector<PlainClient> clients;
  for (int i = 0; i < at_a_time() + 3; ++i) clients.emplace_back(server.port(), "h");
  REQUIRE(eventually([&] { return handshakes.count == at_a_time(); }));
  CHECK_FALSE(server.stop(20ms));
  handshakes.gate.open();
  for (PlainClient& each : clients) CHECK_FALSE(each.client.receive_more());
  CHECK(handshakes.count == at_a_time());
}

}  // namespace httplib_handshakes_test
