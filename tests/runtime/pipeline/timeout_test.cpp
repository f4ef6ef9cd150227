#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "base/deadline_timer.hpp"
#include "eventually.hpp"
#include "support/failing_store.hpp"
#include "support/table_builder.hpp"

namespace timeout_test {

namespace {

using fairway::test::eventually;
using fw::Json;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::support::TableBuilder;
using fw::testing::TestApp;
using fw::testing::TestResponse;
using namespace std::chrono_literals;

bool wait_for_stop(const std::stop_token& token) {
  return eventually([&] { return token.stop_requested(); });
}

/// A store of an application whose functions do not return while it hangs.
class HangingStore : public fw::support::FailingStore {
 public:
  std::atomic<bool> hangs = false;
  /// Calls that still return while it hangs.
  std::atomic<int> spared = 0;

  std::optional<std::string> get(std::string_view key) override {
    wait();
    return FailingStore::get(key);
  }
  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    wait();
    return FailingStore::get_object(key, convert);
  }
  Window increment(std::string_view key, std::chrono::milliseconds window,
                   std::int64_t most) override {
    wait();
    return FailingStore::increment(key, window, most);
  }

 private:
  void wait() {
    if (hangs && spared-- > 0) return;
    CHECK(eventually([&] { return !hangs; }));
  }
};

void respond_when_stopped(fw::Request& req, fw::Response& res) {
  wait_for_stop(req.signal());
  res.json({{"late", true}}, 201);
}

}  // namespace

TEST_CASE("timeout: the response at the deadline has the header fields set so far") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/slow", {.timeout = 20}, respond_when_stopped);
        router.get("/legacy", {.override_ = {.timeout = 20}}, respond_when_stopped);
      },
      TestApp::test_config(),
      [](fw::App& a) {
        a.use([](fw::Request&, fw::Response& res, fw::Next next) {
          res.set_header("X-Early", "1");
          next();
        });
      });
  for (const char* path : {"/slow", "/legacy"}) {
    const TestResponse r = app.request("GET", path).header("x-request-id", "r1").send();
    CHECK(r.status == 504);
    CHECK(r.json() == Json{{"code", 504}, {"message", "Request Timeout"}, {"requestId", "r1"}});
    CHECK(r.header("x-early") == "1");
    CHECK(r.header("x-request-id") == "r1");
    CHECK(r.header("content-type") == "application/json; charset=utf-8");
  }
}

TEST_CASE("timeout: the response at the deadline has the CORS fields and Vary") {
  fw::Config config = TestApp::test_config();
  config.cors.origins = {"https://a.example"};
  config.cors.credentials = true;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/slow", {.timeout = 20}, respond_when_stopped);
        router.get("/without", {.override_ = {.cors = {.enabled = false}}, .timeout = 20},
                   respond_when_stopped);
      },
      config,
      [](fw::App& a) {
        a.use([](fw::Request& req, fw::Response& res, fw::Next next) {
          if (const auto vary = req.query("vary")) res.set_header("Vary", *vary);
          next();
        });
      });
  for (const auto& [target, vary] :
       {std::pair("/slow", "Origin"), std::pair("/slow?vary=x-own", "x-own, Origin"),
        std::pair("/slow?vary=x-own,origin", "x-own,origin")}) {
    CAPTURE(target);
    const TestResponse allowed =
        app.request("GET", target).header("origin", "https://a.example").send();
    CHECK(allowed.status == 504);
    CHECK(allowed.header("access-control-allow-origin") == "https://a.example");
    CHECK(allowed.header("access-control-allow-credentials") == "true");
    CHECK(allowed.header("vary") == vary);
    const TestResponse other =
        app.request("GET", target).header("origin", "https://b.example").send();
    CHECK(other.status == 504);
    CHECK(!other.header("access-control-allow-origin"));
    CHECK(other.header("vary") == vary);
  }
  CHECK(!app.request("GET", "/without").send().header("vary"));
}

