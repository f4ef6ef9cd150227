// Sessions that are read before their request takes a thread.
#include <doctest/doctest.h>
#include <httplib.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "eventually.hpp"
#include "store/async_reader.hpp"
#include "support/failing_store.hpp"
#include "support/table_builder.hpp"

namespace session_prefetch_test {

namespace {

using fairway::test::eventually;
using fw::Json;
using fw::store::AsyncReader;
using fw::support::FailingStore;
using namespace std::chrono_literals;

/// Reads when the test says so, or at once.
class SlowStore : public FailingStore, public AsyncReader {
 public:
  std::atomic<bool> is_slow = false;
  std::atomic<int> begun = 0;
  std::atomic<int> renewed = 0;

  bool begin_get_and_renew(std::string_view key, std::chrono::milliseconds ttl,
                           std::shared_ptr<Receiver> receiver) override {
    if (ttl == 24h) ++renewed;
    return begin_get(key, std::move(receiver));
  }
  bool begin_get(std::string_view key, std::shared_ptr<Receiver> receiver) override {
    ++begun;
    if (!is_slow) {
      finish(std::string(key), *receiver);
      return true;
    }
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::string(key), std::move(receiver)});
    return true;
  }

  void await(std::size_t count) {
    while (true) {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() >= count) return;
    }
  }
  void finish_all() {
    std::vector<Read> reads;
    {
      const std::lock_guard lock(mutex_);
      reads.swap(waiting_);
    }
    for (const Read& read : reads) finish(read.key, *read.receiver);
  }

 private:
  struct Read {
    std::string key;
    std::shared_ptr<Receiver> receiver;
  };

  void finish(const std::string& key, Receiver& receiver) {
    Result result;
    try {
      result.value = get(key);
    } catch (const fw::StoreError& error) {
      result.error = error.what();
    }
    receiver.receive(std::move(result));
  }

  std::mutex mutex_;
  std::vector<Read> waiting_;
};

