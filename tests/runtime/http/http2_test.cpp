// HTTP/2 of the epoll engine: requests, bodies and flow control, responses, cancellation, the end
// of connections, and floods.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http2_client.hpp"
#include "loopback.hpp"

namespace http2_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

constexpr std::uint32_t kProtocolError = 1;
constexpr std::uint32_t kInternalError = 2;
constexpr std::uint32_t kRefusedStream = 7;
constexpr std::uint32_t kCancel = 8;
constexpr std::uint32_t kEnhanceYourCalm = 11;

AdapterOptions http2_options() {
  AdapterOptions options;
  options.host = "127.0.0.1";
  options.http2.cleartext = true;
  return options;
}

Server serve(TransactionHandler handler, AdapterOptions options = http2_options()) {
  return Server(std::move(handler), std::move(options), make_epoll_adapter());
}

/// Responds with everything that the handler sees.
void tell(const std::shared_ptr<Transaction>& transaction) {
  const RequestHead& head = transaction->head();
  std::string text = std::string(head.method) + " " + head.target + " " +
                     std::string(transaction->http_version()) + "\n";
  for (const auto& [name, value] : head.fields) {
    text += std::string(name) + ": " + std::string(value) + "\n";
  }
  respond(*transaction, text);
}

/// Responds with the size of the body, or the number of its status.
TransactionHandler read_whole(std::uint64_t limit = 1024 * 1024) {
  return [limit](const std::shared_ptr<Transaction>& transaction) {
    std::string body;
    const auto status = transaction->read_body(limit, body);
    if (status == BodyStatus::complete) {
      respond(*transaction, std::to_string(body.size()));
    } else {
      respond(*transaction, "status " + std::to_string(static_cast<int>(status)), 413);
    }
  };
}

/// Responds to a request for /endless with a body that has no end, and otherwise by `other`.
TransactionHandler respond_endlessly(TransactionHandler other) {
  return [other = std::move(other)](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target != "/endless") return other(transaction);
    transaction->respond_stream({}, std::nullopt,
                                [](std::span<char> buffer) {
                                  std::ranges::fill(buffer, 'x');
                                  return buffer.size();
                                },
                                {});
  };
}

std::string many(std::size_t count, const std::string& frame) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += frame;
  return bytes;
}

/// HPACK: a GET for the path "/".
const std::string kRootHead =
    "\x82\x84\x86\x41\x01"
    "a";

}  // namespace

TEST_CASE("http2: a request reaches the handler with its head") {
  auto server = serve(tell);
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
  auto server = serve(tell);
  Client client(server.port());
  CHECK(client.exchange(kGet).body == "GET / 1.1\nHost: a\n");
  CHECK(client.exchange("GET / HTTP/1.0\r\n\r\n").body == "GET / 1.0\n");
}

TEST_CASE("http2: without the option, the preface is a request with an unknown version") {
  auto options = http2_options();
  options.http2.cleartext = false;
  auto server = serve(tell, std::move(options));
  Client client(server.port());
  client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  CHECK(client.read_response().status == 505);
}

TEST_CASE("http2: streams of a connection are handled at the same time") {
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve(blocking_at(gate, blocked));
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
  auto server = serve(blocking_at(gate, blocked));
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

TEST_CASE("http2: HEAD, 204 and 304 have no body") {
  auto server = serve([](const std::shared_ptr<Transaction>& transaction) {
    const auto target = std::string_view(transaction->head().target).substr(1);
    respond(*transaction, "body", target.empty() ? 200 : std::stoi(std::string(target)));
  });
  Http2Client client(server.port());
  const auto head = client.wait(client.begin("HEAD", "/"));
  CHECK(head.body.empty());
  CHECK(head.field("content-length") == "4");
  for (const char* path : {"/204", "/304"}) {
    const auto response = client.exchange(path);
    CHECK(response.is_complete);
    CHECK(response.body.empty());
    CHECK(response.field("content-length") == "(none)");
  }
}

TEST_CASE("http2: fields of HTTP/1.1 connections are not sent") {
  auto server = serve([](const std::shared_ptr<Transaction>& transaction) {
    ResponseHead head;
    head.fields = {
        {"Connection", "close"},          {"Keep-Alive", "timeout=5"},   {"Upgrade", "x"},
        {"Transfer-Encoding", "chunked"}, {"Proxy-Connection", "close"}, {"X-Mixed-Case", "Kept"}};
    transaction->respond(head, "body");
  });
  Http2Client client(server.port());
  const auto response = client.exchange("/");
  CHECK(response.body == "body");
  std::vector<std::string> names;
  for (const auto& field : response.fields) names.emplace_back(field.name);
  CHECK(names == std::vector<std::string>{"x-mixed-case", "date", "content-length"});
}

TEST_CASE("http2: bodies with and without a length, large and small") {
  auto server = serve(read_whole(8 * 1024 * 1024));
  Http2Client client(server.port());
  for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 4'000'000U}) {
    CAPTURE(size);
    for (const bool has_length : {false, true}) {
      Fields fields;
      if (has_length) fields.add("content-length", std::to_string(size));
      const auto stream = client.begin("POST", "/", fields, true);
      client.send_body(stream, std::string(size, 'x'));
      CHECK(client.wait(stream).body == std::to_string(size));
    }
  }
}

