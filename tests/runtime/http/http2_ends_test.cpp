// The end of connections of HTTP/2 in the epoll engine: stops, time-outs, and limits.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "http2_server.hpp"
#include "support/allocation_count.hpp"

namespace http2_ends_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

/// A client that has got a response, and so has acknowledged the settings. On a busy machine, the
/// first request may be late for a server that waits for a second.
std::unique_ptr<Http2Client> client_with_a_request(const Server& server) {
  std::unique_ptr<Http2Client> client;
  REQUIRE(eventually([&] {
    client = std::make_unique<Http2Client>(server.port());
    return client->exchange("/").status == 200;
  }));
  return client;
}

/// A body that has nothing until it is closed, which is like a `send` of an application.
class WaitingBody : public PushedBody {
 public:
  void close() {
    is_closed_ = true;
    wake();
  }
  void wake() {
    if (const auto waker = waker_.lock()) waker->wake();
  }
  void begin(std::weak_ptr<BodyWaker> waker, std::shared_ptr<BufferBudget>) noexcept override {
    waker_ = std::move(waker);
    has_begun = true;
  }
  std::optional<Part> take(std::span<char>) noexcept override { return Part{0, is_closed_}; }
  bool may_wait() noexcept override { return true; }
  bool is_broken() const noexcept override { return false; }
  std::string_view heartbeat() const noexcept override { return "."; }
  std::chrono::milliseconds heartbeat_interval() const noexcept override { return 1min; }
  void stop() noexcept override {}
  void end(bool) noexcept override {}

  std::atomic<bool> has_begun{false};

 private:
  std::atomic<bool> is_closed_{false};
  std::weak_ptr<BodyWaker> waker_;
};

}  // namespace

TEST_CASE("http2: callbacks of a request do not run inside a send for another one") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 2;
  options.request_timeout = 10min;
  Gate gate;
  std::atomic<int> blocked = 0;
  const auto remaining = std::make_shared<WaitingBody>();
  const auto canceled = std::make_shared<WaitingBody>();
  std::atomic<int> disconnects{0};
  std::atomic<bool> is_inside_send{false};
  const auto sender = std::this_thread::get_id();
  auto server = serve_http2(
      [&](const std::shared_ptr<Transaction>& transaction) {
        const std::string_view target = transaction->head().target;
        if (target == "/remaining") return void(transaction->respond_pushed({}, remaining));
        if (target == "/canceled") {
          transaction->on_disconnect([&] {
            is_inside_send = std::this_thread::get_id() == sender;
            ++disconnects;
          });
          return void(transaction->respond_pushed({}, canceled));
        }
        ++blocked;
        std::string body;
        if (target == "/read") transaction->read_body(1000, body);
        if (target == "/block") gate.wait();
        respond(*transaction, "done");
      },
      std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  client.get("/remaining");
  const auto to_cancel = client.get("/canceled");
  REQUIRE(eventually([&] { return remaining->has_begun && canceled->has_begun; }));
  // The thread of a handler receives the reset, because no other is left.
  Client other(server.port());
  other.send(kBlock);
  const auto reading = client.begin("POST", "/read", {}, true);
  client.send_body(reading, "some", false);
  REQUIRE(eventually([&] { return blocked == 2; }));
  client.hold();
  client.cancel(to_cancel);
  client.send_held();
  client.send_bytes(Http2Client::frame(6, 0, 0, "12345678"));
  REQUIRE(client.receive_until([&] { return client.ping_acks() == 1; }));
  remaining->close();
  CHECK_FALSE(is_inside_send);
  gate.open();
  CHECK(eventually([&] { return disconnects == 1; }));
  CHECK_FALSE(is_inside_send);
  client.send_body(reading, "more");
  CHECK(client.wait(reading).body == "done");
}

