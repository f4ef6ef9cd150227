// Bodies that are received before their request takes a thread.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <poll.h>
#include <string>
#include <string_view>
#include <vector>

#include "engines.hpp"

namespace adapter_awaited_body_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

constexpr std::uint64_t kLimit = 100;

/// Responds with the result of reading the body; for /skip without reading.
void read_and_tell(const std::shared_ptr<Transaction>& transaction) {
  if (transaction->head().target == "/skip") {
    respond(*transaction, "skipped");
    return;
  }
  std::string body;
  switch (transaction->read_body(kLimit, body)) {
    case BodyStatus::complete:
      return respond(*transaction, "complete:" + body);
    case BodyStatus::too_large:
      return respond(*transaction, "too large", 413);
    case BodyStatus::disconnected:
      return respond(*transaction, "disconnected", 400);
    case BodyStatus::malformed:
      return respond(*transaction, "malformed", 400);
    case BodyStatus::timed_out:
      return respond(*transaction, "timed out", 408);
    case BodyStatus::unavailable:
      return respond(*transaction, "unavailable", 503);
  }
}

AdapterOptions awaiting_options() {
  auto options = test_options();
  options.plan = plan_bodies([](const RequestHead& head) {
    return head.target == "/at-once" ? std::uint64_t{0} : kLimit;
  });
  return options;
}

std::string head_of(std::string_view target, std::string_view field) {
  return "POST " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(field) +
         "\r\n\r\n";
}

std::string head_of_length(std::string_view target, int length) {
  return head_of(target, "Content-Length: " + std::to_string(length));
}

const std::string kChunkedHead = head_of("/", "Transfer-Encoding: chunked");
const std::string kNext = "GET /skip HTTP/1.1\r\nHost: a\r\n\r\n";

}  // namespace

TEST_CASE("awaited bodies: slow clients occupy no thread" * not_on_httplib("a slow client")) {
  auto options = awaiting_options();
  options.min_workers = 2;
  options.max_workers = 2;
  std::atomic<int> handled{0};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        ++handled;
        read_and_tell(transaction);
      },
      options);
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<Client>(server.port()));
    slow.back()->send(i % 2 == 0 ? head_of_length("/", 10) + "first" : kChunkedHead + "5\r\nfirst");
  }
  Client other(server.port());
  for (int i = 0; i < 20; ++i) CHECK(other.exchange(kNext).body == "skipped");
  CHECK(handled == 20);
  for (std::size_t i = 0; i < slow.size(); ++i) {
    slow[i]->send(i % 2 == 0 ? "later" : "\r\n5\r\nlater\r\n0\r\n\r\n");
    CHECK(slow[i]->read_response().body == "complete:firstlater");
  }
}

TEST_CASE("awaited bodies: bodies sent byte by byte, read or not, do not affect the next request" *
          not_on_httplib("chunked bodies")) {
  Server server(read_and_tell, awaiting_options());
  Client client(server.port());
  const auto requests = head_of_length("/", 5) + "hello" + head_of_length("/skip", 3) + "abc" +
                        kChunkedHead + "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nA: b\r\n\r\n" + kNext;
  for (const char byte : requests) client.send({&byte, 1});
  CHECK(client.read_response().body == "complete:hello");
  CHECK(client.read_response().body == "skipped");
  CHECK(client.read_response().body == "complete:hello");
  CHECK(client.read_response().body == "skipped");
}

TEST_CASE("awaited bodies: a body that is too large is rejected at once" *
          not_on_httplib("chunked bodies")) {
  Server server(read_and_tell, awaiting_options());
  {
    Client client(server.port());
    const auto rejection = client.exchange(head_of_length("/", 101));
    CHECK(rejection.status == 413);
    CHECK(announces_end(rejection));
  }
  Client client(server.port());
  client.send(kChunkedHead + "5\r\nfirst\r\n");
  // With HTTP/2, its size is known when it arrives.
  const std::string last = tests_http2() ? "60\r\n" + std::string(96, 'x') : "60\r\n";
  const auto rejection = client.exchange(last);
  CHECK(rejection.status == 413);
  CHECK((tests_http2() || client.sees_end()));
}

