// Requests that read their bodies while these arrive: some threads are left for others.
#include "exchange/body_turns.hpp"

#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/http2_client.hpp"
#include "http/loopback.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"

namespace body_turns_test {

namespace {

using namespace std::chrono_literals;
using fw::base::DeadlineTimer;
using fw::detail::BodyTurn;
using fw::detail::BodyTurns;
using fw::http::test::eventually;

class Request final : public fw::http::WaitingRequest {
 public:
  void resume() noexcept override { ++resumed; }
  std::atomic<int> resumed = 0;
};

}  // namespace

TEST_CASE("body turns: further requests wait in order") {
  const auto turns = std::make_shared<BodyTurns>(2, 1h, std::make_shared<DeadlineTimer>());
  std::vector<std::shared_ptr<Request>> requests;
  std::vector<std::shared_ptr<BodyTurn>> turn_of;
  for (int i = 0; i < 6; ++i) {
    requests.push_back(std::make_shared<Request>());
    turn_of.push_back(turns->begin(requests.back()));
    CHECK(turn_of.back()->must_wait() == (i >= 2));
  }
  const auto resumed = [&] {
    std::string all;
    for (const auto& request : requests) all += std::to_string(request->resumed.load());
    return all;
  };
  CHECK(resumed() == "000000");
  turn_of[1]->end();
  turn_of[1]->end();
  CHECK(resumed() == "001000");
  turn_of[3].reset();  // its client has gone
  CHECK(resumed() == "001000");
  turn_of[0].reset();
  CHECK(eventually([&] { return resumed() == "001010"; }));
  turn_of[2]->end();
  CHECK(resumed() == "001011");
  CHECK_FALSE(turn_of[5]->is_late());
  CHECK(turns->begin(std::make_shared<Request>())->must_wait());
  turn_of.clear();
  CHECK_FALSE(turns->begin(std::make_shared<Request>())->must_wait());
  CHECK(resumed() == "001011");
}

TEST_CASE("body turns: a request that waits for too long is late, and takes no turn") {
  const auto turns = std::make_shared<BodyTurns>(1, 1ms, std::make_shared<DeadlineTimer>());
  auto first = turns->begin(std::make_shared<Request>());
  const auto request = std::make_shared<Request>();
  auto second = turns->begin(request);
  CHECK(eventually([&] { return request->resumed == 1; }));
  CHECK(second->is_late());
  CHECK_FALSE(first->is_late());
  first.reset();
  CHECK_FALSE(turns->begin(std::make_shared<Request>())->must_wait());
  second.reset();
  CHECK(request->resumed == 1);

  // Without a limit, it is never late.
  const auto patient = std::make_shared<BodyTurns>(1, 0ms, nullptr);
  first = patient->begin(std::make_shared<Request>());
  second = patient->begin(request);
  first->end();
  CHECK(request->resumed == 2);
  CHECK_FALSE(second->is_late());
}

#if FAIRWAY_EPOLL
namespace {

using fw::http::test::Client;

/// An application with four threads, two of which may wait for bodies.
class Server {
 public:
  explicit Server(std::int64_t queue_timeout = 600'000) : app(config(queue_timeout)) {
    table_.routes([&](fw::Router& router) {
      router.get("/other", [](fw::Request&, fw::Response& res) { res.text("other"); });
      router.post("/upload", {.body_parser = {.max_body_size = "1mb", .stream = true}},
                  [&](fw::Request& req, fw::Response& res) {
                    ++running;
                    fw::Readable body = req.body_stream();
                    std::array<char, 64> buffer;
                    std::string content;
                    while (const auto count = body.read(buffer))
                      content.append(buffer.data(), count);
                    res.text(content);
                  });
    });
    app.mount(table_.table());
    app.start();
  }

  std::uint16_t port() const { return static_cast<std::uint16_t>(app.port()); }
  bool serves_others() const {
    return Client(port())
               .exchange("GET /other HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
               .body == "other";
  }

  std::atomic<int> running = 0;

 private:
  static fw::Config config(std::int64_t queue_timeout) {
    fw::Config config = fw::support::server_config();
    config.server.min_workers = 2;
    config.server.max_workers = 4;
    config.server.queue_timeout = queue_timeout;
    config.server.http2.cleartext = true;
    return config;
  }

  fw::support::TableBuilder table_;

 public:
  fw::App app;
};

std::string upload(std::size_t size, std::string_view begin) {
  return fmt::format("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{}", size,
                     begin);
}

}  // namespace

TEST_CASE("body turns: slow uploads leave threads to other requests") {
  Server server;
  SUBCASE("of HTTP/1.1") {
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 12; ++i) {
      clients.push_back(std::make_unique<Client>(server.port()));
      clients.back()->send(upload(8, "half"));
    }
    REQUIRE(eventually([&] { return server.running == 2; }));
    for (int i = 0; i < 5; ++i) CHECK(server.serves_others());
    CHECK(server.running == 2);
    // One whose body has arrived waits for no client, and so for no turn.
    CHECK(Client(server.port()).exchange(upload(5, "whole")).body == "whole");
    // Clients that leave, running or not, leave their turns to the others.
    clients.erase(clients.begin() + 9);
    clients.erase(clients.begin());
    for (const auto& client : clients) client->send("rest");
    for (const auto& client : clients) CHECK(client->read_response().body == "halfrest");
  }
#if FAIRWAY_HTTP2
  SUBCASE("of HTTP/2") {
    using fw::http::test::Http2Client;
    Http2Client client(server.port());
    std::vector<std::int32_t> streams;
    for (int i = 0; i < 12; ++i) streams.push_back(client.begin("POST", "/upload", {}, true));
    REQUIRE(eventually([&] { return server.running == 2; }));
    for (int i = 0; i < 5; ++i) CHECK(server.serves_others());
    CHECK(Http2Client(server.port()).exchange("/other").body == "other");
    CHECK(server.running == 2);
    // Streams that are reset, running or not, leave their turns to the others.
    for (const std::size_t i : {9U, 0U}) {
      client.cancel(streams[i]);
      streams.erase(streams.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (const auto stream : streams) client.send_body(stream, "body");
    for (const auto stream : streams) CHECK(client.wait(stream).body == "body");
  }
#endif
}

TEST_CASE("body turns: an upload that waits for longer than queueTimeout gets 503") {
  // On a busy machine, others may wait for so long, too.
  for (const std::int64_t limit : {1'000, 10'000, 60'000}) {
    Server server(limit);
    std::array<Client, 2> slow{Client(server.port()), Client(server.port())};
    for (Client& client : slow) client.send(upload(8, "half"));
    if (!eventually([&] { return server.running == 2; })) continue;
    Client third(server.port());
    const auto response = third.exchange(upload(8, "half"));
    CHECK(response.status == 503);
    CHECK(response.field("retry-after") == "1");
    CHECK(server.running == 2);
    for (Client& client : slow) {
      client.send("rest");
      CHECK(client.read_response().body == "halfrest");
    }
    return;
  }
  FAIL("two requests have not begun within a minute");
}
#endif

}  // namespace body_turns_test