TEST_CASE("http2: a half-closed connection ends after its last response") {
  auto options = http2_options();
  options.keep_alive_timeout = 10min;
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve_http2(blocking_at(gate, blocked), std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.get("/block");
  REQUIRE(eventually([&] { return blocked == 1; }));
  ::shutdown(client.fd(), SHUT_WR);
  gate.open();
  CHECK(client.wait(stream).body == "done");
  CHECK_NOTHROW(client.receive_all());  // nothing arrives while the connection stays open
}

TEST_CASE("http2: a stream that is cut off is a disconnect, although its client reads nothing") {
  struct Flood final : WaitingBody {
    std::optional<Part> take(std::span<char> buffer) noexcept override {
      if (is_cut) return std::nullopt;
      std::ranges::fill(buffer, 'x');
      return Part{buffer.size(), false};
    }
    bool may_wait() noexcept override {
      ++blocked;
      return true;
    }
    bool is_broken() const noexcept override { return is_cut; }
    std::atomic<bool> is_cut{false};
    std::atomic<int> blocked{0};
  };
  const auto body = std::make_shared<Flood>();
  auto options = http2_options();
  options.send_timeout = 10min;  // not what ends it
  std::atomic<int> disconnects{0};
  auto server = serve_http2(
      [&](const std::shared_ptr<Transaction>& transaction) {
        transaction->on_disconnect([&] { ++disconnects; });
        transaction->respond_pushed({}, body);
      },
      std::move(options));
  constexpr std::int32_t kLarge = 1 << 30;
  Http2Client client(server.port(), {.window = kLarge, .receive_buffer = 4096});
  client.enlarge_window(0, kLarge);
  client.get("/");
  REQUIRE(eventually([&] { return body->blocked > 0; }));
  body->is_cut = true;
  body->wake();
  CHECK(eventually([&] { return disconnects == 1; }));
}

TEST_CASE("http2: a half-closed connection keeps its requests while all threads are busy") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 2;
  Gate gate;
  std::atomic<int> blocked = 0;
  std::atomic<int> detected = 0;
  const auto handle = blocking_at(gate, blocked);
  auto server = serve_http2(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/block") {
          transaction->on_disconnect([&] { ++detected; });
        }
        handle(transaction);
      },
      std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);
  const auto first = client.get("/block");
  REQUIRE(eventually([&] { return blocked == 1; }));
  Client other(server.port());
  other.send(kBlock);
  REQUIRE(eventually([&] { return blocked == 2; }));
  const auto waiting = client.get("/");
  ::shutdown(client.fd(), SHUT_WR);
  REQUIRE(eventually([&] { return detected == 1; }));  // by the monitor
  gate.open();
  CHECK(client.wait(first).body == "done");
  CHECK(client.wait(waiting).status == 200);
}

