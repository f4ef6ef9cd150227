#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <regex>
#include <thread>
#include <utility>
#include <vector>

#include "support/failing_store.hpp"
#include "support/table_builder.hpp"
#if FAIRWAY_REDIS
#include "redis_server.hpp"
#endif

namespace session_test {

namespace {

using fw::Json;
using fw::support::FailingStore;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::testing::TestApp;
using fw::testing::TestResponse;
using namespace std::chrono_literals;

fw::Config with_sessions() {
  fw::Config config = TestApp::test_config();
  config.session.enabled = true;
  return config;
}

void state(fw::Request& req, fw::Response& res) {
  const fw::Session& session = req.session();
  res.json({{"id", session.id()}, {"isNew", session.is_new()}, {"data", session.data()}});
}

/// Routes that do with the session what a query says.
void session_routes(fw::Router& app) {
  app.get("/state", state);
  app.get("/set", [](fw::Request& req, fw::Response& res) {
    for (const auto& [key, value] : req.query()) req.session().set(key, value);
    state(req, res);
  });
  app.get("/sign-in", [](fw::Request& req, fw::Response& res) {
    req.session().regenerate();
    req.session().set("user", "ada");
    state(req, res);
  });
  app.get("/sign-out", [](fw::Request& req, fw::Response& res) {
    req.session().destroy();
    state(req, res);
  });
  app.get("/destroy-and-set", [](fw::Request& req, fw::Response& res) {
    req.session().destroy();
    req.session().set("flash", "bye");
    state(req, res);
  });
  app.get("/throw", [](fw::Request& req, fw::Response&) {
    req.session().set("seen", true);
    throw std::runtime_error("after");
  });
  app.get("/rolling", {.session = fw::SessionOptions{.rolling = true}},
          [](fw::Request&, fw::Response& res) { res.json({}); });
  app.get("/manual", {.session = fw::SessionOptions{.auto_commit = false}},
          [](fw::Request& req, fw::Response& res) {
            req.session().set("manual", 1);
            if (req.query("save")) req.session().save();
            state(req, res);
          });
  app.get("/set-unsaved", {.session = fw::SessionOptions{.auto_commit = false}},
          [](fw::Request& req, fw::Response& res) {
            req.session().set("other", "2");
            req.session().erase("manual");
            state(req, res);
          });
  app.get("/own-cookie", [](fw::Request& req, fw::Response& res) {
    res.set_cookie("fw.sid", "chosen by the handler");
    req.session().set("a", "1");
    req.session().save();
    req.session().regenerate();
    state(req, res);
  });
  app.get("/off", {.session = false}, state);
  app.get("/untouched", [](fw::Request&, fw::Response& res) { res.json({}); });
}

/// The value of a cookie that a response sets; "-" when it sets none.
std::string cookie_of(const TestResponse& response, const std::string& name = "fw.sid") {
  std::string value = "-";
  int count = 0;
  for (const auto& [field, text] : response.headers) {
    if (field != "set-cookie" || !text.starts_with(name + "=")) continue;
    value = text.substr(name.size() + 1, text.find(';') - name.size() - 1);
    ++count;
  }
  CHECK(count <= 1);
  return value;
}

struct Client {
  TestApp& app;
  std::string cookie = {};

  TestResponse get(const std::string& target) {
    auto request = app.request("GET", target);
    if (!cookie.empty()) request.header("Cookie", "fw.sid=" + cookie);
    TestResponse response = request.send();
    if (const std::string value = cookie_of(response); value != "-") cookie = value;
    return response;
  }
  Json data(const std::string& target) { return get(target).json().at("data"); }
};

/// A store that replaces no record by another, but erases.
class FullStore : public FailingStore {
 public:
  std::atomic<bool> is_full = false;
  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    std::chrono::milliseconds ttl) override {
    if (is_full) throw fw::StoreError("out of memory");
    return FailingStore::set_if_equal(key, expected, value, ttl);
  }
};

/// A store that tells the key that was set last.
class KeyStore : public FailingStore {
 public:
  std::string key;
  void set(std::string_view name, std::string_view value, std::chrono::milliseconds ttl) override {
    key = name;
    FailingStore::set(name, value, ttl);
  }
};

struct Memory {
  fw::StoreConfig config = {};
};
#if FAIRWAY_REDIS
struct Redis {
  fairway::test::RedisServer server;
  fw::StoreConfig config = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
};
#define EACH_STORE Memory, Redis
#else
#define EACH_STORE Memory
#endif
fw::Config with_sessions_in(const fw::StoreConfig& store) {
  fw::Config config = with_sessions();
  config.session.store = store;
  return config;
}

/// Routes whose requests load their session, wait for `meet`, and then change the session.
void racing_routes(fw::Router& app, std::function<void()> meet) {
  const auto add = [&](const char* path, void (*change)(fw::Session& session)) {
    app.get(path, [meet, change](fw::Request& req, fw::Response& res) {
      fw::Session& session = req.session();
      meet();
      change(session);
      state(req, res);
    });
  };
  add("/race/regenerate", [](fw::Session& session) { session.regenerate(); });
  add("/race/destroy", [](fw::Session& session) { session.destroy(); });
  add("/race/set", [](fw::Session& session) { session.set("changed", true); });
}

}  // namespace

