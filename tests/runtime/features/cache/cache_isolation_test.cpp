// Many users at a time on cached routes, with a store that forgets and fails: each response belongs
// to the one who asked for it.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/failing_store.hpp"
#include "support/table_builder.hpp"

namespace cache_isolation_test {

namespace {

using fw::support::FailingStore;
using fw::support::OneFileApp;
using fw::testing::TestApp;
using fw::testing::TestResponse;

/// A store that fails or forgets an entry, each in one of twenty operations.
class ChaoticStore : public FailingStore {
 public:
  std::atomic<int> failures = 0;
  std::atomic<int> evictions = 0;

  std::optional<std::string> get(std::string_view key) override {
    disturb(key);
    return FailingStore::get(key);
  }
  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    disturb(key);
    return FailingStore::get_object(key, convert);
  }
  void set(std::string_view key, std::string_view value, std::chrono::milliseconds ttl) override {
    disturb(key);
    FailingStore::set(key, value, ttl);
  }
  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    std::chrono::milliseconds ttl) override {
    disturb(key);
    return FailingStore::set_if_equal(key, expected, value, ttl);
  }
  void tag(std::string_view key, std::span<const std::string> tags) override {
    disturb(key);
    FailingStore::tag(key, tags);
  }

 private:
  void disturb(std::string_view key) {
    thread_local std::minstd_rand random(std::random_device{}());
    const auto dice = random() % 20;
    if (dice == 0) {
      ++failures;
      throw fw::StoreError("by chance");
    }
    if (dice == 1 && FailingStore::erase(key)) ++evictions;
  }
};

/// Reads the user of `Authorization: user-7`, as an authentication would.
void authenticate(fw::Request& req, fw::Response&, fw::Next next) {
  if (const auto user = req.header("authorization")) {
    req.auth().is_authenticated = true;
    req.auth().user_id = *user;
  }
  next();
}

void routes(fw::Router& app) {
  const auto filler = [](const std::string& user) {
    return fw::Json{{"user", user}, {"text", std::string(1'500, user.back())}};
  };
  const auto of_auth = [filler](fw::Request& req, fw::Response& res) {
    res.json(filler(req.auth().user_id));
  };
  app.get("/partitioned",
          {.auth = true,
           .cache = {{.ttl = 60'000,
                      .partition_key = [](fw::Request& req) { return req.auth().user_id; }}}},
          of_auth);
  app.get("/authorised", {.auth = true, .cache = 60'000}, of_auth);
  app.get("/by-header", {.cache = {{.ttl = 60'000, .headers = {"X-User"}}}},
          [filler](fw::Request& req, fw::Response& res) {
            res.json(filler(std::string(req.header("x-user").value_or("nobody"))));
          });
  app.get("/cookie", {.cache = {{.ttl = 60'000, .stale_while_revalidate = 1'000}}},
          [filler](fw::Request& req, fw::Response& res) {
            res.json(filler(std::string(req.cookie("user").value_or("nobody"))));
          });
  app.get("/sets-cookie", {.cache = 60'000}, [filler](fw::Request& req, fw::Response& res) {
    const std::string user(req.query("user").value_or("nobody"));
    res.set_cookie("user", user).json(filler(user));
  });
}

/// The user whose response this is.
std::string user_of(const TestResponse& response) {
  const fw::Json data = response.json().at("data");
  const std::string user = data.at("user");
  const bool is_whole = data.at("text") == std::string(1'500, user.back());
  return is_whole ? user : "a mixture";
}

/// Runs `action(index)` on so many threads at the same time.
void at_the_same_time(int threads, const std::function<void(int)>& action) {
  std::atomic<bool> go = false;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      go.wait(false);
      action(i);
    });
  }
  go = true;
  go.notify_all();
  for (std::thread& thread : running) thread.join();
}

}  // namespace

TEST_CASE("cache isolation: 200 users never get a response with data of another user") {
  const auto store = std::make_shared<ChaoticStore>();
  fw::Config config = TestApp::test_config();
  config.etag = fw::EntityTags::weak;
  OneFileApp app(routes, config, [&](fw::App& application) {
    application.set_store("cache", store);
    application.use(authenticate);
  });
  std::atomic<int> wrong = 0;
  std::atomic<int> hits = 0;
  at_the_same_time(200, [&](int index) {
    const std::string user = "user-" + std::to_string(index);
    const auto check = [&](const TestResponse& response, bool may_be_nobody) {
      if (response.header("x-cache") == "HIT") ++hits;
      const std::string found = response.status == 200 ? user_of(response) : "no one";
      if (found != user && !(may_be_nobody && found == "nobody")) ++wrong;
      if (response.header("set-cookie") &&
          response.header("set-cookie")->find("user=" + user + ";") == std::string_view::npos) {
        ++wrong;
      }
    };
    for (int round = 0; round < 8; ++round) {
      for (const char* path : {"/partitioned", "/authorised"}) {
        check(app.request("GET", path).header("Authorization", user).send(), false);
      }
      check(app.request("GET", "/by-header").header("X-User", user).send(), false);
      check(app.request("GET", "/cookie").header("Cookie", "user=" + user).send(), true);
      if (user_of(app.request("GET", "/cookie").send()) != "nobody") ++wrong;
      check(app.request("GET", "/sets-cookie?user=" + user).send(), false);
      const TestResponse tagged =
          app.request("GET", "/partitioned").header("Authorization", user).send();
      const std::string tag(tagged.header("etag").value_or("none"));
      const TestResponse known = app.request("GET", "/partitioned")
                                     .header("Authorization", "user-" + std::to_string(index + 1))
                                     .header("If-None-Match", tag)
                                     .send();
      if (known.status == 304) ++wrong;  // the tag is of the data of another user
    }
  });
  CHECK(wrong == 0);
  CHECK(hits > 0);
  CHECK(store->failures > 0);
  CHECK(store->evictions > 0);
}

TEST_CASE("cache isolation: thousands of misses of one key run the handler once") {
  // FAIRWAY_TEST_MISSES=10000 on a machine that has so many threads.
  const char* const wanted = std::getenv("FAIRWAY_TEST_MISSES");
  const int misses = wanted != nullptr ? std::atoi(wanted) : 1'000;
  std::atomic<int> calls = 0;
  std::atomic<int> waiting = 0;
  fw::Config config = fw::testing::TestApp::test_config();
  config.cache.wait_timeout = 600'000;
  const auto routes = [&](fw::Router& router) {
    router.get("/c",
               {.cache = {{.ttl = 60'000,
                           .condition =
                               [&](fw::Request&) {
                                 ++waiting;
                                 return true;
                               }}}},
               [&](fw::Request&, fw::Response& res) {
                 ++calls;
                 while (waiting < misses) std::this_thread::yield();
                 res.json({{"user", "all"}});
               });
  };
  OneFileApp app(routes, config);
  std::atomic<int> responses = 0;
  at_the_same_time(misses, [&](int) {
    if (app.request("GET", "/c").send().json().at("data").at("user") == "all") ++responses;
  });
  CHECK(calls == 1);
  CHECK(responses == misses);
}

}  // namespace cache_isolation_test
