// Clients that keep threads busy, and what they leave to others.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fcntl.h>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "http/listener.hpp"

namespace adapter_fairness_test {

using namespace fw::http;
using namespace fw::http::test;
using fairway::test::kPatience;

namespace {

constexpr std::string_view kOther = "GET /other HTTP/1.1\r\nHost: a\r\n\r\n";

std::string repeated(std::string_view request, int count) {
  std::string requests;
  for (int i = 0; i < count; ++i) requests += request;
  return requests;
}

/// Handles requests until `most` have been handled; the next ones wait for one to /other.
class Flooded {
 public:
  explicit Flooded(int most) : most_(most) {}

  void handle(const std::shared_ptr<Transaction>& transaction) {
    {
      std::unique_lock lock(mutex_);
      if (transaction->head().target == "/other") {
        other_is_served_ = true;
        changed_.notify_all();
      } else if (++handled_ > most_) {
        was_in_time_ &= changed_.wait_for(lock, kPatience, [this] { return other_is_served_; });
      }
    }
    respond(*transaction, "done");
  }

  bool was_in_time() {
    const std::lock_guard lock(mutex_);
    return was_in_time_;
  }

 private:
  const int most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int handled_ = 0;
  bool other_is_served_ = false;
  bool was_in_time_ = true;
};

/// A client that occupies the only worker. On a busy machine, requests may come too late for that:
/// waits until they have been reported, and counts them.
std::unique_ptr<Client> client_that_blocks(const Server& server, const std::atomic<int>& blocked,
                                           const std::atomic<std::size_t>& reported,
                                           std::size_t& late) {
  while (true) {
    auto client = std::make_unique<Client>(server.port());
    client->send(kBlock);
    REQUIRE(eventually([&] { return blocked == 1 || reported > late; }));
    if (blocked == 1) return client;
    ++late;
  }
}

/// Connects as many clients as there are workers, which pipeline requests behind one that occupies
/// its worker, and then one that sends a single request. Checks that it is handled before more than
/// `most` of the others.
void check_other_client(int workers, int most, std::string_view flood, int requests) {
  CAPTURE(workers);
  Gate gate;
  std::atomic<int> blocked{0};
  // With HTTP/2, receiving and handling are turns of their own.
  Flooded flooded(tests_http2() ? 4 * most : most);
  auto options = test_options();
  options.min_workers = options.max_workers = static_cast<std::size_t>(workers);
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target != "/block") return flooded.handle(transaction);
        ++blocked;
        gate.wait();
        respond(*transaction, "done");
      },
      options);
  const OpensAtEnd opener(gate);
  Client other(server.port());
  REQUIRE(other.exchange(kGet).body == "done");
  std::vector<std::unique_ptr<Client>> flooding;
  std::vector<std::future<bool>> sent;
  for (int i = 0; i < workers; ++i) {
    flooding.push_back(std::make_unique<Client>(server.port()));
    sent.push_back(std::async(std::launch::async, [&client = *flooding.back(), flood, requests] {
      return client.send(std::string(kBlock) + repeated(flood, requests));
    }));
  }
  REQUIRE(eventually([&] { return blocked == workers; }));
  other.send(kOther);
  gate.open();
  CHECK(other.read_response().body == "done");
  CHECK(flooded.was_in_time());
  for (const auto& client : flooding) {
    for (int i = 0; i <= requests; ++i) REQUIRE(client->read_response().body == "done");
  }
}

}  // namespace

TEST_CASE("adapter fairness: a client that pipelines requests on every worker delays no other" *
          not_on_httplib("pipelined requests")) {
  for (const int workers : {1, 2}) check_other_client(workers, workers * 64, kGet, 1000);
}

TEST_CASE("adapter fairness: a turn is also bounded in bytes" *
          not_on_httplib("pipelined requests")) {
  const std::string large =
      "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(8000, 'x') + "\r\n\r\n";
  check_other_client(1, 24, large, 30);
}