TEST_CASE("session: values are available in the next request") {
  OneFileApp app(session_routes, with_sessions());
  Client client{app};
  const TestResponse first = client.get("/set?a=1&b=2");
  CHECK(first.json()["data"]["isNew"] == true);
  CHECK(std::regex_match(client.cookie, std::regex("[A-Za-z0-9_-]{43}")));
  CHECK(first.json()["data"]["id"] == client.cookie);
  CHECK(first.header("set-cookie") ==
        "fw.sid=" + client.cookie + "; Max-Age=86400; Path=/; HttpOnly; SameSite=Lax");
  const std::string cookie = client.cookie;
  const TestResponse second = client.get("/state");
  CHECK(second.json()["data"] ==
        Json{{"id", cookie}, {"isNew", false}, {"data", {{"a", "1"}, {"b", "2"}}}});
  CHECK(cookie_of(second) == "-");
  CHECK(cookie_of(client.get("/set?a=3")) == cookie);
  CHECK(client.data("/state")["data"] == Json{{"a", "3"}, {"b", "2"}});
}

TEST_CASE("session: an id that the store does not know is never taken over") {
  OneFileApp app(session_routes, with_sessions());
  for (const std::string& planted :
       {std::string(43, 'A'), std::string("../etc/passwd"), std::string(300, 'A'), std::string()}) {
    CAPTURE(planted);
    Client client{app, planted};
    CHECK(client.data("/state")["isNew"] == true);
    CHECK(client.cookie == planted);
    CHECK(client.data("/set?a=1")["isNew"] == true);
    CHECK(client.cookie != planted);
    CHECK(client.data("/state")["isNew"] == false);
  }
}

TEST_CASE("session: signing in changes the id and keeps the values") {
  OneFileApp app(session_routes, with_sessions());
  Client client{app};
  client.get("/set?cart=7");
  Client attacker{app, client.cookie};
  const std::string before = client.cookie;
  CHECK(client.data("/sign-in")["data"] == Json{{"cart", "7"}, {"user", "ada"}});
  CHECK(client.cookie != before);
  CHECK(client.data("/state") ==
        Json{{"id", client.cookie}, {"isNew", false}, {"data", {{"cart", "7"}, {"user", "ada"}}}});
  CHECK(attacker.data("/state")["isNew"] == true);
  CHECK(Client{app}.data("/sign-in")["data"] == Json{{"user", "ada"}});
}

TEST_CASE("session: its cookie is sent once and replaces one set by the handler") {
  OneFileApp app(session_routes, with_sessions());
  Client client{app};
  // `cookie_of` checks that there is one.
  const Json data = client.data("/own-cookie");
  CHECK(data["id"] == client.cookie);
  CHECK(client.data("/state")["data"] == Json{{"a", "1"}});
}

