// The end of a process under load.
#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pause_process.hpp"
#include "support/latency.hpp"
#include "support/server_process.hpp"

namespace stop_test {

using fw::http::test::Client;
using fw::http::test::eventually;
using namespace std::chrono_literals;

namespace {

struct Counts {
  std::atomic<std::size_t> completed{0};
  std::atomic<std::size_t> cut{0};
};

/// One request after the other until the server is gone.
void ask_on(std::uint16_t port, bool keep_alive, Counts& counts) {
  const std::string request =
      std::string("POST /-/counted HTTP/1.1\r\nHost: a\r\nContent-Length: 5") +
      (keep_alive ? "" : "\r\nConnection: close") + "\r\n\r\nhello";
  try {
    while (true) {
      Client client(port);
      do {
        if (!client.send(request)) return;
        const auto response = client.read_response();
        if (response.status == 0) break;  // closed while it was idle, or before it was read
        ++(response.status == 200 && response.is_complete ? counts.completed : counts.cut);
      } while (keep_alive);
    }
  } catch (const std::runtime_error&) {
    // Nobody accepts any longer.
  }
}

std::size_t number_behind(const std::string& text, const std::string& word) {
  const auto found = text.find(word);
  REQUIRE(found != std::string::npos);
  return std::stoul(text.substr(found + word.size()));
}

}  // namespace

TEST_CASE("faults: SIGTERM under load loses no request that was begun") {
  for (const bool keep_alive : {true, false, true, false}) {
    wire::ServerProcess server(WIRE_SERVER, {R"({"shutdown": {"timeout": 60000}})"});
    Counts counts;
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back([&] { ask_on(server.port(), keep_alive, counts); });
    }
    CHECK(eventually([&] { return counts.completed > 200; }));
    server.process().signal(SIGTERM);
    CHECK(server.process().wait() == 0);
    for (auto& client : clients) client.join();
    CHECK(counts.cut == 0);
    CHECK(counts.completed == number_behind(server.process().standard_output(), "counted "));
  }
}

namespace {

/// Returns whether the body was completed, which must be within a second.
bool completes_running_requests() {
  wire::ServerProcess server(
      WIRE_SERVER, {R"({"shutdown": {"timeout": 60000}, "server": {"minDataRate": "0b"}})"});
  Client held(server.port());
  held.send("GET /-/held/first HTTP/1.1\r\nHost: a\r\n\r\n");
  Client streaming(server.port(), 4096);
  streaming.send("GET /-/stream/5000000 HTTP/1.1\r\nHost: a\r\n\r\n");
  Client sending(server.port());
  sending.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
  Client pipelining(server.port());
  pipelining.send(
      "GET /-/held/second HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto is_held = [&](const char* name) { return exists(server.directory() / name); };
  REQUIRE(eventually([&] { return is_held("first") && is_held("second"); }));
  Client idle(server.port());
  CHECK(idle.exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  REQUIRE(streaming.receive_more());
  server.process().signal(SIGTERM);
  // Idle connections are closed, so the stop has begun.
  CHECK(idle.sees_end());
  const bool is_completed = sending.exchange("llo").status == 200;
  std::ofstream(server.directory() / "go").put('x');
  CHECK(held.read_response().body == "held");
  CHECK(held.sees_end());
  const auto stream = streaming.read_response();
  CHECK(stream.is_complete);
  CHECK(stream.body.size() == 5'000'000);
  // The response says that nothing follows it, so that the client may send the rest again.
  const auto first = pipelining.read_response();
  CHECK(first.is_complete);
  CHECK(first.field("connection") == "close");
  CHECK(server.process().wait() == 0);
  return is_completed;
}

}  // namespace

TEST_CASE("faults: running requests are completed after SIGTERM, including streams and bodies") {
  // On a busy machine, the rest of the body may come too late.
  CHECK(eventually(completes_running_requests));
}

TEST_CASE("faults: clients in the accept queue at a SIGTERM are served") {
  wire::ServerProcess server(WIRE_SERVER, {R"({"shutdown": {"timeout": 60000}})"});
  fairway::test::pause_process(server.process().pid());
  std::deque<Client> clients;
  for (int i = 0; i < 600; ++i) {
    clients.emplace_back(server.port()).send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  server.process().signal(SIGTERM);
  server.process().signal(SIGCONT);
  int served = 0;
  for (auto& client : clients) served += client.read_response().status == 200;
  CHECK(served == 600);
  CHECK(server.process().wait() == 0);
}

TEST_CASE("faults: callbacks of clients that are cut off delay a stop for seconds only") {
  wire::ServerProcess server(WIRE_SERVER, {R"({"shutdown": {"timeout": 100}})"});
  std::deque<Client> clients;
  for (const char* name : {"first", "second"}) {
    clients.emplace_back(server.port())
        .send(std::string("GET /-/slow-close/") + name + " HTTP/1.1\r\nHost: a\r\n\r\n");
    REQUIRE(eventually([&] { return exists(server.directory() / name); }));
  }
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
  CHECK(server.process().standard_output().find(
            "callbacks of clients that were cut off had not ended 3000 ms after shutdown.timeout, "
            "and 1 clients were still to be cut off") != std::string::npos);
}

TEST_CASE("faults: a stalled log reader does not delay shutdown") {
  for (const bool is_cluster : {false, true}) {
    for (const bool is_forced : {false, true}) {
      CAPTURE(is_cluster);
      CAPTURE(is_forced);
      wire::ServerProcess::Options options;
      options.output = wire::ServerProcess::Output::unread;
      options.config = std::string(R"({"shutdown": {"timeout": 500}, "cluster": {"workers": 2, )") +
                       R"("enabled": )" + (is_cluster ? "true" : "false") + "}}";
      wire::ServerProcess server(WIRE_SERVER, options);
      for (int i = 0; i < 20; ++i) {
        Client client(server.port());
        CHECK(client.exchange("GET /-/log/100000 HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
      }
      Client running(server.port());
      if (is_forced) {
        running.send("GET /-/held/running HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(eventually([&] { return exists(server.directory() / "running"); }));
      }
      server.process().signal(SIGTERM);
      // The reader stays away, and so do the handlers.
      CHECK(server.process().wait(60s) == 0);
    }
  }
}

TEST_CASE("faults: a server with closed standard output keeps its descriptors separate") {
  wire::ServerProcess::Options options;
  options.output = wire::ServerProcess::Output::closed;
  wire::ServerProcess server(WIRE_SERVER, options);
  CHECK(server.descriptor_target(STDOUT_FILENO) == "/dev/null");
  Client client(server.port());
  CHECK(client.exchange("GET /-/log/1000 HTTP/1.1\r\nHost: a\r\n\r\n").body == "logged");
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
}

}  // namespace stop_test
