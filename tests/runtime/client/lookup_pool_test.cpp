// Look-ups of host names for outbound calls.
#include "client/network/lookup_pool.hpp"

#include <fairway/fairway.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "client/transfer.hpp"
#include "http/loopback.hpp"
#include "support/scripted_upstream.hpp"

namespace lookup_pool_test {

namespace {

using fairway::test::kPatience;
using fw::client::Clock;
using fw::client::LookupPool;
using fw::client::Transfer;
using fw::http::test::eventually;
using fw::http::test::Gate;
using fw::http::test::OpensAtEnd;
using namespace std::chrono_literals;

/// Waits for the gate for names that begin with "slow", and for those that begin with "turned" when
/// `hangs`; knows no name that begins with "no".
struct Resolver {
  Gate gate;
  std::atomic<bool> hangs = false;
  std::mutex mutex;
  std::map<std::string, int> calls;
  std::atomic<int> running = 0;

  std::vector<std::string> operator()(const std::string& host) {
    {
      const std::lock_guard lock(mutex);
      ++calls[host];
    }
    ++running;
    if (host.starts_with("slow") || (hangs && host.starts_with("turned"))) gate.wait();
    --running;
    if (host.starts_with("no")) throw std::runtime_error("there is no " + host);
    return {"127.0.0.1"};
  }
  int calls_of(const std::string& host) {
    const std::lock_guard lock(mutex);
    return calls[host];
  }
};

struct Lookups {
  const std::shared_ptr<Resolver> resolver = std::make_shared<Resolver>();
  std::atomic<int> received = 0;
  LookupPool pool{[resolver = resolver](const std::string& host) { return (*resolver)(host); }};