TEST_CASE("session: destroying it deletes the id and clears the cookie") {
  OneFileApp app(session_routes, with_sessions());
  Client client{app};
  client.get("/set?a=1");
  const Client other{app, client.cookie};
  const TestResponse response = client.get("/sign-out");
  CHECK(response.header("set-cookie") == "fw.sid=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
  CHECK(response.json()["data"]["data"] == Json::object());
  CHECK(Client(other).data("/state")["isNew"] == true);
  CHECK(cookie_of(Client{app}.get("/sign-out")) == "-");

  Client next{app};
  next.get("/set?a=1");
  const std::string before = next.cookie;
  CHECK(next.data("/destroy-and-set")["isNew"] == true);
  CHECK(next.cookie != before);
  CHECK(next.data("/state")["data"] == Json{{"flash", "bye"}});
}

TEST_CASE("session: changes before an error are saved") {
  OneFileApp app(session_routes, with_sessions());
  Client client{app};
  CHECK(client.get("/throw").status == 500);
  CHECK(client.data("/state")["data"] == Json{{"seen", true}});
}

TEST_CASE("session: a route can save explicitly or have no session") {
  OneFileApp app(session_routes, with_sessions());
  Client client{app};
  CHECK(client.data("/manual")["data"] == Json{{"manual", 1}});
  CHECK(client.cookie.empty());
  client.get("/manual?save=1");
  CHECK(client.data("/state")["data"] == Json{{"manual", 1}});

  // Requests share what the store has, but not what they change.
  client.get("/set?other=1");
  CHECK(client.data("/set-unsaved")["data"] == Json{{"other", "2"}});
  CHECK(client.data("/state")["data"] == Json{{"manual", 1}, {"other", "1"}});

  RecordingSink* lines = nullptr;
  OneFileApp logged(session_routes, with_sessions(), [&](fw::App& each) {
    auto sink = std::make_shared<RecordingSink>();
    lines = sink.get();
    each.set_logger(fw::Logger(std::move(sink), fw::LogLevel::error));
  });
  CHECK(Client{logged}.get("/off").status == 500);
  CHECK(lines->messages() ==
        std::vector<std::string>{"GET /off has no session: set session.enabled in the "
                                 "configuration, or the route's option .session = true"});
}

TEST_CASE("session: rolling renews session and cookie, and only if there is a session") {
  auto now = std::make_shared<std::chrono::steady_clock::time_point>();
  fw::Config config = with_sessions();
  config.session.ttl = 60;
  OneFileApp app(session_routes, config, [&](fw::App& each) {
    each.set_store("session", fw::memory_store({.clock = [now] { return *now; }}));
  });
  Client client{app};
  client.get("/set?a=1");
  client.get("/state");  // the second request of a new session renews it, too
  *now += 59s;
  CHECK(cookie_of(client.get("/rolling")) == client.cookie);
  *now += 59s;
  CHECK(client.data("/state")["isNew"] == false);
  *now += 2s;
  CHECK(client.data("/state")["isNew"] == true);
  CHECK(cookie_of(Client{app}.get("/rolling")) == "-");
  CHECK(cookie_of(Client{app, std::string(43, 'A')}.get("/rolling")) == "-");
}

TEST_CASE("session: the cookie has the configured attributes") {
  fw::Config config = with_sessions();
  config.trust_proxy = true;
  config.session.name = "sid";
  config.session.id_length = 16;
  config.session.cookie = {.path = "/app",
                           .domain = "example.com",
                           .same_site = fw::SameSite::strict,
                           .http_only = false,
                           .max_age = 0,
                           .priority = "High"};
  const auto cookie = [&](const std::string& protocol) {
    OneFileApp app(session_routes, config);
    const TestResponse response =
        app.request("GET", "/set?a=1").header("X-Forwarded-Proto", protocol).send();
    return std::regex_replace(std::string(response.header("set-cookie").value_or("none")),
                              std::regex("=[A-Za-z0-9_-]{22};"), "=ID;");
  };
  CHECK(cookie("http") == "sid=ID; Domain=example.com; Path=/app; SameSite=Strict; Priority=High");
  CHECK(cookie("https") ==
        "sid=ID; Domain=example.com; Path=/app; Secure; SameSite=Strict; Priority=High");
  config.session.name = "__Host-sid";
  config.session.cookie = {.same_site = fw::SameSite::none, .max_age = 5, .partitioned = true};
  CHECK(cookie("http") ==
        "__Host-sid=ID; Max-Age=5; Path=/; Secure; HttpOnly; SameSite=None; Partitioned");
  config.session.cookie.path = "/app";
  try {
    const OneFileApp app(session_routes, config);
    FAIL("the application starts");
  } catch (const fw::StartupError& error) {
    CHECK(error.errors() ==
          std::vector<std::string>{
              "configuration: /session/cookie: the cookie '__Host-sid' has the prefix __Host- with "
              "a domain, or a path that is not \"/\", and browsers drop it: remove them, or the "
              "prefix"});
  }
}

TEST_CASE("session: concurrent requests keep each other's changes") {
  fw::testing::TestApp* running = nullptr;
  std::string cookie;
  // While it runs, another request of the session sets and erases.
  OneFileApp app(
      [&](fw::Router& router) {
        session_routes(router);
        router.get("/slow", [&](fw::Request& req, fw::Response& res) {
          fw::Session& session = req.session();
          session.set("slow", "1");
          session.set("both", "slow");
          session.erase("gone");
          const std::string inner = std::string(req.query("inner").value_or(""));
          std::thread([&] { Client{*running, cookie}.get(inner); }).join();
          state(req, res);
        });
      },
      with_sessions());
  running = &app;
  Client client{app};
  client.get("/set?gone=1&kept=1");
  cookie = client.cookie;
  client.get("/slow?inner=/set?fast%3D1%26both%3Dfast");
  CHECK(client.data("/state")["data"] ==
        Json{{"kept", "1"}, {"slow", "1"}, {"fast", "1"}, {"both", "slow"}});

  SUBCASE("a session that another request destroys stays destroyed") {
    CHECK(cookie_of(client.get("/slow?inner=/sign-out")) == "-");
    CHECK(Client{app, cookie}.data("/state")["isNew"] == true);
  }
  SUBCASE("a session that another request regenerates is gone under the old id") {
    CHECK(cookie_of(client.get("/slow?inner=/sign-in")) == "-");
    CHECK(Client{app, cookie}.data("/state")["isNew"] == true);
  }
}

TEST_CASE_TEMPLATE("session: a destroyed session is not restored by a concurrent regeneration",
                   Implementation, EACH_STORE) {
  const Implementation implementation;
  std::function<void()> inner_request;  // runs while another request of the session does
  const auto meet = [&] {
    if (inner_request) std::thread(std::exchange(inner_request, nullptr)).join();
  };
  OneFileApp app(
      [&](fw::Router& router) {
        session_routes(router);
        racing_routes(router, meet);
      },
      with_sessions_in(implementation.config));
  const auto begin = [&] {
    Client client{app};
    client.get("/set?a=1");
    client.get("/state");
    return client;
  };
  std::string inner_cookie;
  const auto run = [&](Client& client, const std::string& own, const std::string& inner,
                       int times = 1) {
    inner_request = [&app, &inner_cookie, inner, times, cookie = client.cookie] {
      Client other{app, cookie};
      for (int i = 0; i < times; ++i) other.get(inner);
      inner_cookie = other.cookie;
    };
    return client.get(own);
  };
  const auto is_known = [&](const std::string& id) {
    return !Client{app, id}.data("/state")["isNew"].get<bool>();
  };

  SUBCASE("a session destroyed during a regeneration") {
    Client client = begin();
    const std::string before = client.cookie;
    const TestResponse response = run(client, "/race/regenerate", "/sign-out");
    CHECK(cookie_of(response) == "-");
    CHECK_FALSE(is_known(before));
    CHECK_FALSE(is_known(response.json()["data"]["id"]));
  }
  SUBCASE("a session regenerated during a destruction") {
    Client client = begin();
    const std::string before = client.cookie;
    run(client, "/race/destroy", "/sign-in");
    CHECK(inner_cookie != before);
    CHECK_FALSE(is_known(before));
    CHECK_FALSE(is_known(inner_cookie));
  }
  SUBCASE("a session regenerated twice during a destruction") {
    Client client = begin();
    run(client, "/race/destroy", "/sign-in", 2);
    CHECK_FALSE(is_known(inner_cookie));
  }
  SUBCASE("changes that are saved before the new id are kept") {
    Client client = begin();
    const std::string before = client.cookie;
    CHECK(cookie_of(run(client, "/race/regenerate", "/set?b=2")) != "-");
    CHECK_FALSE(is_known(before));
    CHECK(client.data("/state")["data"] == Json{{"a", "1"}, {"b", "2"}});
  }
  SUBCASE("of two new ids, the first one counts") {
    Client client = begin();
    CHECK(cookie_of(run(client, "/race/regenerate", "/sign-in")) == "-");
    CHECK(Client{app, inner_cookie}.data("/state")["data"] == Json{{"a", "1"}, {"user", "ada"}});
  }
}

TEST_CASE_TEMPLATE("session: races of regeneration with destruction and changes", Implementation,
                   EACH_STORE) {
  const Implementation implementation;
  std::barrier both(2);
  OneFileApp app(
      [&](fw::Router& router) {
        session_routes(router);
        racing_routes(router, [&] { both.arrive_and_wait(); });
      },
      with_sessions_in(implementation.config));
  const auto is_known = [&](const std::string& id) {
    return !Client{app, id}.data("/state")["isNew"].get<bool>();
  };
  for (int i = 0; i < 100; ++i) {
    Client client{app};
    client.get("/set?a=1");
    const std::string before = client.cookie;
    Client other = client;
    TestResponse response;
    const bool destroys = i % 2 == 0;
    std::thread thread([&] { response = other.get(destroys ? "/race/destroy" : "/race/set"); });
    const TestResponse regenerated = client.get("/race/regenerate");
    thread.join();
    CHECK_FALSE(is_known(before));
    if (destroys) {
      CHECK_FALSE(is_known(client.cookie));
      CHECK_FALSE(is_known(regenerated.json()["data"]["id"]));
    } else {
      // A change was saved if and only if its response has the cookie.
      const bool is_saved = cookie_of(response) != "-";
      const Json data = client.data("/state");
      CHECK(data["isNew"] == false);
      CHECK(data["data"].contains("changed") == is_saved);
    }
  }
}

TEST_CASE_TEMPLATE(
    "session: a session is destroyed by its old id, too, shortly after it has a new one",
    Implementation, EACH_STORE) {
  const Implementation implementation;
  fw::Config config = with_sessions_in(implementation.config);
  SUBCASE("rolling") { config.session.rolling = true; }
  SUBCASE("not rolling") {}
  OneFileApp app(session_routes, config);
  Client client{app};
  client.get("/set?a=1");
  Client before = client;
  for (int ids = 1; ids <= 3; ++ids) {
    CAPTURE(ids);
    client.get("/sign-in");
    // The old id is of no other use.
    CHECK(before.data("/state")["data"] == Json::object());
  }
  const TestResponse response = before.get("/sign-out");
  CHECK(cookie_of(response) == "");
  CHECK(client.data("/state")["isNew"] == true);

  // Another session is not destroyed.
  Client other{app};
  other.get("/set?b=1");
  other.get("/sign-in");
  Client{app, client.cookie}.get("/sign-out");
  CHECK(other.data("/state")["isNew"] == false);
}

TEST_CASE_TEMPLATE("session: an id that the client does not get does not replace the old one",
                   Implementation, EACH_STORE) {
  const Implementation implementation;
  OneFileApp app(
      [](fw::Router& router) {
        session_routes(router);
        router.get("/late", {.timeout = 50}, [](fw::Request& req, fw::Response& res) {
          req.session().set("before", 1);
          if (req.query("regenerate")) req.session().regenerate();
          req.session().set("user", "ada");
          const std::stop_token stop = req.signal();
          while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
          state(req, res);
        });
      },
      with_sessions_in(implementation.config));
  Client client{app};
  client.get("/set?a=1");
  const std::string before = client.cookie;
  const TestResponse response = client.get("/late?regenerate=1");
  CHECK(response.status == 504);
  CHECK(cookie_of(response) == "-");
  // The old id must not be signed in.
  const Json state = client.data("/state");
  CHECK(state["id"] == before);
  CHECK(state["data"] == Json{{"a", "1"}});

  // Other changes are saved, as after an error.
  CHECK(client.get("/late").status == 504);
  CHECK(client.data("/state")["data"] == Json{{"a", "1"}, {"before", 1}, {"user", "ada"}});
}

TEST_CASE("session: changes that are lost at the deadline are in the log, and nothing is stored") {
  auto sink = std::make_shared<RecordingSink>();
  const auto store = std::make_shared<KeyStore>();
  OneFileApp app(
      [](fw::Router& router) {
        session_routes(router);
        router.get("/late", {.timeout = 20}, [](fw::Request& req, fw::Response& res) {
          if (req.query("regenerate")) req.session().regenerate();
          req.session().set("user", "ada");
          if (req.query("save")) req.session().save();
          const std::stop_token stop = req.signal();
          while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
          res.json({});
        });
      },
      with_sessions(),
      [&](fw::App& each) {
        each.set_store("session", store);
        each.set_logger(fw::Logger(sink));
      });
  const auto warnings = [&] {
    std::size_t count = 0;
    for (const std::string& message : sink->messages(fw::LogLevel::warn)) {
      if (message.starts_with("the session of GET /late (")) ++count;
    }
    return count;
  };
  CHECK(Client{app}.get("/late").status == 504);
  CHECK(store->key.empty());
  CHECK(warnings() == 1);
  Client client{app};
  client.get("/set?a=1");
  CHECK(client.get("/late?regenerate=1").status == 504);
  CHECK(warnings() == 2);
  CHECK(client.get("/late").status == 504);
  CHECK(client.data("/state")["data"] == Json{{"a", "1"}, {"user", "ada"}});
  store->key.clear();
  CHECK(Client{app}.get("/late?save=1").status == 504);
  CHECK_FALSE(store->key.empty());
  CHECK(warnings() == 2);
}

TEST_CASE("session: requests with an old id do not keep the record that leads to the new one") {
  /// A store that tells how long a record with a text is kept.
  class EndStore : public FailingStore {
   public:
    std::chrono::milliseconds kept{0};
    int renewed = 0;
    bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                      std::chrono::milliseconds ttl) override {
      const bool is_set = FailingStore::set_if_equal(key, expected, value, ttl);
      if (is_set && value.starts_with("{\"end\":\"s")) {
        kept = ttl;
        if (expected == value) ++renewed;
      }
      return is_set;
    }
  };
  fw::Config config = with_sessions();
  config.session.rolling = true;
  const auto store = std::make_shared<EndStore>();
  OneFileApp app(session_routes, config,
                 [&](fw::App& running) { running.set_store("session", store); });
  Client client{app};
  client.get("/set?a=1");
  const std::string before = client.cookie;
  client.get("/sign-in");
  CHECK(store->kept == 5min);
  std::this_thread::sleep_for(2ms);
  for (int i = 0; i < 3; ++i) Client{app, before}.get("/state");
  CHECK(store->kept < 5min);
}