TEST_CASE("timeout: false and the route's value override the legacy option") {
  const auto slow = [](fw::Request&, fw::Response& res) {
    std::this_thread::sleep_for(60ms);
    res.json("done");
  };
  OneFileApp app([&](fw::Router& router) {
    router.get("/off", {.override_ = {.timeout = 5}, .timeout = false}, slow);
    router.get("/both", {.override_ = {.timeout = 5}, .timeout = 10min}, slow);
    router.get("/ages", {.timeout = std::numeric_limits<std::int64_t>::max()}, slow);
  });
  for (const char* path : {"/off", "/both", "/ages"}) {
    CHECK(app.request("GET", path).send().status == 200);
  }
}

TEST_CASE("timeout: the handler is asked to stop, and its later response is only logged") {
  auto sink = std::make_shared<RecordingSink>();
  bool closed = false;
  std::vector<int> error_statuses;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/responses", {.timeout = 20}, [&](fw::Request& req, fw::Response& res) {
          req.on_close([&] { closed = true; });
          respond_when_stopped(req, res);
        });
        router.get("/throws", {.timeout = 20}, [](fw::Request& req, fw::Response&) {
          wait_for_stop(req.signal());
          throw std::runtime_error("too late");
        });
        router.get("/silent", {.timeout = 20},
                   [](fw::Request& req, fw::Response&) { wait_for_stop(req.signal()); });
      },
      TestApp::test_config(),
      [&](fw::App& a) {
        a.set_logger(fw::Logger(sink));
        a.hooks().on<fw::hooks::ErrorBeforeResponse>(
            [&](fw::hooks::ErrorBeforeResponse& event) { error_statuses.push_back(event.status); });
      });
  for (const char* path : {"/responses", "/throws", "/silent"}) {
    CHECK(app.request("GET", path).send().status == 504);
  }
  CHECK_FALSE(closed);  // the client is still there
  CHECK(error_statuses == std::vector<int>{504, 504, 504});
  int late_errors = 0;
  int late_ends = 0;
  int timeouts = 0;
  for (const auto& record : sink->records()) {
    if (record.message.find("ended after the deadline") != std::string::npos) {
      ++late_ends;
      CHECK(record.fields["timeout"] == 20);
      CHECK(record.fields["duration"].get<int>() >= 20);
      if (record.fields.contains("err")) {
        ++late_errors;
        CHECK(record.fields["err"]["message"] == "too late");
      }
    }
    if (record.message == "Request Timeout") ++timeouts;
  }
  CHECK(late_ends == 3);
  CHECK(late_errors == 1);
  CHECK(timeouts == 3);
}

TEST_CASE("timeout: a store that hangs does not delay the 504, and no handler runs after it") {
  auto sink = std::make_shared<RecordingSink>();
  const auto store = std::make_shared<HangingStore>();
  std::atomic<int> runs = 0;
  fw::Config config = TestApp::test_config();
  config.session.enabled = true;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/cached", {.cache = {{.ttl = 60'000}}, .timeout = 20},
                   [&](fw::Request&, fw::Response& res) {
                     ++runs;
                     res.json("run");
                   });
        router.get("/session", {.timeout = 20},
                   [](fw::Request& req, fw::Response& res) { res.json(req.session().data()); });
        router.get("/set", [](fw::Request& req, fw::Response& res) {
          req.session().set("a", 1);
          res.json(1);
        });
      },
      config,
      [&](fw::App& a) {
        a.set_logger(fw::Logger(sink));
        a.set_store("cache", store);
        a.set_store("session", store);
      });
  std::string cookie(app.request("GET", "/set").send().header("set-cookie").value_or(""));
  cookie.erase(std::min(cookie.find(';'), cookie.size()));
  std::size_t errors = 0;
  for (const char* path : {"/cached", "/session"}) {
    store->hangs = true;
    std::jthread client([&] {
      auto request = app.request("GET", path);
      if (path == std::string_view("/session")) request.header("cookie", cookie);
      CHECK(request.send().status == 504);
    });
    ++errors;
    CHECK(eventually([&] { return sink->messages(fw::LogLevel::error).size() == errors; }));
    store->hangs = false;
  }
  CHECK(runs == 0);
  CHECK(app.request("GET", "/cached").send().status == 200);
  CHECK(runs == 1);
}