/// An application that listens, and a client with a session.
class Server {
 public:
  explicit Server(const std::function<void(fw::Config&)>& change = {}) : app(config(change)) {
    table_.routes([](fw::Router& router) {
      const auto state = [](fw::Request& req, fw::Response& res) {
        res.json({{"isNew", req.session().is_new()}, {"data", req.session().data()}});
      };
      router.get("/state", state);
      router.get("/limited", {.timeout = 600'000}, state);
      router.get("/set", [](fw::Request& req, fw::Response& res) {
        req.session().set("user", "ada");
        res.json(nullptr);
      });
      router.get("/sign-out", [](fw::Request& req, fw::Response& res) {
        req.session().destroy();
        res.json(nullptr);
      });
      router.get("/sometimes", [](fw::Request& req, fw::Response& res) {
        if (req.query("use")) req.session().data();
        res.json(nullptr);
      });
      router.get("/late", [](fw::Request& req, fw::Response& res) {
        if (req.query("sleep")) std::this_thread::sleep_for(150ms);
        res.json(req.session().is_new());
      });
      router.get("/plain", {.session = false},
                 [](fw::Request&, fw::Response& res) { res.json(nullptr); });
    });
    app.set_store("session", store);
    app.set_logger(fw::Logger(sink));
    app.mount(table_.table());
    app.start();
    const auto response = client().Get("/set");
    REQUIRE(response);
    const std::string field = response->get_header_value("set-cookie");
    cookie = field.substr(0, field.find(';'));
  }

  httplib::Client client() const {
    httplib::Client result("127.0.0.1", app.port());
    result.set_read_timeout(60s);
    return result;
  }
  httplib::Result get(const std::string& target) const {
    return client().Get(target, {{"Cookie", cookie}});
  }
  Json data(const std::string& target) const { return Json::parse(get(target)->body)["data"]; }
  /// Sends so many requests that the next one is prefetched.
  void teach(const std::string& target) const {
    for (int i = 0; i < 8; ++i) CHECK(get(target)->status == 200);
  }

  std::shared_ptr<SlowStore> store = std::make_shared<SlowStore>();
  std::shared_ptr<fw::support::RecordingSink> sink = std::make_shared<fw::support::RecordingSink>();
  fw::App app;
  std::string cookie;

 private:
  static fw::Config config(const std::function<void(fw::Config&)>& change) {
    fw::Config config = fw::testing::TestApp::test_config();
    config.host = "127.0.0.1";
    config.port = 0;
    config.session.enabled = true;
    config.server.min_workers = 2;
    config.server.max_workers = 2;
    if (change) change(config);
    return config;
  }

  fw::support::TableBuilder table_;
};

const Json kAda = {{"isNew", false}, {"data", {{"user", "ada"}}}};

}  // namespace

TEST_CASE("session prefetch: requests that wait for the store occupy no thread") {
  Server server;
  server.teach("/state");
  CHECK(server.data("/state") == kAda);
  server.store->is_slow = true;
  std::vector<std::future<Json>> waiting;
  for (int i = 0; i < 10; ++i) {
    waiting.push_back(std::async(std::launch::async, [&] { return server.data("/state"); }));
  }
  server.store->await(10);
  CHECK(server.get("/plain")->status == 200);
  server.store->finish_all();
  for (auto& data : waiting) CHECK(data.get() == kAda);
}

TEST_CASE("session prefetch: a rolling session is renewed by the same read") {
  Server server([](fw::Config& config) { config.session.rolling = true; });
  server.teach("/state");
  // A prefetched session is fresh for 100 ms, in which a busy machine may not use it.
  CHECK(eventually([&] {
    const int begun = server.store->begun;
    const int renewed = server.store->renewed;
    const int calls = server.store->calls;
    const auto response = server.get("/state");
    CHECK(response->get_header_value("set-cookie").starts_with(server.cookie));
    CHECK(server.store->begun == begun + 1);
    CHECK(server.store->renewed == renewed + 1);
    return server.store->calls == calls + 1;
  }));
}

TEST_CASE("session prefetch: only for routes whose requests load the session") {
  Server server;
  for (int i = 0; i < 8; ++i) server.get("/sometimes");
  CHECK(server.store->begun == 0);
  for (int i = 0; i < 8; ++i) server.get("/sometimes?use=1");
  const int learned = server.store->begun;
  CHECK(learned > 0);
  for (int i = 0; i < 8; ++i) server.get("/sometimes");
  CHECK(server.store->begun - learned <= 2);  // read and not used
  // Not without a cookie, with one that is not an id, or with several fields.
  server.teach("/state");
  const int begun = server.store->begun;
  auto client = server.client();
  CHECK(client.Get("/state")->status == 200);
  CHECK(client.Get("/state", {{"Cookie", "fw.sid=short"}})->status == 200);
  CHECK(client.Get("/state", {{"Cookie", "a=b"}, {"Cookie", server.cookie}})->status == 200);
  CHECK(server.store->begun == begun);
  // Its time limit applies to the store as well.
  for (int i = 0; i < 12; ++i) CHECK(server.data("/limited") == kAda);
  CHECK(server.store->begun == begun);
}

TEST_CASE("session prefetch: a destroyed session is unknown at once") {
  Server server;
  server.teach("/state");
  CHECK(server.get("/sign-out")->status == 200);
  const int begun = server.store->begun;
  CHECK(server.data("/state") == Json{{"isNew", true}, {"data", Json::object()}});
  CHECK(server.store->begun == begun + 1);
}

TEST_CASE("session prefetch: an old prefetched session is read again") {
  Server server;
  server.teach("/late");
  // A prefetched session is fresh for 100 ms, in which a busy machine may not use it.
  CHECK(eventually([&] {
    const int begun = server.store->begun;
    const int calls = server.store->calls;
    CHECK(server.data("/late") == false);
    CHECK(server.store->begun == begun + 1);
    return server.store->calls == calls + 1;
  }));
  const int begun = server.store->begun;
  const int calls = server.store->calls;
  CHECK(server.data("/late?sleep=1") == false);
  CHECK(server.store->begun == begun + 1);
  CHECK(server.store->calls == calls + 2);
}

TEST_CASE("session prefetch: requests that use the session get a 503 while the store is down") {
  Server server;
  server.teach("/sometimes?use=1");
  server.store->failing = true;
  const int calls = server.store->calls;
  CHECK(server.get("/sometimes?use=1")->status == 503);
  CHECK(server.store->calls == calls + 1);  // the error comes from the first attempt
  CHECK(server.get("/sometimes")->status == 200);
  server.store->failing = false;
  CHECK(server.get("/sometimes?use=1")->status == 200);
}

TEST_CASE("session prefetch: the access log contains the time for the store") {
  Server server([](fw::Config& config) {
    config.access_log.enabled = true;
    config.access_log.slow_threshold = 500;
  });
  const auto access_lines = [&] {
    auto lines = server.sink->messages();
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("GET /"); });
    return lines;
  };
  server.teach("/state");
  const std::size_t before = access_lines().size();
  server.store->is_slow = true;
  auto data = std::async(std::launch::async, [&] { return server.data("/state"); });
  server.store->await(1);
  std::this_thread::sleep_for(600ms);
  server.store->finish_all();
  CHECK(data.get() == kAda);
  REQUIRE(access_lines().size() == before + 1);
  CHECK(access_lines().back().ends_with("[SLOW]"));
}

}  // namespace session_prefetch_test