TEST_CASE("session: a save that always loses against other requests is a 503") {
  /// A store in which another request is always faster.
  class BusyStore : public FailingStore {
   public:
    bool set_if_equal(std::string_view, std::string_view, std::string_view,
                      std::chrono::milliseconds) override {
      return false;
    }
  };
  OneFileApp app(session_routes, with_sessions(),
                 [](fw::App& each) { each.set_store("session", std::make_shared<BusyStore>()); });
  Client client{app};
  client.get("/set?a=1");
  CHECK(client.get("/set?a=2").status == 503);
  CHECK(client.get("/sign-in").status == 503);
  CHECK(client.data("/state")["data"] == Json{{"a", "1"}});
  CHECK(client.get("/sign-out").status == 200);
  CHECK(client.data("/state")["isNew"] == true);
}

TEST_CASE("session: a new session expires early until another request uses it") {
  auto now = std::make_shared<std::chrono::steady_clock::time_point>();
  fw::Config config = with_sessions();
  config.session.new_ttl = 60;
  config.session.ttl = 600;
  const auto on_clock = [now](fw::App& each) {
    each.set_store("session", fw::memory_store({.clock = [now] { return *now; }}));
  };
  OneFileApp app(session_routes, config, on_clock);
  const auto lives = [&](Client client, std::chrono::seconds time) {
    *now += time;
    return client.data("/state")["isNew"] == false;
  };
  Client client{app};
  CHECK(client.get("/set?a=1").header("set-cookie")->find("Max-Age=600;") != std::string::npos);
  CHECK_FALSE(lives(client, 60s));

  SUBCASE("reading it") {
    client.get("/set?a=1");
    CHECK(lives(client, 59s));
    CHECK(lives(client, 599s));
    CHECK_FALSE(lives(client, 1s));
  }
  SUBCASE("changing it") {
    client.get("/set?a=1");
    client.get("/set?a=2");
    CHECK(lives(client, 599s));
    CHECK_FALSE(lives(client, 1s));
  }
  SUBCASE("a rolling route") {
    client.get("/set?a=1");
    client.get("/rolling");
    CHECK(lives(client, 599s));
  }
  SUBCASE("without saving") {
    client.get("/set?a=1");
    client.get("/set-unsaved");
    CHECK(lives(client, 599s));
    CHECK(client.data("/state")["data"] == Json{{"a", "1"}});
  }
  SUBCASE("two changes in one request are one use") {
    client.get("/manual?save=1");
    CHECK_FALSE(lives(client, 60s));
  }
  SUBCASE("signing in") {
    Client signed_in{app};
    signed_in.get("/sign-in");
    CHECK(lives(signed_in, 599s));
  }
  SUBCASE("a new one after another") {
    client.get("/set?a=1");
    client.get("/state");
    client.get("/destroy-and-set");
    CHECK_FALSE(lives(client, 60s));
  }
  SUBCASE("at most the time to live") {
    config.session.new_ttl = 6'000;
    OneFileApp other(session_routes, config, on_clock);
    Client visitor{other};
    visitor.get("/set?a=1");
    CHECK_FALSE(lives(visitor, 600s));
  }
}