TEST_CASE("timeout: nothing of the application begins after the deadline") {
  auto sink = std::make_shared<RecordingSink>();
  const auto store = std::make_shared<HangingStore>();
  std::atomic<int> runs = 0;
  std::atomic<int> later_stages = 0;
  std::atomic<bool> is_over = false;
  const auto pass = fw::AuthRequirement{.check = [&later_stages](fw::Request&, fw::AuthContext&) {
    ++later_stages;
    return true;
  }};
  const auto wait = [&is_over] { CHECK(eventually([&] { return is_over.load(); })); };
  const auto respond = [&runs](fw::Request&, fw::Response& res) {
    ++runs;
    res.json("run");
  };
  TableBuilder table;
  table.page("page.html", "<p>run</p>");
  table.routes([&](fw::Router& router) {
    router.get("/hook", {.timeout = 20}, respond);
    router.get("/validated", {.validate = {.query = {{"id", "integer?"}}}, .timeout = 20}, respond);
    router.get("/invalid", {.validate = {.query = {{"id", "integer"}}}, .timeout = 20}, respond);
    router.get("/cached",
               {.cache = {{.ttl = 60'000, .allow_authorization_cache = true}}, .timeout = 20},
               respond);
    router.get("/page", {.timeout = 20, .frontend = {.mode = "revalidate", .revalidate = 60}},
               [&runs](fw::Request&, fw::Response& res) {
                 ++runs;
                 res.render("page", Json::object());
               });
    router.get("/middleware", {.middlewares = {"slow"}, .timeout = 20}, respond);
    router.get("/middlewares", {.middlewares = {"slow", "later"}, .timeout = 20}, respond);
    router.get("/guarded", {.auth = pass, .middlewares = {"slow"}, .timeout = 20}, respond);
    router.get("/guard",
               {.auth = fw::AuthRequirement{.check =
                                                [wait](fw::Request&, fw::AuthContext&) {
                                                  wait();
                                                  return true;
                                                }},
                .timeout = 20},
               respond);
    router.get("/limit",
               {.auth = pass,
                .override_ = {.rate_limit = fw::RateLimitOptions{.max = 5, .key_by = "user"}},
                .timeout = 20},
               respond);
  });
  table.middleware("slow",
                   fw::define_middleware([wait](fw::Request&, fw::Response&, fw::Next next) {
                     wait();
                     next();
                   }));
  table.middleware("later", fw::define_middleware([&](fw::Request&, fw::Response&, fw::Next next) {
                     ++later_stages;
                     next();
                   }));
  fw::Config config = TestApp::test_config();
  config.middlewares = {{.name = "slow"}, {.name = "later"}};
  config.rate_limit.enabled = true;
  TestApp app(table.table(), config, [&](fw::App& a) {
    a.set_logger(fw::Logger(sink));
    a.set_store("rate-limit", store);
    a.hooks().on<fw::hooks::HandlerBefore>([&later_stages, wait](fw::hooks::HandlerBefore& event) {
      const auto path = event.req.path();
      if (path == "/hook" || path == "/page") return wait();
      ++later_stages;
    });
    a.hooks().on<fw::hooks::ValidationSuccess>([wait](fw::hooks::ValidationSuccess&) { wait(); });
    a.hooks().on<fw::hooks::ValidationFailed>([wait](fw::hooks::ValidationFailed&) { wait(); });
    a.hooks().on<fw::hooks::CacheMiss>([wait](fw::hooks::CacheMiss&) { wait(); });
    const auto count = [&later_stages](auto&) { ++later_stages; };
    a.hooks().on<fw::hooks::HandlerBefore>(count);
    a.hooks().on<fw::hooks::ValidationSuccess>(count);
    a.hooks().on<fw::hooks::ValidationFailed>(count);
    a.hooks().on<fw::hooks::CacheMiss>(count);
    a.use(fw::auth({.verify = [](std::string_view, fw::Request&) {
      return std::optional(fw::AuthIdentity{.user_id = "ada"});
    }}));
  });
  const char* path = "";
  SUBCASE("a hook before another one") { path = "/hook"; }
  SUBCASE("a hook after the validation before another one") { path = "/validated"; }
  SUBCASE("a hook of an invalid request before another one") { path = "/invalid"; }
  SUBCASE("a hook of the cache before another one") { path = "/cached"; }
  SUBCASE("a hook of a page that is rendered for all") { path = "/page"; }
  SUBCASE("a middleware") { path = "/middleware"; }
  SUBCASE("a middleware before another one") { path = "/middlewares"; }
  SUBCASE("a middleware before a guard") { path = "/guarded"; }
  SUBCASE("a guard") { path = "/guard"; }
  SUBCASE("the limit of a user") {
    path = "/limit";
    store->hangs = true;
  }
  std::jthread client([&] {
    CHECK(app.request("GET", path).header("authorization", "Bearer a").send().status == 504);
  });
  CHECK(eventually([&] { return sink->messages(fw::LogLevel::error).size() == 1; }));
  is_over = true;
  store->hangs = false;
  client.join();
  CHECK(runs == 0);
  CHECK(later_stages == 0);
  const std::string message = sink->messages(fw::LogLevel::warn).back();
  CHECK(message.starts_with("a request of GET " + std::string(path) + " ("));
  CHECK(message.ends_with(") ended after the deadline, before its handler had begun"));
  CHECK_FALSE(sink->records().back().fields.contains("err"));
}

TEST_CASE("timeout: the first request of a cached route whose time is over runs no handler") {
  auto sink = std::make_shared<RecordingSink>();
  const auto store = std::make_shared<HangingStore>();
  std::atomic<int> runs = 0;
  std::atomic<bool> may_continue = true;
  std::atomic<bool> may_handle = true;
  TableBuilder table;
  table.page("page.html", "<p>run</p>");
  table.routes([&](fw::Router& router) {
    router.get("/cached", {.cache = {{.ttl = 60'000}}, .timeout = 300},
               [&](fw::Request&, fw::Response& res) {
                 ++runs;
                 res.json("run");
               });
    router.get("/page", {.timeout = 300, .frontend = {.mode = "revalidate", .revalidate = 60}},
               [&](fw::Request&, fw::Response& res) {
                 ++runs;
                 res.render("page", Json::object());
               });
  });
  TestApp app(table.table(), TestApp::test_config(), [&](fw::App& a) {
    a.set_logger(fw::Logger(sink));
    a.set_store("cache", store);
    a.hooks().on<fw::hooks::CacheMiss>(
        [&](fw::hooks::CacheMiss&) { CHECK(eventually([&] { return may_continue.load(); })); });
    a.hooks().on<fw::hooks::HandlerBefore>(
        [&](fw::hooks::HandlerBefore&) { CHECK(eventually([&] { return may_handle.load(); })); });
  });
  const char* path = "/cached";
  bool is_followed = false;
  // The look-up reads the entry and two versions; the claim looks for the entry once more.
  SUBCASE("when the store hangs at the claim") {
    store->spared = 3;
    store->hangs = true;
  }
  SUBCASE("when the store hangs at the claim of a page") {
    path = "/page";
    store->spared = 3;
    store->hangs = true;
  }
  SUBCASE("before the handler, while others wait") {
    is_followed = true;
    may_continue = false;
  }
  SUBCASE("in a hook of the handler, while others wait") {
    is_followed = true;
    may_handle = false;
  }
  SUBCASE("in a hook of the handler of a page, while others wait") {
    path = "/page";
    is_followed = true;
    may_handle = false;
  }
  std::jthread first([&] { CHECK(app.request("GET", path).send().status == 504); });
  CHECK(eventually([&] { return sink->messages(fw::LogLevel::error).size() == 1; }));
  std::vector<std::jthread> others;
  if (is_followed) {
    const int calls = store->calls;
    for (int i = 0; i < 2; ++i) {
      others.emplace_back([&] {
        // On a busy machine, its time may be over, too.
        const int status = app.request("GET", path).send().status;
        CHECK((status == 200 || status == 504));
      });
    }
    CHECK(eventually([&] { return store->calls >= calls + 6; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // they wait, unless they are slow
  }
  store->hangs = false;
  may_continue = true;
  may_handle = true;
  first.join();
  others.clear();
  CHECK(runs <= (is_followed ? 1 : 0));
  // The next response is shared, as always.
  CHECK(app.request("GET", path).send().status == 200);
  CHECK(app.request("GET", path).send().header("x-cache") == "HIT");
  CHECK(runs == 1);
}

TEST_CASE("timeout: a slow stop callback of one request does not delay the 504 of another") {
  std::atomic<bool> has_begun = false;
  std::atomic<bool> may_end = false;
  OneFileApp app([&](fw::Router& router) {
    router.get("/slow-callback", {.timeout = 20}, [&](fw::Request& req, fw::Response& res) {
      const std::stop_callback callback(req.signal(), [&] {
        has_begun = true;
        may_end.wait(false);
      });
      respond_when_stopped(req, res);
    });
    router.get("/other", {.timeout = 20}, respond_when_stopped);
  });
  std::thread slow([&] { CHECK(app.request("GET", "/slow-callback").send().status == 504); });
  CHECK(eventually([&] { return has_begun.load(); }));
  const TestResponse other = app.request("GET", "/other").send();
  may_end = true;
  may_end.notify_all();
  slow.join();
  CHECK(other.status == 504);
}

TEST_CASE("timeout: the 504 is logged at the deadline, while the handler still runs") {
  auto sink = std::make_shared<RecordingSink>();
  std::atomic<bool> may_end = false;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/c", {.timeout = 20}, [&](fw::Request&, fw::Response&) {
          CHECK(eventually([&] { return may_end.load(); }));
        });
      },
      TestApp::test_config(), [&](fw::App& a) { a.set_logger(fw::Logger(sink)); });
  std::jthread client([&] { CHECK(app.request("GET", "/c").send().status == 504); });
  const auto is_logged = [&] { return !sink->messages(fw::LogLevel::error).empty(); };
  CHECK(eventually(is_logged));
  const auto records = sink->records();
  REQUIRE_FALSE(records.empty());
  CHECK(records.back().message == "Request Timeout");
  CHECK(records.back().request_id.size() == 36);
  CHECK(records.back().fields["status"] == 504);
  CHECK(records.back().fields["route"] == "GET /c");
  CHECK(records.back().fields["err"]["type"] == "fw::HttpError");
  may_end = true;
  client.join();
  CHECK(sink->messages(fw::LogLevel::error).size() == 1);
}

TEST_CASE(
    "timeout: the 504 has its access line, also if the handler has begun a stream of events") {
  auto sink = std::make_shared<RecordingSink>();
  fw::Config config = TestApp::test_config();
  config.access_log.enabled = true;
  config.access_log.errors = true;
  std::atomic<bool> may_end = false;
  OneFileApp app(
      [&](fw::Router& router) {
        const fw::RouteOptions options{
            .responses = {{"200", fw::events({{"tick", {{"n", "integer"}}}})}}, .timeout = 20};
        router.get("/live", options, [&](fw::Request&, fw::Response& res) {
          const fw::EventStream stream = res.events();
          CHECK(eventually([&] { return may_end.load(); }));
        });
      },
      std::move(config), [&](fw::App& a) { a.set_logger(fw::Logger(sink)); });
  std::jthread client([&] { CHECK(app.request("GET", "/live").send().status == 504); });
  const auto lines = [&] {
    const auto messages = sink->messages(fw::LogLevel::error);
    return std::count_if(messages.begin(), messages.end(), [](const std::string& message) {
      return message.starts_with("GET /live 504 ");
    });
  };
  CHECK(eventually([&] { return lines() == 1; }));
  may_end = true;
  client.join();
  CHECK(lines() == 1);
}

TEST_CASE("timeout: a handler that is in time is not affected, nor is its stream") {
  std::stop_token kept;
  OneFileApp app([&](fw::Router& router) {
    router.get("/fast", {.timeout = 10min}, [&](fw::Request& req, fw::Response& res) {
      kept = req.signal();
      res.json(1);
    });
    router.get("/fails", {.timeout = 10min},
               [](fw::Request& req, fw::Response&) { req.app().raise(409, "taken"); });
    router.get("/stream", {.timeout = 500}, [](fw::Request&, fw::Response& res) {
      int left = 3;
      res.stream(fw::Readable([left](std::span<char> buffer) mutable -> std::size_t {
        if (left-- == 0) return 0;
        std::this_thread::sleep_for(200ms);
        buffer[0] = 'x';
        return 1;
      }));
    });
  });
  CHECK(app.request("GET", "/fast").send().status == 200);
  CHECK_FALSE(kept.stop_requested());
  CHECK(app.request("GET", "/fails").send().status == 409);
  // On a busy machine, the response may take too long to begin.
  TestResponse stream;
  CHECK(eventually([&] {
    stream = app.request("GET", "/stream").send();
    return stream.status != 504;
  }));
  CHECK(stream.body == "xxx");
}

TEST_CASE("timeout: invalid limits fail the start") {
  const auto errors = [](const fw::RouteOptions& options) {
    try {
      OneFileApp app([&](fw::Router& router) {
        router.get("/", options, [](fw::Request&, fw::Response&) {});
      });
    } catch (const fw::StartupError& error) {
      return error.errors().at(0);
    }
    return std::string();
  };
  CHECK(errors({.timeout = 0})
            .ends_with("'timeout' must be false or a positive number of milliseconds; write the "
                       "deadline, for example '5s'"));
  CHECK(errors({.override_ = {.timeout = -5}})
            .ends_with("'override_.timeout' must be a positive number of milliseconds"));
}

TEST_CASE("timeout: if the deadline cannot respond, the handler's thread does") {
  class FailingTransaction : public fw::http::Transaction {
   public:
    const fw::http::RequestHead& head() const override { return head_; }
    fw::http::BodyStatus read_body(std::uint64_t, std::string&) override {
      return fw::http::BodyStatus::complete;
    }
    fw::http::BodyPart read_body_part(std::uint64_t, std::span<char>,
                                      std::chrono::steady_clock::time_point) override {
      return {};
    }
    bool respond(const fw::http::ResponseHead& head, std::string_view) override {
      statuses.push_back(head.status);
      if (statuses.size() == 1) throw std::bad_alloc();
      return true;
    }
    bool respond_stream(const fw::http::ResponseHead&, std::optional<std::uint64_t>,
                        fw::http::BodyProducer, fw::http::StreamEnd) override {
      return false;
    }
    bool has_response() const override { return false; }
    void on_disconnect(fw::http::DisconnectCallback) override {}

    std::vector<int> statuses;  // one thread after the other

   private:
    const fw::http::RequestHead head_{.method = "GET",
                                      .target = "/slow",
                                      .fields = {},
                                      .remote_address = "127.0.0.1",
                                      .content_length = {}};
  };
  OneFileApp app(
      [](fw::Router& router) { router.get("/slow", {.timeout = 20}, respond_when_stopped); });
  const auto transaction = std::make_shared<FailingTransaction>();
  fw::detail::Access::core(app.app()).pipeline().handle(transaction);
  CHECK(transaction->statuses == std::vector<int>{504, 504});
}

TEST_CASE("deadline timer: callbacks run in order of their deadlines unless cancelled") {
  std::vector<int> order;
  std::mutex mutex;
  {
    fw::base::DeadlineTimer timer;
    const auto now = fw::base::DeadlineTimer::Clock::now();
    const auto note = [&](int number) {
      return [&, number] {
        const std::lock_guard lock(mutex);
        order.push_back(number);
        throw std::runtime_error("dropped");
      };
    };
    // The timer's thread is busy until all of them are set.
    std::latch all_are_set(1);
    timer.set(now, [&] { all_are_set.wait(); });
    timer.set(now + 50ms, note(3));
    timer.set(now + 30ms, note(1));
    timer.set(now + 40ms, note(2));
    timer.set(now + 1h, note(5));
    timer.cancel(timer.set(now + 35ms, note(4)));
    all_are_set.count_down();
    CHECK(eventually([&] {
      const std::lock_guard lock(mutex);
      return order.size() == 3;
    }));
  }
  CHECK(order == std::vector<int>{1, 2, 3});
}

}  // namespace timeout_test
