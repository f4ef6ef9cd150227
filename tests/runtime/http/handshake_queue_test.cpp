// The share of the workers that handshakes may occupy, and the bound of unfinished ones.
#include "http/epoll/handshake_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "computing_channel.hpp"
#include "loopback.hpp"

namespace handshake_queue_test {

using namespace fw::http;
using namespace fw::http::test;

TEST_CASE("handshakes: the one that came last is let in first, as many as fit") {
  HandshakeQueue queue({.at_a_time = 2, .unfinished = 10});
  for (const std::uint64_t id : {3U, 4U, 5U, 6U}) CHECK_FALSE(queue.enter(id, false));
  CHECK(queue.admit_next() == 6);
  CHECK(queue.admit_next() == 5);
  CHECK_FALSE(queue.admit_next());
  CHECK(queue.enter(6, false));
  CHECK_FALSE(queue.admit_next());
  queue.leave();
  CHECK(queue.admit_next() == 4);
  CHECK_FALSE(queue.enter(6, false));  // its next flight waits, too
  CHECK(queue.enter(7, true));
  queue.leave();
  CHECK(queue.enter(4, false));
  CHECK(queue.enter(5, true));
  queue.leave();
  queue.leave();
  CHECK(queue.admit_next() == 6);
  CHECK(queue.take(3));
  CHECK_FALSE(queue.take(3));
  CHECK_FALSE(queue.admit_next());
}

TEST_CASE("handshakes: the oldest unfinished one is closed when there are too many") {
  HandshakeQueue queue({.at_a_time = 1, .unfinished = 2});
  CHECK_FALSE(queue.add(3));
  CHECK_FALSE(queue.add(4));
  queue.remove(3);
  CHECK_FALSE(queue.add(5));
  CHECK(queue.add(6) == 4);
  CHECK(queue.add(7) == 5);
}

TEST_CASE("handshakes: a worker is left for established connections") {
  Handshakes handshakes;
  AdapterOptions options = options_with(handshakes);
  options.min_workers = 2;
  options.max_workers = 2;
  const Server server(echo_target, options, make_epoll_adapter());
  const OpensAtEnd opens(handshakes.gate);
  PlainClient established(server.port(), "e");
  CHECK(established.client.exchange(kGet).body == "GET /");
  std::vector<PlainClient> clients;
  for (int i = 0; i < 8; ++i) clients.emplace_back(server.port(), "h");
  REQUIRE(eventually([&] { return handshakes.count > 0; }));
  for (int i = 0; i < 8; ++i) CHECK(established.client.exchange(kGet).body == "GET /");
  CHECK(handshakes.count == 1);
  handshakes.gate.open();
  for (PlainClient& each : clients) CHECK(each.client.exchange(kGet).body == "GET /");
  CHECK(handshakes.most == 1);
}

TEST_CASE("handshakes: a handler that blocks holds up no handshake") {
  Handshakes handshakes;
  handshakes.gate.open();
  AdapterOptions options = options_with(handshakes);
  options.min_workers = 2;
  Gate gate;
  std::atomic<int> blocked = 0;
  const Server server(blocking_at(gate, blocked), options, make_epoll_adapter());
  const OpensAtEnd opens(gate);
  // The request comes with the end of the handshake.
  PlainClient first(server.port(), "h" + std::string(kBlock));
  REQUIRE(eventually([&] { return blocked == 1; }));
  PlainClient second(server.port(), "h");
  CHECK(second.client.exchange(kGet).body == "done");
}

TEST_CASE("handshakes: clients that stall do not lock others out") {
  Handshakes handshakes;
  handshakes.gate.open();
  AdapterOptions options = options_with(handshakes);
  options.max_connections = 7;
  const Server server(echo_target, options, make_epoll_adapter());
  PlainClient established(server.port(), "e");
  CHECK(established.client.exchange(kGet).body == "GET /");
  std::vector<PlainClient> stalled;
  for (int i = 0; i < 4; ++i) stalled.emplace_back(server.port(), "");
  // Workers may have accepted them in another order.
  const auto is_closed = [](const PlainClient& each) {
    return wait_readable(each.client.fd(), 0ms);
  };
  CHECK(eventually([&] { return std::ranges::count_if(stalled, is_closed) == 1; }));
  PlainClient next(server.port(), "h");
  CHECK(next.client.exchange(kGet).body == "GET /");
  CHECK(established.client.exchange(kGet).body == "GET /");
}

TEST_CASE("handshakes: clients that have gone cost nothing") {
  Handshakes handshakes;
  AdapterOptions options = options_with(handshakes);
  options.min_workers = 2;
  const Server server(echo_target, options, make_epoll_adapter());
  const OpensAtEnd opens(handshakes.gate);
  PlainClient established(server.port(), "e");
  CHECK(established.client.exchange(kGet).body == "GET /");
  PlainClient first(server.port(), "h");
  REQUIRE(eventually([&] { return handshakes.count == 1; }));
  std::vector<PlainClient> gone;
  for (int i = 0; i < 8; ++i) gone.emplace_back(server.port(), "h");
  REQUIRE(eventually([&] { return server.connections() == 10; }));
  gone.clear();
  REQUIRE(eventually([&] { return server.connections() == 2; }));
  for (int i = 0; i < 4; ++i) CHECK(established.client.exchange(kGet).body == "GET /");
  handshakes.gate.open();
  CHECK(first.client.exchange(kGet).body == "GET /");
  CHECK(eventually([&] { return handshakes.running == 0; }));
  CHECK(handshakes.count == 1);
}

TEST_CASE("handshakes: a queue of them does not delay a stop beyond its time") {
  Handshakes handshakes;
  AdapterOptions options = options_with(handshakes);
  options.min_workers = 2;
  Server server(echo_target, options, make_epoll_adapter());
  const OpensAtEnd opens(handshakes.gate);
  std::vector<PlainClient> clients;
  for (int i = 0; i < 4; ++i) clients.emplace_back(server.port(), "h");
  REQUIRE(eventually([&] { return handshakes.count > 0; }));
  CHECK_FALSE(server.stop(20ms));
  handshakes.gate.open();
  for (PlainClient& each : clients) CHECK_FALSE(each.client.receive_more());
}

}  // namespace handshake_queue_test