TEST_CASE("session: a session in use survives a failed renewal") {
  auto store = std::make_shared<FailingStore>();
  OneFileApp app(
      [&](fw::Router& router) {
        session_routes(router);
        router.get("/fails", [&](fw::Request& req, fw::Response& res) {
          req.session();
          store->failing = true;
          state(req, res);
        });
      },
      with_sessions(), [&](fw::App& each) { each.set_store("session", store); });
  Client client{app};
  client.get("/set?a=1");
  CHECK(client.get("/fails").status == 200);
  store->failing = false;
  CHECK(client.data("/state")["data"] == Json{{"a", "1"}});
}

TEST_CASE("session: clients without cookies do not evict sessions of users") {
  fw::Config config = with_sessions();
  config.session.store.max_entries = 500;
  OneFileApp app(session_routes, config);
  std::vector<Client> users;
  for (int i = 0; i < 20; ++i) {
    Client& user = users.emplace_back(Client{app});
    user.get("/sign-in");
    user.get("/state");
  }
  for (int i = 0; i < 3'000; ++i) Client{app}.get("/set?visits=1");
  for (Client& user : users) CHECK(user.data("/state")["data"] == Json{{"user", "ada"}});
}

TEST_CASE("session: many concurrent requests lose no key") {
  OneFileApp app(session_routes, with_sessions());
  Client client{app};
  client.get("/set?a=1");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&app, cookie = client.cookie, i] {
      for (int n = 0; n < 10; ++n) {
        Client{app, cookie}.get("/set?k" + std::to_string(i * 10 + n) + "=1");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(client.data("/state")["data"].size() == 81);
}

TEST_CASE("session: routes that use it give a 503 while the store is down") {
  auto store = std::make_shared<FailingStore>();
  OneFileApp app(session_routes, with_sessions(),
                 [&](fw::App& each) { each.set_store("session", store); });
  Client client{app};
  client.get("/set?a=1");
  const int calls = store->calls;
  CHECK(client.get("/untouched").status == 200);
  CHECK(store->calls == calls);
  store->failing = true;
  CHECK(client.get("/untouched").status == 200);
  for (const std::string target : {"/state", "/set?a=2", "/rolling", "/sign-out"}) {
    CAPTURE(target);
    const TestResponse response = client.get(target);
    CHECK(response.status == 503);
    CHECK(response.json()["message"] == "Service Unavailable");
    CHECK(response.json()["code"] == 503);
    CHECK(cookie_of(response) == "-");
  }
  CHECK(Client{app}.get("/set?a=2").status == 503);  // a new session, which cannot be saved
  CHECK(Client{app}.get("/throw").status == 500);
  store->failing = false;
  CHECK(client.data("/state")["data"] == Json{{"a", "1"}});
}

TEST_CASE("session: a client signs out although the store is full") {
  auto store = std::make_shared<FullStore>();
  OneFileApp app(session_routes, with_sessions(),
                 [&](fw::App& each) { each.set_store("session", store); });
  Client client{app};
  client.get("/set?a=1");
  const std::string cookie = client.cookie;
  store->is_full = true;
  CHECK(client.get("/sign-out").status == 200);
  store->is_full = false;
  CHECK(Client{app, cookie}.data("/state")["isNew"] == true);
}

TEST_CASE("session: a store that is down has one line a second in the log") {
  auto store = std::make_shared<FailingStore>();
  auto sink = std::make_shared<RecordingSink>();
  OneFileApp app(session_routes, with_sessions(), [&](fw::App& each) {
    each.set_store("session", store);
    each.set_logger(fw::Logger(sink));
  });
  store->failing = true;
  const auto begin = std::chrono::steady_clock::now();
  int count = 0;
  for (; count < 50; ++count) CHECK(Client{app}.get("/set?a=1").status == 503);
  const auto seconds =
      std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
  int lines = 0;
  for (const std::string& message : sink->messages(fw::LogLevel::warn)) {
    if (message.find("the store is down") != std::string::npos) ++lines;
  }
  CHECK(lines >= 1);
  if (seconds.count() < count) CHECK(lines <= seconds.count());
}

TEST_CASE("session: a response that reads or changes the session is not shared by the cache") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/changes", {.cache = 60'000}, [](fw::Request& req, fw::Response& res) {
          req.session().set("a", 1);
          state(req, res);
        });
        router.get("/reads", {.cache = 60'000},
                   [](fw::Request& req, fw::Response& res) { state(req, res); });
        router.get(
            "/ignores", {.cache = 60'000},
            [calls = 0](fw::Request&, fw::Response& res) mutable { res.json({{"id", ++calls}}); });
      },
      with_sessions());
  const auto id = [&](const std::string& target) { return Client{app}.data(target)["id"]; };
  CHECK(id("/changes") != id("/changes"));
  CHECK(id("/reads") != id("/reads"));
  CHECK(id("/ignores") == id("/ignores"));
}

