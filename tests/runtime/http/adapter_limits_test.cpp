// What the front grants a client: how many connections and requests, and how slow it may be.
#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "engines.hpp"
#include "http/connection_budget.hpp"
#include "server_connections.hpp"

namespace adapter_limits_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

/// Responds with the length of the body, or with what is wrong with it.
void respond_with_length(const std::shared_ptr<Transaction>& transaction) {
  std::string body;
  const auto status = transaction->read_body(10'000'000, body);
  if (status == BodyStatus::timed_out) {
    respond(*transaction, "too slow", 408);
  } else {
    respond(*transaction, std::to_string(body.size()));
  }
}

}  // namespace

TEST_CASE("adapter limits: the last allowed request of a connection closes it") {
  auto options = test_options();
  options.max_requests_per_connection = 3;
  Server server(echo_target, options);
  Client client(server.port());
  for (int i = 0; i < 2; ++i) CHECK(client.exchange(kGet).field("connection") == "(none)");
  const auto last = client.exchange(kGet);
  CHECK(last.status == 200);
  CHECK(announces_end(last));
  CHECK(client.sees_end());
}

TEST_CASE("adapter limits: requests per connection are unlimited by default") {
  Server server(echo_target);
  Client client(server.port());
  for (int i = 0; i < 500; ++i) CHECK(client.exchange(kGet).field("connection") == "(none)");
}

TEST_CASE("adapter limits: connections above a limit get an error response" *
          not_on_httplib("idle connections") *
          not_with_tls("they are closed before the handshake") *
          not_on_http2("the protocol is not known when it is sent")) {
  auto options = test_options();
  std::string why;
  SUBCASE("max_connections") {
    options.max_connections = 2;
    why = "the server has too many connections";
  }
  SUBCASE("max_connections_per_address") {
    options.max_connections_per_address = 2;
    why = "from this address";
  }
  Server server(echo_target, options);
  Client first(server.port());
  auto second = std::make_unique<Client>(server.port());
  CHECK(first.exchange(kGet).status == 200);
  CHECK(second->exchange(kGet).status == 200);
  Client third(server.port());
  const auto response = third.exchange(kGet);
  CHECK(response.status == 503);
  CHECK(response.field("retry-after") == "1");
  CHECK(announces_end(response));
  CHECK(response.body.find(why) != std::string::npos);
  CHECK(third.sees_end());
  third.close();
  CHECK(first.exchange(kGet).status == 200);
  second.reset();
  CHECK(eventually([&] { return Client(server.port()).exchange(kGet).status == 200; }));
}

TEST_CASE("connection budget: addresses are counted separately, rejections are bounded") {
  using Outcome = ConnectionBudget::Outcome;
  ConnectionBudget budget(4, 2);
  std::vector<ConnectionBudget::Admission> admissions;
  for (const char* address : {"10.0.0.1", "10.0.0.1", "10.0.0.2"}) {
    admissions.push_back(budget.admit(address));
    CHECK(admissions.back().outcome() == Outcome::admitted);
  }
  CHECK(budget.admit("10.0.0.1").outcome() == Outcome::address_is_full);
  admissions.push_back(budget.admit("10.0.0.3"));
  CHECK(admissions.back().outcome() == Outcome::admitted);
  CHECK(budget.admit("10.0.0.4").outcome() == Outcome::full);
  admissions.pop_back();
  admissions.pop_back();
  CHECK(budget.admit("10.0.0.2").outcome() == Outcome::admitted);
  CHECK(budget.admit("10.0.0.1").outcome() == Outcome::address_is_full);
  while (admissions.size() < 2'000) admissions.push_back(budget.admit("10.0.0.1"));
  CHECK(admissions.back().outcome() == Outcome::dropped);
  CHECK(budget.admit("10.0.0.2").outcome() == Outcome::admitted);
  admissions.clear();
  CHECK(budget.admit("10.0.0.1").outcome() == Outcome::admitted);
}

TEST_CASE("connection budget: IPv6 addresses are grouped by /64 network") {
  CHECK(address_group("2001:db8:1:2::3") == address_group("2001:db8:1:2:9:9:9:9"));
  CHECK(address_group("2001:db8:1:2::3") != address_group("2001:db8:1:3::3"));
  CHECK(address_group("10.0.0.1") != address_group("10.0.0.2"));
  CHECK(address_group("unix").empty());
}

TEST_CASE("adapter limits: a body below the minimum data rate is rejected") {
  auto options = test_options();
  options.min_data_rate = {.bytes_per_second = 1'000, .grace = 200ms};
  Server server(respond_with_length, options);
  // On a busy machine, the body may come after the grace.
  CHECK(eventually([&] {
    return Client(server.port())
               .exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
               .body == "5";
  }));
  Client trickling(server.port());
  trickling.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
  std::atomic<bool> ended{false};
  std::thread sender([&] {
    while (!ended && trickling.send("x")) std::this_thread::sleep_for(10ms);
  });
  const auto slow = trickling.read_response();
  ended = true;
  sender.join();
  CHECK(slow.status == 408);
  CHECK(announces_end(slow));
}

TEST_CASE("adapter limits: a body at the minimum data rate arrives") {
  auto options = test_options();
  options.min_data_rate = {.bytes_per_second = 100, .grace = 60s};
  Server server(respond_with_length, options);
  Client client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n");
  for (int i = 0; i < 40; ++i) {
    client.send("x");
    std::this_thread::sleep_for(2ms);
  }
  CHECK(client.read_response().body == "40");
}

TEST_CASE("adapter limits: a client that reads a response too slowly is disconnected") {
  for (const bool streams : {false, true}) {
    CAPTURE(streams);
    auto options = test_options();
    options.send_timeout = 10min;
    options.min_data_rate = {.bytes_per_second = 1'000'000'000, .grace = 300ms};
    std::atomic<bool> is_handled = false;
    Server server(
        [&, streams](const std::shared_ptr<Transaction>& transaction) {
          is_handled = true;
          constexpr std::size_t kSize = 64'000'000;
          if (!streams) {
            respond(*transaction, std::string(kSize, 'x'));
            return;
          }
          const auto produce = [](std::span<char> buffer) {
            std::fill(buffer.begin(), buffer.end(), 'x');
            return buffer.size();
          };
          transaction->respond_stream({}, kSize, produce, {});
        },
        options);
    Client client(server.port(), 4096);
    client.send(kGet);
    REQUIRE(eventually([&] { return is_handled.load(); }));
    CHECK(eventually([&] {
      char byte = 0;
      recv(client.fd(), &byte, 1, MSG_DONTWAIT);
      return ServerConnections(server.port()).open == 0;
    }));
  }
}

}  // namespace adapter_limits_test
