// The share of the workers that handshakes may occupy, and the bound of unfinished ones.
#include "http/epoll/handshake_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "local_options.hpp"
#include "loopback.hpp"

namespace handshake_queue_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

/// What the handshakes of a server do.
struct Handshakes {
  Gate gate;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> count = 0;
};

/// Encrypts nothing. A client that begins with 'h' has a handshake that computes until the gate is
/// open; it ends with the first byte in any case.
class ComputingChannel : public SecureChannel {
 public:
  ComputingChannel(Handshakes& handshakes, int fd) : handshakes_(handshakes), fd_(fd) {}

  Received receive(std::span<char> buffer) override {
    if (is_established_) return fw::http::receive(fd_, buffer);
    const auto first = fw::http::receive(fd_, buffer.first(1));
    if (first.status != IoStatus::done) return first;
    if (buffer[0] == 'h') {
      const int running = ++handshakes_.running;
      for (int most = handshakes_.most; most < running;) {
        handshakes_.most.compare_exchange_weak(most, running);
      }
      ++handshakes_.count;
      handshakes_.gate.wait();
      --handshakes_.running;
    }
    is_established_ = true;
    return fw::http::receive(fd_, buffer);
  }
  bool has_more_input() const override { return false; }
  IoStatus send_some(std::span<const iovec> parts, std::size_t& sent) override {
    return fw::http::send_some(fd_, parts, sent);
  }
  bool has_begun_to_send() const override { return false; }
  bool is_established() const override { return is_established_; }
  bool waits_for_output() const override { return false; }
  bool is_cleartext() const override { return false; }
  bool has_agreed_on_http2() const override { return false; }
  std::shared_ptr<const fw::ClientCertificate> client_certificate() const override { return {}; }
  void close_output() noexcept override {}

 private:
  Handshakes& handshakes_;
  const int fd_;
  std::atomic<bool> is_established_ = false;
};

class ComputingServer : public SecureServer {
 public:
  explicit ComputingServer(Handshakes& handshakes) : handshakes_(handshakes) {}
  std::unique_ptr<SecureChannel> accept(int fd) override {
    return std::make_unique<ComputingChannel>(handshakes_, fd);
  }
  void refresh() noexcept override {}

 private:
  Handshakes& handshakes_;
};

AdapterOptions options_with(Handshakes& handshakes) {
  AdapterOptions options = local_options();
  options.tls = std::make_shared<ComputingServer>(handshakes);
  // Not what ends anything here, however busy the machine is.
  options.handshake_timeout = options.queue_timeout = options.keep_alive_timeout = 10min;
  return options;
}

/// A client of cleartext, also where the other tests use TLS.
struct PlainClient {
  PlainClient(std::uint16_t port, std::string_view first) : client(port, 0, false) {
    const auto open_channel = std::exchange(open_client_channel, nullptr);
    client.connect();
    open_client_channel = open_channel;
    client.send(first);
  }
  Client client;
};

}  // namespace

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