  LookupPool::Ticket begin(const std::string& host) {
    return pool.begin(host, [this](const LookupPool::Result&) { ++received; });
  }
  LookupPool::Result get(const std::string& host) {
    std::promise<LookupPool::Result> result;
    pool.begin(host, [&](const LookupPool::Result& value) { result.set_value(value); });
    return result.get_future().get();
  }
  /// Looks a name up that resolves at once. False if it has taken so long, on a busy machine, that
  /// the pool may not take its domain for a quick one.
  bool gets_quickly(const std::string& host) {
    const auto begin = Clock::now();
    CHECK(get(host).addresses.size() == 1);
    return Clock::now() - begin < LookupPool::kQuick;
  }
  /// Returns when the pool takes its domain for a quick one.
  void learn(const std::string& host) {
    while (!gets_quickly(host)) {
    }
  }
};

}  // namespace

TEST_CASE("look-ups: addresses, and the error of an unknown name") {
  Lookups lookups;
  CHECK(lookups.get("a.test").addresses == std::vector<std::string>{"127.0.0.1"});
  const auto unknown = lookups.get("no.test");
  CHECK(unknown.addresses.empty());
  CHECK(unknown.error == "there is no no.test");
  CHECK(fw::client::system_addresses("127.0.0.1") == std::vector<std::string>{"127.0.0.1"});
  CHECK_THROWS_WITH(fw::client::system_addresses("a..b"), "Could not resolve host: a..b");
}

TEST_CASE("look-ups: names that do not respond occupy a bounded number of threads") {
  Lookups lookups;
  const OpensAtEnd opener(lookups.resolver->gate);
  lookups.learn("known.test");
  for (int i = 0; i < 200; ++i) lookups.begin("slow" + std::to_string(i) + ".test");
  REQUIRE(eventually([&] { return lookups.resolver->running == LookupPool::kMaxForOthers; }));
  // Names that were quick before do not wait for them.
  for (int i = 0; i < 20 && lookups.gets_quickly("known.test"); ++i) {
  }
  CHECK(lookups.resolver->running == LookupPool::kMaxForOthers);
  CHECK(lookups.pool.size() <= LookupPool::kMaxThreads);
  lookups.resolver->gate.open();
  CHECK(eventually([&] { return lookups.received == 200; }));
}

TEST_CASE("look-ups: the domain of a name") {
  using fw::client::domain_of;
  CHECK(domain_of("api.example.com") == "example.com");
  CHECK(domain_of("a.b.example.com.") == "example.com");
  CHECK(domain_of("example.com") == "example.com");
  CHECK(domain_of("shop.example.co.uk") == "example.co.uk");
  CHECK(domain_of("example.co.uk") == "example.co.uk");
  CHECK(domain_of("shop.example.COM.au") == "example.COM.au");
  // Short domains have one owner, too.
  CHECK(domain_of("a.x.io") == "x.io");
  CHECK(domain_of("b.a.abc.de") == "abc.de");
  CHECK(domain_of("api.co.com") == "co.com");
  CHECK(domain_of("co.uk") == "co.uk");
  CHECK(domain_of("redis") == "redis");
  CHECK(domain_of("") == "");
  CHECK(domain_of("a..b") == ".b");
}

TEST_CASE("look-ups: names that hang after they were quick leave threads for quick names") {
  Lookups lookups;
  const OpensAtEnd opener(lookups.resolver->gate);
  for (const std::string host : {"known.test", "turned.first.test", "turned.second.test"}) {
    lookups.learn(host);
  }
  lookups.resolver->hangs = true;
  constexpr int kNames = 100;
  for (int i = 0; i < kNames; ++i) {
    for (const std::string domain : {"first", "second"}) {
      lookups.begin("turned" + std::to_string(i) + "." + domain + ".test");
    }
  }
  const auto most = LookupPool::kMaxForOthers + 2 * LookupPool::kMaxForDomain;
  REQUIRE(eventually([&] { return lookups.resolver->running == most; }));
  for (int i = 0; i < 20 && lookups.gets_quickly("known.test"); ++i) {
  }
  CHECK(lookups.resolver->running == most);
  lookups.resolver->gate.open();
  CHECK(eventually([&] { return lookups.received == 2 * kNames; }));
}

TEST_CASE("look-ups: one name that hangs takes the threads of quick names from its domain") {
  Lookups lookups;
  const OpensAtEnd opener(lookups.resolver->gate);
  lookups.learn("known.test");
  lookups.learn("turned.test");
  lookups.resolver->hangs = true;
  lookups.begin("turned.test");
  REQUIRE(eventually([&] { return lookups.resolver->running == 1; }));
  std::this_thread::sleep_for(LookupPool::kQuick);
  for (int i = 0; i < 100; ++i) lookups.begin("turned" + std::to_string(i) + ".turned.test");
  REQUIRE(eventually([&] { return lookups.resolver->running == 1 + LookupPool::kMaxForOthers; }));
  CHECK(lookups.get("known.test").addresses.size() == 1);
  CHECK(lookups.resolver->running == 1 + LookupPool::kMaxForOthers);
  lookups.resolver->gate.open();
  CHECK(eventually([&] { return lookups.received == 101; }));
}

TEST_CASE("look-ups: waiting names do not reject names of quick domains") {
  Lookups lookups;
  const OpensAtEnd opener(lookups.resolver->gate);
  lookups.learn("known.test");
  for (std::size_t i = 0; i < LookupPool::kMaxForOthers + LookupPool::kMaxWaiting; ++i) {
    lookups.begin("slow" + std::to_string(i) + ".test");
  }
  CHECK(lookups.get("known.test").addresses.size() == 1);
}

TEST_CASE("look-ups: of many quick domains, one is forgotten for each new one") {
  Lookups lookups;
  const OpensAtEnd opener(lookups.resolver->gate);
  constexpr std::size_t kDomains = LookupPool::kMaxKnown + 64;
  const auto name = [](std::size_t i) { return "domain" + std::to_string(i) + ".test"; };
  for (std::size_t i = 0; i + 1 < kDomains; ++i) lookups.get(name(i));
  lookups.learn(name(kDomains - 1));
  for (std::size_t i = 0; i < LookupPool::kMaxForOthers; ++i) {
    lookups.begin("slow" + std::to_string(i) + ".test");
  }
  REQUIRE(eventually([&] { return lookups.resolver->running == LookupPool::kMaxForOthers; }));
  for (std::size_t i = 0; i < kDomains; ++i) {
    lookups.begin(name(i));
    // No more wait than may.
    if (i % 512 == 0) lookups.get(name(kDomains - 1));
  }
  REQUIRE(eventually([&] { return lookups.received >= static_cast<int>(LookupPool::kMaxKnown); }));
  std::size_t known = 0;
  for (std::size_t i = 0; i < kDomains; ++i) {
    if (lookups.resolver->calls_of(name(i)) >= 2) ++known;
  }
  CHECK(known == LookupPool::kMaxKnown);
}

TEST_CASE("look-ups: further names are rejected if too many wait") {
  Lookups lookups;
  const OpensAtEnd opener(lookups.resolver->gate);
  for (std::size_t i = 0; i < LookupPool::kMaxThreads; ++i) {
    lookups.begin("slow" + std::to_string(i) + ".test");
  }
  REQUIRE(eventually([&] { return lookups.resolver->running == LookupPool::kMaxForOthers; }));
  for (std::size_t i = 0; i < LookupPool::kMaxWaiting; ++i) {
    lookups.begin("more" + std::to_string(i) + ".test");
  }
  const auto rejected = lookups.get("last.test");
  CHECK(rejected.error == "Could not resolve host: last.test: too many names are being looked up");
}

TEST_CASE("look-ups: concurrent ones of a name are one, and a canceled one does not begin") {
  Lookups lookups;
  const OpensAtEnd opener(lookups.resolver->gate);
  for (int i = 0; i < 50; ++i) lookups.begin("slow.test");
  for (std::size_t i = 1; i < LookupPool::kMaxForOthers; ++i) {
    lookups.begin("slow" + std::to_string(i) + ".test");
  }
  REQUIRE(eventually([&] { return lookups.resolver->running == LookupPool::kMaxForOthers; }));
  const auto unwanted = lookups.begin("unwanted.test");
  const auto first = lookups.begin("wanted.test");
  lookups.begin("wanted.test");
  lookups.pool.cancel(unwanted);
  lookups.pool.cancel(first);
  lookups.resolver->gate.open();
  const int expected = 50 + static_cast<int>(LookupPool::kMaxForOthers);
  CHECK(eventually([&] { return lookups.received == expected; }));
  CHECK(lookups.resolver->calls_of("slow.test") == 1);
  CHECK(lookups.resolver->calls_of("wanted.test") == 1);
  CHECK(lookups.resolver->calls_of("unwanted.test") == 0);
}

TEST_CASE("look-ups: the end of the pool waits for no resolver") {
  const auto resolver = std::make_shared<Resolver>();
  const OpensAtEnd opener(resolver->gate);
  std::atomic<int> received = 0;
  {
    LookupPool pool([resolver](const std::string& host) { return (*resolver)(host); });
    pool.begin("slow.test", [&](const LookupPool::Result&) { ++received; });
    REQUIRE(eventually([&] { return resolver->running == 1; }));
  }
  resolver->gate.open();
  CHECK(eventually([&] { return resolver->running == 0; }));
  CHECK(received == 0);
}

namespace {

/// Calls with a resolver of their own.
struct Calls {
  const std::shared_ptr<Resolver> resolver = std::make_shared<Resolver>();
  const std::shared_ptr<fw::client::OutboundTransport> transport = fw::client::make_transport(
      {.look_up = [resolver = resolver](const std::string& host) { return (*resolver)(host); }});