TEST_CASE("adapter fairness: a stream that takes time to produce leaves turns to others" *
          not_on_httplib("turns of streams")) {
  constexpr int kParts = 200;
  Gate has_asked;
  std::atomic<int> produced{0};
  std::atomic<int> at_other{-1};
  auto options = test_options();
  options.min_workers = options.max_workers = 1;
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/other") {
          at_other = produced.load();
          return respond(*transaction, "done");
        }
        const auto produce = [&](std::span<char> buffer) -> std::size_t {
          has_asked.wait();
          std::this_thread::sleep_for(5ms);
          buffer[0] = 'x';
          return ++produced < kParts ? 1 : 0;
        };
        transaction->respond_stream({}, std::nullopt, produce, {});
      },
      options);
  const OpensAtEnd opener(has_asked);
  Client other(server.port());
  REQUIRE(other.exchange(kOther).status == 200);
  Client streaming(server.port());
  streaming.send(kGet);
  std::thread asks([&] {
    other.send(kOther);
    has_asked.open();
  });
  CHECK(other.read_response().body == "done");
  asks.join();
  CHECK(at_other < kParts);
  CHECK(streaming.read_response().body.size() == kParts - 1);
}

TEST_CASE("adapter fairness: a stream that takes time to produce comes after events of others" *
          not_on_httplib("turns of streams")) {
  constexpr std::size_t kParts = 1000;  // more than the buffers of sockets hold
  Gate gate;
  std::atomic<std::size_t> produced{0};
  std::atomic<int> blocked{0};
  std::atomic<std::size_t> at_block{0};
  std::atomic<std::size_t> at_other{0};
  auto options = test_options();
  options.min_workers = options.max_workers = 1;
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        const std::string& target = transaction->head().target;
        if (target == "/block") {
          at_block = produced.load();
          ++blocked;
          gate.wait();
        } else if (target == "/other") {
          at_other = produced.load();
        } else if (target == "/stream") {
          const auto produce = [&](std::span<char> buffer) -> std::size_t {
            if (produced == 0) std::this_thread::sleep_for(20ms);
            std::fill(buffer.begin(), buffer.end(), 'x');
            return ++produced < kParts ? buffer.size() : 0;
          };
          transaction->respond_stream({}, std::nullopt, produce, {});
          return;
        }
        respond(*transaction, "done");
      },
      options);
  const OpensAtEnd opener(gate);
  Client other(server.port());
  Client blocking(server.port());
  REQUIRE(other.exchange(kOther).status == 200);
  REQUIRE(blocking.exchange(kGet).status == 200);
  Client streaming(server.port(), 4096);
  streaming.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  // Until the stream waits for its client.
  std::size_t before = 1;
  REQUIRE(eventually([&] {
    std::this_thread::sleep_for(50ms);
    return std::exchange(before, produced.load()) == produced && before > 0;
  }));
  REQUIRE(before < kParts);
  blocking.send(kBlock);
  REQUIRE(eventually([&] { return blocked == 1; }));
  std::thread reads([&] { CHECK(streaming.read_response().is_complete); });
  // The event of the stream comes first.
  std::this_thread::sleep_for(50ms);
  other.send(kOther);
  std::this_thread::sleep_for(50ms);
  gate.open();
  CHECK(other.read_response().body == "done");
  CHECK(at_other == at_block);
  reads.join();
}

TEST_CASE("adapter fairness: a connection is closed if others wait for its thread" *
          doctest::skip(!tests_httplib())) {
  auto options = test_options();
  options.max_workers = 1;
  Server server(echo_target, options);
  Client first(server.port());
  REQUIRE(first.exchange(kGet).status == 200);
  std::thread busy([&] {
    while (first.exchange(kGet).status == 200) {
    }
  });
  CHECK(Client(server.port()).exchange(kOther).body == "GET /other");
  busy.join();
}

TEST_CASE("adapter queue: a request waits for a thread at most the queue timeout" *
          not_on_httplib("`queueTimeout`")) {
  Gate gate;
  std::atomic<int> blocked{0};
  std::atomic<int> handled{0};
  std::atomic<std::size_t> reported{0};
  auto options = test_options();
  options.min_workers = options.max_workers = 1;
  options.queue_timeout = 500ms;
  options.report_late = [&](std::size_t count) { reported += count; };
  const auto block = blocking_at(gate, blocked);
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        ++handled;
        block(transaction);
      },
      options);
  const OpensAtEnd opener(gate);
  std::size_t late = 0;
  auto known = std::make_unique<Client>(server.port());
  while (known->exchange(kGet).status != 200) {
    known = std::make_unique<Client>(server.port());
    ++late;
    REQUIRE(eventually([&] { return reported == late; }));
  }
  const auto blocking = client_that_blocks(server, blocked, reported, late);
  const auto check_rejection = [](Client& client, std::string_view request,
                                  std::string_view method) {
    client.send(request);
    const auto response = client.read_response(method);
    CHECK(response.status == 503);
    CHECK(response.field("retry-after") == "1");
    CHECK(response.body ==
          (method == "HEAD" ? "" : "error: the server is overloaded: try again later"));
    CHECK(ends_after(client, response));
  };
  check_rejection(*known, kGet, "GET");
  Client fresh(server.port());  // not accepted yet
  check_rejection(fresh, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD");
  Client posting(server.port());
  check_rejection(posting, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "POST");
  // Requests after the first one of a connection have no response of their own.
  Client pipelining(server.port());
  check_rejection(pipelining, repeated(kGet, 3), "GET");
  // With HTTP/2, each of them does.
  CHECK(eventually([&] { return reported == late + (tests_http2() ? 6U : 4U); }));
  gate.open();
  CHECK(blocking->read_response().body == "done");
  CHECK(eventually([&] { return Client(server.port()).exchange(kGet).body == "done"; }));
  CHECK(handled == 3);
}

