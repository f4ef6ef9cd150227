// Request bodies over a socket.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "engines.hpp"

namespace adapter_body_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

std::string_view name_of(BodyStatus status) {
  switch (status) {
    case BodyStatus::complete:
      return "complete";
    case BodyStatus::too_large:
      return "too_large";
    case BodyStatus::disconnected:
      return "disconnected";
    case BodyStatus::malformed:
      return "malformed";
    case BodyStatus::timed_out:
      return "timed_out";
    case BodyStatus::unavailable:
      return "unavailable";
  }
  return "?";
}

/// Reads the body up to 100 bytes, or as many as the target says, and responds with the result; for
/// /skip without reading.
void read_and_tell(const std::shared_ptr<Transaction>& transaction) {
  const auto& target = transaction->head().target;
  if (target == "/skip") {
    respond(*transaction, "skipped");
    return;
  }
  std::string body;
  const auto limit = target.size() > 1 ? std::stoull(target.substr(1)) : 100;
  const auto status = transaction->read_body(limit, body);
  if (body.size() > 1000) body = std::to_string(body.size()) + body.substr(0, 1) + body.back();
  respond(*transaction, std::string(name_of(status)) + ":" + body,
          status == BodyStatus::complete ? 200 : 400);
}

constexpr auto kNever = std::chrono::steady_clock::time_point::max();

/// As `read_and_tell`, three bytes at a time.
void read_parts_and_tell(const std::shared_ptr<Transaction>& transaction) {
  const auto& target = transaction->head().target;
  const auto limit = target.size() > 1 ? std::stoull(target.substr(1)) : 100;
  std::string body;
  std::array<char, 3> buffer;
  while (true) {
    const auto part = transaction->read_body_part(limit, buffer, kNever);
    if (part.size == 0)
      return respond(*transaction, std::string(name_of(part.status)) + ":" + body);
    body.append(buffer.data(), part.size);
  }
}

std::string post(std::string_view target, std::string_view fields, std::string_view body) {
  return "POST " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n" +
         std::string(body);
}

std::string with_length(std::string_view target, std::string_view body) {
  return post(target, "Content-Length: " + std::to_string(body.size()) + "\r\n", body);
}

constexpr std::string_view kChunked = "Transfer-Encoding: chunked\r\n";

}  // namespace

TEST_CASE("adapter bodies: with a length, chunked, and without a body") {
  Server server(read_and_tell);
  Client client(server.port());
  CHECK(client.exchange(with_length("/", "hello")).body == "complete:hello");
  CHECK(client.exchange(with_length("/", "")).body == "complete:");
  CHECK(client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "complete:");
  CHECK(client.exchange(post("/", kChunked, "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")).body ==
        "complete:hello");
}

TEST_CASE("adapter bodies: the head has the length and whether there is a body") {
  Server server([](const std::shared_ptr<Transaction>& transaction) {
    const auto& head = transaction->head();
    respond(*transaction, std::to_string(head.has_body) + " " +
                              (head.content_length ? std::to_string(*head.content_length) : "-"));
  });
  Client client(server.port());
  CHECK(client.exchange(with_length("/", "hello")).body == "1 5");
  CHECK(client.exchange(with_length("/", "")).body == "0 0");
  CHECK(client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "0 -");
  CHECK(client.exchange(post("/", kChunked, "0\r\n\r\n")).body == "1 -");
}

TEST_CASE("adapter bodies: pipelined and byte by byte") {
  Server server(read_and_tell);
  Client client(server.port());
  const auto requests = with_length("/", "one") + post("/", kChunked, "3\r\ntwo\r\n0\r\n\r\n") +
                        with_length("/skip", "three") + with_length("/", "four");
  client.send(requests);
  for (int round = 0; round < 2; ++round) {
    CHECK(client.read_response().body == "complete:one");
    CHECK(client.read_response().body == "complete:two");
    CHECK(client.read_response().body == "skipped");
    CHECK(client.read_response().body == "complete:four");
    if (round == 1) break;
    for (const char byte : requests) client.send({&byte, 1});
  }
}

TEST_CASE("adapter bodies: ten megabytes with a length and chunked") {
  Server server(read_and_tell);
  Client client(server.port());
  const std::string large(10 * 1024 * 1024, 'x');
  CHECK(client.exchange(with_length("/20000000", large)).body == "complete:10485760xx");
  const auto chunk = "80000\r\n" + large.substr(0, 0x80000) + "\r\n";
  std::string chunks;
  for (int i = 0; i < 20; ++i) chunks += chunk;
  CHECK(client.exchange(post("/20000000", kChunked, chunks + "0\r\n\r\n")).body ==
        "complete:10485760xx");
}

TEST_CASE("adapter bodies: a length above the limit is rejected without reading the body") {
  Server server(read_and_tell);
  Client client(server.port());
  const auto response = client.exchange(post("/", "Content-Length: 101\r\n", ""));
  CHECK(response.body == "too_large:");
  CHECK(ends_after(client, response));
}

