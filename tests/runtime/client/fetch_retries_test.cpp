// Which calls of app.fetch are repeated, and the connections that they use.
#include <fairway/fairway.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <future>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>

#include "client/network/url.hpp"
#include "client/outbound_client.hpp"
#include "client/recorder.hpp"
#include "client/transfer.hpp"
#include "eventually.hpp"
#include "sanitizers.hpp"
#include "support/scripted_upstream.hpp"

namespace fetch_retries_test {

namespace {

using fw::client::test::has;
using fw::client::test::keep_connections;
using fw::client::test::quiet;
using fw::client::test::Recorder;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using namespace std::chrono_literals;

/// Closes each connection at its second request, without a response.
class Closing {
 public:
  Closing()
      : upstream([this](ScriptedConnection& connection) {
          while (!connection.read_request().empty()) {
            ++requests;
            if (connection.index() > 0) return;
            connection.respond(200, "first");
          }
        }) {}

  std::atomic<int> requests = 0;
  ScriptedUpstream upstream;  // last: its threads use what is above
};

/// While it exists, the process has no free descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual_) == 0);
    rlimit few = usual_;
    few.rlim_cur = 256;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    for (int fd = 0; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.push_back(fd);
  }
  ~NoDescriptors() {
    for (const int fd : taken_) ::close(fd);
    ::setrlimit(RLIMIT_NOFILE, &usual_);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit usual_{};
  std::vector<int> taken_;
};

}  // namespace

TEST_CASE("fetch: retries only idempotent requests") {
  fw::App app(quiet());
  std::atomic<int> requests = 0;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) {
      connection.respond(++requests < 3 ? 503 : 200, "n");
    }
  });
  std::vector<int> asked;
  const auto delay = [&](int attempt) {
    asked.push_back(attempt);
    return 1ms;
  };
  auto response = app.fetch.get(upstream.url(), {.retry = 5, .retry_delay = delay});
  CHECK(response.status() == 200);
  CHECK(response.attempt() == 2);
  CHECK(asked == std::vector<int>{1, 2});
  const auto count = [&](auto call) {
    requests = 0;
    call();
    return requests.load();
  };
  const auto once = fw::FetchInit{.retry = 5, .retry_delay = 1};
  CHECK(count([&] { app.fetch.post(upstream.url(), {{"a", 1}}, once); }) == 1);
  CHECK(count([&] { app.fetch.patch(upstream.url(), {{"a", 1}}, once); }) == 1);
  CHECK(count([&] { app.fetch.put(upstream.url(), {{"a", 1}}, once); }) == 3);
  CHECK(count([&] {
          app.fetch(upstream.url(),
                    {.method = "PUT", .body = fw::Readable("x"), .retry = 5, .retry_delay = 1});
        }) == 1);
}

TEST_CASE("fetch: a reused connection that closes without a response is retried once") {
  fw::App app(quiet());
  keep_connections(app);
  Closing closing;
  const std::string url = closing.upstream.url();
  CHECK(app.fetch.get(url).text() == "first");
  auto repeated = app.fetch.get(url);
  CHECK(repeated.text() == "first");
  CHECK(repeated.attempt() == 1);
  CHECK(closing.requests == 3);
  // What cannot be repeated is sent once.
  CHECK_THROWS_AS(app.fetch.post(url, {{"a", 1}}), fw::NetworkError);
  CHECK(closing.requests == 4);
  CHECK(app.fetch.get(url).text() == "first");
  CHECK_THROWS_AS(app.fetch(url, {.method = "PUT", .body = fw::Readable("x")}), fw::NetworkError);
  CHECK(closing.requests == 6);
}

TEST_CASE("fetch: a new connection that closes without a response is an immediate error") {
  fw::App app(quiet());
  std::atomic<int> requests = 0;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    connection.read_request();
    ++requests;
  });
  CHECK_THROWS_AS(app.fetch.get(upstream.url()), fw::NetworkError);
  CHECK(requests == 1);
}

TEST_CASE("fetch: calls succeed again when descriptors are available" *
          doctest::skip(fairway::test::kChecksObjects)) {
  fw::App app(quiet());
  Recorder recorder;
  {
    const NoDescriptors none;
    CHECK_THROWS_AS(app.fetch.get(recorder.upstream.url(), {.retry = 0}),
                    fw::NetworkError);  // the first call
  }
  CHECK(app.fetch.get(recorder.upstream.url(), {.timeout = 60'000}).ok());
}

TEST_CASE("fetch: idle connections are closed when descriptors are available again") {
  using fw::client::Clock;
  using fw::client::Transfer;
  std::promise<void> received;
  std::promise<void> may_respond;
  std::promise<void> closed;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    connection.read_request();
    received.set_value();
    may_respond.get_future().wait();
    connection.respond(200, "ok");
    connection.wait_for_end();
    closed.set_value();
  });
  Recorder recorder;
  const auto transport = fw::client::make_transport({.longest_idle = 50ms});
  const auto start = [&](const std::string& url) {
    auto transfer = std::make_shared<Transfer>(
        fw::client::OutboundRequest{.method = "GET", .url = fw::client::parse_url(url)});
    transfer->start(*transport);
    return transfer;
  };
  const auto first = start(upstream.url());
  received.get_future().wait();
  auto end = closed.get_future();
  {
    const NoDescriptors none;  // before the connection is idle
    may_respond.set_value();
    CHECK(first->wait_for_head(Clock::now() + fairway::test::kPatience) ==
          Transfer::Outcome::ready);
    // The handle that would replace the one with the connection is one that nothing can wake.
    CHECK(end.wait_for(300ms) == std::future_status::timeout);
  }
  CHECK(end.wait_for(fairway::test::kPatience) == std::future_status::ready);
  const auto second = start(recorder.upstream.url());
  CHECK(second->wait_for_head(Clock::now() + fairway::test::kPatience) == Transfer::Outcome::ready);
  first->close();
  second->close();
}

}  // namespace fetch_retries_test