TEST_CASE("session: a handler cannot make a response that uses the session public") {
  OneFileApp app(
      [](fw::Router& router) {
        const auto handler = [](fw::Request& req, fw::Response& res) {
          res.set_header("Cache-Control", "public, max-age=60");
          if (req.query("session")) static_cast<void>(req.session().data());
          res.json({});
        };
        router.get("/", handler);
      },
      with_sessions());
  Client client{app};
  CHECK(client.get("/").header("cache-control") == "public, max-age=60");
  CHECK(client.get("/?session=1").header("cache-control") == "private, max-age=60");
}

TEST_CASE("session: too many cookies are rejected before the handler of a rolling route") {
  int calls = 0;
  fw::Config config = with_sessions();
  config.server.max_cookies = 5;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/", {.session = fw::SessionOptions{.rolling = true}},
                   [&](fw::Request&, fw::Response& res) {
                     ++calls;
                     res.json({});
                   });
      },
      config);
  const auto status = [&](int cookies) {
    std::string field = "a=1";
    for (int i = 1; i < cookies; ++i) field += "; a=1";
    return app.request("GET", "/").header("Cookie", field).send().status;
  };
  CHECK(status(5) == 200);
  CHECK(calls == 1);
  CHECK(status(6) == 400);
  CHECK(calls == 1);
}

