// How often the handler of a cached route runs: for concurrent requests, for processes that share a
// store, and while a stale response is sent.
#include <fairway/response_cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/loopback.hpp"
#include "observe/active_span.hpp"
#include "support/cached_responses.hpp"
#include "support/collector.hpp"
#include "support/failing_store.hpp"
#include "support/table_builder.hpp"

namespace cache_stage_runs_test {

namespace {

using fw::support::FailingStore;
using fw::support::OneFileApp;
using fw::support::outcome;
using fw::testing::TestApp;
using fw::testing::TestResponse;

/// Counts how often entries are looked up.
class CountingStore : public FailingStore {
 public:
  std::atomic<int> lookups = 0;

  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    auto object = FailingStore::get_object(key, convert);
    if (key.starts_with("cache:entry:")) ++lookups;
    return object;
  }
};

}  // namespace

TEST_CASE("cache: concurrent misses run the handler once, and each of them if it fails") {
  constexpr int kRequests = 8;
  std::atomic<int> calls = 0;
  const auto run = [&](const std::string& path) {
    calls = 0;
    const auto store = std::make_shared<CountingStore>();
    const auto routes = [&, store](fw::Router& router) {
      router.get("/c", {.cache = 60'000}, [&, store](fw::Request& req, fw::Response& res) {
        const int call = ++calls;
        // The first one waits until all the others have found that there is no entry. It looks for
        // it a second time itself.
        while (call == 1 && store->lookups <= kRequests) std::this_thread::yield();
        if (call == 1 && req.query("fail")) fw::raise(500, "failed");
        res.json({{"hits", call}});
      });
    };
    OneFileApp app(routes, TestApp::test_config(),
                   [&](fw::App& application) { application.set_store("cache", store); });
    std::vector<TestResponse> responses(kRequests);
    std::vector<std::thread> threads;
    for (TestResponse& response : responses) {
      threads.emplace_back([&] { response = app.request("GET", path).send(); });
    }
    for (std::thread& thread : threads) thread.join();
    return responses;
  };
  for (const TestResponse& response : run("/c")) {
    CHECK(response.json().at("data").at("hits") == 1);
  }
  CHECK(calls == 1);
  const auto after_failure = run("/c?fail=1");
  CHECK(std::count_if(after_failure.begin(), after_failure.end(),
                      [](const auto& response) { return response.status == 500; }) == 1);
  CHECK(std::count_if(after_failure.begin(), after_failure.end(), [](const auto& response) {
          return response.status == 200;
        }) == kRequests - 1);
}

TEST_CASE("cache: a half-closed client gets the response of a miss and of a hit") {
  fw::Config config = TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  fw::support::TableBuilder table;
  table.routes([](fw::Router& router) {
    router.get("/c", {.cache = 60'000}, [](fw::Request&, fw::Response& res) { res.json("all"); });
  });
  fw::App app(config);
  // The request continues when the server has detected it.
  std::atomic<int> detected = 0;
  app.use([&](fw::Request& req, fw::Response&, fw::Next next) {
    for (int i = 0; i < 60'000 && !req.signal().stop_requested(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (req.signal().stop_requested()) ++detected;
    next();
  });
  app.mount(table.table());
  app.start();
  for (const char* expected : {"MISS", "HIT"}) {
    fw::http::test::Client client(app.port());
    client.send("GET /c HTTP/1.1\r\nHost: a\r\n\r\n");
    client.end_sending();
    const auto response = client.read_response();
    CHECK(response.status == 200);
    CHECK(response.field("x-cache") == expected);
  }
  CHECK(detected == 2);
}

TEST_CASE("cache: requests that missed an entry while it was stored do not run the handler") {
  // The second and the third request look for the entry before it is stored, and continue after
  // that. One of them then leads the other one.
  struct LateStore : FailingStore {
    std::atomic<int> lookups = 0;
    std::atomic<bool> is_stored = false;

    std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
      auto object = FailingStore::get_object(key, convert);
      const int lookup = ++lookups;
      while ((lookup == 3 || lookup == 4) && !is_stored) std::this_thread::yield();
      // The lead looks again. The other request waits by now.
      if (lookup == 5) std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return object;
    }
  };
  const auto store = std::make_shared<LateStore>();
  std::atomic<int> calls = 0;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/c", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
          ++calls;
          while (store->lookups < 4) std::this_thread::yield();
          res.json("x");
        });
      },
      TestApp::test_config(), [&](fw::App& application) { application.set_store("cache", store); });
  const auto get = [&] { CHECK(app.request("GET", "/c").send().status == 200); };
  std::thread first(get);
  while (store->lookups < 2) std::this_thread::yield();
  std::thread second(get);
  std::thread third(get);
  first.join();
  store->is_stored = true;
  second.join();
  third.join();
  CHECK(calls == 1);
}

namespace {

/// Two applications that share a store, as two processes would, with the route GET /c. Its handler
/// waits for `open`, and fails in the first application if `fails`.
struct TwoProcesses {
  struct ClaimStore : FailingStore {
    std::atomic<int> claims = 0;
    std::atomic<int> looks = 0;
    std::atomic<int> looks_with_span = 0;  ///< a command to Redis would have a span
    /// Milliseconds for which a process that has ended keeps the first claim.
    std::atomic<int> lost_claim = 0;

