// Bodies that an upstream has not sent completely when the proxy, or a handler with the response of
// a call, has responded: they need no thread, and the client can rely on what it gets.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "client/transfer.hpp"
#include "compression/coding.hpp"
#include "compression/decoder.hpp"
#include "http/http2_client.hpp"
#include "http/loopback.hpp"
#include "support/scripted_upstream.hpp"
#include "support/table_builder.hpp"

namespace proxied_bodies_test {

using namespace std::chrono_literals;
using fw::http::test::Client;
using fw::http::test::eventually;
using fw::http::test::Gate;
using fw::http::test::OpensAtEnd;
using fw::support::ArrivingRequest;
using fw::support::RecordingSink;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::TableBuilder;

namespace {

/// Only the limits that a test sets end anything, on a busy machine, too.
fw::Config proxy_config() {
  constexpr int kLong = 600'000;
  fw::Config config = fw::testing::TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  config.server.send_timeout = kLong;
  config.server.queue_timeout = 60'000;
  config.fetch.idle_timeout = kLong;
  return config;
}

/// For a limit that must not end what comes before the subject of a test: tries it with a longer
/// limit while it returns false.
void with_limit(const std::function<bool(int milliseconds)>& is_tested) {
  for (const int limit : {300, 3'000, 30'000}) {
    if (is_tested(limit)) return;
  }
  FAIL("the upstream has not responded within 30 s");
}

/// An application that listens on a port: `/other` responds itself, what is below `/up` is passed
/// on by the proxy, and what is below `/called` by a handler that calls the upstream.
class Gateway {
 public:
  explicit Gateway(ScriptedUpstream::Script script, fw::Config config = proxy_config(),
                   fw::FetchProxyOptions options = {},
                   const std::function<void(fw::App&)>& set_up = {})
      : upstream(std::move(script)), app(std::move(config)) {
    table_.routes([this, options](fw::Router& router) {
      const auto forward = [this, options](fw::Request& req, fw::Response& res) {
        fw::FetchProxyOptions own = options;
        if (!own.timeout) own.timeout = 600'000;
        own.url = upstream.url(fw::url_subpath(req.param("*").value_or("")));
        app.fetch.proxy(req, res, own);
      };
      const fw::RouteOptions streamed{.body_parser = {.max_body_size = "64mb", .stream = true}};
      router.get("/up/*", forward);
      router.post("/up/*", streamed, forward);
      router.post("/called/*", streamed, [this](fw::Request& req, fw::Response& res) {
        res.stream(app.fetch(upstream.url(),
                             {.method = "POST", .body = req.body_stream(), .timeout = 600'000})
                       .body());
      });
      router.get("/called/*", [this](fw::Request& req, fw::Response& res) {
        const std::string path = "/" + std::string(req.param("*").value_or(""));
        res.stream(
            app.fetch.get(upstream.url(path), {.timeout = 600'000, .signal = req.signal()}).body());
      });
      router.get("/other", [](fw::Request&, fw::Response& res) { res.text("other"); });
    });
    app.set_logger(fw::Logger(sink));
    if (set_up) set_up(app);
    app.mount(table_.table());
    app.start();
  }

  std::uint16_t port() const { return static_cast<std::uint16_t>(app.port()); }
  bool logs(std::string_view beginning) const {
    const auto messages = sink->messages();
    return std::ranges::any_of(
        messages, [&](const std::string& message) { return message.starts_with(beginning); });
  }

  ScriptedUpstream upstream;
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();

 private:
  TableBuilder table_;

 public:
  fw::App app;  // last, because it refers to the others
};

std::string get(std::string_view path, std::string_view fields = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

bool sees(Client& client, std::string_view text) {
  while (client.input().find(text) == std::string::npos) {
    if (!client.receive_more()) return false;
  }
  return true;
}

/// Bytes whose order can be checked.
std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>('a' + i * 7 % 23 + i / 4096 % 3);
  return bytes;
}

constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Sends "half", and the rest when the gate opens.
ScriptedUpstream::Script held(Gate& gate) {
  return [&gate](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) {
      connection.send(std::string(kChunked) + "4\r\nhalf\r\n");
      gate.wait();
      if (!connection.send("4\r\nrest\r\n0\r\n\r\n")) return;
    }
  };
}

/// Sends "half", and counts the connections that the gateway has closed then.
ScriptedUpstream::Script half(std::atomic<int>& ended) {
  return [&ended](ScriptedConnection& connection) {
    if (connection.read_request().empty()) return;
    connection.send(std::string(kChunked) + "4\r\nhalf\r\n");
    connection.wait_for_end();
    ++ended;
  };
}

/// Sends without an end, except for "/small", and counts the bytes.
ScriptedUpstream::Script endless(std::atomic<std::size_t>& sent, std::atomic<int>& ended) {
  return [&](ScriptedConnection& connection) {
    std::string request = connection.read_request();
    for (; request.starts_with("GET /small "); request = connection.read_request()) {
      connection.respond(200, "small");
    }
    if (request.empty()) return;
    connection.send(kChunked);
    const std::string part(16 * 1024, 'x');
    while (connection.send("4000\r\n" + part + "\r\n")) sent += part.size();
    ++ended;
  };
}

/// What the chunks contain that have arrived, decompressed.
std::string unzipped(std::string_view input) {
  const auto head_end = input.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return {};
  input.remove_prefix(head_end + 4);
  std::string zipped;
  for (auto line_end = input.find("\r\n"); line_end != std::string_view::npos;
       line_end = input.find("\r\n")) {
    const auto size = std::stoul(std::string(input.substr(0, line_end)), nullptr, 16);
    zipped += input.substr(line_end + 2, size);
    input.remove_prefix(std::min(line_end + 2 + size + 2, input.size()));
  }
  std::string content;
  const auto decoder = fw::compression::make_decoder("gzip");
  std::string_view rest = zipped;
  for (std::size_t before = 1; before != content.size() || !rest.empty();) {
    before = content.size();
    if (decoder->read(rest, content) != fw::compression::Decoder::Status::need_more) break;
  }
  return content;
}

}  // namespace

TEST_CASE("proxied bodies: a transfer wakes its reader once after it has had nothing") {
  using fw::client::Transfer;
  struct Waker final : fw::http::BodyWaker {
    void wake() noexcept override { ++count; }
    std::atomic<int> count{0};
  };
  const auto waker = std::make_shared<Waker>();
  const auto transfer = std::make_shared<Transfer>(
      fw::client::OutboundRequest{.method = "GET", .url = fw::client::parse_url("http://a/")});
  transfer->watch(waker, std::make_shared<fw::http::BufferBudget>(100));
  const auto read = [&](std::size_t most = 100) {
    std::string buffer(most, '\0');
    std::size_t count = 0;
    switch (transfer->try_read(buffer, count)) {
      case Transfer::Outcome::ready:
        return buffer.substr(0, count);
      case Transfer::Outcome::later:
        return std::string("(later)");
      case Transfer::Outcome::end:
        return std::string("(end)");
      case Transfer::Outcome::failed:
        return transfer->failure().message;
      default:
        return std::string("(aborted)");
    }
  };
  const auto put = [&](const std::string& bytes) {
    const bool is_taken = transfer->put_body(bytes) == Transfer::Put::taken;
    transfer->notify();
    return is_taken;
  };
  transfer->put_head(200, {});
  CHECK(put("early"));
  CHECK(waker->count == 0);
  CHECK(transfer->counted() == 5);
  CHECK(read(2) == "ea");
  CHECK(read() == "rly");
  CHECK(transfer->counted() == 0);
  CHECK(read() == "(later)");
  CHECK(read() == "(later)");
  CHECK(put("one"));
  CHECK(put("two"));
  CHECK(waker->count == 1);
  CHECK(read() == "onetwo");
  CHECK(read() == "(later)");
  SUBCASE("the end") {
    transfer->finish(std::nullopt);
    transfer->notify();
    CHECK(waker->count == 2);
    CHECK(read() == "(end)");
  }
  SUBCASE("more than half of the memory") {
    CHECK(put(std::string(40, 'x')));
    CHECK(put(std::string(20, 'y')));
    CHECK(transfer->put_body("z") == Transfer::Put::full);
    CHECK(read() == std::string(40, 'x') + std::string(20, 'y'));
    CHECK(transfer->put_body("z") == Transfer::Put::taken);
    CHECK(read() == "z");
  }
  SUBCASE("more than there is memory for") {
    CHECK(put("before"));
    CHECK(waker->count == 2);
    CHECK_FALSE(put(std::string(95, 'x')));
    CHECK(read() == "before");
    CHECK(read() == "the server is out of buffer memory");
  }
  SUBCASE("abort") {
    transfer->abort();
    CHECK(waker->count == 2);
    CHECK(read() == "(aborted)");
  }
  SUBCASE("abandon") {
    CHECK(put("before"));
    transfer->abandon();
    CHECK(waker->count == 2);
    CHECK(transfer->counted() == 0);
    CHECK(read() == "(aborted)");
  }
  transfer->close();
}

TEST_CASE("proxied bodies: 40 held ones leave the threads to other requests") {
  Gate gate;
  fw::Config config = proxy_config();
  config.server.min_workers = 2;
  config.server.max_workers = 4;
  config.server.http2.cleartext = true;
  const Gateway gateway(held(gate), config);
  const OpensAtEnd opener(gate);
  const auto is_served = [&] {
    return Client(gateway.port()).exchange(get("/other")).body == "other";
  };
  SUBCASE("of HTTP/1.1") {
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 40; ++i) {
      clients.push_back(std::make_unique<Client>(gateway.port()));
      clients.back()->send(get(i % 2 == 0 ? "/up/x" : "/called/x"));
      REQUIRE(sees(*clients.back(), "half"));
    }
    CHECK(is_served());
    gate.open();
    for (const auto& client : clients) {
      const auto response = client->read_response();
      CHECK(response.is_complete);
      CHECK(response.body == "halfrest");
      CHECK(client->exchange(get("/other")).body == "other");
    }
  }
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
  SUBCASE("of two connections of HTTP/2") {
    using fw::http::test::Http2Client;
    Http2Client first(gateway.port());
    Http2Client second(gateway.port());
    std::vector<std::pair<Http2Client*, std::int32_t>> streams;
    for (int i = 0; i < 40; ++i) {
      Http2Client* const client = i % 2 == 0 ? &first : &second;
      const auto stream = client->get(i % 4 < 2 ? "/up/x" : "/called/x");
      streams.emplace_back(client, stream);
      REQUIRE(client->receive_until([&] { return client->response(stream).body == "half"; }));
    }
    CHECK(is_served());
    CHECK(first.exchange("/other").body == "other");
    gate.open();
    for (const auto& [client, stream] : streams) {
      const auto& response = client->wait(stream);
      CHECK(response.is_complete);
      CHECK(response.body == "halfrest");
    }
  }
#endif
}

TEST_CASE("proxied bodies: all bytes arrive in order, with the length of the upstream") {
  // More than any buffer on the way.
  const std::string body = pattern(std::size_t{3} * 1024 * 1024 + 17);
  const auto script = [&](ScriptedConnection& connection) {
    for (auto request = connection.read_request(); !request.empty();
         request = connection.read_request()) {
      const bool is_chunked = request.starts_with("GET /chunked");
      connection.send(is_chunked ? std::string(kChunked)
                                 : "HTTP/1.1 200 OK\r\nContent-Length: " +
                                       std::to_string(body.size()) + "\r\n\r\n");
      for (std::size_t at = 0; at < body.size(); at += 100'000) {
        const std::string part = body.substr(at, 100'000);
        if (!is_chunked) {
          connection.send(part);
          continue;
        }
        connection.send(fmt::format("{:x}\r\n{}\r\n", part.size(), part));
      }
      if (is_chunked) connection.send("0\r\n\r\n");
    }
  };
  fw::Config config = proxy_config();
  config.server.http2.cleartext = true;
  SUBCASE("from the default engine") {}
  SUBCASE("from httplib") {
    const fw::ServerConfig defaults;
    config.server.engine = fw::HttpEngine::httplib;
    config.server.http2 = defaults.http2;
    config.server.queue_timeout = defaults.queue_timeout;
  }
  const Gateway gateway(script, config);
  const auto check = [&](const fw::http::test::ReceivedResponse& response, bool has_length) {
    CHECK(response.is_complete);
    CHECK((response.body == body));
    CHECK(response.field("content-length") ==
          (has_length ? std::to_string(body.size()) : "(none)"));
  };
  Client client(gateway.port(), 16 * 1024);
  check(client.exchange(get("/up/length")), true);
  check(client.exchange(get("/up/chunked")), false);
  check(client.exchange(get("/called/length")), true);
  check(client.exchange(get("/called/chunked")), false);
  const auto old = client.exchange("GET /up/length HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  check(old, true);
  CHECK(client.exchange(get("/other")).body == "other");
  check(Client(gateway.port()).exchange("GET /up/chunked HTTP/1.0\r\n\r\n"), false);
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
  if (config.server.http2.cleartext) {
    fw::http::test::Http2Client http2(gateway.port());
    check(http2.exchange("/up/length"), true);
    check(http2.exchange("/up/chunked"), false);
    check(http2.exchange("/called/length"), true);
    check(http2.exchange("/called/chunked"), false);
  }
#endif
}

/// Sends each part of a request's body back as it arrives.
void echo(ScriptedConnection& connection) {
  ArrivingRequest request(connection);
  if (!request.has_head()) return;
  connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n" +
                  (request.is_chunked() ? std::string("Transfer-Encoding: chunked")
                                        : fmt::format("Content-Length: {}", request.length())) +
                  "\r\n\r\n");
  while (connection.send(request.part()) && !request.is_complete() && request.read()) {
  }
}

TEST_CASE("proxied bodies: an upstream that responds before it has the request gets all of it") {
  Gateway gateway(echo);
  std::string path;
  SUBCASE("through the proxy") { path = "/up/"; }
  SUBCASE("through a handler") { path = "/called/"; }
  const auto post = [&](const std::string& body) {
    Client client(gateway.port());
    const std::string request = fmt::format(
        "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: "
        "{}\r\nConnection: close\r\n\r\n",
        path, body.size());
    const std::jthread sender([&] { client.send(request + body); });
    return client.read_response();
  };
  for (const std::size_t size : {std::size_t{100}, std::size_t{100'000}, std::size_t{900'000}}) {
    CAPTURE(size);
    const std::string body = pattern(size);
    const auto response = post(body);
    CHECK(response.status == 200);
    CHECK(response.is_complete);
    CHECK((response.body == body));
  }
  // More than is kept meanwhile.
  const auto response = post(pattern(std::size_t{32} * 1024 * 1024));
  CHECK(response.status == (path == "/up/" ? 502 : 500));
}

#if FAIRWAY_EPOLL
TEST_CASE("proxied bodies: what arrives before the upstream has the request counts as memory") {
  fw::Config config = proxy_config();
  config.server.max_buffered_bytes = "700kb";
  fw::support::Shared<std::string> failure;
  Gateway gateway(echo, config, {}, [&](fw::App& app) {
    app.hooks().on<fw::hooks::ProxyFailed>([&](const fw::hooks::ProxyFailed& event) {
      try {
        std::rethrow_exception(event.error);
      } catch (const std::exception& error) {
        failure.set(error.what());
      }
    });
  });
  std::string path;
  SUBCASE("through the proxy") { path = "/up/"; }
  SUBCASE("through a handler") { path = "/called/"; }
  {
    Client client(gateway.port());
    constexpr std::size_t kSize = std::size_t{32} * 1024 * 1024;
    const std::jthread sender([&] {
      client.send(fmt::format("POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n"
                              "Content-Length: {}\r\nConnection: close\r\n\r\n",
                              path, kSize) +
                  pattern(kSize));
    });
    CHECK(client.read_response().status >= 500);
  }
  CHECK(eventually([&] {
    std::string messages = failure.get();
    for (const std::string& message : gateway.sink->messages()) messages += message;
    return messages.find("the server is out of buffer memory") != std::string::npos;
  }));
  // It is freed.
  const std::string body(300'000, 'x');
  CHECK(eventually([&] {
    return Client(gateway.port())
               .exchange(get("/other", fmt::format("Content-Length: {}\r\n", body.size())) + body)
               .status == 200;
  }));
}
#endif

TEST_CASE("proxied bodies: an upstream that stops to read the request is ended by idleTimeout") {
  Gate gate;
  fw::Config config = proxy_config();
  config.fetch.idle_timeout = 300;
  Gateway gateway(
      [&](ScriptedConnection& connection) {
        connection.read_some();
        connection.send(kChunked);
        gate.wait();
      },
      config);
  const OpensAtEnd opens(gate);
  Client client(gateway.port());
  constexpr std::size_t kSize = std::size_t{16} * 1024 * 1024;
  const std::jthread sender([&] {
    client.send(fmt::format("POST /called/ HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n"
                            "Content-Length: {}\r\nConnection: close\r\n\r\n",
                            kSize) +
                pattern(kSize));
  });
  CHECK(client.read_response().status >= 500);
}

TEST_CASE("proxied bodies: what an upstream breaks off is never complete") {
  Gate gate;
  const auto script = [&](ScriptedConnection& connection) {
    const std::string request = connection.read_request();
    const bool has_length = request.starts_with("GET /length");
    connection.send(has_length ? std::string("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
                               : std::string(kChunked) + "4\r\nhalf\r\n");
    gate.wait();
    if (request.find("/garbage") != std::string::npos) connection.send("garbage\r\n");
    if (request.find("/reset") != std::string::npos) connection.reset();
  };
  fw::Config config = proxy_config();
  config.server.http2.cleartext = true;
  const Gateway gateway(script, config);
  const OpensAtEnd opener(gate);
  std::vector<std::string> paths;
  for (const char* const way : {"/up", "/called"}) {
    for (const char* const path :
         {"/length", "/length/reset", "/chunked", "/chunked/reset", "/chunked/garbage"}) {
      paths.push_back(std::string(way) + path);
    }
  }
  std::vector<std::unique_ptr<Client>> clients;
  const auto begin = [&](const std::string& request) {
    clients.push_back(std::make_unique<Client>(gateway.port()));
    clients.back()->send(request);
    REQUIRE(sees(*clients.back(), "half"));
  };
  for (const std::string& path : paths) {
    begin(get(path));
    begin("GET " + path + " HTTP/1.0\r\n\r\n");
  }
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
  fw::http::test::Http2Client http2(gateway.port());
  std::vector<std::int32_t> streams;
  for (const std::string& path : paths) {
    const auto stream = http2.get(path);
    streams.push_back(stream);
    REQUIRE(http2.receive_until([&] { return http2.response(stream).body == "half"; }));
  }
#endif
  gate.open();
  for (const auto& client : clients) {
    const auto response = client->read_response();
    CHECK(response.status == 200);
    CHECK(!response.is_complete);
  }
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
  for (const auto stream : streams) {
    const auto& response = http2.wait(stream);
    CHECK(!response.is_complete);
    CHECK(response.reset.has_value());
  }
  CHECK(http2.exchange("/other").body == "other");
#endif
  CHECK(eventually([&] { return gateway.logs("the response could not be completed"); }));
}

TEST_CASE("proxied bodies: the time limits of the call apply while no thread waits") {
  const auto check = [](const fw::Config& config, const fw::FetchProxyOptions& options,
                        std::string_view path = "/up/x") {
    std::atomic<int> ended{0};
    const Gateway gateway(half(ended), config, options);
    Client client(gateway.port());
    client.send(get(path));
    if (!sees(client, "half")) return false;
    CHECK(!sees(client, "0\r\n\r\n"));
    CHECK(eventually([&] { return ended == 1; }));
    CHECK(eventually([&] { return gateway.logs("the response could not be completed"); }));
    return true;
  };
  SUBCASE("between two parts") {
    with_limit([&](int limit) {
      fw::Config config = proxy_config();
      config.fetch.idle_timeout = limit;
      return check(config, {});
    });
  }
  SUBCASE("for the whole response") {
    with_limit([&](int limit) { return check(proxy_config(), {.timeout = limit}); });
  }
  SUBCASE("between two parts, of a call") {
    with_limit([&](int limit) {
      fw::Config config = proxy_config();
      config.fetch.idle_timeout = limit;
      return check(config, {}, "/called/x");
    });
  }
  SUBCASE("for the whole response, of a call") {
    with_limit([&](int limit) {
      fw::Config config = proxy_config();
      config.fetch.total_timeout = limit;
      return check(config, {}, "/called/x");
    });
  }
}

TEST_CASE("proxied bodies: a client that leaves ends the upstream's connection") {
  std::atomic<int> ended{0};
  fw::Config config = proxy_config();
  config.server.http2.cleartext = true;
  const Gateway gateway(half(ended), config);
  for (const char* const path : {"/up/x", "/called/x"}) {
    SUBCASE(path) {
      Client client(gateway.port());
      client.send(get(path));
      CHECK(sees(client, "half"));
      client.reset();
      CHECK(eventually([&] { return ended == 1; }));
    }
  }
  for (const bool is_closed : {false, true}) {
    SUBCASE(is_closed ? "by closing" : "by closing its side") {
      Client client(gateway.port());
      client.send(get("/up/x"));
      CHECK(sees(client, "half"));
      if (is_closed) {
        client.close();
      } else {
        client.end_sending();
      }
      CHECK(eventually([&] { return ended == 1; }));
    }
  }
  SUBCASE("by closing, of a call") {
    Client client(gateway.port());
    client.send(get("/called/x"));
    CHECK(sees(client, "half"));
    client.close();
    CHECK(eventually([&] { return ended == 1; }));
  }
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
  SUBCASE("by canceling its stream") {
    fw::http::test::Http2Client client(gateway.port());
    int canceled = 0;
    for (const char* const path : {"/up/x", "/called/x"}) {
      const auto stream = client.get(path);
      REQUIRE(client.receive_until([&] { return client.response(stream).body == "half"; }));
      client.cancel(stream);
      ++canceled;
      CHECK(eventually([&] { return ended == canceled; }));
    }
    CHECK(client.exchange("/other").body == "other");
  }
#endif
  CHECK(gateway.sink->messages(fw::LogLevel::error).empty());
}

TEST_CASE("proxied bodies: a slow client makes the upstream wait, and is ended by sendTimeout") {
  constexpr std::size_t kMuch = std::size_t{64} * 1024 * 1024;  // more than the sockets keep
  std::atomic<std::size_t> sent{0};
  std::atomic<int> ended{0};
  fw::Config config = proxy_config();
  SUBCASE("waiting") {
    const Gateway gateway(endless(sent, ended), config);
    Client client(gateway.port(), 4096);
    client.send(get("/up/x"));
    CHECK(eventually([&] { return sent > 0; }));
    // Until nothing moves while the same thread of libcurl does other things.
    Client other(gateway.port());
    for (std::size_t before = 0; before != sent && sent < kMuch;) {
      before = sent;
      for (int i = 0; i < 20; ++i) {
        REQUIRE(other.exchange(get("/up/small")).body == "small");
      }
    }
    CHECK(sent < kMuch);
    const std::size_t stopped_at = sent;
    while (sent <= stopped_at + std::size_t{1024} * 1024) {  // it continues when the client does
      client.forget_input();
      REQUIRE(client.receive_more());
    }
    client.close();
    CHECK(eventually([&] { return ended == 1; }));
  }
  SUBCASE("ended") {
    config.server.send_timeout = 200;
    const Gateway gateway(endless(sent, ended), config);
    Client client(gateway.port(), 4096);
    client.send(get("/up/x"));
    CHECK(eventually([&] { return ended == 1; }));
    CHECK(Client(gateway.port()).exchange(get("/other")).body == "other");
  }
}

TEST_CASE("proxied bodies: a stop ends held ones, incomplete, after the time for requests") {
  std::atomic<int> ended{0};
  fw::Config config = proxy_config();
  config.server.http2.cleartext = true;
  config.shutdown.timeout = 50;
  Gateway gateway(half(ended), config);
  Client client(gateway.port());
  client.send(get("/up/x"));
  CHECK(sees(client, "half"));
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
  fw::http::test::Http2Client http2(gateway.port());
  const auto stream = http2.get("/up/x");
  REQUIRE(http2.receive_until([&] { return http2.response(stream).body == "half"; }));
#endif
  gateway.app.stop();
  CHECK(!client.read_response().is_complete);
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
  CHECK(!http2.wait(stream).is_complete);
  CHECK(eventually([&] { return ended == 2; }));
#else
  CHECK(eventually([&] { return ended == 1; }));
#endif
}

TEST_CASE("proxied bodies: a stop waits for one that ends in time") {
  Gate gate;
  fw::Config config = proxy_config();
  config.shutdown.timeout = 60'000;
  Gateway gateway(held(gate), config);
  const OpensAtEnd opener(gate);
  Client client(gateway.port());
  client.send(get("/up/x"));
  CHECK(sees(client, "half"));
  const std::uint16_t port = gateway.port();
  std::thread stopper([&] { gateway.app.stop(); });
  CHECK(eventually([&] { return fw::http::test::accepts_nobody(port); }));
  gate.open();
  const auto response = client.read_response();
  stopper.join();
  CHECK(response.is_complete);
  CHECK(response.body == "halfrest");
}

TEST_CASE("proxied bodies: the time-out of a route is for its handler, not for the body") {
  with_limit([](int limit) {
    Gate gate;
    TableBuilder table;
    ScriptedUpstream upstream(held(gate));
    const OpensAtEnd opener(gate);
    fw::App app(proxy_config());
    table.routes([&](fw::Router& router) {
      router.get("/", {.timeout = limit}, [&](fw::Request& req, fw::Response& res) {
        app.fetch.proxy(req, res, {.url = upstream.url(), .timeout = 600'000});
      });
      router.get("/late", {.timeout = limit}, [&](fw::Request&, fw::Response& res) {
        gate.wait();
        res.end();
      });
    });
    app.mount(table.table());
    app.start();
    Client client(static_cast<std::uint16_t>(app.port()));
    client.send(get("/"));
    if (!sees(client, "half")) return false;
    // Deadlines pass in order, so that its own has passed when the later request ends.
    CHECK(Client(static_cast<std::uint16_t>(app.port())).exchange(get("/late")).status == 504);
    gate.open();
    CHECK(client.read_response().body == "halfrest");
    return true;
  });
}

TEST_CASE("proxied bodies: the access log has a line at the end, and hooks run once then") {
  Gate gate;
  fw::Config config = proxy_config();
  config.access_log.enabled = true;
  config.access_log.log_response_size = true;
  SUBCASE("of the default engine") {}
  SUBCASE("of httplib") {
    config.server.engine = fw::HttpEngine::httplib;
    config.server.queue_timeout = fw::ServerConfig().queue_timeout;
  }
  std::atomic<int> announced{0};
  const Gateway gateway(held(gate), config, {}, [&](fw::App& app) {
    app.hooks().on<fw::hooks::ResponseAfter>([&](fw::hooks::ResponseAfter&) { ++announced; });
  });
  const OpensAtEnd opener(gate);
  const auto lines = [&] {
    std::vector<std::string> found;
    for (const auto& record : gateway.sink->records()) {
      if (record.message.starts_with("GET /up")) {
        found.push_back(record.request_id + " " + record.message);
      }
    }
    return found;
  };
  Client client(gateway.port());
  client.send(get("/up/x", "X-Request-Id: my-id\r\n"));
  CHECK(sees(client, "half"));
  CHECK(lines().empty());
  CHECK(announced == 0);
  gate.open();
  CHECK(sees(client, "0\r\n\r\n"));
  CHECK(eventually([&] { return lines().size() == 1 && announced == 1; }));
  CHECK(lines()[0].starts_with("my-id GET /up/x 200 "));
  CHECK(lines()[0].ends_with("ms | 127.0.0.1 [8B]"));
  client.forget_input();
  CHECK(client.exchange(get("/other")).body == "other");
}

TEST_CASE("proxied bodies: what is compressed here arrives in parts, too") {
  using fw::compression::Coding;
  if (!fw::compression::is_available(Coding::gzip)) return;
  Gate gate;
  const std::string first = pattern(16 * 1024);  // as much as is compressed at a time
  const std::string body = first + "and the rest";
  const auto script = [&](ScriptedConnection& connection) {
    if (connection.read_request().empty()) return;
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + first);
    gate.wait();
    connection.send("and the rest");
    connection.wait_for_end();
  };
  fw::Config config = proxy_config();
  config.compression.enabled = true;
  const Gateway gateway(script, config);
  const OpensAtEnd opener(gate);
  Client client(gateway.port());
  client.send(get("/up/x", "Accept-Encoding: gzip\r\n"));
  // The first part can be decoded although nothing follows.
  while (unzipped(client.input()) != first) REQUIRE(client.receive_more());
  gate.open();
  CHECK(sees(client, "0\r\n\r\n"));
  CHECK(unzipped(client.input()) == body);
  const auto response = client.read_response();
  CHECK(response.is_complete);
  CHECK(response.field("content-encoding") == "gzip");
  CHECK(response.field("content-length") == "(none)");
}

TEST_CASE("proxied bodies: one that is decoded here arrives in parts, too") {
  using fw::compression::Coding;
  if (!fw::compression::is_available(Coding::gzip)) return;
  Gate gate;
  std::string first;
  std::string rest;
  const auto encoder = fw::compression::make_encoder(Coding::gzip, 5, std::nullopt);
  encoder->write("half", fw::compression::Encoder::Flush::block, first);
  encoder->write("rest", fw::compression::Encoder::Flush::finish, rest);
  const auto script = [&](ScriptedConnection& connection) {
    if (connection.read_request().empty()) return;
    connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                    std::to_string(first.size() + rest.size()) + "\r\n\r\n" + first);
    gate.wait();
    connection.send(rest);
    connection.wait_for_end();
  };
  const Gateway gateway(script);
  const OpensAtEnd opener(gate);
  Client client(gateway.port());
  client.send(get("/up/x"));
  CHECK(sees(client, "half"));
  gate.open();
  const auto response = client.read_response();
  CHECK(response.is_complete);
  CHECK(response.body == "halfrest");
  CHECK(response.field("content-length") == "(none)");
}

TEST_CASE("proxied bodies: what is decoded before it is sent counts as buffered memory") {
  using fw::compression::Coding;
  if (!fw::compression::is_available(Coding::gzip)) return;
  const std::string body(std::size_t{1024} * 1024, 'x');
  std::string zipped;
  fw::compression::make_encoder(Coding::gzip, 5, std::nullopt)
      ->write(body, fw::compression::Encoder::Flush::finish, zipped);
  const auto script = [&](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) {
      connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                      std::to_string(zipped.size()) + "\r\n\r\n" + zipped);
    }
  };
  fw::Config config = proxy_config();
  SUBCASE("with enough of it") {
    const Gateway gateway(script, config);
    CHECK(Client(gateway.port()).exchange(get("/up/x")).body == body);
  }
#if FAIRWAY_EPOLL
  SUBCASE("with too little") {
    config.server.max_buffered_bytes = "200kb";
    const Gateway gateway(script, config);
    // If the end of the body arrives later than its head, little of it is decoded before.
    CHECK(eventually([&] {
      Client client(gateway.port());
      client.send(get("/up/x"));
      return !client.read_response().is_complete;
    }));
    CHECK(eventually([&] {
      const auto errors = gateway.sink->records();
      return std::ranges::any_of(errors, [](const auto& line) {
        return line.fields.dump().find("the server is out of buffer memory") != std::string::npos;
      });
    }));
  }
#endif
}

#if FAIRWAY_EPOLL
TEST_CASE("proxied bodies: the window of a decoder counts as buffered memory") {
  using fw::compression::Coding;
  for (const Coding coding : {Coding::brotli, Coding::zstd}) {
    if (!fw::compression::is_available(coding)) continue;
    CAPTURE(fw::compression::name_of(coding));
    // Few bytes in a large window.
    const std::string body(std::size_t{8} * 1024 * 1024, 'x');
    std::string encoded;
    fw::compression::make_encoder(coding, 5, std::nullopt)
        ->write(body, fw::compression::Encoder::Flush::finish, encoded);
    const auto script = [&](ScriptedConnection& connection) {
      while (!connection.read_request().empty()) {
        connection.send(
            fmt::format("HTTP/1.1 200 OK\r\nContent-Encoding: {}\r\nContent-Length: {}\r\n\r\n{}",
                        fw::compression::name_of(coding), encoded.size(), encoded));
      }
    };
    fw::Config config = proxy_config();
    const auto is_whole = [&](std::string limit) {
      config.server.max_buffered_bytes = std::move(limit);
      const Gateway gateway(script, config);
      Client client(gateway.port());
      client.send(get("/up/x"));
      return client.read_response().body == body;
    };
    CHECK_FALSE(is_whole("600kb"));
    CHECK(is_whole("16mb"));
  }
}
#endif

TEST_CASE("proxied bodies: a cached route stores none of them, and passes each on") {
  std::atomic<int> requests{0};
  Gate gate;
  TableBuilder table;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) {
      const std::string number = std::to_string(++requests);
      connection.send(std::string(kChunked) + "1\r\n" + number + "\r\n");
      gate.wait();
      if (!connection.send("0\r\n\r\n")) return;
    }
  });
  const OpensAtEnd opener(gate);
  fw::App app(proxy_config());
  table.routes([&](fw::Router& router) {
    router.get("/", {.cache = 60'000}, [&](fw::Request& req, fw::Response& res) {
      app.fetch.proxy(req, res, {.url = upstream.url(), .timeout = 600'000});
    });
  });
  app.mount(table.table());
  app.start();
  const auto port = static_cast<std::uint16_t>(app.port());
  Client first(port);
  first.send(get("/"));
  CHECK(sees(first, "1\r\n1\r\n"));
  Client second(port);
  second.send(get("/"));
  CHECK(sees(second, "1\r\n2\r\n"));
  gate.open();
  CHECK(first.read_response().body == "1");
  CHECK(second.read_response().body == "2");
  CHECK(first.exchange(get("/")).body == "3");
}

TEST_CASE("proxied bodies: a test application gets the whole body") {
  const std::string body = pattern(700'000);
  const ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    const std::string request = connection.read_request();
    const bool is_cut = request.starts_with("GET /cut ");
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
                    "\r\n\r\n");
    connection.send(is_cut ? body.substr(0, 400'000) : body);
  });
  fw::support::OneFileApp app([&](fw::Router& router) {
    router.get("/*", [&](fw::Request& req, fw::Response& res) {
      router.fetch.proxy(
          req, res,
          {.url = upstream.url(fw::url_subpath(req.param("*").value_or(""))), .timeout = 600'000});
    });
  });
  const auto whole = app.request("GET", "/whole").send();
  CHECK((whole.body == body));
  CHECK(whole.header("content-length") == std::to_string(body.size()));
  CHECK_THROWS(app.request("GET", "/cut").send());
}

TEST_CASE("proxied bodies: a response without a body ends at once") {
  const auto script = [](ScriptedConnection& connection) {
    for (auto request = connection.read_request(); !request.empty();
         request = connection.read_request()) {
      if (request.find("/204 ") != std::string::npos) {
        connection.send("HTTP/1.1 204 No Content\r\n\r\n");
      } else if (request.find("/304 ") != std::string::npos) {
        connection.send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 5\r\n\r\n");
      } else if (request.find("/empty ") != std::string::npos) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      } else {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Head: 1\r\n\r\n");
      }
    }
  };
  const Gateway gateway(script);
  Client client(gateway.port());
  const auto head = client.exchange("HEAD /up/x HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD");
  CHECK(head.status == 200);
  CHECK(head.field("x-head") == "1");
  CHECK(client.exchange(get("/up/204")).status == 204);
  const auto unmodified = client.exchange(get("/up/304"));
  CHECK(unmodified.status == 304);
  CHECK(unmodified.field("etag") == "\"a\"");
  const auto empty = client.exchange(get("/up/empty"));
  CHECK(empty.is_complete);
  CHECK(empty.field("content-length") == "0");
  CHECK(client.exchange(get("/called/empty")).is_complete);
  CHECK(client.exchange(get("/called/204")).body.empty());
  CHECK(client.exchange(get("/other")).body == "other");
}

}  // namespace proxied_bodies_test
