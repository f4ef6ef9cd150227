// Requests of HTTP/2 in the epoll engine: heads, streams in parallel, and threads.
#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "http2_server.hpp"

namespace http2_requests_test {

using namespace fw::http;
using namespace fw::http::test;

TEST_CASE("http2: a request reaches the handler with its head") {
  auto server = serve_http2(tell);
  Http2Client client(server.port());
  const auto response = client.wait(client.begin(
      "GET", "/path?query", {{"x-one", "1"}, {"cookie", "a=1"}, {"cookie", "b=2"}, {"x-two", ""}}));
  CHECK(response.status == 200);
  CHECK(response.body == "GET /path?query 2\nhost: a\nx-one: 1\nx-two: \ncookie: a=1; b=2\n");
  CHECK(response.field("content-length") == std::to_string(response.body.size()));
  CHECK(response.field("content-type") == "text/plain");
  CHECK(response.field("date") != "(none)");
  CHECK(client.max_concurrent_streams() == 128);
}

TEST_CASE("http2: a port for HTTP/2 serves HTTP/1.1, too") {
  auto server = serve_http2(tell);
  Client client(server.port());
  CHECK(client.exchange(kGet).body == "GET / 1.1\nHost: a\n");
  CHECK(client.exchange("GET / HTTP/1.0\r\n\r\n").body == "GET / 1.0\n");
}

TEST_CASE("http2: without the option, the preface is a request with an unknown version") {
  auto options = http2_options();
  options.http2.cleartext = false;
  auto server = serve_http2(tell, std::move(options));
  Client client(server.port());
  client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  CHECK(client.read_response().status == 505);
}

TEST_CASE("http2: streams of a connection are handled at the same time") {
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve_http2(blocking_at(gate, blocked));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto first = client.get("/block");
  const auto second = client.get("/block");
  CHECK(eventually([&] { return blocked == 2; }));
  CHECK(client.exchange("/").body == "done");  // although the others are blocked
  gate.open();
  CHECK(client.wait(first).body == "done");
  CHECK(client.wait(second).body == "done");
}

TEST_CASE("http2: a fast response is not delayed by the next request, which blocks") {
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve_http2(blocking_at(gate, blocked));
  const OpensAtEnd opens(gate);
  for (int i = 0; i < 20; ++i) {
    Http2Client client(server.port());
    // In one piece, so that one worker receives both.
    client.hold();
    const auto fast = client.get("/");
    client.get("/block");
    client.send_held();
    CHECK(client.wait(fast).body == "done");
  }
}

TEST_CASE("http2: malformed requests end their streams, not the connection") {
  auto options = http2_options();
  // The handler would respond before the body is complete, if it were not awaited.
  options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
  auto server = serve_http2(tell, std::move(options));
  Http2Client client(server.port());
  const auto reset_of = [&](const Fields& fields) {
    const auto stream = client.begin("GET", "/", fields);
    client.receive_until([&] { return client.response(stream).is_closed; });
    return client.response(stream).reset.value_or(0);
  };
  CHECK(reset_of({{"connection", "close"}}) == kProtocolError);
  CHECK(reset_of({{"transfer-encoding", "chunked"}}) == kProtocolError);
  CHECK(reset_of({{"te", "gzip"}}) == kProtocolError);
  CHECK(reset_of({{":unknown", "x"}}) == kProtocolError);
  CHECK(reset_of({{"x", "a\nb"}}) == kProtocolError);
  CHECK(reset_of({{"content-length", "5"}}) == kProtocolError);
  CHECK(reset_of({{"content-length", "1"}, {"content-length", "1"}}) == kProtocolError);
  const auto short_body = client.begin("POST", "/", {{"content-length", "5"}}, true);
  client.send_body(short_body, "four");
  client.receive_until([&] { return client.response(short_body).is_closed; });
  CHECK(client.response(short_body).reset == kProtocolError);
  CHECK(client.exchange("/").status == 200);
}

TEST_CASE("http2: heads are limited in size and number of fields") {
  auto server = serve_http2(tell);
  Http2Client client(server.port());
  Fields many_fields;
  for (int i = 0; i < 101; ++i) many_fields.add("x", "y");
  CHECK(client.wait(client.begin("GET", "/", many_fields)).status == 431);
  CHECK(client.wait(client.begin("GET", "/", {{"x", std::string(17'000, 'y')}})).status == 431);
  CHECK(client.exchange("/" + std::string(17'000, 'y')).status == 431);
  Fields crumbs;
  for (int i = 0; i < 150; ++i) crumbs.add("cookie", "a=b");
  CHECK(client.wait(client.begin("GET", "/", crumbs)).status == 200);
  CHECK(client.wait(client.begin("BREW", "/")).status == 501);
  CHECK(client.wait(client.begin("GET", "/", {{":authority", "user@a"}})).status == 400);
  CHECK(client.wait(client.begin("GET", "/", {{"host", "b"}})).status == 400);
  CHECK(client.wait(client.begin("GET", "/", {{"host", "a"}})).status == 200);
}

TEST_CASE("http2: a path is no address of another host") {
  auto server = serve_http2(tell);
  Http2Client client(server.port());
  const auto status_of = [&](std::string_view method, std::string_view path,
                             std::string_view scheme) {
    Fields fields;
    fields.add(":scheme", scheme);
    return client.wait(client.begin(method, path, fields)).status;
  };
  CHECK(status_of("GET", "/", "https") == 200);
  CHECK(status_of("GET", "/", "HTTP") == 200);
  CHECK(status_of("GET", "/", "ftp") == 400);
  CHECK(status_of("GET", "http://b/", "ftp") == 400);
  CHECK(status_of("GET", "http://b/", "x") == 400);
  CHECK(status_of("OPTIONS", "*", "http") == 200);
}

TEST_CASE("http2: requests wait for a thread at most the queue timeout") {
  // On a busy machine, requests for which there is a thread may be late, too.
  CHECK(eventually([] {
    auto options = http2_options();
    options.min_workers = options.max_workers = 4;
    options.queue_timeout = 500ms;
    std::atomic<std::size_t> late = 0;
    options.report_late = [&](std::size_t count) { late += count; };
    Gate gate;
    std::atomic<int> blocked = 0;
    auto server = serve_http2(blocking_at(gate, blocked), std::move(options));
    const OpensAtEnd opens(gate);
    const auto are_blocked = [&](int count, std::size_t rejected) {
      REQUIRE(eventually([&] { return blocked == count || late > rejected; }));
      return blocked == count;
    };
    Http2Client client(server.port());
    std::vector<std::int32_t> streams;
    for (int i = 0; i < 2; ++i) streams.push_back(client.get("/block"));
    if (!are_blocked(2, 0)) return false;
    const auto wait = [&] {
      const auto waiting = client.get("/");
      CHECK(client.wait(waiting).status == 503);
      CHECK(client.response(waiting).field("retry-after") == "1");
    };
    wait();  // because the connection occupies as many threads as it may
    Http2Client other(server.port());
    for (int i = 0; i < 2; ++i) other.get("/block");
    if (!are_blocked(4, 1)) return false;
    wait();  // because there is no thread
    gate.open();
    for (const auto stream : streams) CHECK(client.wait(stream).body == "done");
    if (client.exchange("/").body != "done") return false;
    CHECK(eventually([&] { return late == 2; }));
    return true;
  }));
}

TEST_CASE("http2: a request says how long it has waited for a thread") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 4;
  options.queue_timeout = 10min;
  std::atomic<bool> has_arrived = false;
  options.prepares_requests = true;
  options.plan = [&](const RequestHead& head) {
    if (head.target == "/waits") has_arrived = true;
    return nullptr;
  };
  std::atomic<std::int64_t> waited = -1;
  Gate gate;
  std::atomic<int> blocked = 0;
  const auto block = blocking_at(gate, blocked);
  auto server = serve_http2(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/waits") waited = transaction->queued_for().count();
        block(transaction);
      },
      std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 2; ++i) streams.push_back(client.get("/block"));
  CHECK(eventually([&] { return blocked == 2; }));
  const auto waiting = client.get("/waits");  // the connection has as many threads as it may
  CHECK(eventually([&] { return has_arrived.load(); }));
  client.send_bytes(Http2Client::frame(6, 0, 0, "12345678"));  // it is responded to after the head
  CHECK(client.receive_until([&] { return client.ping_acks() == 1; }));
  std::this_thread::sleep_for(20ms);  // more than the clock of waits takes to move
  gate.open();
  CHECK(client.wait(waiting).body == "done");
  CHECK(waited > 0);
  for (const auto stream : streams) client.wait(stream);
}

TEST_CASE("http2: a connection leaves threads to others") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 4;
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve_http2(blocking_at(gate, blocked), std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 8; ++i) streams.push_back(client.get("/block"));
  REQUIRE(eventually([&] { return blocked == 2; }));
  for (int i = 0; i < 3; ++i) {
    Client other(server.port());
    CHECK(other.exchange(kGet).body == "done");
  }
  CHECK(blocked == 2);
  gate.open();
  for (const auto stream : streams) CHECK(client.wait(stream).body == "done");
}

TEST_CASE("http2: many clients with many streams") {
  auto server = serve_http2([](const std::shared_ptr<Transaction>& transaction) {
    std::string body;
    transaction->read_body(100'000, body);
    if (body.size() % 2 == 0) return respond(*transaction, body);
    auto left = std::make_shared<std::string>(body);
    transaction->respond_stream({}, std::nullopt,
                                [left](std::span<char> buffer) {
                                  const auto size = left->copy(buffer.data(), buffer.size());
                                  left->erase(0, size);
                                  return size;
                                },
                                {});
  });
  std::vector<std::thread> clients;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      Http2Client client(server.port());
      for (int round = 0; round < 10; ++round) {
        std::map<std::int32_t, std::string> sent;
        for (std::size_t n = 0; n < 20; ++n) {
          const auto stream = client.begin("POST", "/", {}, true);
          sent[stream] = std::string(n * 997, static_cast<char>('a' + i));
          client.send_body(stream, sent[stream]);
          if (n % 7 == 6) client.cancel(stream);
        }
        for (const auto& [stream, body] : sent) {
          const auto& response = client.wait(stream);
          if (!response.reset && response.is_complete && response.body != body) ++wrong;
        }
      }
    });
  }
  for (auto& client : clients) client.join();
  CHECK(wrong == 0);
}

}  // namespace http2_requests_test