    bool set_if_absent(std::string_view key, std::string_view value,
                       std::chrono::milliseconds ttl) override {
      if (key.starts_with("cache:claim:")) {
        ++claims;
        if (const int life = lost_claim.exchange(0); life > 0) {
          FailingStore::set(key, "x", std::chrono::milliseconds(life));
        }
      }
      return FailingStore::set_if_absent(key, value, ttl);
    }
    std::optional<std::string> get(std::string_view key) override {
      if (key.starts_with("cache:claim:")) {
        ++looks;
        if (fw::detail::current_span() != nullptr) ++looks_with_span;
      }
      return FailingStore::get(key);
    }
  };

  std::shared_ptr<ClaimStore> store = std::make_shared<ClaimStore>();
  std::atomic<int> calls = 0;
  std::atomic<bool> is_open = false;
  bool fails = false;
  std::string collector = {};  ///< for traces of later applications
  fw::RouteCacheOptions options{.ttl = 60'000};
  std::unique_ptr<OneFileApp> first = application(true);
  std::unique_ptr<OneFileApp> second = application(false);

  std::unique_ptr<OneFileApp> application(bool is_first, std::int64_t wait_timeout = 30'000) {
    fw::Config config = TestApp::test_config();
    config.cache.wait_timeout = wait_timeout;
    config.tracing.endpoint = collector;
    return std::make_unique<OneFileApp>(
        [this, is_first](fw::Router& router) {
          router.get("/c", {.cache = options}, [this, is_first](fw::Request&, fw::Response& res) {
            const int call = ++calls;
            while (!is_open) std::this_thread::yield();
            if (is_first && fails) fw::raise(500, "failed");
            res.json({{"hits", call}});
          });
        },
        config, [this](fw::App& app) { app.set_store("cache", store); });
  }

  /// The responses of both: the second one waits for the first one, whose handler then continues.
  std::pair<TestResponse, TestResponse> get() {
    std::pair<TestResponse, TestResponse> responses;
    std::thread one([&] { responses.first = first->request("GET", "/c").send(); });
    while (calls < 1) std::this_thread::yield();
    std::thread other([&] { responses.second = second->request("GET", "/c").send(); });
    while (store->looks < 2) std::this_thread::yield();
    is_open = true;
    one.join();
    other.join();
    return responses;
  }
};

}  // namespace

TEST_CASE("cache: processes that share a store run the handler once") {
  TwoProcesses processes;
  const auto [one, other] = processes.get();
  CHECK(outcome(one) == "MISS 1");
  CHECK(outcome(other) == "HIT 1");
  CHECK(processes.calls == 1);
  // The claim has ended: another miss is not late.
  processes.first->app().cache().clear();
  CHECK(outcome(processes.second->request("GET", "/c").send()) == "MISS 2");
}

TEST_CASE("cache: the looks for the response of another process have no spans") {
  const fw::support::Collector collector;
  TwoProcesses processes;
  processes.collector = collector.url();
  processes.second = processes.application(false);
  std::thread one([&] { processes.first->request("GET", "/c").send(); });
  while (processes.calls < 1) std::this_thread::yield();
  std::thread other([&] { processes.second->request("GET", "/c").send(); });
  while (processes.store->looks < 8) std::this_thread::yield();
  processes.is_open = true;
  one.join();
  other.join();
  CHECK(processes.store->looks_with_span < 3);  // before the wait
}

TEST_CASE("cache: if a process's handler fails, another process runs it") {
  TwoProcesses processes;
  processes.fails = true;
  const auto [one, other] = processes.get();
  CHECK(one.status == 500);
  CHECK(outcome(other) == "MISS 2");
}

namespace {

/// A store of several processes that knows the last claim. Ending a claim fails, after it has been
/// ended, while `has_no_memory` is set.
class OneClaimStore : public FailingStore {
 public:
  std::atomic<bool> has_no_memory = false;
  std::atomic<int> lookups = 0;
  /// The next command that takes a claim gets no reply.
  std::atomic<bool> loses_reply = false;

  bool set_if_absent(std::string_view key, std::string_view value,
                     std::chrono::milliseconds ttl) override {
    const bool is_set = FailingStore::set_if_absent(key, value, ttl);
    if (loses_reply.exchange(false)) {
      lost_claim_ = key;
      throw fw::StoreError("no reply");
    }
    const std::lock_guard lock(mutex_);
    claim_ = key;
    return is_set;
  }
  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    std::chrono::milliseconds ttl) override {
    const bool is_set = FailingStore::set_if_equal(key, expected, value, ttl);
    if (has_no_memory && value.empty()) throw std::bad_alloc();
    return is_set;
  }
  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    auto object = FailingStore::get_object(key, convert);
    ++lookups;
    return object;
  }