  std::shared_ptr<Transfer> start(const std::string& url, bool only_public = false) const {
    auto transfer = std::make_shared<Transfer>(fw::client::OutboundRequest{
        .method = "GET", .url = fw::client::parse_url(url), .only_public_addresses = only_public});
    transfer->start(*transport);
    return transfer;
  }
  static std::string failure(Transfer& transfer) {
    if (transfer.wait_for_head(Clock::now() + kPatience) != Transfer::Outcome::failed)
      return "no failure";
    return transfer.failure().message;
  }
};

}  // namespace

TEST_CASE("look-ups: calls use the pool, and keep its addresses") {
  fw::support::ScriptedUpstream upstream([](fw::support::ScriptedConnection& connection) {
    connection.read_request();
    connection.respond(200, "ok", "Connection: close\r\n");
  });
  const std::string url = upstream.url();
  const std::string port = url.substr(url.rfind(':'));
  Calls calls;
  for (int i = 0; i < 3; ++i) {
    const auto transfer = calls.start("http://api.test" + port);
    CHECK(transfer->wait_for_head(Clock::now() + kPatience) == Transfer::Outcome::ready);
    CHECK(transfer->status() == 200);
    transfer->close();
  }
  CHECK(upstream.connections() == 3);
  CHECK(calls.resolver->calls_of("api.test") == 1);
  const auto unknown = calls.start("http://no.test" + port);
  CHECK(Calls::failure(*unknown) == "there is no no.test");
  unknown->close();
  const auto rejected = calls.start("http://other.test" + port, true);
  CHECK(Calls::failure(*rejected) == "the host has no public address");
  rejected->close();
  // No name of a host contains what might mean something else to libcurl.
  const auto strange = calls.start("http://a~b.test" + port);
  CHECK(Calls::failure(*strange) == "Could not resolve host: a~b.test");
  strange->close();
  CHECK(calls.resolver->calls_of("a~b.test") == 0);
}

TEST_CASE("look-ups: a call ends at its deadline, and with its application") {
  auto calls = std::make_unique<Calls>();
  const auto resolver = calls->resolver;
  const OpensAtEnd opener(resolver->gate);
  const auto late = calls->start("http://slow.test/");
  REQUIRE(eventually([&] { return resolver->running == 1; }));
  CHECK(late->wait_for_head(Clock::now() + 20ms) == Transfer::Outcome::timed_out);
  late->close();
  const auto aborted = calls->start("http://slow.test/");
  aborted->abort();
  CHECK(aborted->wait_for_head(Clock::now() + kPatience) == Transfer::Outcome::aborted);
  aborted->close();
  const auto last = calls->start("http://slow.test/");
  calls->transport->stop();
  CHECK(Calls::failure(*last) == "the application has ended");
  last->close();
  calls.reset();
}

}  // namespace lookup_pool_test