TEST_CASE(
    "http2: a stream that is ended for memory is a disconnect while its connection is blocked") {
  // A body alone is more than three quarters of the budget, and leaves room for its frames.
  constexpr std::size_t kBudget = std::size_t{4} * 1024 * 1024;
  constexpr std::size_t kSize = kBudget / 5 * 4;
  struct Large final : WaitingBody {
    explicit Large(std::atomic<int>& count) : discards(count) {}
    void begin(std::weak_ptr<BodyWaker> waker,
               std::shared_ptr<BufferBudget> buffers) noexcept override {
      share.emplace(buffers);
      CHECK(share->grow(kSize));
      WaitingBody::begin(std::move(waker), nullptr);
    }
    std::optional<Part> take(std::span<char> buffer) noexcept override {
      std::ranges::fill(buffer, 'x');
      return Part{buffer.size(), false};
    }
    std::size_t waiting() const noexcept override { return kSize; }
    void discard() noexcept override {
      share->release();
      ++discards;
    }
    std::optional<BufferBudget::OwningShare> share;
    std::atomic<int>& discards;
  };
  constexpr std::int32_t kLarge = 1 << 30;
  std::atomic<int> discards{0};
  std::atomic<int> disconnects{0};
  std::vector<Server> servers;
  std::vector<std::unique_ptr<Http2Client>> clients;
  // What is left of the frames that a connection could not send depends on its buffers.
  for (const int buffer : {4'096, 12'288, 20'480}) {
    auto options = http2_options();
    options.send_timeout = 10min;  // not what ends them
    options.max_buffered_bytes = kBudget;
    servers.push_back(serve_http2(
        [&](const std::shared_ptr<Transaction>& transaction) {
          transaction->on_disconnect([&] { ++disconnects; });
          transaction->respond_pushed({}, std::make_shared<Large>(discards));
        },
        std::move(options)));
    clients.push_back(std::make_unique<Http2Client>(
        servers.back().port(), Http2ClientOptions{.window = kLarge, .receive_buffer = buffer}));
    clients.back()->enlarge_window(0, kLarge);
    clients.back()->get("/");
  }
  CHECK(eventually([&] { return discards == 3; }));
  CHECK(eventually([&] { return disconnects == 3; }));
}

TEST_CASE("http2: streams are cut off without memory") {
  static std::atomic<bool> was_reached;
  was_reached = true;
  std::size_t number = 1;
  for (; was_reached; ++number) {
    CAPTURE(number);
    Gate gate;
    std::atomic<int> blocked = 0;
    std::atomic<int> detected = 0;
    auto server = serve_http2([&](const std::shared_ptr<Transaction>& transaction) {
      transaction->on_disconnect([&] { ++detected; });
      if (transaction->head().target == "/block") {
        ++blocked;
        gate.wait();
        return respond(*transaction, "done");
      }
      transaction->respond_stream(
          {}, std::nullopt, [](std::span<char> buffer) { return buffer.size(); }, nullptr);
      ++blocked;
    });
    const OpensAtEnd opens(gate);
    Http2Client client(server.port());
    client.get("/block");
    client.get("/stream");
    REQUIRE(eventually([&] { return blocked == 2; }));
    was_reached = false;
    try {
      const fw::support::AtAllocation fails(number, [] {
        was_reached = true;
        return false;
      });
      server.stop(std::chrono::milliseconds(0));
    } catch (const std::bad_alloc&) {
      // Before it has begun to cut off.
    }
    server.stop(std::chrono::milliseconds(0));
    CHECK(eventually([&] { return detected == 2; }));
  }
  CHECK(number > 2);  // one was reached at least
}

TEST_CASE("http2: a stop completes requests, and announces its end") {
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve_http2(blocking_at(gate, blocked));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.get("/block");
  REQUIRE(eventually([&] { return blocked == 1; }));
  std::atomic<bool> has_finished = false;
  std::thread stop([&] { has_finished = server.stop(1min); });
  REQUIRE(client.receive_until([&] { return client.goaway().has_value(); }));
  CHECK(client.goaway().value_or(99) == 0);
  gate.open();
  CHECK(client.wait(stream).body == "done");
  client.receive_all();
  CHECK(client.last_stream() == stream);
  client.close();
  stop.join();
  CHECK(has_finished);
}

TEST_CASE("http2: an incomplete head delays no stop, and no other request is lost") {
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve_http2(blocking_at(gate, blocked));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);  // now the client has acknowledged the settings
  const auto stream = client.get("/block");
  REQUIRE(eventually([&] { return blocked == 1; }));
  client.hold();
  const auto incomplete = client.get("/");
  std::string head = client.take_held();
  head[4] = 1;    // END_STREAM without END_HEADERS
  client.hold();  // another frame within a head would be an error
  // The acknowledged PING shows that the head has arrived, too.
  client.send_bytes(Http2Client::frame(6, 0, 0, "12345678") + head);
  REQUIRE(client.receive_until([&] { return client.ping_acks() == 1; }));
  std::atomic<bool> has_finished = false;
  std::thread stop([&] { has_finished = server.stop(1min); });
  CHECK(client.receive_until([&] { return client.response(incomplete).is_closed; }));
  CHECK(client.response(incomplete).reset == kRefusedStream);
  gate.open();
  CHECK(client.wait(stream).body == "done");
  client.receive_all();
  client.close();
  stop.join();
  CHECK(has_finished);
}

