// What stays of connections and threads when memory runs out.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "engines.hpp"
#include "support/allocation_count.hpp"

namespace adapter_memory_test {

using namespace fw::http;
using namespace fw::http::test;

TEST_CASE("adapter memory: running out of memory for a response closes its connection" *
          not_on_httplib("a response that there is no memory for") *
          not_on_http2("the test's client allocates memory, too")) {
  constexpr std::size_t kLarge = 8 * 1024 * 1024;
  const std::string body(2 * kLarge, 'x');
  std::atomic<int> failed{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/") return respond(*transaction, "small");
    try {
      respond(*transaction, body);
    } catch (const std::bad_alloc&) {
      ++failed;
      throw;
    }
  });
  Client client(server.port(), 4096);
  {
    const fw::support::FailingAllocations failing(kLarge);
    client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    // Nothing is read before that: what is left to send, and is copied, stays large.
    CHECK(eventually([&] { return failed == 1; }));
  }
  while (client.receive_more()) client.forget_input();
  CHECK(client.was_reset());
  CHECK(Client(server.port()).exchange(kGet).body == "small");
  CHECK(server.stop(1min));  // nothing is left of it
}

TEST_CASE("adapter memory: a connection keeps nothing of a response that was read slowly" *
          not_on_httplib("a slow client")) {
  const std::string body(16 * 1024 * 1024, 'x');
  AdapterOptions options = test_options();
  options.keep_alive_timeout = 1h;  // the end of the connection would free it
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        respond(*transaction, transaction->head().target == "/large" ? body : "small");
      },
      std::move(options));
  Client client(server.port(), 4096);
  CHECK(client.exchange(kGet).body == "small");
  const auto before = fw::support::allocated_bytes();
  client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  auto head_end = std::string::npos;
  while ((head_end = client.input().find("\r\n\r\n")) == std::string::npos) {
    REQUIRE(client.receive_more());
  }
  auto received = client.input().size() - head_end - 4;
  while (received < body.size()) {
    client.forget_input();
    REQUIRE(client.receive_more());
    received += client.input().size();
  }
  client.forget_input();
  CHECK(eventually([&] { return fw::support::allocated_bytes() < before + body.size() / 4; }));
  CHECK(client.exchange(kGet).body == "small");
}

TEST_CASE("adapter memory: a failed allocation of a response leaks nothing" *
          not_on_http2("the test's client allocates memory, too")) {
  static std::atomic<bool> was_reached;
  std::atomic<std::size_t> number{1};
  // More than the system takes at once, so that the rest is copied.
  const std::string large(16 * 1024 * 1024, 'x');
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    const std::string target = transaction->head().target;
    const fw::support::AtAllocation fails(number, [] {
      was_reached = true;
      return false;
    });
    if (target == "/small") return respond(*transaction, "small");
    if (target == "/large") return respond(*transaction, large);
    ResponseHead head;
    transaction->respond_stream(
        std::move(head), large.size(),
        [](std::span<char> buffer) {
          std::fill(buffer.begin(), buffer.end(), 'x');
          return buffer.size();
        },
        nullptr);
  });
  for (const std::string target : {"/small", "/large", "/stream"}) {
    CAPTURE(target);
    was_reached = true;
    for (number = 1; was_reached; ++number) {
      CAPTURE(number.load());
      was_reached = false;
      Client client(server.port(), 4096);
      const auto got = client.exchange("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
      // Whole, an error, or cut off, but never without an end; whole if nothing has failed.
      CHECK((got.is_complete || was_reached));
    }
    CHECK(number > 2);  // one was reached at least
  }
  CHECK(server.stop(1min));
}

TEST_CASE("adapter memory: no memory for an error response closes only its connection" *
          not_on_http2("the test's client allocates memory, too")) {
  constexpr std::size_t kLarge = 8 * 1024 * 1024;
  const auto adapter = make_tested_adapter();
  // Outside handlers, on a thread of the engine.
  adapter->start(test_options(), echo_target, [](int status, std::string_view) {
    ResponseHead head;
    head.status = status;
    return std::pair(std::move(head), std::string(kLarge, 'x'));
  });
  const std::string without_host = "GET / HTTP/1.1\r\n\r\n";
  {
    const fw::support::FailingAllocations failing(kLarge);
    Client client(adapter->port());
    client.send(without_host);
    while (client.receive_more()) {
    }
    CHECK_FALSE(client.input().find("xxx") != std::string::npos);
  }
  const auto error = Client(adapter->port()).exchange(without_host);
  CHECK(error.status == 400);
  CHECK(error.body.size() == kLarge);
  CHECK(Client(adapter->port()).exchange(kGet).status == 200);
  CHECK(adapter->stop(1min));
}

TEST_CASE("adapter memory: a failed allocation of a start leaves no thread" *
          not_on_http2("the test's client allocates memory, too")) {
  static std::atomic<bool> was_reached;
  was_reached = true;
  int failed = 0;
  const auto threads_before = thread_count();
  for (std::size_t number = 1; was_reached; ++number) {
    CAPTURE(number);
    was_reached = false;
    try {
      const fw::support::AtAllocation fails(number, [] {
        was_reached = true;
        return false;
      });
      const Server server(echo_target);
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    CHECK(eventually([&] { return thread_count() <= threads_before; }));
  }
  CHECK(failed > 0);
}

}  // namespace adapter_memory_test