TEST_CASE("adapter bodies: a client that keeps sending still gets the response") {
  Server server(read_and_tell);
  // The server reads on for two seconds, which may not be enough on a busy machine.
  CHECK(eventually([&] {
    Client client(server.port());
    client.send(post("/", "Content-Length: 3000000\r\n", std::string(3'000'000, 'x')));
    const auto response = client.read_response();
    CHECK(response.body == "too_large:");
    CHECK(ends_after(client, response));
    return !client.was_reset();
  }));
}

TEST_CASE("adapter bodies: a chunk size above the limit is rejected" * not_on_http2("chunks")) {
  Server server(read_and_tell);
  Client client(server.port());
  const auto response =
      client.exchange(post("/", kChunked, "64\r\n" + std::string(100, 'x') + "\r\n1\r\n"));
  CHECK(response.body.substr(0, 10) == "too_large:");
  CHECK(announces_end(response));
}

TEST_CASE("adapter bodies: malformed chunks close the connection" * not_on_http2("chunks")) {
  Server server(read_and_tell);
  Client client(server.port());
  const auto response = client.exchange(post("/", kChunked, "5\r\nhelloX\r\n0\r\n\r\n"));
  CHECK(response.body == "malformed:hello");
  CHECK(ends_after(client, response));
}

TEST_CASE("adapter bodies: 100 Continue is sent only when the body is read") {
  Server server(read_and_tell);
  constexpr std::string_view kFields = "Content-Length: 5\r\nExpect: 100-continue\r\n";
  Client client(server.port());
  CHECK(client.exchange(post("/", kFields, "")).status == 100);
  CHECK(client.exchange("hello").body == "complete:hello");

  // The body is there already: nobody waits. With HTTP/2 it is in a frame of its own, which may
  // come after the request for it.
  if (!tests_http2()) {
    CHECK(client.exchange(post("/", kFields, "hello")).body == "complete:hello");
  }

  // Whether the body comes is unknown now, so nothing can follow it.
  const auto skipped = client.exchange(post("/skip", kFields, ""));
  CHECK(skipped.body == "skipped");
  CHECK(ends_after(client, skipped));

  Client large(server.port());
  CHECK(large.exchange(post("/2", kFields, "")).body == "too_large:");
}

TEST_CASE("adapter bodies: an unread body is skipped if it is small") {
  Server server(read_and_tell);
  Client client(server.port());
  CHECK(client.exchange(post("/skip", "Content-Length: 60000\r\n", "x")).body == "skipped");
  client.send(std::string(59'999, 'x'));
  CHECK(client.exchange(with_length("/", "next")).body == "complete:next");
  const auto large = client.exchange(post("/skip", "Content-Length: 70000\r\n", ""));
  CHECK(ends_after(client, large));
}

TEST_CASE("adapter bodies: unread chunks are skipped if there are few" *
          not_on_httplib("chunked bodies") * not_on_http2("chunks")) {
  Server server(read_and_tell);
  Client client(server.port());
  CHECK(client.exchange(post("/skip", kChunked, "3\r\nabc\r\n0\r\n\r\n")).body == "skipped");
  CHECK(client.exchange(post("/skip", kChunked, "")).field("connection") == "(none)");
  client.send("20000\r\n");
  CHECK(client.sees_end());
}

TEST_CASE("adapter bodies: a body that does not arrive times out") {
  auto options = test_options();
  options.request_timeout = 50ms;
  Server server(read_and_tell, options);
  // On a busy machine, its first part may be late, too.
  CHECK(eventually([&] {
    Client client(server.port());
    const auto response = client.exchange(post("/", "Content-Length: 5\r\n", "he"));
    CHECK(response.body.starts_with("timed_out:"));
    CHECK(announces_end(response));
    return response.body == "timed_out:he";
  }));
}

TEST_CASE("adapter bodies: a client that disconnects during the body") {
  std::atomic<int> started{0};
  std::atomic<int> disconnected{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    ++started;
    std::string body;
    if (transaction->read_body(100, body) == BodyStatus::disconnected) ++disconnected;
    respond(*transaction, "unheard");
  });
  Client closing(server.port());
  closing.send(post("/", "Content-Length: 5\r\n", "he"));
  CHECK(eventually([&] { return started == 1; }));
  closing.close();
  Client resetting(server.port());
  resetting.send(post("/", "Content-Length: 5\r\n", "he"));
  CHECK(eventually([&] { return started == 2; }));
  resetting.reset();
  CHECK(eventually([&] { return disconnected == 2; }));
}

TEST_CASE("adapter bodies: a reader is notified of a response by another thread") {
  std::promise<std::shared_ptr<Transaction>> started;
  std::atomic<bool> is_disconnected{false};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    started.set_value(transaction);
    std::string body;
    is_disconnected = transaction->read_body(100'000, body) == BodyStatus::disconnected;
    respond(*transaction, "too late");
  });
  Client client(server.port());
  client.send(post("/", "Content-Length: 70000\r\n", "he"));
  const auto transaction = started.get_future().get();
  std::this_thread::sleep_for(10ms);  // for the reader to wait for the rest
  respond(*transaction, "deadline", 504);
  const auto response = client.read_response();
  CHECK(response.status == 504);
  CHECK(ends_after(client, response));
  CHECK(eventually([&] { return is_disconnected.load(); }));
}