TEST_CASE("http2: a body above the limit is rejected, with and without a length") {
  for (const bool is_awaited : {false, true}) {
    CAPTURE(is_awaited);
    auto options = http2_options();
    if (is_awaited) options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
    auto server = serve(read_whole(1'000), std::move(options));
    Http2Client client(server.port());
    for (const bool has_length : {false, true}) {
      Fields fields;
      if (has_length) fields.add("content-length", "100000");
      const auto stream = client.begin("POST", "/", fields, true);
      client.send_body(stream, std::string(100'000, 'x'));
      const auto& response = client.wait(stream);
      CHECK(response.status == 413);
      CHECK(response.body == "status 1");
    }
    CHECK(client.exchange("/").body == "0");  // the connection stays open
  }
}

TEST_CASE("http2: awaited bodies occupy no thread") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 1;
  options.plan = plan_bodies([](const RequestHead&) { return 1'000'000; });
  auto server = serve(read_whole(), std::move(options));
  Http2Client client(server.port());
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 50; ++i) {
    streams.push_back(client.begin("POST", "/", {}, true));
    client.send_body(streams.back(), "half", false);
  }
  CHECK(client.exchange("/").body == "0");
  for (const auto stream : streams) client.send_body(stream, std::string(100'000, 'x'));
  for (const auto stream : streams) CHECK(client.wait(stream).body == "100004");
}

TEST_CASE("http2: a body that is not read stops its client, but no other stream") {
  Gate gate;
  std::atomic<std::size_t> read = 0;
  auto server = serve([&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/") return respond(*transaction, "other");
    gate.wait();
    std::vector<char> buffer(1'000);
    while (true) {
      const auto part = transaction->read_body_part(10'000'000, buffer,
                                                    std::chrono::steady_clock::time_point::max());
      if (part.size == 0) return respond(*transaction, std::to_string(read));
      read += part.size;
    }
  });
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.begin("POST", "/upload", {{"content-length", "3000000"}}, true);
  client.send_body(stream, std::string(3'000'000, 'x'));
  // More than the window of the stream has not been sent, or the connection would be blocked.
  CHECK(client.exchange("/").body == "other");
  CHECK(client.exchange("/").body == "other");
  gate.open();
  CHECK(client.wait(stream).body == "3000000");
}

TEST_CASE("http2: a reader that is always behind its client needs memory for the distance only") {
  constexpr std::size_t kPiece = 16 * 1024;
  constexpr std::size_t kPieces = 400;
  constexpr std::size_t kDistance = 8;
  auto options = http2_options();
  options.max_buffered_bytes = 2 * 1024 * 1024;
  std::atomic<std::size_t> sent{0};
  std::atomic<std::size_t> read{0};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        std::string buffer(kPiece, '\0');
        constexpr std::uint64_t kLimit = 100'000'000;
        constexpr auto kForever = std::chrono::steady_clock::time_point::max();
        while (true) {
          eventually([&] { return sent == kPieces || sent > read / kPiece + kDistance; });
          const auto part = transaction->read_body_part(kLimit, buffer, kForever);
          if (part.size == 0) break;
          read += part.size;
        }
        respond(*transaction, std::to_string(read));
      },
      options);
  Http2Client client(server.port());
  const auto stream = client.begin("POST", "/", {}, true);
  const std::string piece(kPiece, 'x');
  for (std::size_t i = 1; i <= kPieces; ++i) {
    client.send_body(stream, piece, i == kPieces);
    sent = i;
    // The window of a stream is small until the first bytes have been read.
    while (sent > read / kPiece + 2 * kDistance && !client.response(stream).has_head) {
      if (wait_readable(client.fd(), 1ms)) client.receive();
    }
  }
  CHECK(client.wait(stream).body == std::to_string(kPiece * kPieces));
}

TEST_CASE("http2: readers of bodies on all workers do not stop each other") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 1;
  auto server = serve(read_whole(), std::move(options));
  Http2Client client(server.port());
  const auto stream = client.begin("POST", "/", {}, true);
  client.send_body(stream, "first", false);
  std::this_thread::sleep_for(50ms);  // the only worker waits for the body
  client.send_body(stream, "second");
  CHECK(client.wait(stream).body == "11");
}

TEST_CASE("http2: 100 Continue is sent when the body is wanted") {
  for (const bool is_awaited : {false, true}) {
    CAPTURE(is_awaited);
    auto options = http2_options();
    if (is_awaited) options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
    auto server = serve(read_whole(1'000), std::move(options));
    Http2Client client(server.port());
    const auto stream = client.begin("POST", "/", {{"expect", "100-continue"}}, true);
    REQUIRE(client.receive_until([&] { return client.response(stream).has_continue; }));
    client.send_body(stream, "body");
    CHECK(client.wait(stream).body == "4");
    const auto other = client.begin("POST", "/", {{"expect", "coffee"}}, true);
    CHECK(client.wait(other).status == 417);
    const auto large =
        client.begin("POST", "/", {{"expect", "100-continue"}, {"content-length", "5000"}}, true);
    CHECK(client.wait(large).status == 413);
    CHECK_FALSE(client.response(large).has_continue);
  }
}

TEST_CASE("http2: a client may end its sending with the last bytes of a body") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 1;
  options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve(
      [&, read = read_whole()](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/block") return blocking_at(gate, blocked)(transaction);
        read(transaction);
      },
      std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.begin("POST", "/", {}, true);
  client.send_body(stream, "part", false);
  client.send_bytes(Http2Client::frame(6, 0, 0, "12345678"));
  client.receive_until([&] { return client.ping_acks() == 1; });
  // The only thread finds the rest and the end together.
  Client other(server.port());
  other.send(kBlock);
  REQUIRE(eventually([&] { return blocked == 1; }));
  client.send_body(stream, "rest");
  ::shutdown(client.fd(), SHUT_WR);
  gate.open();
  CHECK(client.wait(stream).body == "8");
}

TEST_CASE("http2: a half-closed connection ends after its last response") {
  auto options = http2_options();
  options.keep_alive_timeout = 60s;
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve(blocking_at(gate, blocked), std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.get("/block");
  REQUIRE(eventually([&] { return blocked == 1; }));
  ::shutdown(client.fd(), SHUT_WR);
  gate.open();
  CHECK(client.wait(stream).body == "done");
  CHECK_NOTHROW(client.receive_all());  // nothing arrives while the connection stays open
}

TEST_CASE("http2: a body that does not arrive times out") {
  for (const bool is_awaited : {false, true}) {
    CAPTURE(is_awaited);
    auto options = http2_options();
    options.request_timeout = 100ms;
    if (is_awaited) options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
    auto server = serve(read_whole(1'000), std::move(options));
    Http2Client client(server.port());
    const auto stream = client.begin("POST", "/", {}, true);
    client.send_body(stream, "part", false);
    const std::string timed_out = std::to_string(static_cast<int>(BodyStatus::timed_out));
    CHECK(client.wait(stream).body == "status " + timed_out);
  }
}

TEST_CASE("http2: malformed requests end their streams, not the connection") {
  auto options = http2_options();
  // The handler would respond before the body is complete, if it were not awaited.
  options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
  auto server = serve(tell, std::move(options));
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
  auto server = serve(tell);
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
  auto server = serve(tell);
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

TEST_CASE("http2: streamed responses follow the windows of the client") {
  std::atomic<std::size_t> produced = 0;
  std::atomic<int> ended = 0;
  auto server = serve([&](const std::shared_ptr<Transaction>& transaction) {
    auto produce = [&, left = std::size_t{1'000'000}](std::span<char> buffer) mutable {
      const auto size = std::min(left, buffer.size());
      std::fill_n(buffer.data(), size, 'x');
      left -= size;
      produced += size;
      return size;
    };
    transaction->respond_stream({}, std::nullopt, produce,
                                [&](const std::exception_ptr& error) { ended += error ? 100 : 1; });
  });
  Http2Client client(server.port(), {.reads_automatically = false});
  const auto stream = client.get("/");
  REQUIRE(client.receive_until([&] { return client.response(stream).body.size() == 65'535; }));
  CHECK(produced <= 2 * 65'536);
  CHECK(ended == 0);
  client.enlarge_window(0, 2'000'000);
  client.enlarge_window(stream, 2'000'000);
  CHECK(client.wait(stream).body.size() == 1'000'000);
  CHECK(client.response(stream).is_complete);
  CHECK(eventually([&] { return ended == 1; }));
}

TEST_CASE("http2: a stream that fails resets its stream only") {
  std::atomic<int> errors = 0;
  auto server = serve([&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/") return respond(*transaction, "fine");
    const bool throws = transaction->head().target == "/throws";
    auto produce = [throws, count = 0](std::span<char> buffer) mutable -> std::size_t {
      if (count++ == 0) {
        buffer[0] = 'x';
        return 1;
      }
      if (throws) throw std::runtime_error("the source fails");
      return 0;
    };
    transaction->respond_stream({}, throws ? std::optional<std::uint64_t>() : 10, produce,
                                [&](const std::exception_ptr& error) { errors += error ? 1 : 0; });
  });
  Http2Client client(server.port());
  for (const char* path : {"/throws", "/short"}) {
    const auto stream = client.get(path);
    client.receive_until([&] { return client.response(stream).is_closed; });
    CHECK(client.response(stream).reset == kInternalError);
  }
  CHECK(client.exchange("/").body == "fine");
  CHECK(eventually([&] { return errors == 1; }));
}

TEST_CASE("http2: a canceled request notifies its handler") {
  std::atomic<int> running = 0;
  std::atomic<int> notified = 0;
  Gate gate;
  auto server = serve([&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/") return respond(*transaction, "other");
    transaction->on_disconnect([&] { ++notified; });
    ++running;
    gate.wait();
    respond(*transaction, "too late");
  });
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.get("/canceled");
  REQUIRE(eventually([&] { return running == 1; }));
  client.cancel(stream);
  CHECK(eventually([&] { return notified == 1; }));
  CHECK(client.exchange("/").body == "other");
  const auto lost = client.get("/lost");
  static_cast<void>(lost);
  REQUIRE(eventually([&] { return running == 2; }));
  client.close();  // the whole connection
  CHECK(eventually([&] { return notified == 2; }));
}

TEST_CASE("http2: a stream whose client cancels it is not produced further") {
  std::atomic<int> ended = 0;
  auto server = serve([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->respond_stream(
        {}, std::nullopt, [](std::span<char> buffer) { return buffer.size(); },
        [&](const std::exception_ptr&) { ++ended; });
  });
  Http2Client client(server.port());
  const auto stream = client.get("/");
  REQUIRE(client.receive_until([&] { return client.response(stream).body.size() > 200'000; }));
  client.cancel(stream);
  CHECK(eventually([&] { return ended == 1; }));
}

TEST_CASE("http2: a client that gives no window is reset after the send timeout") {
  auto options = http2_options();
  options.send_timeout = 100ms;
  auto server = serve(
      [](const std::shared_ptr<Transaction>& transaction) {
        respond(*transaction, std::string(200'000, 'x'));
      },
      std::move(options));
  Http2Client client(server.port(), {.reads_automatically = false});
  const auto stream = client.get("/");
  client.receive_until([&] { return client.response(stream).is_closed; });
  CHECK(client.response(stream).reset == kCancel);
  CHECK(client.response(stream).body.size() == 65'535);
}

TEST_CASE("http2: a body times out, although a response is sent again and again") {
  auto options = http2_options();
  options.request_timeout = 200ms;
  options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
  auto server = serve(respond_endlessly(read_whole()), std::move(options));
  Http2Client client(server.port(), {.receive_buffer = 4'096});
  client.get("/endless");
  const auto stream = client.begin("POST", "/", {}, true);
  client.send_body(stream, "part", false);
  const auto until = std::chrono::steady_clock::now() + 10s;
  REQUIRE(client.receive_until([&] {
    return client.response(stream).is_complete || std::chrono::steady_clock::now() > until;
  }));
  const std::string timed_out = std::to_string(static_cast<int>(BodyStatus::timed_out));
  CHECK(client.response(stream).body == "status " + timed_out);
}

TEST_CASE("http2: other threads respond") {
  std::vector<std::thread> threads;
  std::mutex mutex;
  {
    auto server = serve([&](const std::shared_ptr<Transaction>& transaction) {
      const std::lock_guard lock(mutex);
      threads.emplace_back([transaction] { respond(*transaction, "from a thread"); });
      while (!transaction->has_response()) std::this_thread::yield();
    });
    Http2Client client(server.port());
    std::vector<std::int32_t> streams;
    for (int i = 0; i < 50; ++i) streams.push_back(client.get("/"));
    for (const auto stream : streams) CHECK(client.wait(stream).body == "from a thread");
  }
  for (auto& thread : threads) thread.join();
}

TEST_CASE("http2: a handler that sends no response or throws gives an error") {
  auto server = serve([](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/throws") throw std::runtime_error("failed");
  });
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 500);
  CHECK(client.exchange("/throws").status == 500);
}

TEST_CASE("http2: a stop completes requests, and announces its end") {
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve(blocking_at(gate, blocked));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.get("/block");
  REQUIRE(eventually([&] { return blocked == 1; }));
  std::atomic<bool> has_finished = false;
  std::thread stop([&] { has_finished = server.stop(10s); });
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
  auto server = serve(blocking_at(gate, blocked));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);  // now the client has acknowledged the settings
  const auto stream = client.get("/block");
  REQUIRE(eventually([&] { return blocked == 1; }));
  client.hold();
  const auto incomplete = client.get("/");
  std::string head = client.take_held();
  head[4] = 1;  // END_STREAM without END_HEADERS
  client.send_bytes(head);
  client.hold();  // another frame within a head would be an error
  std::atomic<bool> has_finished = false;
  std::thread stop([&] { has_finished = server.stop(60s); });
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
  auto server = serve(echo_target);
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
  CHECK(server.stop(10s));
  for (auto& client : clients) client.join();
  CHECK(lost == 0);
}

TEST_CASE("http2: idle connections are closed with GOAWAY") {
  auto options = http2_options();
  options.keep_alive_timeout = 100ms;
  auto server = serve(tell, std::move(options));
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);
  client.receive_all();
  CHECK(client.goaway().value_or(99) == 0);
  CHECK(client.last_stream() == 1);
}

TEST_CASE("http2: the last allowed request of a connection ends it") {
  auto options = http2_options();
  options.max_requests_per_connection = 2;
  auto server = serve(tell, std::move(options));
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);
  CHECK_FALSE(client.goaway());
  CHECK(client.exchange("/").status == 200);
  client.receive_all();
  CHECK(client.goaway().value_or(99) == 0);
}

TEST_CASE("http2: an incomplete head ends the connection") {
  auto options = http2_options();
  options.headers_timeout = 100ms;
  auto server = serve(tell, std::move(options));
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);  // now the client has acknowledged the settings
  client.send_bytes(Http2Client::frame(1, 1, 3, kRootHead));  // without END_HEADERS
  client.receive_all();
  CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
}

TEST_CASE("http2: an incomplete head ends the connection, although another stream ends") {
  Gate gate;
  std::atomic<int> blocked = 0;
  auto options = http2_options();
  options.headers_timeout = 300ms;
  auto server = serve(blocking_at(gate, blocked), std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);  // now the client has acknowledged the settings
  client.get("/block");
  REQUIRE(eventually([&] { return blocked == 1; }));
  // The acknowledged PING shows that the head has arrived, too.
  client.send_bytes(Http2Client::frame(6, 0, 0, "12345678") +
                    Http2Client::frame(1, 1, 5, kRootHead));  // without END_HEADERS
  client.receive_until([&] { return client.ping_acks() == 1; });
  gate.open();
  client.receive_all();
  CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
}

TEST_CASE("http2: requests wait for a thread at most the queue timeout") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 4;
  options.queue_timeout = 200ms;
  std::atomic<std::size_t> late = 0;
  options.report_late = [&](std::size_t count) { late += count; };
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve(blocking_at(gate, blocked), std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 2; ++i) streams.push_back(client.get("/block"));
  REQUIRE(eventually([&] { return blocked == 2; }));
  const auto wait = [&] {
    const auto waiting = client.get("/");
    CHECK(client.wait(waiting).status == 503);
    CHECK(client.response(waiting).field("retry-after") == "1");
  };
  wait();  // because the connection occupies as many threads as it may
  Http2Client other(server.port());
  for (int i = 0; i < 2; ++i) other.get("/block");
  REQUIRE(eventually([&] { return blocked == 4; }));
  wait();  // because there is no thread
  gate.open();
  for (const auto stream : streams) CHECK(client.wait(stream).body == "done");
  CHECK(client.exchange("/").body == "done");
  CHECK(eventually([&] { return late == 2; }));
}

TEST_CASE("http2: a connection leaves threads to others") {
  auto options = http2_options();
  options.min_workers = options.max_workers = 4;
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve(blocking_at(gate, blocked), std::move(options));
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

TEST_CASE("http2: streams above the limit are refused") {
  auto options = http2_options();
  options.http2.max_concurrent_streams = 4;
  Gate gate;
  std::atomic<int> blocked = 0;
  auto server = serve(blocking_at(gate, blocked), std::move(options));
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  CHECK(client.exchange("/").body == "done");
  // Canceled requests are still handled, and count until their handlers return.
  for (int i = 0; i < 8; ++i) {
    const auto stream = client.get("/block");
    REQUIRE(eventually([&] { return blocked == i + 1; }));
    client.cancel(stream);
  }
  auto refused = client.get("/");
  client.receive_until([&] { return client.response(refused).is_closed; });
  CHECK(client.response(refused).reset == kRefusedStream);
  gate.open();
  REQUIRE(eventually([&] {
    const auto stream = client.get("/");
    const bool is_served = client.wait(stream).body == "done";
    if (!is_served) refused = stream;
    return is_served;
  }));
  // Trailers that the client has sent before it learned of the reset are no error.
  client.send_bytes(
      Http2Client::frame(1, 5, static_cast<std::uint32_t>(refused), std::string("\0\1x\1y", 5)) +
      Http2Client::frame(6, 0, 0, "12345678"));
  CHECK(client.receive_until([&] { return client.ping_acks() == 1; }));
  CHECK_FALSE(client.goaway());
}

TEST_CASE("http2: floods end the connection, and are counted") {
  struct Flood {
    std::string name;
    std::string bytes;
  };
  std::string resets;
  for (std::uint32_t id = 3; id < 2 * 2'000; id += 2) {
    resets += Http2Client::frame(1, 5, id, kRootHead);
    resets += Http2Client::frame(3, 0, id, std::string("\0\0\0\x08", 4));
  }
  const std::vector<Flood> floods = {
      {"reset", resets},
      {"ping", many(30'000, Http2Client::frame(6, 0, 0, "12345678"))},
      {"settings", many(30'000, Http2Client::frame(4, 0, 0))},
      {"priority", many(30'000, Http2Client::frame(2, 0, 3, std::string("\0\0\0\0\x10", 5)))},
      {"window update", many(30'000, Http2Client::frame(8, 0, 0, std::string("\0\0\0\x01", 4)))},
      {"window update of a closed stream",
       many(30'000, Http2Client::frame(8, 0, 1, std::string("\0\0\0\x01", 4)))},
      {"reset of a closed stream",
       many(30'000, Http2Client::frame(3, 0, 1, std::string("\0\0\0\x08", 4)))},
      {"priority update",
       many(30'000, Http2Client::frame(16, 0, 0, std::string("\0\0\0\x03u=1", 7)))},
      {"altsvc", many(30'000, Http2Client::frame(10, 0, 0, std::string("\0\0", 2)))},
      {"unknown type", many(30'000, Http2Client::frame(0xEE, 0, 0))},
      {"empty data",
       Http2Client::frame(1, 4, 3, kRootHead) + many(30'000, Http2Client::frame(0, 0, 3))},
      {"continuation", Http2Client::frame(1, 1, 3, kRootHead) +
                           many(1'000, Http2Client::frame(9, 0, 3, "\x40\x01x\x01y"))},
  };
  for (const Flood& flood : floods) {
    CAPTURE(flood.name);
    std::atomic<std::size_t> counted = 0;
    auto options = http2_options();
    options.report_floods = [&](std::size_t count) { counted += count; };
    auto server = serve(echo_target, std::move(options));
    Http2Client client(server.port());
    CHECK(client.exchange("/").status == 200);  // now it has acknowledged the settings
    client.hold();  // its library would end the connection because of streams that it does not know
    std::thread sender([&] { client.send_bytes(flood.bytes); });
    try {
      client.receive_all();
    } catch (const std::runtime_error&) {
      FAIL_CHECK("the connection stays open");
    }
    ::shutdown(client.fd(), SHUT_RDWR);
    sender.join();
    CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
    CHECK(eventually([&] { return counted == 1; }));
    Http2Client other(server.port());
    CHECK(other.exchange("/").status == 200);
  }
}

TEST_CASE("http2: too many malformed requests end the connection") {
  auto server = serve(echo_target);
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 200);
  client.hold();
  std::uint32_t id = 3;
  for (std::size_t round = 1; round < 100 && !client.goaway(); ++round) {
    for (int i = 0; i < 50; ++i, id += 2) {
      client.send_bytes(Http2Client::frame(1, 5, id, "\x82"));  // no path
    }
    client.send_bytes(Http2Client::frame(6, 0, 0, "12345678"));
    client.receive_until([&] { return client.ping_acks() == round || client.goaway(); });
  }
  CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
}

TEST_CASE("http2: a head that expands to much more takes no memory, and ends the connection") {
  auto server = serve(tell);
  // The field enters the table, and is then repeated by one byte each.
  const auto head_of = [](std::size_t count) {
    Fields fields;
    const std::string value(3'000, 'y');
    for (std::size_t i = 0; i < count; ++i) fields.add("x", value);
    return fields;
  };
  Http2Client client(server.port());
  CHECK(client.wait(client.begin("GET", "/", head_of(20))).status == 431);
  CHECK(client.exchange("/").status == 200);
  client.begin("GET", "/", head_of(30));
  client.receive_all();
  CHECK(client.goaway().value_or(0) == kEnhanceYourCalm);
  Http2Client other(server.port());
  const auto stream = other.begin("POST", "/", {}, true);
  other.send_trailers(stream, head_of(30));
  other.receive_all();
  CHECK(other.goaway().value_or(0) == kEnhanceYourCalm);
}

TEST_CASE("http2: the heads of requests that wait count as buffered memory") {
  auto options = http2_options();
  options.max_buffered_bytes = 256 * 1024;
  options.plan = plan_bodies([](const RequestHead&) { return 1'000; });
  auto server = serve(read_whole(), std::move(options));
  Http2Client client(server.port());
  Fields fields;
  for (int i = 0; i < 4; ++i) fields.add("x", std::string(3'000, 'y'));
  std::vector<std::int32_t> streams;
  for (int i = 0; i < 40; ++i) streams.push_back(client.begin("POST", "/", fields, true));
  CHECK(client.wait(streams.back()).status == 503);
  // The others are shed, because most of the memory is in use.
  for (const auto stream : streams) CHECK(client.wait(stream).status == 503);
  const auto other = client.begin("POST", "/", fields, true);
  client.send_body(other, "body");
  CHECK(client.wait(other).body == "4");
}

TEST_CASE("http2: many clients with many streams") {
  auto server = serve([](const std::shared_ptr<Transaction>& transaction) {
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

}  // namespace http2_test