TEST_CASE("session: the store's keys do not contain ids") {
  auto store = std::make_shared<KeyStore>();
  OneFileApp app(session_routes, with_sessions(),
                 [&](fw::App& each) { each.set_store("session", store); });
  Client client{app};
  client.get("/set?a=1");
  CHECK(store->key.starts_with("session:"));
  CHECK(store->key.find(client.cookie) == std::string::npos);
}

TEST_CASE("session: a store value that is no session is replaced") {
  auto store = std::make_shared<KeyStore>();
  OneFileApp app(
      [&](fw::Router& router) {
        session_routes(router);
        router.get("/damage", [&](fw::Request& req, fw::Response& res) {
          req.session().set("b", 2);
          const std::string key = store->key;
          store->set(key, req.query("with").value_or(""), std::chrono::minutes(1));
          state(req, res);
        });
      },
      with_sessions(), [&](fw::App& each) { each.set_store("session", store); });
  for (const std::string damage : {"", "{", "[1]", "%7B%22data%22%3A1%7D"}) {
    CAPTURE(damage);
    Client client{app};
    client.get("/set?a=1");
    CHECK(client.get("/damage?with=" + damage).status == 200);
    CHECK(client.data("/state")["data"] == Json{{"b", 2}});
  }
}

}  // namespace session_test