TEST_CASE("adapter bodies: body parts are read while they arrive") {
  Server server(read_parts_and_tell);
  Client client(server.port());
  CHECK(client.exchange(with_length("/", "hello world")).body == "complete:hello world");
  CHECK(client.exchange(with_length("/", "")).body == "complete:");
  CHECK(client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "complete:");
  client.send(post("/", "Content-Length: 4\r\nExpect: 100-continue\r\n", ""));
  CHECK(client.read_response().status == 100);
  for (const char byte : {'s', 'l', 'o', 'w'}) client.send({&byte, 1});
  CHECK(client.read_response().body == "complete:slow");
  CHECK(client.exchange(post("/", kChunked, "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")).body ==
        "complete:hello");
}

TEST_CASE("adapter bodies: incomplete bodies read in parts end with an error") {
  Server server(read_parts_and_tell);
  auto options = test_options();
  options.request_timeout = 100ms;
  Server impatient(read_parts_and_tell, options);
  const auto response_of = [](const Server& from, const std::string& request) {
    Client client(from.port());
    const auto response = client.exchange(request);
    CHECK(announces_end(response));
    return response.body;
  };
  const auto body_of = [&](const std::string& request) { return response_of(server, request); };
  CHECK(body_of(post("/4", "Content-Length: 5\r\n", "hello")) == "too_large:");
  CHECK(
      body_of(post("/4", kChunked, "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")).starts_with("too_large:"));
  if (!tests_http2()) {
    CHECK(body_of(post("/", kChunked, "2\r\nheX")).starts_with("malformed:"));
  }
  // On a busy machine, the first part may be late, too.
  CHECK(eventually([&] {
    const auto body = response_of(impatient, post("/", "Content-Length: 5\r\n", "he"));
    CHECK(body.starts_with("timed_out:"));
    return body == "timed_out:he";
  }));
  Client gone(server.port());
  gone.send(post("/", "Content-Length: 5\r\n", "he"));
  gone.end_sending();
  CHECK(gone.read_response().body == "disconnected:he");
}

TEST_CASE("adapter bodies: a large body read in parts needs little memory") {
  auto options = test_options();
  // With HTTP/2, a client may be a window of 512 KB ahead.
  if (!tests_httplib()) options.max_buffered_bytes = (tests_http2() ? 2'048 : 512) * 1024;
  Server server(
      [](const std::shared_ptr<Transaction>& transaction) {
        std::vector<char> buffer(50'000);
        std::size_t size = 0;
        while (const auto part = transaction->read_body_part(20'000'000, buffer, kNever).size) {
          size += part;
        }
        respond(*transaction, std::to_string(size));
      },
      options);
  Client client(server.port());
  const std::string large(10 * 1024 * 1024, 'x');
  CHECK(client.exchange(with_length("/", large)).body == "10485760");
  CHECK(client.exchange(with_length("/", large)).body == "10485760");
}

TEST_CASE("adapter bodies: a reader of parts waits at most its timeout") {
  std::promise<std::pair<BodyStatus, BodyStatus>> statuses;
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    std::array<char, 10> buffer;
    const auto first = transaction->read_body_part(100, buffer, kNever);
    const auto next =
        transaction->read_body_part(100, buffer, std::chrono::steady_clock::now() + 1ms);
    statuses.set_value({first.status, next.status});
    respond(*transaction, "late");
  });
  Client client(server.port());
  CHECK(client.exchange(post("/", "Content-Length: 5\r\n", "he")).body == "late");
  const auto [first, next] = statuses.get_future().get();
  CHECK(first == BodyStatus::complete);
  CHECK(next == BodyStatus::timed_out);
  CHECK(client.sees_end());
}

TEST_CASE("adapter bodies: a response by another thread ends the reading of parts") {
  std::promise<BodyStatus> status;
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    std::array<char, 10> buffer;
    transaction->read_body_part(100, buffer, kNever);
    std::thread([&] { respond(*transaction, "elsewhere"); }).join();
    status.set_value(transaction->read_body_part(100, buffer, kNever).status);
  });
  Client client(server.port());
  CHECK(client.exchange(post("/", "Content-Length: 5\r\n", "he")).body == "elsewhere");
  client.send("llo");
  CHECK(status.get_future().get() == BodyStatus::disconnected);
}

}  // namespace adapter_body_test