TEST_CASE("adapter queue: a process without a free thread leaves new clients to an idle process" *
          not_on_httplib("`cluster`")) {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  const Listener listeners[] = {Listener::open(options), Listener::open(options)};
  const auto inherited = [&](int own, int other) {
    return std::vector<int>{fcntl(listeners[own].socket().get(), F_DUPFD_CLOEXEC, 0),
                            fcntl(listeners[other].socket().get(), F_DUPFD_CLOEXEC, 0)};
  };
  options.min_workers = options.max_workers = 1;
  options.inherited_listeners = inherited(0, 1);
  Server busy(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  Client blocking(busy.port());
  blocking.send(kBlock);
  REQUIRE(eventually([&] { return blocked == 1; }));
  options.inherited_listeners = inherited(1, 0);
  Server idle(echo_target, options);
  for (int i = 0; i < 5; ++i) {
    const auto response = Client(listeners[0].port()).exchange(kGet);
    CHECK(response.status == 200);
    CHECK(response.body == "GET /");
  }
}

TEST_CASE("adapter queue: idle and half-sent connections are not rejected while they wait" *
          not_on_httplib("`queueTimeout`")) {
  // On a busy machine, the whole request may come too late, too.
  CHECK(eventually([] {
    Gate gate;
    std::atomic<int> blocked{0};
    std::atomic<std::size_t> reported{0};
    std::size_t before = 0;
    auto options = test_options();
    options.min_workers = options.max_workers = 1;
    options.queue_timeout = 500ms;
    options.report_late = [&](std::size_t count) { reported += count; };
    Server server(blocking_at(gate, blocked), options);
    const OpensAtEnd opener(gate);
    const auto blocking = client_that_blocks(server, blocked, reported, before);
    Client half(server.port());
    half.send(kGet.substr(0, 10));
    Client late(server.port());
    CHECK(late.exchange(kGet).status == 503);
    gate.open();
    CHECK(blocking->read_response().body == "done");
    return half.exchange(kGet.substr(10)).body == "done";
  }));
}

TEST_CASE("adapter queue: without a queue timeout requests wait until a thread is free" *
          not_on_httplib("`queueTimeout`") * not_with_tls("a handshake needs a thread")) {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  options.min_workers = options.max_workers = 1;
  options.queue_timeout = 0ms;
  Server server(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  Client blocking(server.port());
  blocking.send(kBlock);
  REQUIRE(eventually([&] { return blocked == 1; }));
  Client waiting(server.port());
  waiting.send(kGet);
  std::this_thread::sleep_for(50ms);
  gate.open();
  CHECK(waiting.read_response().body == "done");
}

TEST_CASE("adapter queue: a slow disconnect callback delays no rejection of late requests" *
          not_on_httplib("`queueTimeout`") * not_with_tls("a handshake needs a thread")) {
  Gate gate;
  std::atomic<int> blocked{0};
  std::atomic<int> disconnected{0};
  std::atomic<std::size_t> reported{0};
  Gate may_end;
  auto options = test_options();
  options.min_workers = options.max_workers = 1;
  options.queue_timeout = 50ms;
  options.report_late = [&](std::size_t count) { reported += count; };
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        transaction->on_disconnect([&] {
          ++disconnected;
          may_end.wait();
        });
        ++blocked;
        gate.wait();
        respond(*transaction, "done");
      },
      options);
  const OpensAtEnd opener(gate);
  const OpensAtEnd ender(may_end);
  std::size_t before = 0;
  client_that_blocks(server, blocked, reported, before)->reset();
  // No worker is free, so the monitor notices it.
  REQUIRE(eventually([&] { return disconnected == 1; }));
  Client late(server.port());
  CHECK(late.exchange(kGet).status == 503);
}

}  // namespace adapter_fairness_test
