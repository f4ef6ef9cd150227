// How renewals of pages end: with their time, and with the application.
#include <fairway/fetch.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "features/pages/background_pool.hpp"
#include "http/loopback.hpp"
#include "pages/page_tables.hpp"
#include "support/failing_store.hpp"

namespace renewals_test {

namespace {

using namespace fw::pages::test;
using fw::http::test::Client;
using fw::http::test::eventually;
using fw::http::test::Gate;
using fw::http::test::OpensAtEnd;

/// A port on which a server accepts connections and never responds.
class SilentServer {
 public:
  SilentServer() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_, 8) == 0);
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
  }
  ~SilentServer() { ::close(listener_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  std::string url;

 private:
  const int listener_;
};

fw::Config server_config(std::int64_t shutdown_timeout) {
  fw::Config config = TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  config.shutdown.timeout = shutdown_timeout;
  return config;
}

/// An application on a port, with a page that is renewed after a second by `renew`.
class Server {
 public:
  Server(const fw::Config& config, std::function<void(fw::Request&)> renew) : app(config) {
    table_.page("count.html", "<p>{{n}}</p>");
    table_.routes([this, renew = std::move(renew)](fw::Router& router) {
      router.get("/", {.frontend = {.mode = "revalidate", .revalidate = 1}},
                 [this, renew](fw::Request& req, fw::Response& res) {
                   const int n = ++renderings;
                   if (n == 2) {
                     is_renewing = true;
                     renew(req);
                     is_renewing = false;
                   }
                   res.render("count", {{"n", n}});
                 });
    });
    app.set_logger(fw::Logger(sink));
    app.mount(table_.table());
    app.on_close([this](fw::App&) {
      is_closed = true;
      was_renewing_at_close = is_renewing.load();
    });
    app.start();
  }

  std::string get() const {
    Client client(app.port());
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    return client.read_response().body;
  }
  void begin_renewal() {
    get();
    REQUIRE(eventually([&] {
      get();
      return is_renewing.load();
    }));
  }
  bool has_warned(const std::string& part) const {
    return std::ranges::any_of(sink->messages(fw::LogLevel::warn), [&](const std::string& warning) {
      return warning.find(part) != std::string::npos;
    });
  }

  std::shared_ptr<fw::support::RecordingSink> sink = std::make_shared<fw::support::RecordingSink>();
  std::atomic<int> renderings = 0;
  std::atomic<bool> is_renewing = false;
  std::atomic<bool> is_closed = false;
  std::atomic<bool> was_renewing_at_close = false;

 private:
  fw::support::TableBuilder table_;  // before `app`, which uses it until its end

 public:
  fw::App app;
};

}  // namespace

