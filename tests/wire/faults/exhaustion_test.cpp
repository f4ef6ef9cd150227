// No descriptors left.
#include <doctest/doctest.h>

#include <csignal>
#include <deque>

#include "support/latency.hpp"
#include "support/server_process.hpp"

namespace exhaustion_test {

using fw::http::test::Client;
using fw::http::test::eventually;
using namespace std::chrono_literals;

// UndefinedBehaviorSanitizer looks at objects through a pipe of its own: without descriptors all of
// them seem wrong to it.
TEST_CASE("faults: a server without descriptors serves its connections and recovers" *
          doctest::skip(wire::kIsSanitized)) {
  wire::ServerProcess::Options options;
  options.max_descriptors = 64;
  options.config = R"({"server": {"keepAliveTimeout": 60000}})";
  wire::ServerProcess server(WIRE_SERVER, options);
  std::deque<Client> clients;
  for (int i = 0; i < 200; ++i) clients.emplace_back(server.port());
  REQUIRE(eventually([&] { return server.descriptors() >= 60; }));
  const auto begin = std::chrono::steady_clock::now();
  const auto before = server.processor_time();
  std::this_thread::sleep_for(1s);
  const auto spent = server.processor_time() - before;
  // It looks again a few times a second; spinning would take the whole second.
  CHECK(spent < (std::chrono::steady_clock::now() - begin) * 3 / 10);
  CHECK(clients.front().exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  clients.back().send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  for (std::size_t i = 0; i + 1 < clients.size(); ++i) clients[i].close();
  CHECK(clients.back().read_response().status == 200);
  for (int i = 0; i < 50; ++i) {
    CHECK(Client(server.port()).exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  }
  server.process().signal(SIGTERM);
  CHECK(server.process().wait() == 0);
}

}  // namespace exhaustion_test
