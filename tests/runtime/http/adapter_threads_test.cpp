// Threads: how many there are, and what they wait for.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <memory>
#include <optional>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "http/epoll/callback_threads.hpp"
#include "support/allocation_count.hpp"
#include "support/no_new_threads.hpp"

namespace adapter_threads_test {

using namespace fw::http;
using namespace fw::http::test;
using fw::support::NoNewThreads;

namespace {

std::vector<std::unique_ptr<Client>> clients_that_sent(std::string_view request, int count,
                                                       std::uint16_t port) {
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    clients.back()->send(request);
  }
  return clients;
}

/// Whether there are never more threads for a fifth of a second.
bool no_thread_starts(std::ptrdiff_t threads) {
  for (int i = 0; i < 200; ++i) {
    if (thread_count() > threads) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

}  // namespace

TEST_CASE("adapter threads: blocked handlers do not delay other requests" *
          not_on_httplib("idle connections")) {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  options.min_workers = 2;
  options.worker_idle_timeout = 50ms;
  Server server(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  const auto threads_before = thread_count();
  const auto clients = clients_that_sent(kBlock, 24, server.port());
  Client ninth(server.port());
  CHECK(ninth.exchange(kGet).body == "done");
  CHECK(eventually([&] { return blocked == 24; }));
  CHECK(ninth.exchange(kGet).body == "done");
  gate.open();
  for (auto& client : clients) CHECK(client->read_response().body == "done");
  CHECK(eventually([&] { return thread_count() <= threads_before; }));
  CHECK(ninth.exchange(kGet).body == "done");
}

TEST_CASE("adapter threads: the pool grows while a thread waits, and afterwards" *
          not_on_httplib("a pool that grows") * not_with_tls("a handshake needs a thread")) {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  options.min_workers = 1;
  Server server(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  const FileDescriptor event(eventfd(0, EFD_CLOEXEC));
  REQUIRE(event);
  const auto threads_before = thread_count();
  std::thread waiting([&] { server.wait_until_readable(event.get()); });
  // It replaces a thread of the engine.
  CHECK(eventually([&] { return thread_count() == threads_before; }));
  const auto clients = clients_that_sent(kBlock, 3, server.port());
  CHECK(eventually([&] { return blocked == 3; }));
  eventfd_write(event.get(), 1);
  waiting.join();
  const auto others = clients_that_sent(kBlock, 3, server.port());
  CHECK(eventually([&] { return blocked == 6; }));
  gate.open();
  for (const auto* each : {&clients, &others}) {
    for (auto& client : *each) CHECK(client->read_response().body == "done");
  }
}

TEST_CASE("adapter threads: a readable descriptor ends the wait of a thread, any number of times") {
  Server server(echo_target);
  const FileDescriptor event(eventfd(1, EFD_CLOEXEC));
  REQUIRE(event);
  server.wait_until_readable(event.get());
  server.wait_until_readable(event.get());
  Client client(server.port());
  CHECK(client.exchange(kGet).status == 200);
}

TEST_CASE("adapter threads: an engine that gets no thread for its monitor back can be stopped" *
          not_on_httplib("a monitor")) {
  Server server(echo_target);
  const FileDescriptor event(eventfd(1, EFD_CLOEXEC));
  REQUIRE(event);
  {
    const NoNewThreads none;
    server.wait_until_readable(event.get());
  }
  Client client(server.port());
  CHECK(client.exchange(kGet).status == 200);
  client.close();
  CHECK(server.stop(std::chrono::seconds(60)));
}

TEST_CASE("adapter threads: workers that exit while others are added are not replaced" *
          not_on_httplib("a pool that shrinks")) {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  options.min_workers = 2;
  options.worker_idle_timeout = 0ms;
  Server server(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  const auto threads_before = thread_count();
  const auto clients = clients_that_sent(kBlock, 24, server.port());
  CHECK(eventually([&] { return blocked == 24; }));
  gate.open();
  for (auto& client : clients) CHECK(client->read_response().body == "done");
  CHECK(eventually([&] { return no_thread_starts(threads_before); }));
}

TEST_CASE("adapter threads: workers between two waits do not count as busy" *
          not_on_httplib("a pool that shrinks")) {
  auto options = test_options();
  options.min_workers = 1;
  options.worker_idle_timeout = 0ms;  // all waits end at once
  Server server(echo_target, options);
  Client client(server.port());
  const auto threads = thread_count();
  // A turn that takes long starts one, which happens on a busy machine now and then.
  CHECK(eventually([&] {
    CHECK(client.exchange(kGet).status == 200);  // makes the pool check its workers
    std::this_thread::sleep_for(100ms);
    return no_thread_starts(threads);
  }));
}

TEST_CASE("adapter threads: at most the maximum of workers is started" *
          not_with_tls("a handshake needs a thread")) {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  options.min_workers = 1;
  options.max_workers = 3;
  Server server(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  const auto clients = clients_that_sent(kBlock, 6, server.port());
  CHECK(eventually([&] { return blocked == 3; }));
  std::this_thread::sleep_for(50ms);
  CHECK(blocked == 3);
  gate.open();
  for (auto& client : clients) CHECK(client->read_response().body == "done");
}

TEST_CASE("adapter threads: a handler learns that its client has gone while all are busy" *
          not_with_tls("a handshake needs a thread")) {
  for (const std::chrono::milliseconds queue_timeout : {0ms, 600'000ms}) {
    CAPTURE(queue_timeout.count());
    std::atomic<int> waiting{0};
    std::atomic<int> gone{0};
    Gate gate;
    auto options = test_options();
    options.min_workers = options.max_workers = 2;
    options.queue_timeout = queue_timeout;
    Server server(
        [&](const std::shared_ptr<Transaction>& transaction) {
          if (transaction->head().target == "/block") {
            transaction->on_disconnect([&] { ++gone; });
            ++waiting;
            gate.wait();
          }
          respond(*transaction, "done");
        },
        options);
    const OpensAtEnd opener(gate);
    auto clients = clients_that_sent(kBlock, 2, server.port());
    REQUIRE(eventually([&] { return waiting == 2; }));
    Client queued(server.port());
    queued.send(kGet);
    clients.clear();
    // Both threads are still busy.
    CHECK(eventually([&] { return gone == 2; }));
    gate.open();
    CHECK(queued.read_response().body == "done");
  }
}

TEST_CASE("adapter threads: a disconnect is known before a thread is free for its callback" *
          not_with_tls("a handshake needs a thread") * not_on_httplib("a client that goes away")) {
  constexpr int kSlow{fw::http::CallbackThreads::kMaxThreads};
  std::atomic<int> waiting{0};
  std::atomic<int> in_callback{0};
  const auto is_lost = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> is_called{false};
  Gate gate;
  Gate callback_ends;
  auto options = test_options();
  options.min_workers = options.max_workers = kSlow + 1;
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/slow") {
          transaction->on_disconnect([&] {
            ++in_callback;
            callback_ends.wait();
          });
        } else {
          transaction->on_disconnect({[&] { is_called = true; }, is_lost});
        }
        ++waiting;
        gate.wait();
        respond(*transaction, "done");
      },
      options);
  const OpensAtEnd opener(gate);
  const OpensAtEnd ends_callback(callback_ends);
  auto slow = clients_that_sent("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n", kSlow, server.port());
  auto other = clients_that_sent(kBlock, 1, server.port());
  REQUIRE(eventually([&] { return waiting == kSlow + 1; }));
  slow.clear();
  REQUIRE(eventually([&] { return in_callback == kSlow; }));
  other.clear();
  CHECK(eventually([&] { return is_lost->load(); }));
  CHECK(!is_called);
  callback_ends.open();
  CHECK(eventually([&] { return is_called.load(); }));
}

TEST_CASE("adapter threads: CPU-bound handlers leave a worker to other requests" *
          not_on_httplib("idle connections")) {
  std::atomic<bool> is_over{false};
  auto options = test_options();
  options.min_workers = 2;
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/block") {
          while (!is_over) {
          }
        }
        respond(*transaction, "done");
      },
      options);
  const auto clients = clients_that_sent(kBlock, 4, server.port());
  CHECK(Client(server.port()).exchange(kGet).body == "done");
  is_over = true;
  for (auto& client : clients) CHECK(client->read_response().body == "done");
}

TEST_CASE("adapter threads: the number of workers for CPU-bound handlers is bounded" *
          not_on_httplib("idle connections")) {
  auto options = test_options();
  options.min_workers = 2;
  Server server(
      [](const std::shared_ptr<Transaction>& transaction) {
        // Some processor time, however busy the machine is.
        const auto spent = [] {
          timespec time{};
          clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
          return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
        };
        const auto end = spent() + 0.02;
        while (spent() < end) {
        }
        respond(*transaction, "done");
      },
      options);
  const auto threads_before = thread_count();
  const auto clients = clients_that_sent(kGet, 64, server.port());
  std::ptrdiff_t most = 0;
  for (auto& client : clients) {
    CHECK(client->read_response().body == "done");
    most = std::max(most, thread_count());
  }
  // A glance or two may be wrong.
  CHECK(most <= threads_before + 14 + 2);
}

TEST_CASE("adapter threads: the maximum of workers is started if all handlers block") {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  options.min_workers = 2;
  options.max_workers = 400;
  Server server(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  const auto clients = clients_that_sent(kBlock, 400, server.port());
  CHECK(eventually([&] { return blocked == 400; }));
  gate.open();
  for (auto& client : clients) CHECK(client->read_response().body == "done");
}

TEST_CASE("adapter threads: a start without any thread fails") {
  {
    const NoNewThreads none;
    CHECK_THROWS_AS(Server(echo_target, test_options()), std::system_error);
  }
  const Server server(echo_target);
  CHECK(Client(server.port()).exchange(kGet).status == 200);
}

TEST_CASE("adapter threads: a thread that cannot be created fails the start or is optional") {
  // The state of a thread is allocated before it is started: threads begin to fail before each of
  // them in turn, the one that watches the others included.
  static std::optional<NoNewThreads> no_threads;
  auto options = test_options();
  options.min_workers = 3;
  const auto threads_before = thread_count();
  int failed = 0;
  bool was_reached = true;
  for (std::size_t number = 1; was_reached; ++number) {
    std::optional<Server> server;
    bool is_failed = false;
    {
      const fw::support::AtAllocation starts_to_fail(number, [] {
        no_threads.emplace();
        return true;
      });
      try {
        server.emplace(echo_target, options);
      } catch (const std::system_error&) {
        is_failed = true;
      }
    }
    was_reached = no_threads.has_value();
    no_threads.reset();
    failed += is_failed;
    CAPTURE(number);
    if (is_failed) {
      CHECK(eventually([&] { return thread_count() <= threads_before; }));
    } else {
      REQUIRE(Client(server->port()).exchange(kGet).status == 200);
    }
  }
  CHECK(failed > 0);
}

TEST_CASE("adapter threads: idle and half-sent connections occupy no worker" *
          not_on_httplib("idle connections")) {
  auto options = test_options();
  options.min_workers = 1;
  options.max_workers = 1;
  Server server(echo_target, options);
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 50; ++i) {
    silent.push_back(std::make_unique<Client>(server.port()));
    if (i % 2 == 0) silent.back()->send("GET / HT");
  }
  CHECK(Client(server.port()).exchange(kGet).status == 200);
  CHECK(silent[0]->exchange("TP/1.1\r\nHost: a\r\n\r\n").status == 200);
  CHECK(silent[1]->exchange(kGet).status == 200);
}

TEST_CASE("adapter threads: a request says how long it has waited for a thread" *
          not_on_httplib("traces") *
          not_on_http2("counts from the head of the request, which no thread has read")) {
  // On a busy machine, it may be detected late that no thread is free.
  CHECK(eventually([] {
    Gate gate;
    std::atomic<int> blocked{0};
    std::atomic<std::int64_t> waited{-1};
    auto options = test_options();
    options.min_workers = 1;
    options.max_workers = 1;
    options.queue_timeout = 160s;  // looks for waiting requests each quarter of a second
    const auto block = blocking_at(gate, blocked);
    Server server(
        [&](const std::shared_ptr<Transaction>& transaction) {
          if (transaction->head().target == "/waits") waited = transaction->queued_for().count();
          block(transaction);
        },
        options);
    const OpensAtEnd opener(gate);
    Client first(server.port());
    Client second(server.port());  // with TLS, its handshake needs a thread
    first.send(kBlock);
    CHECK(eventually([&] { return blocked == 1; }));
    second.send("GET /waits HTTP/1.1\r\nHost: a\r\n\r\n");
    std::this_thread::sleep_for(1s);
    gate.open();
    CHECK(second.read_response().body == "done");
    return waited > 0;
  }));
}

TEST_CASE("adapter threads: many clients at once") {
  Server server(echo_target);
  std::atomic<int> completed{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back([&, i] {
      Client client(server.port());
      for (int k = 0; k < 500; ++k) {
        const auto target = "/" + std::to_string(i) + "/" + std::to_string(k);
        const auto response = client.exchange("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
        if (response.body == "GET " + target) ++completed;
      }
    });
  }
  for (auto& client : clients) client.join();
  CHECK(completed == 16 * 500);
}

}  // namespace adapter_threads_test