TEST_CASE("pages: a stop lets a running renewal end before the close callbacks") {
  Gate gate;
  Server server(server_config(60'000), [&](fw::Request&) { gate.wait(); });
  const OpensAtEnd opener(gate);
  server.begin_renewal();
  auto stopped = std::async(std::launch::async, [&] { server.app.stop(); });
  REQUIRE(eventually([&] { return server.app.port() == 0; }));
  CHECK(!server.is_closed);
  gate.open();
  stopped.get();
  CHECK(server.is_closed);
  CHECK(!server.was_renewing_at_close);
  CHECK(!server.has_warned("renewed"));
}

TEST_CASE("pages: a renewal is canceled after shutdown.timeout") {
  std::atomic<bool> is_canceled = false;
  Server server(server_config(20), [&](fw::Request& req) {
    is_canceled = eventually([stop = req.signal()] { return stop.stop_requested(); });
  });
  server.begin_renewal();
  server.app.stop();
  CHECK(is_canceled);
  CHECK(server.is_closed);
  CHECK(!server.was_renewing_at_close);
  CHECK(server.has_warned("pages were still being renewed after 20 ms"));
}

TEST_CASE("pages: a call of a renewal is aborted after shutdown.timeout") {
  const SilentServer upstream;
  std::atomic<bool> is_aborted = false;
  Server server(server_config(20), [&](fw::Request& req) {
    try {
      req.app().fetch(upstream.url);
    } catch (const fw::AbortError&) {
      is_aborted = true;
      throw;
    }
  });
  server.begin_renewal();
  server.app.stop();
  CHECK(is_aborted);
  CHECK(server.is_closed);
}

TEST_CASE("pages: a stop waits for a renewal that ignores its signal, like for a handler") {
  Gate gate;
  Server server(server_config(20), [&](fw::Request&) { gate.wait(); });
  const OpensAtEnd opener(gate);
  server.begin_renewal();
  auto stopped = std::async(std::launch::async, [&] { server.app.stop(); });
  REQUIRE(eventually([&] { return server.has_warned("pages were still being renewed"); }));
  CHECK(!server.is_closed);
  gate.open();
  stopped.get();
  CHECK(server.is_closed);
  CHECK(!server.was_renewing_at_close);
}

TEST_CASE("pages: without a timeout of the route, a renewal is canceled after cache.waitTimeout") {
  const SilentServer upstream;
  TableBuilder table;
  table.page("count.html", "<p>rendering {{n}}</p>");
  std::atomic<int> renderings = 0;
  std::atomic<int> aborted = 0;
  std::atomic<bool> is_late = false;
  table.routes([&](fw::Router& router) {
    router.get("/", {.frontend = {.mode = "revalidate", .revalidate = 60}},
               [&](fw::Request& req, fw::Response& res) {
                 const int n = ++renderings;
                 if (is_late) {
                   try {
                     req.app().fetch(upstream.url);
                   } catch (const fw::AbortError&) {
                     ++aborted;
                   }
                 }
                 res.render("count", {{"n", n}});
               });
  });
  fw::Config config = TestApp::test_config();
  config.cache.wait_timeout = 100;
  TestApp app(table.table(), config);
  REQUIRE(app.request("GET", "/").send().header("x-cache") == "MISS");
  is_late = true;
  app.advance(61s);
  // The handler continues without the response of the upstream; what it renders is not stored.
  CHECK(eventually([&] {
    CHECK(contains(app.request("GET", "/").send().body, "rendering 1"));
    return aborted >= 2;
  }));
  is_late = false;
  CHECK(eventually([&] { return !contains(app.request("GET", "/").send().body, "rendering 1"); }));
}

TEST_CASE("pages: renewals that ignore their signal do not keep other pages of the route old") {
  Gate gate;
  std::atomic<int> renderings = 0;
  std::atomic<int> hung = 0;
  const auto sink = std::make_shared<fw::support::RecordingSink>();
  TableBuilder table;
  table.page("count.html", "<p>rendering {{n}}</p>");
  table.routes([&](fw::Router& router) {
    router.get("/:id", {.timeout = 3'000, .frontend = {.mode = "revalidate", .revalidate = 60}},
               [&](fw::Request& req, fw::Response& res) {
                 const int n = ++renderings;
                 if (req.param("id")->starts_with("hung") && n > 3 && hung < 2) {
                   ++hung;
                   gate.wait();
                 }
                 res.render("count", {{"n", n}});
               });
  });
  fw::Config config = TestApp::test_config();
  config.cache.wait_timeout = 3'000;
  TestApp app(table.table(), config, [&](fw::App& each) { each.set_logger(fw::Logger(sink)); });
  const OpensAtEnd opener(gate);
  const auto get = [&](const char* path) { return app.request("GET", path).send(); };
  for (const char* path : {"/hung-1", "/hung-2", "/page"}) {
    REQUIRE(get(path).header("x-cache") == "MISS");
  }
  app.advance(61s);
  for (const char* path : {"/hung-1", "/hung-2"}) CHECK(get(path).header("x-cache") == "STALE");
  REQUIRE(eventually([&] { return hung == 2; }));
  CHECK(get("/page").header("x-cache") == "STALE");
  CHECK(eventually([&] { return !contains(get("/page").body, "rendering 3"); }));
  // The warning comes after the other renewal has been let in.
  CHECK(eventually([&] {
    return std::ranges::any_of(sink->messages(fw::LogLevel::warn), [](const std::string& warning) {
      return contains(warning, "GET /:id: a page is still being renewed 3000 ms after its time");
    });
  }));
  // Without an old page, requests do not wait for a renewal that never ends.
  app.advance(48h);
  const auto response = get("/hung-1");
  CHECK(response.status == 200);
  CHECK(!contains(response.body, "rendering 1<"));
}

namespace {

/// A store of one process that counts how often pages are looked up.
class CountingStore : public fw::support::FailingStore {
 public:
  std::atomic<int> lookups = 0;

  bool is_shared() const override { return false; }
  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    auto object = FailingStore::get_object(key, convert);
    if (key.ends_with("/page")) ++lookups;
    return object;
  }
};

}  // namespace

TEST_CASE("pages: a page is renewed once, however long its renewals wait for a thread") {
  constexpr int kHung = 2 * fw::detail::BackgroundPool::kMaxOfLane;
  constexpr auto kWait = 100ms;
  Gate first;
  Gate others;
  std::atomic<int> hung = 0;
  std::atomic<int> renderings = 0;
  std::atomic<bool> is_renewal = false;
  TableBuilder table;
  table.page("count.html", "<p>rendering {{n}}</p>");
  table.routes([&](fw::Router& router) {
    router.get("/:id", {.frontend = {.mode = "revalidate", .revalidate = 60}},
               [&](fw::Request& req, fw::Response& res) {
                 const bool is_page = *req.param("id") == "page";
                 if (is_renewal && !is_page) {
                   (++hung == 1 ? first : others).wait();
                 }
                 res.render("count", {{"n", is_page ? ++renderings : 0}});
               });
  });
  fw::Config config = TestApp::test_config();
  config.cache.wait_timeout = kWait.count();
  const auto store = std::make_shared<CountingStore>();
  TestApp app(table.table(), config, [&](fw::App& each) { each.set_store("cache", store); });
  const OpensAtEnd first_opener(first);
  const OpensAtEnd others_opener(others);
  const auto get = [&](const std::string& path) { return app.request("GET", path).send(); };
  const auto get_all = [&](const char* outcome) {
    for (int i = 0; i < kHung; ++i) {
      REQUIRE(get("/hung-" + std::to_string(i)).header("x-cache") == outcome);
    }
  };
  get_all("MISS");
  REQUIRE(get("/page").header("x-cache") == "MISS");
  app.advance(61s);
  is_renewal = true;
  get_all("STALE");
  // Two have been abandoned: no other page of the route is renewed before one ends.
  REQUIRE(eventually([&] { return hung == kHung; }));
  REQUIRE(get("/page").header("x-cache") == "STALE");
  std::this_thread::sleep_for(kWait);
  // The first renewal is not waited for any more: there are two now.
  REQUIRE(get("/page").header("x-cache") == "STALE");
  // They run one after the other, and each looks for a page that the other one has stored; the
  // first, which the second has replaced, also before it stores its own.
  const int lookups = store->lookups;
  first.open();
  CHECK(eventually([&] { return store->lookups == lookups + 3 || renderings > 2; }));
  const auto response = get("/page");
  CHECK(response.header("x-cache") == "HIT");
  CHECK(contains(response.body, "rendering 2"));
  CHECK(renderings == 2);
}

}  // namespace renewals_test
