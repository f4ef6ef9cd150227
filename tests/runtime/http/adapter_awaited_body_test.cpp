// Bodies that are received before their request takes a thread.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loopback.hpp"

using namespace fw::http;
using namespace fw::http::test;

namespace {

constexpr std::uint64_t kLimit = 100;

/// Answers how reading the body went; for /skip without reading.
void read_and_tell(const std::shared_ptr<Transaction>& transaction) {
  if (transaction->head().target == "/skip") {
    answer(*transaction, "skipped");
    return;
  }
  std::string body;
  switch (transaction->read_body(kLimit, body)) {
    case BodyStatus::complete:
      return answer(*transaction, "complete:" + body);
    case BodyStatus::too_large:
      return answer(*transaction, "too large", 413);
    case BodyStatus::disconnected:
      return answer(*transaction, "disconnected", 400);
    case BodyStatus::malformed:
      return answer(*transaction, "malformed", 400);
    case BodyStatus::timed_out:
      return answer(*transaction, "timed out", 408);
  }
}

AdapterOptions awaiting_options() {
  auto options = test_options();
  options.body_limit = [](const RequestHead& head) {
    return head.target == "/at-once" ? std::uint64_t{0} : kLimit;
  };
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

TEST_CASE("awaited bodies: clients that send slowly hold no thread") {
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
    CHECK(slow[i]->read_answer().body == "complete:firstlater");
  }
}

TEST_CASE("awaited bodies: byte by byte, read or not, the next request is found") {
  Server server(read_and_tell, awaiting_options());
  Client client(server.port());
  const auto requests = head_of_length("/", 5) + "hello" + head_of_length("/skip", 3) + "abc" +
                        kChunkedHead + "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nA: b\r\n\r\n" + kNext;
  for (const char byte : requests) client.send({&byte, 1});
  CHECK(client.read_answer().body == "complete:hello");
  CHECK(client.read_answer().body == "skipped");
  CHECK(client.read_answer().body == "complete:hello");
  CHECK(client.read_answer().body == "skipped");
}

TEST_CASE("awaited bodies: what is too large is refused without being waited for") {
  Server server(read_and_tell, awaiting_options());
  {
    Client client(server.port());
    const auto refusal = client.exchange(head_of_length("/", 101));
    CHECK(refusal.status == 413);
    CHECK(refusal.field("connection") == "close");
  }
  Client client(server.port());
  client.send(kChunkedHead + "5\r\nfirst\r\n");
  CHECK(client.exchange("60\r\n").status == 413);
  CHECK(client.sees_end());
}

TEST_CASE("awaited bodies: what is malformed is refused, and nothing behind it is answered") {
  Server server(read_and_tell, awaiting_options());
  Client client(server.port());
  client.send(kChunkedHead + "5\r\nfirst\r\n");
  const auto refusal = client.exchange("zz\r\n" + kNext);
  CHECK(refusal.body == "malformed");
  CHECK(refusal.field("connection") == "close");
  CHECK(client.sees_end());
}

TEST_CASE("awaited bodies: a client that has nothing more to send is told") {
  Server server(read_and_tell, awaiting_options());
  Client client(server.port());
  client.send(head_of_length("/", 10) + "first");
  client.end_sending();
  CHECK(client.read_answer().body == "disconnected");
}

TEST_CASE("awaited bodies: they come in time") {
  auto options = awaiting_options();
  options.request_timeout = 100ms;
  Server server(read_and_tell, options);
  Client client(server.port());
  CHECK(client.exchange(head_of_length("/", 10) + "first").status == 408);
  CHECK(client.sees_end());
}

TEST_CASE("awaited bodies: they keep a pace") {
  auto options = awaiting_options();
  options.min_data_rate = {.bytes_per_second = 1'000, .grace = 50ms};
  Server server(read_and_tell, options);
  Client client(server.port());
  CHECK(client.exchange(head_of_length("/", 10) + "first").status == 408);
}

TEST_CASE("awaited bodies: a client that waits is told to go on, once") {
  Server server(read_and_tell, awaiting_options());
  Client client(server.port());
  client.send(head_of("/", "Content-Length: 5\r\nExpect: 100-continue"));
  CHECK(client.read_answer().status == 100);
  client.send("he");
  CHECK(client.exchange("llo").body == "complete:hello");
  CHECK(client.exchange(kNext).body == "skipped");
}

TEST_CASE("awaited bodies: a handler that wants none runs at once") {
  Server server([](const std::shared_ptr<Transaction>& t) { answer(*t, "refused", 401); },
                awaiting_options());
  Client client(server.port());
  CHECK(client.exchange(head_of_length("/at-once", 10)).status == 401);
}

TEST_CASE("awaited bodies: a stop waits for the rest of them") {
  Server server(read_and_tell, awaiting_options());
  Client client(server.port());
  client.send(head_of_length("/", 10) + "first");
  std::this_thread::sleep_for(50ms);
  std::atomic<bool> in_time{false};
  std::thread stopper([&] { in_time = server.stop(10s); });
  std::this_thread::sleep_for(50ms);
  client.send("later");
  CHECK(client.read_answer().body == "complete:firstlater");
  stopper.join();
  CHECK(in_time);
}
