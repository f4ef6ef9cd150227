// Request id, proxies, headers, cookies, cancellation.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <future>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "base/random.hpp"
#include "exchange/exchange.hpp"
#include "support/table_builder.hpp"
#include "testing/memory_transaction.hpp"

namespace request_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::testing::TestApp;

void routes(fw::Router& app) {
  app.get("/id", [](fw::Request& req, fw::Response& res) { res.json(req.request_id()); });
  app.get("/ip", [](fw::Request& req, fw::Response& res) {
    res.text(std::string(req.ip()) + " " + std::string(req.protocol()));
  });
  app.get("/headers", [](fw::Request& req, fw::Response& res) {
    res.json({{"all", req.headers()},
              {"one", req.header("X-Multi").value_or("<absent>")},
              {"cookies", req.cookies()},
              {"a", req.cookie("a").value_or("<absent>")}});
  });
}

bool is_uuid4(std::string_view id) {
  return id.size() == 36 && id[14] == '4' && std::string_view("89ab").find(id[19]) != id.npos;
}

/// The loss of its client is detected while no thread is free to run the callback.
class LateTransaction : public fw::testing::MemoryTransaction {
 public:
  explicit LateTransaction(std::string target)
      : MemoryTransaction(head_of(std::move(target)), fw::http::Framing(),
                          [] { return std::string(); }) {}
  void on_disconnect(fw::http::DisconnectCallback callback) override {
    callback_ = std::move(callback);
  }
  void detect_loss() const { callback_.mark_lost(); }
  void run_callback() const { callback_(); }

 private:
  static fw::http::RequestHead head_of(std::string target) {
    fw::http::RequestHead head;
    head.method = "GET";
    head.target = std::move(target);
    return head;
  }

  fw::http::DisconnectCallback callback_;
};

}  // namespace