  /// Whether the claim has ended within a second, long before it expires.
  bool is_claim_ended() {
    const std::lock_guard lock(mutex_);
    REQUIRE(claim_.starts_with("cache:claim:"));
    for (int i = 0; i < 1'000 && get(claim_); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return !get(claim_);
  }
  bool has_lost_claim() { return !get(lost_claim_).value_or("").empty(); }

 private:
  std::mutex mutex_;
  std::string claim_;
  std::string lost_claim_;
};

}  // namespace

TEST_CASE("cache: the claim of a process ends when its handler fails or its response is private") {
  const auto store = std::make_shared<OneClaimStore>();
  int calls = 0;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/c", {.cache = 60'000}, [&](fw::Request& req, fw::Response& res) {
          ++calls;
          if (req.query("fail") == "error") fw::raise(500, "failed");
          if (req.query("fail") == "exception") throw std::runtime_error("failed");
          if (req.query("fail") == "status") res.status(503);
          if (req.query("fail") == "client") fw::raise(404, "none");
          if (req.query("fail") == "cookie") res.set_header("set-cookie", "a=b");
          res.json({{"hits", calls}});
        });
      },
      TestApp::test_config(), [&](fw::App& application) { application.set_store("cache", store); });
  for (const char* const fail : {"error", "exception", "status", "client", "cookie"}) {
    CAPTURE(fail);
    app.request("GET", std::string("/c?fail=") + fail).send();
    CHECK(store->is_claim_ended());
  }
  CHECK(calls == 5);
}

TEST_CASE("cache: nobody waits for a claim of which the store did not say that it was taken") {
  const auto store = std::make_shared<OneClaimStore>();
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/c", {.cache = 60'000},
                   [&](fw::Request&, fw::Response& res) { res.json({{"hits", 1}}); });
      },
      TestApp::test_config(), [&](fw::App& application) { application.set_store("cache", store); });
  store->loses_reply = true;
  CHECK(app.request("GET", "/c").send().status == 200);
  CHECK(store->has_lost_claim());
  CHECK(app.request("GET", "/c?other").send().status == 200);
  CHECK_FALSE(store->has_lost_claim());
}

TEST_CASE(
    "cache: a claim that cannot be ended for want of memory stops neither process nor requests") {
  for (const bool fails : {true, false}) {
    CAPTURE(fails);
    const auto store = std::make_shared<OneClaimStore>();
    std::atomic<int> calls = 0;
    OneFileApp app(
        [&](fw::Router& router) {
          router.get("/c", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
            const int call = ++calls;
            // The lead has looked twice, and another request once.
            while (call == 1 && store->lookups < 3) std::this_thread::yield();
            store->has_no_memory = call == 1;
            if (call == 1 && fails) fw::raise(500, "failed");
            res.json({{"hits", call}});
          });
        },
        TestApp::test_config(),
        [&](fw::App& application) { application.set_store("cache", store); });
    TestResponse first;
    std::thread lead([&] { first = app.request("GET", "/c").send(); });
    while (calls < 1) std::this_thread::yield();
    const TestResponse other = app.request("GET", "/c").send();
    lead.join();
    // The response and its entry are complete before the claim is ended.
    CHECK(first.status == (fails ? 500 : 200));
    CHECK(outcome(other) == (fails ? "MISS 2" : "HIT 1"));
  }
}

TEST_CASE("cache: the lock of a process that crashed expires, and another one runs the handler") {
  TwoProcesses processes;
  processes.is_open = true;
  processes.store->lost_claim = 150;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(outcome(processes.first->request("GET", "/c").send()) == "MISS 1");
  CHECK(std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(100));
  CHECK(processes.store->claims == 1);
}

TEST_CASE("cache: the wait for another process ends after cache.waitTimeout") {
  TwoProcesses processes;
  processes.second = processes.application(false, 100);
  std::thread one([&] { processes.first->request("GET", "/c").send(); });
  while (processes.calls < 1) std::this_thread::yield();
  const TestResponse response = processes.second->request("GET", "/c").send();
  CHECK(response.status == 503);
  CHECK(response.header("retry-after") == "1");
  CHECK(processes.calls == 1);
  processes.is_open = true;
  one.join();
}

TEST_CASE("cache: a stale response is sent while another request runs the handler") {
  std::promise<void> gate;
  const std::shared_future<void> opened = gate.get_future().share();
  std::atomic<int> calls = 0;
  OneFileApp app([&](fw::Router& router) {
    router.get("/c", {.cache = fw::RouteCacheOptions{.ttl = 1, .stale_while_revalidate = 60'000}},
               [&](fw::Request&, fw::Response& res) {
                 const int call = ++calls;
                 if (call > 1) opened.wait();
                 res.json({{"hits", call}});
               });
  });
  const auto get = [&] { return outcome(app.request("GET", "/c").send()); };
  CHECK(get() == "MISS 1");
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::string renewed;
  std::thread lead([&] { renewed = get(); });
  while (calls < 2) std::this_thread::yield();
  const TestResponse stale = app.request("GET", "/c").send();
  CHECK(outcome(stale) == "STALE 1");
  CHECK(stale.header("cache-control") == "public, max-age=0");
  gate.set_value();
  lead.join();
  CHECK(renewed == "MISS 2");
}

}  // namespace cache_stage_runs_test