TEST_CASE("http2: under load a stop loses no request") {
  auto server = serve_http2(echo_target);
  std::atomic<int> lost = 0;
  std::atomic<int> served = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      Http2Client client(server.port());
      while (true) {
        std::vector<std::int32_t> streams;
        for (int n = 0; n < 10 && !client.goaway(); ++n) streams.push_back(client.get("/x"));
        if (streams.empty()) break;
        for (const auto stream : streams) {
          const auto& response = client.wait(stream);
          const bool is_refused = client.goaway() && stream > client.last_stream();
          if (response.is_complete && response.body == "GET /x") {
            ++served;
          } else if (!is_refused) {
            ++lost;
          }
        }
      }
      client.receive_all();
    });
  }
  REQUIRE(eventually([&] { return served > 500; }));
  CHECK(server.stop(1min));
  for (auto& client : clients) client.join();
  CHECK(lost == 0);
}

TEST_CASE("http2: idle connections are closed with GOAWAY") {
  auto options = http2_options();
  options.keep_alive_timeout = 500ms;
  auto server = serve_http2(tell, std::move(options));
  // On a busy machine, the first request may be late.
  CHECK(eventually([&] {
    Http2Client client(server.port());
    if (client.exchange("/").status != 200) return false;
    client.receive_all();
    CHECK(client.goaway().value_or(99) == 0);
    CHECK(client.last_stream() == 1);
    return true;
  }));
}

TEST_CASE("http2: the last allowed request of a connection ends it") {
  auto options = http2_options();
  options.max_requests_per_connection = 2;
  auto server = serve_http2(tell, std::move(options));
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);
  CHECK_FALSE(client.goaway());
  CHECK(client.exchange("/").status == 200);
  client.receive_all();
  CHECK(client.goaway().value_or(99) == 0);
}

TEST_CASE("http2: an incomplete head ends the connection") {
  auto options = http2_options();
  options.headers_timeout = 1s;
  auto server = serve_http2(tell, std::move(options));
  const auto client = client_with_a_request(server);
  client->send_bytes(Http2Client::frame(1, 1, 3, kRootHead));  // without END_HEADERS
  client->receive_all();
  CHECK(client->goaway().value_or(0) == kEnhanceYourCalm);
}

TEST_CASE("http2: an incomplete head ends the connection, although another stream ends") {
  Gate gate;
  std::atomic<int> blocked = 0;
  auto options = http2_options();
  options.headers_timeout = 1s;
  auto server = serve_http2(blocking_at(gate, blocked), std::move(options));
  const OpensAtEnd opens(gate);
  const auto client = client_with_a_request(server);
  client->get("/block");
  REQUIRE(eventually([&] { return blocked == 1; }));
  // The acknowledged PING shows that the head has arrived, too.
  client->send_bytes(Http2Client::frame(6, 0, 0, "12345678") +
                     Http2Client::frame(1, 1, 5, kRootHead));  // without END_HEADERS
  client->receive_until([&] { return client->ping_acks() == 1; });
  gate.open();
  client->receive_all();
  CHECK(client->goaway().value_or(0) == kEnhanceYourCalm);
}

TEST_CASE("http2: a connection above a limit gets its error in its protocol") {
  auto options = http2_options();
  options.max_connections = 1;
  auto server = serve_http2(tell, std::move(options));
  auto first = std::make_unique<Http2Client>(server.port());
  CHECK(first->exchange("/").status == 200);
  {
    // On a busy machine, the time in which the server looks for its protocol may be over.
    CHECK(eventually([&] {
      Http2Client refused(server.port());
      const auto stream = refused.get("/");
      refused.receive_all();
      if (!refused.goaway()) return false;
      // The client may send its request again.
      CHECK(refused.goaway() == 0U);
      CHECK(refused.last_stream() == 0);
      CHECK_FALSE(refused.response(stream).has_head);
      return true;
    }));
    Client other(server.port());
    other.send(kGet.substr(0, 1));
    other.send(kGet.substr(1));
    const auto response = other.read_response();
    CHECK(response.status == 503);
    CHECK(response.body.find("too many connections") != std::string::npos);
    CHECK(other.sees_end());
    // A client that sends nothing gets the error, too.
    CHECK(Client(server.port()).read_response().status == 503);
  }
  CHECK(first->exchange("/").status == 200);
  first.reset();
  CHECK(eventually([&] {
    Http2Client later(server.port());
    return later.exchange("/").status == 200;
  }));
}

}  // namespace http2_ends_test