TEST_CASE("request id: ids are unique across threads and after a fork") {
  constexpr std::size_t kEach = 1000;  // more than one batch of random bytes
  const auto make = [] {
    std::vector<std::string> ids(kEach);
    for (std::string& id : ids) id = fw::base::make_uuid();
    return ids;
  };
  std::set<std::string> all;
  std::size_t expected = 0;
  const auto add = [&](const std::vector<std::string>& ids) {
    for (const std::string& id : ids) CHECK(is_uuid4(id));
    all.insert(ids.begin(), ids.end());
    expected += ids.size();
  };
  std::vector<std::future<std::vector<std::string>>> threads;
  for (int i = 0; i < 8; ++i) threads.push_back(std::async(std::launch::async, make));
  for (auto& thread : threads) add(thread.get());

  add({fw::base::make_uuid()});  // both have the rest of its batch
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (std::size_t i = 0; i < kEach; ++i) {
      const std::string id = fw::base::make_uuid();
      if (write(ends[1], id.data(), id.size()) < 0) _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> bytes;
  for (ssize_t size = 0; (size = read(ends[0], bytes.data(), bytes.size())) > 0;) {
    text.append(bytes.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  add(make());
  std::vector<std::string> of_child;
  for (std::size_t at = 0; at < text.size(); at += 36) of_child.push_back(text.substr(at, 36));
  CHECK(of_child.size() == kEach);
  add(of_child);
  CHECK(all.size() == expected);
}

TEST_CASE("request id: taken from the request, generated, or rejected") {
  OneFileApp app(routes);
  const auto send = [&](const std::string& id, const std::string& path = "/id") {
    return app.request("GET", path).header("X-Request-Id", id).send();
  };
  CHECK(is_uuid4(app.request("GET", "/id").send().json()["data"].get<std::string>()));
  CHECK(is_uuid4(send("").header("x-request-id").value_or("")));
  const auto own = send("a b;c/d\"é");
  CHECK(own.json()["data"] == "a b;c/d\"é");
  CHECK(own.json()["requestId"] == "a b;c/d\"é");
  CHECK(own.header("x-request-id") == "a b;c/d\"é");
  const auto latin = send("\xe9-1");  // the same in JSON, which needs UTF-8, and in the field
  CHECK(latin.json()["data"] == "é-1");
  CHECK(latin.json()["requestId"] == "é-1");
  CHECK(latin.header("x-request-id") == "\xe9-1");
  CHECK(send(std::string(512, 'x')).status == 200);
  for (const std::string path : {"/id", "/nope"}) {
    const auto rejected = send(std::string(513, 'x'), path);
    CHECK(rejected.status == 500);
    CHECK(is_uuid4(rejected.json()["requestId"].get<std::string>()));
  }
  CHECK(send("a\tb").status == 500);
  const auto twice =
      app.request("GET", "/id").header("x-request-id", "a").header("X-Request-Id", "b").send();
  CHECK(twice.header("x-request-id") == "a, b");
}

TEST_CASE("request id: header names and the generator are configurable") {
  fw::Config config = TestApp::test_config();
  config.request_id = {
      .header = "X-Trace", .response_header = "X-Trace-Out", .generate = [] { return "gen-1"; }};
  OneFileApp custom(routes, config);
  CHECK(custom.request("GET", "/nope").send().header("x-trace-out") == "gen-1");
  CHECK(custom.request("GET", "/id").header("X-Trace", "in").send().json()["data"] == "in");
  OneFileApp replaced(routes, config,
                      [](fw::App& a) { a.set_request_id_generator([] { return std::string(); }); });
  CHECK(replaced.request("GET", "/id").send().status == 500);
  config.request_id.enabled = false;
  OneFileApp off(routes, config);
  const auto r = off.request("GET", "/id").header("X-Trace", "abc").send();
  CHECK(r.json() == Json{{"code", 0}, {"data", ""}, {"requestId", ""}});
  CHECK(!r.header("x-trace-out"));
}

TEST_CASE("request: address and protocol behind a proxy") {
  const auto seen = [](bool trust, const std::string& address, const std::string& protocol) {
    fw::Config config = TestApp::test_config();
    config.trust_proxy = trust;
    OneFileApp app(routes, config);
    return app.request("GET", "/ip")
        .header("X-Forwarded-For", address)
        .header("X-Forwarded-Proto", protocol)
        .send()
        .body;
  };
  CHECK(seen(false, "9.9.9.9", "https") == "127.0.0.1 http");
  CHECK(seen(true, " 9.9.9.9 , 8.8.8.8", "https") == "9.9.9.9 https");
  CHECK(seen(true, "", "") == "127.0.0.1 http");
  CHECK(seen(true, "::1", "HTTPS, http") == "::1 https");
  CHECK(seen(true, "::1", "ftp") == "::1 http");
}

TEST_CASE("request id: an invalid id can be replaced instead of rejected") {
  fw::Config config = TestApp::test_config();
  config.request_id.on_invalid = fw::InvalidRequestId::replace;
  OneFileApp app(routes, config);
  const auto send = [&](const std::string& id) {
    return app.request("GET", "/id").header("X-Request-Id", id).send();
  };
  for (const std::string& id : {std::string(513, 'x'), std::string("a\tb")}) {
    const auto r = send(id);
    CHECK(r.status == 200);
    CHECK(is_uuid4(r.header("x-request-id").value_or("")));
    CHECK(r.json()["data"] == r.header("x-request-id"));
  }
  CHECK(send("good").header("x-request-id") == "good");
}

TEST_CASE("request: address and protocol behind a number of proxies") {
  const auto seen = [](const fw::TrustProxy& trust, const std::string& addresses,
                       const std::string& protocols = "") {
    fw::Config config = TestApp::test_config();
    config.trust_proxy = trust;
    OneFileApp app(routes, config);
    return app.request("GET", "/ip")
        .header("X-Forwarded-For", addresses)
        .header("X-Forwarded-Proto", protocols)
        .send()
        .body;
  };
  // What the client itself wrote comes before what the proxies appended.
  CHECK(seen(1, "6.6.6.6, 9.9.9.9", "https") == "9.9.9.9 https");
  CHECK(seen(2, "6.6.6.6, 9.9.9.9, 10.0.0.1") == "9.9.9.9 http");
  CHECK(seen(2, "9.9.9.9") == "9.9.9.9 http");
  CHECK(seen(1, "") == "127.0.0.1 http");
  CHECK(seen(0, "9.9.9.9", "https") == "127.0.0.1 http");
  CHECK(seen(1, "9.9.9.9", "https, http") == "9.9.9.9 http");
  CHECK(seen(2, "9.9.9.9, 10.0.0.1", "https, http") == "9.9.9.9 https");
}

TEST_CASE("request: address and protocol behind proxies of trusted networks") {
  const auto seen = [](const std::vector<std::string>& networks, const std::string& peer,
                       const std::string& addresses) {
    fw::Config config = TestApp::test_config();
    config.trust_proxy = networks;
    OneFileApp app(routes, config);
    return app.request("GET", "/ip")
        .remote_address(peer)
        .header("X-Forwarded-For", addresses)
        .header("X-Forwarded-Proto", "https")
        .send()
        .body;
  };
  CHECK(seen({"10.0.0.0/8"}, "10.1.2.3", "6.6.6.6, 9.9.9.9") == "9.9.9.9 https");
  CHECK(seen({"10.0.0.0/8"}, "10.1.2.3", "6.6.6.6, 9.9.9.9, 10.9.9.9:8080") == "9.9.9.9 https");
  CHECK(seen({"10.0.0.0/8"}, "11.1.2.3", "9.9.9.9") == "11.1.2.3 http");
  CHECK(seen({"10.0.0.0/8"}, "::ffff:10.1.2.3", "9.9.9.9") == "9.9.9.9 https");
  CHECK(seen({"10.128.0.0/9"}, "10.127.0.1", "9.9.9.9") == "10.127.0.1 http");
  CHECK(seen({"10.128.0.0/9"}, "10.128.0.1", "9.9.9.9") == "9.9.9.9 https");
  CHECK(seen({"2001:db8::/33"}, "2001:db8:7fff::1", "2001:db8:8000::1") ==
        "2001:db8:8000::1 https");
  CHECK(seen({"::1"}, "::1", "[2001:db8::1]:443") == "[2001:db8::1]:443 https");
  CHECK(seen({"0.0.0.0/0"}, "10.1.2.3", "6.6.6.6, 9.9.9.9") == "6.6.6.6 https");
  CHECK(seen({"0.0.0.0/0"}, "::1", "6.6.6.6") == "::1 http");
  CHECK(seen({"unix"}, "unix", "unix, 9.9.9.9") == "9.9.9.9 https");
  CHECK(seen({"unix"}, "unix", "unix") == "unix https");
  CHECK(seen({"10.0.0.0/8"}, "unix", "9.9.9.9") == "unix http");
}

TEST_CASE("request: the numbers of query parameters and cookies are limited") {
  const auto repeated = [](const std::string& pair, std::size_t count, char separator) {
    std::string text = pair + "0=1";
    for (std::size_t i = 1; i < count; ++i) text += separator + pair + std::to_string(i) + "=1";
    return text;
  };
  OneFileApp app([](fw::Router& router) {
    router.get("/q", [](fw::Request& req, fw::Response& res) {
      res.json({{"count", req.query().size()}, {"last", req.query("p999").value_or("")}});
    });
    router.get("/c", [](fw::Request& req, fw::Response& res) { res.json(req.cookies().size()); });
    router.get("/none", [](fw::Request&, fw::Response& res) { res.json(1); });
  });
  CHECK(app.request("GET", "/q?" + repeated("p", 1'000, '&')).send().json()["data"] ==
        Json{{"count", 1'000}, {"last", "1"}});
  const auto many = app.request("GET", "/q?" + repeated("p", 1'001, '&')).send();
  CHECK(many.status == 400);
  CHECK(many.json()["message"] == "Bad Request: more than 1000 query parameters");
  CHECK(app.request("GET", "/none?" + repeated("p", 1'001, '&')).send().status == 200);
  CHECK(app.request("GET", "/c").header("Cookie", repeated("c", 256, ';')).send().json()["data"] ==
        256);
  const auto cookies = app.request("GET", "/c")
                           .header("Cookie", repeated("c", 200, ';'))
                           .header("Cookie", repeated("d", 57, ';'))
                           .send();
  CHECK(cookies.status == 400);
  CHECK(cookies.json()["message"] == "Bad Request: more than 256 cookies");
  fw::Config config = TestApp::test_config();
  config.server.max_query_parameters = 2;
  OneFileApp strict(routes, config);
  CHECK(strict.request("GET", "/id?a=1&b=2&c=3").send().status == 200);
}

TEST_CASE("request: the exchange fits in the allocator's per-thread cache") {
  // glibc keeps blocks of up to 1,032 bytes for each thread; for a larger one it tidies up its free
  // lists, at every request. 24 bytes are of the shared pointer.
  CHECK(sizeof(fw::detail::Exchange) + 24 <= 1032);
}

TEST_CASE("request: maps keep their order and the first value of a name, at any size") {
  fw::TextMap map;
  for (int i = 0; i < 1'000; ++i) map.insert("n" + std::to_string(i % 500), std::to_string(i));
  REQUIRE(map.size() == 500);
  int next = 0;
  for (const auto& [name, value] : map) {
    CHECK(name == "n" + std::to_string(next));
    CHECK(value == std::to_string(next++));
  }
  CHECK_FALSE(map.contains("n500"));
  CHECK_FALSE(map.insert("n499", "other"));
  map.set("n499", "set");
  map.set("new", "1");
  map.join("n0", ", ", "joined");
  map.join("absent", ", ", "alone");
  const fw::TextMap copy = map;
  CHECK(copy.find("n499") == "set");
  CHECK(copy.find("new") == "1");
  CHECK(copy.find("n0") == "0, joined");
  CHECK(copy.find("absent") == "alone");
  CHECK(copy.size() == 502);
}

TEST_CASE("request: attached values have a stable address and can be move-only") {
  fw::Slots slots;
  int& number = slots.set(42);
  slots.set(std::string("text"));
  slots.set(std::make_unique<int>(7));
  slots.set(1.5);
  CHECK(number == 42);
  CHECK(&number == slots.get<int>());
  CHECK(&slots.set(43) == &number);
  CHECK(number == 43);
  REQUIRE(slots.get<std::unique_ptr<int>>() != nullptr);
  CHECK(**slots.get<std::unique_ptr<int>>() == 7);
  CHECK(slots.get<float>() == nullptr);
}

TEST_CASE("request: headers and cookies are read by name") {
  OneFileApp app(routes);
  const Json data = app.request("GET", "/headers")
                        .header("X-Multi", "1")
                        .header("x-multi", "2")
                        .header("Cookie", "a=1%202; b=\"q\"; a=3; broken; =x; c=%zz")
                        .header("Cookie", "d=4")
                        .send()
                        .json()["data"];
  CHECK(data["all"] == Json{{"host", "localhost"},
                            {"x-multi", "1, 2"},
                            {"cookie", "a=1%202; b=\"q\"; a=3; broken; =x; c=%zz; d=4"}});
  CHECK(data["one"] == "1, 2");
  CHECK(data["cookies"] == Json{{"a", "1 2"}, {"b", "q"}, {"c", "%zz"}, {"d", "4"}});
  CHECK(data["a"] == "1 2");
}

TEST_CASE("request: a source that throws runs the callbacks once, after its error is logged") {
  int closed = 0;
  bool is_logged = false;
  const auto sink = std::make_shared<fw::support::RecordingSink>();
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/stream", [&](fw::Request& req, fw::Response& res) {
          req.on_close([&] {
            ++closed;
            const auto messages = sink->messages();
            is_logged = std::ranges::find(messages, "the response could not be completed") !=
                        messages.end();
          });
          res.stream([is_first = true](std::span<char> buffer) mutable -> std::size_t {
            // As of a call that the application itself has canceled.
            if (!std::exchange(is_first, false)) throw fw::AbortError("a", "GET", "/", 1, "b");
            buffer[0] = 'x';
            return 1;
          });
        });
      },
      TestApp::test_config(), [&](fw::App& owner) { owner.set_logger(fw::Logger(sink)); });
  CHECK_THROWS_AS(app.request("GET", "/stream").send(), std::runtime_error);
  CHECK(closed == 1);
  CHECK(is_logged);
}

TEST_CASE("request: a client disconnect requests the stop and runs the callbacks") {
  std::shared_ptr<fw::testing::MemoryTransaction> transaction;
  std::vector<std::string> seen;
  OneFileApp app([&](fw::Router& router) {
    router.get("/wait", [&](fw::Request& req, fw::Response& res) {
      const std::stop_token token = req.signal();
      req.on_close([&] { seen.emplace_back("closed"); });
      CHECK(!token.stop_requested());
      if (req.query("gone")) transaction->disconnect();
      CHECK(token.stop_requested() == req.query("gone").has_value());
      if (req.query("gone")) req.on_close([&] { seen.emplace_back("late"); });
      res.json(1);
    });
  });
  const auto send = [&](const std::string& target) {
    fw::http::RequestHead head;
    head.method = "GET";
    head.target = target;
    transaction = std::make_shared<fw::testing::MemoryTransaction>(
        std::move(head), fw::http::Framing(), [] { return std::string(); });
    fw::detail::Access::core(app.app()).pipeline().handle(transaction);
  };
  send("/wait?gone");
  CHECK(seen == std::vector<std::string>{"closed", "late"});
  seen.clear();
  send("/wait");
  transaction->disconnect();  // no notification after the response
  CHECK(seen.empty());
}

TEST_CASE("request: callbacks of a lost client run when its request ends before a thread is free") {
  std::shared_ptr<LateTransaction> transaction;
  int calls = 0;
  OneFileApp app([&](fw::Router& router) {
    router.get("/text", [&](fw::Request& req, fw::Response& res) {
      req.on_close([&] { ++calls; });
      if (req.query("lost")) transaction->detect_loss();
      CHECK(calls == 0);
      res.text("");
    });
    router.get("/stream", [&](fw::Request& req, fw::Response& res) {
      req.on_close([&] { ++calls; });
      const bool is_lost = req.query("lost").has_value();
      res.stream(fw::Readable([&, is_lost](std::span<char>) -> std::size_t {
                   if (is_lost) transaction->detect_loss();
                   CHECK(calls == 0);
                   return 0;
                 }),
                 "text/plain");
    });
    router.get("/events", {.responses = {{"200", fw::events({{"message", "integer"}})}}},
               [&](fw::Request& req, fw::Response& res) {
                 req.on_close([&] { ++calls; });
                 res.events().send("message", 1);  // and closes it
               });
  });
  for (const bool is_lost : {true, false}) {
    for (const std::string path : {"/text", "/stream", "/events"}) {
      CAPTURE(path);
      CAPTURE(is_lost);
      calls = 0;
      transaction = std::make_shared<LateTransaction>(path + (is_lost ? "?lost" : ""));
      fw::detail::Access::core(app.app()).pipeline().handle(transaction);
      if (const auto events = transaction->take_pushed()) {
        events->begin({}, {});
        if (is_lost) transaction->detect_loss();
        events->end(/*is_complete=*/!is_lost);
      }
      CHECK(calls == (is_lost ? 1 : 0));
      transaction->run_callback();
      CHECK(calls == (is_lost ? 1 : 0));
    }
  }
}

}  // namespace request_test