TEST_CASE("awaited bodies: a malformed body is rejected and the connection closed" *
          not_on_http2("chunks")) {
  Server server(read_and_tell, awaiting_options());
  Client client(server.port());
  client.send(kChunkedHead + "5\r\nfirst\r\n");
  const auto rejection = client.exchange("zz\r\n" + kNext);
  CHECK(rejection.body == "malformed");
  CHECK(ends_after(client, rejection));
}

TEST_CASE("awaited bodies: a client that half-closes within the body counts as disconnected" *
          not_on_http2("a client that half-closes cannot complete a request")) {
  Server server(read_and_tell, awaiting_options());
  Client client(server.port());
  client.send(head_of_length("/", 10) + "first");
  client.end_sending();
  CHECK(client.read_response().body == "disconnected");
}

TEST_CASE("awaited bodies: a body after the time limit gets a 408") {
  auto options = awaiting_options();
  options.request_timeout = 100ms;
  Server server(read_and_tell, options);
  Client client(server.port());
  const auto rejection = client.exchange(head_of_length("/", 10) + "first");
  CHECK(rejection.status == 408);
  CHECK(ends_after(client, rejection));
}

TEST_CASE("awaited bodies: a body below the minimum data rate gets a 408") {
  auto options = awaiting_options();
  options.min_data_rate = {.bytes_per_second = 1'000, .grace = 50ms};
  Server server(read_and_tell, options);
  Client client(server.port());
  CHECK(client.exchange(head_of_length("/", 10) + "first").status == 408);
}

TEST_CASE("awaited bodies: 100 Continue is sent once") {
  Server server(read_and_tell, awaiting_options());
  Client client(server.port());
  client.send(head_of("/", "Content-Length: 5\r\nExpect: 100-continue"));
  CHECK(client.read_response().status == 100);
  client.send("he");
  CHECK(client.exchange("llo").body == "complete:hello");
  CHECK(client.exchange(kNext).body == "skipped");
}

TEST_CASE("awaited bodies: a handler that needs no body runs at once") {
  Server server([](const std::shared_ptr<Transaction>& t) { respond(*t, "rejected", 401); },
                awaiting_options());
  Client client(server.port());
  CHECK(client.exchange(head_of_length("/at-once", 10)).status == 401);
}

TEST_CASE("awaited bodies: a stop waits for the rest of them") {
  // On a busy machine, the rest may come after the second that a stop waits for it.
  CHECK(eventually([] {
    Server server(read_and_tell, awaiting_options());
    Client client(server.port());
    client.send(head_of("/", "Content-Length: 10\r\nExpect: 100-continue"));
    CHECK(client.read_response().status == 100);  // the server waits for the body
    client.send("first");
    std::atomic<bool> in_time{false};
    std::thread stopper([&] { in_time = server.stop(1min); });
    CHECK(eventually([&] { return accepts_nobody(server.port()); }));
    client.send("later");
    const auto response = client.read_response();
    stopper.join();
    CHECK(in_time);
    return response.body == "complete:firstlater";
  }));
}

TEST_CASE("unfinished bodies: a stalled body does not delay a stop") {
  for (const bool is_awaited : {true, false}) {
    CAPTURE(is_awaited);
    Server server(read_and_tell, is_awaited ? awaiting_options() : test_options());
    Client client(server.port());
    client.send(head_of_length("/", 10) + "first");
    Client beginning(server.port());
    beginning.send("GET /skip HTTP/1.1\r\nHo");
    Client other(server.port());
    CHECK(other.exchange(kNext).body == "skipped");  // the others have arrived, too
    CHECK(server.stop(1min));
    CHECK(client.read_response().body == "timed out");
    // With HTTP/2, there is no stream yet.
    CHECK(beginning.read_response().status == (tests_http2() ? 0 : 408));
  }
}

TEST_CASE("unfinished bodies: the time limit ends them even while bytes arrive") {
  auto options = awaiting_options();
  options.plan = plan_bodies([](const RequestHead&) { return std::uint64_t{1} << 40U; });
  options.request_timeout = 100ms;
  Server server(read_and_tell, options);
  Client client(server.port());
  client.send(head_of("/", "Content-Length: 1000000000000"));
  const std::string piece(256 * 1024, 'x');
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (client.send(piece) && !wait_readable(client.fd(), 0ms)) {
    REQUIRE(std::chrono::steady_clock::now() < end);
  }
  // However much has come by then: past the memory that bodies may take, the response is another.
  const auto status = client.read_response().status;
  CHECK((status == 408 || status == 503));
}

TEST_CASE("buffer budget: bodies above it are rejected, and the slowest are dropped for others" *
          not_on_httplib("`maxBufferedBytes`") * not_with_tls("session tickets wait to be read") *
          not_on_http2("settings wait to be read")) {
  auto options = test_options();
  options.plan = plan_bodies([](const RequestHead&) { return std::uint64_t{1} << 20U; });
  options.max_buffered_bytes = 512 * 1024;
  std::atomic<std::size_t> read{0};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        std::string body;
        transaction->read_body(1U << 20U, body);
        read += body.size();
        respond(*transaction, "read");
      },
      options);
  const std::string head = head_of_length("/", 200'000);
  // However the bytes arrive, two such bodies are more than three quarters of the budget.
  const std::string most(199'000, 'x');
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 6; ++i) {
    slow.push_back(std::make_unique<Client>(server.port()));
    slow.back()->send(head + most);
  }
  // Two of them fit; the others are rejected at once, and after a second the slower one of the two.
  const auto has_response = [](const auto& client) { return wait_readable(client->fd(), 0ms); };
  CHECK(eventually([&] { return std::count_if(slow.begin(), slow.end(), has_response) == 5; }));
  for (auto& client : slow) {
    if (!has_response(client)) continue;
    const auto rejection = client->read_response();
    CHECK(rejection.status == 503);
    CHECK(rejection.field("retry-after") == "1");
    CHECK(announces_end(rejection));
  }
  // Their memory may be given back a moment after the responses.
  CHECK(eventually([&] {
    return Client(server.port()).exchange(head + std::string(200'000, 'x')).status == 200;
  }));
  CHECK(read == 200'000);
}

TEST_CASE("buffer budget: a body reserves at most its announced size" *
          not_on_httplib("`maxBufferedBytes`")) {
  auto options = test_options();
  options.plan = plan_bodies([](const RequestHead&) { return std::uint64_t{1} << 20U; });
  // Less than a buffer that doubles at the end would need. Above three quarters of it, a client
  // that is slow for a second would be dropped.
  options.max_buffered_bytes = 340'000;
  for (const std::size_t first : {1'000U, 22'000U, 45'000U}) {
    CAPTURE(first);
    // One for each: the memory of a body may be given back a moment after the response.
    Server server([](const auto& transaction) { respond(*transaction, "read"); }, options);
    Client client(server.port());
    client.send(head_of_length("/", 200'000));
    // The buffer grows at each of them.
    for (const std::size_t size : {first, 3 * first, 200'000 - 4 * first}) {
      client.send(std::string(size, 'x'));
      std::this_thread::sleep_for(20ms);
    }
    CHECK(client.read_response().status == 200);
  }
}

TEST_CASE("buffer budget: a response above it that is not read is cut off" *
          not_on_httplib("`maxBufferedBytes`")) {
  auto options = test_options();
  options.max_buffered_bytes = 64 * 1024 * 1024;
  options.send_timeout = 10min;                   // not what cuts it off
  options.min_workers = options.max_workers = 1;  // one response after the other
  const std::string body(40 * 1024 * 1024, 'x');
  Server server([&](const std::shared_ptr<Transaction>& t) { respond(*t, body); }, options);
  Client first(server.port(), 4096);
  first.send(kNext);
  REQUIRE(first.receive_more());
  Client second(server.port(), 4096);
  second.send(kNext);
  // It takes nothing until then: what it took would not have to be kept for it.
  if (tests_http2()) {
    CHECK_FALSE(second.read_response().is_complete);  // its stream was reset
  } else {
    CHECK(eventually([&] {
      pollfd connection{second.fd(), 0, 0};
      return ::poll(&connection, 1, 0) == 1 && (connection.revents & POLLERR) != 0;
    }));
  }
  CHECK(first.read_response().is_complete);
  // What has been sent is given back.
  CHECK(Client(server.port()).exchange(kNext).is_complete);
}

}  // namespace adapter_awaited_body_test
