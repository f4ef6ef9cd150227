// The Redis store with a redis-server: how it connects, and what it does while the server is down.
#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <future>
#include <map>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <sstream>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/redis_url.hpp"
#include "eventually.hpp"
#include "observe/active_span.hpp"
#include "observe/otlp_json.hpp"
#include "observe/span_queue.hpp"
#include "redis_server.hpp"
#include "store/async_reader.hpp"
#include "store/cache_commands.hpp"
#include "store/redis/redis_client.hpp"
#include "store/redis/redis_link.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace redis_store_test {

namespace {

using namespace std::chrono_literals;
using fairway::test::eventually;
using fairway::test::RedisServer;
using fairway::test::TemporaryDirectory;
using fw::Store;
using fw::StoreError;
using fw::base::parse_redis_url;
using fw::store::AsyncReader;
using fw::store::RedisClient;
using fw::store::RedisReply;
using fw::support::OneFileApp;
using std::chrono::milliseconds;

/// What an operation throws; empty when it does not.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const StoreError& error) {
    return error.what();
  }
  return "";
}

/// The result of a read for which no thread waits.
class Result : public AsyncReader::Receiver {
 public:
  void receive(AsyncReader::Result result) noexcept override { result_.set_value(result); }
  AsyncReader::Result get() { return result_.get_future().get(); }

 private:
  std::promise<AsyncReader::Result> result_;
};

/// Begins a read; null while the store's connection is idle.
std::shared_ptr<Result> begin_get(Store& store, std::string_view key) {
  auto result = std::make_shared<Result>();
  return dynamic_cast<AsyncReader&>(store).begin_get(key, result) ? result : nullptr;
}

/// Begins it as soon as the connection is in use.
std::shared_ptr<Result> await_begin_get(Store& store, std::string_view key) {
  while (true) {
    if (auto result = begin_get(store, key)) return result;
    std::this_thread::sleep_for(1ms);
  }
}

bool works(Store& store) {
  return error_of([&] { store.set("probe", "1", 1min); }).empty();
}

void wait_until_it_works(Store& store) {
  while (!works(store)) std::this_thread::sleep_for(1ms);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Makes a socket listen on a free port, and returns the URL of a server there.
std::string url_of(int listener) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listener, 8) == 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return "redis://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

/// A certificate for 127.0.0.1 that is its own authority.
void make_certificate(const TemporaryDirectory& directory) {
  const std::string path = directory.path().string();
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 "
      "-subj /CN=redis -addext subjectAltName=IP:127.0.0.1 -keyout " +
      path + "/key.pem -out " + path + "/cert.pem 2>/dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
}

/// The calls of each command since CONFIG RESETSTAT, including calls by scripts:
/// "cmdstat_get:calls=20,…".
std::map<std::string, int> calls_of(RedisClient& server) {
  std::istringstream statistics(server.execute({"INFO", "commandstats"}).text);
  std::map<std::string, int> calls;
  for (std::string line; std::getline(statistics, line);) {
    const auto end = line.find(":calls=");
    if (line.starts_with("cmdstat_") && !line.starts_with("cmdstat_config")) {
      calls[line.substr(8, end - 8)] = std::stoi(line.substr(end + 7));
    }
  }
  return calls;
}

}  // namespace

TEST_CASE("redis url: all parts are parsed") {
  const auto plain = parse_redis_url("redis://cache.test");
  CHECK(plain.host == "cache.test");
  CHECK(plain.port == 6379);
  CHECK(plain.database == 0);
  CHECK_FALSE(plain.uses_tls);
  const auto whole = parse_redis_url("rediss://ad%40a:p%3Aw@[::1]:7000/5");
  CHECK(whole.uses_tls);
  CHECK(whole.user == "ad@a");
  CHECK(whole.password == "p:w");
  CHECK(whole.host == "::1");
  CHECK(whole.port == 7000);
  CHECK(whole.database == 5);
  const auto socket = parse_redis_url("unix://:word@/run/my%20redis.sock?db=2");
  CHECK(socket.unix_socket == "/run/my redis.sock");
  CHECK(socket.user.empty());
  CHECK(socket.password == "word");
  CHECK(socket.database == 2);
}

TEST_CASE("redis url: invalid URLs are rejected, and messages omit the password") {
  for (const std::string url :
       {"", "redis:", "redis://", "redis://:secret@", "redis://secret@host", "http://host",
        "redis://:secret@host:0", "redis://:secret@host:65536", "redis://:secret@host:1x",
        "redis://:secret@host/db", "redis://:secret@host/-1", "redis://[::1", "redis://[::1]x",
        "redis://:secret%4@host", "unix://relative", "unix:///a?database=1", "unix:///a?db=x"}) {
    CAPTURE(url);
    try {
      parse_redis_url(url);
      FAIL("accepted");
    } catch (const std::invalid_argument& error) {
      CHECK(std::string(error.what()).starts_with("the URL of the Redis server "));
      CHECK_FALSE(contains(error.what(), "secret"));
    }
  }
  CHECK_THROWS_AS(fw::redis_store({.timeout = 0}), std::invalid_argument);
  CHECK_THROWS_AS(fw::redis_store({.connections = 0}), std::invalid_argument);
}

TEST_CASE("redis store: keys have the prefix, and databases are separate") {
  const RedisServer server;
  RedisClient direct({.url = server.url() + "/3", .timeout = 60'000});
  const auto store =
      fw::redis_store({.url = server.url() + "/3", .key_prefix = "shop:", .timeout = 60'000});
  const auto other =
      fw::redis_store({.url = server.url(), .key_prefix = "shop:", .timeout = 60'000});
  store->set("a", "1", 1min);
  CHECK(direct.execute({"GET", "shop:a"}).text == "1");
  CHECK_FALSE(other->get("a"));
  CHECK(direct.execute({"PTTL", "shop:a"}).integer > 50'000);
  store->increment("n", 1min, 5);
  CHECK(direct.execute({"PTTL", "shop:n"}).integer > 50'000);
  store->tag("a", std::vector<std::string>{"t"});
  CHECK(direct.execute({"ZRANGE", "shop:tagged:t", "0", "-1"}).items.at(0).text == "shop:a");
  CHECK(direct.execute({"PTTL", "shop:tagged:t"}).integer > 50'000);
  CHECK(store->is_shared());
  direct.execute({"RPUSH", "shop:list", "1"});
  CHECK(contains(error_of([&] { store->get("list"); }), "WRONGTYPE"));
}

TEST_CASE("redis store: a command in a request has a span, without keys and values") {
  const RedisServer server;
  const auto store = fw::redis_store({.url = server.url()});
  const auto queue = std::make_shared<fw::detail::SpanQueue>(10);
  const auto trace = std::make_shared<fw::detail::RequestTrace>(
      queue, fw::base::make_traceparent(), fw::base::SpanId(), "",
      fw::detail::RequestTrace::Recording::for_good);
  {
    const fw::detail::SpanPosition position{.trace = trace, .id = trace->self().span};
    const fw::detail::CurrentSpanScope scope(&position);
    store->set("key-s3cret", "value-s3cret", 1min);
  }
  trace->end(trace->own_span());
  const auto spans = queue->take(2, 1h);
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].name == "SET");
  CHECK(spans[0].kind == fw::detail::SpanKind::client);
  const std::string body = fw::detail::otlp_json("test", spans);
  CHECK(body.find(R"({"key":"db.operation.name","value":{"stringValue":"SET"}})") !=
        std::string::npos);
  CHECK(body.find("s3cret") == std::string::npos);
}

TEST_CASE("redis store: scripts are loaded again after the server has lost them") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  CHECK(store->increment("n", 1min, 5).count == 1);
  direct.execute({"SCRIPT", "FLUSH"});
  CHECK(store->increment("n", 1min, 5).count == 2);
}

TEST_CASE("redis store: signs in with a password or a user name") {
  const RedisServer server(
      {"--requirepass", "p:w/d", "--user", "ada", "on", ">word", "~*", "+@all"});
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  const auto error = [&](const std::string& credentials) {
    return error_of([&] {
      fw::redis_store({.url = "redis://" + credentials + address, .timeout = 60'000})->get("a");
    });
  };
  CHECK(error(":p%3Aw%2Fd@").empty());
  CHECK(error("ada:word@").empty());
  CHECK(contains(error(""), "NOAUTH"));
  CHECK(contains(error(":wrong@"), "WRONGPASS"));
  CHECK(contains(error("ada:wrong@"), "WRONGPASS"));
}

TEST_CASE("redis store: connects to a unix socket") {
  const RedisServer server;
  const auto store =
      fw::redis_store({.url = "unix://" + server.unix_socket() + "?db=1", .timeout = 60'000});
  store->set("a", "1", 1min);
  CHECK(store->get("a") == "1");
  CHECK_FALSE(fw::redis_store({.url = server.url(), .timeout = 60'000})->get("a"));
  CHECK(contains(error_of([] { fw::redis_store({.url = "unix:///nowhere.sock"})->get("a"); }),
                 "cannot connect to /nowhere.sock: No such file or directory"));
}

TEST_CASE("redis store: TLS connections verify the certificate") {
  const TemporaryDirectory certificates;
  make_certificate(certificates);
  const std::string certificate = (certificates.path() / "cert.pem").string();
  const RedisServer server(
      {"--tls-cert-file", certificate, "--tls-key-file", (certificates.path() / "key.pem").string(),
       "--tls-ca-cert-file", certificate, "--tls-auth-clients", "no"},
      "--tls-port");
  const std::string port = std::to_string(server.port());
  const auto store = fw::redis_store(
      {.url = "rediss://127.0.0.1:" + port, .timeout = 60'000, .ca_file = certificate});
  const std::string large(3'000'000, 'x');
  store->set("a", large, 1min);
  CHECK(store->get("a") == large);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const std::string key = "k" + std::to_string(i);
      for (int n = 0; n < 50; ++n) {
        store->set(key, std::string(1000, 'x') + std::to_string(n), 1min);
        CHECK(store->get(key) == std::string(1000, 'x') + std::to_string(n));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto error = [&](const std::string& url, const std::string& ca_file) {
    return error_of(
        [&] { fw::redis_store({.url = url, .timeout = 60'000, .ca_file = ca_file})->get("a"); });
  };
  CHECK(contains(error("rediss://127.0.0.1:" + port, ""), "the TLS handshake failed"));
  CHECK(contains(error("rediss://localhost:" + port, certificate), "the TLS handshake failed"));
  CHECK(contains(error("rediss://127.0.0.1:" + port, "/nowhere.pem"),
                 "the trusted certificates cannot be read"));
  CHECK_FALSE(error("redis://127.0.0.1:" + port, "").empty());
}

TEST_CASE("redis store: two processes share the limit of a window") {
  const RedisServer server;
  const std::shared_ptr<Store> stores[] = {
      fw::redis_store({.url = server.url(), .timeout = 60'000}),
      fw::redis_store({.url = server.url(), .timeout = 60'000})};
  std::atomic<int> admitted = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 50; ++n) {
        if (stores[i % 2]->increment("k", 10min, 100).counted) ++admitted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(admitted == 100);
}

TEST_CASE("redis store: two applications share sessions") {
  const RedisServer server;
  const auto routes = [](fw::Router& app) {
    app.get("/set", [](fw::Request& req, fw::Response& res) {
      req.session().set("user", "ada");
      res.json(nullptr);
    });
    app.get("/get", [](fw::Request& req, fw::Response& res) { res.json(req.session().data()); });
  };
  fw::Config config = fw::testing::TestApp::test_config();
  config.session.enabled = true;
  config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
  OneFileApp one(routes, config);
  OneFileApp two(routes, config);
  const auto response = one.request("GET", "/set").send();
  const std::string cookie(response.header("set-cookie").value_or(""));
  const auto get = [&](OneFileApp& app) {
    return app.request("GET", "/get").header("Cookie", cookie.substr(0, cookie.find(';'))).send();
  };
  CHECK(get(two).json()["data"] == fw::Json{{"user", "ada"}});
}

TEST_CASE("redis store: fails at once while the server is stopped, and recovers") {
  RedisServer server;
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  CHECK(works(*store));
  server.stop();
  // The time-out is a minute: none of this waits for it.
  CHECK_FALSE(works(*store));
  CHECK(contains(error_of([&] { store->get("a"); }), "Redis: "));
  CHECK(contains(error_of([&] { store->get("a"); }), "Connection refused"));
  for (int i = 0; i < 10'000; ++i) CHECK_FALSE(works(*store));
  server.start();
  wait_until_it_works(*store);
  server.stop();
  server.start();
  CHECK(works(*store));  // the end of an unused connection is not detected
}

TEST_CASE("redis store: fails after the timeout while the server is paused, and recovers") {
  const RedisServer server;
  const auto store = fw::redis_store({.url = server.url(), .timeout = 1'000});
  wait_until_it_works(*store);
  server.pause();
  CHECK(contains(error_of([&] { store->get("a"); }), "no reply in time"));
  for (int i = 0; i < 2; ++i) CHECK_FALSE(works(*store));
  server.resume();
  wait_until_it_works(*store);
}

TEST_CASE("redis store: a full server rejects writes but can be read") {
  const RedisServer server({"--maxmemory-policy", "noeviction"});
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  store->set("a", "1", 1min);
  direct.execute({"CONFIG", "SET", "maxmemory", "1"});
  CHECK(contains(error_of([&] { store->set("b", "1", 1min); }), "OOM"));
  CHECK(contains(error_of([&] { store->increment("n", 1min, 1); }), "OOM"));
  CHECK(store->get("a") == "1");
  direct.execute({"CONFIG", "SET", "maxmemory", "0"});
  CHECK(works(*store));
}

TEST_CASE("redis store: concurrent use survives pauses, restarts and errors of the server") {
  RedisServer server;
  const auto store = fw::redis_store({.url = server.url(), .timeout = 200, .connections = 3});
  std::atomic<bool> ends = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const std::string key = "k" + std::to_string(i);
      while (!ends) {
        try {
          store->set(key, key, 1min);
          const auto value = store->get(key);
          if (value && *value != key) ++wrong;  // the reply to another command
          store->increment("n" + key, 1min, 1'000'000);
        } catch (const StoreError&) {
          std::this_thread::sleep_for(1ms);
        }
      }
    });
  }
  wait_until_it_works(*store);
  for (int round = 0; round < 3; ++round) {
    server.stop();
    while (works(*store)) std::this_thread::sleep_for(1ms);
    server.start();
    wait_until_it_works(*store);
    server.pause();
    while (works(*store)) std::this_thread::sleep_for(1ms);
    server.resume();
    wait_until_it_works(*store);
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("redis store: commands that wait behind others are sent together") {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string url = url_of(listener);
  std::atomic<int> most_at_once = 0;
  bool sent_before_reply = false;
  std::thread peer([&] {
    const int client = ::accept(listener, nullptr, nullptr);
    char bytes[4096];
    for (ssize_t size = 0; (size = ::recv(client, bytes, sizeof bytes, 0)) > 0;) {
      const std::string_view batch(bytes, static_cast<std::size_t>(size));
      // Each command is a list. The reply to the first one, PING, may be anything but an error.
      const auto commands = static_cast<int>(std::count(batch.begin(), batch.end(), '*'));
      most_at_once = std::max(most_at_once.load(), commands);
      pollfd more{.fd = client, .events = POLLIN, .revents = 0};
      sent_before_reply = sent_before_reply || ::poll(&more, 1, 5) != 0;
      std::string replies;
      for (int i = 0; i < commands; ++i) replies += "$-1\r\n";
      ::send(client, replies.data(), replies.size(), MSG_NOSIGNAL);
    }
    ::close(client);
  });
  {
    const auto store = fw::redis_store({.url = url, .timeout = 60'000, .connections = 1});
    // On a busy machine, the threads may run one after the other.
    CHECK(eventually([&] {
      std::vector<std::thread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          for (int n = 0; n < 10; ++n) CHECK_FALSE(store->get("a"));
        });
      }
      for (std::thread& thread : threads) thread.join();
      return most_at_once > 1;
    }));
  }
  peer.join();
  ::close(listener);
  CHECK_FALSE(sent_before_reply);
}

TEST_CASE("redis store: asynchronous reads") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000, .connections = 1});
  CHECK_FALSE(begin_get(*store, "a"));  // there is no connection
  store->set("a", "1", 1min);
  direct.execute({"RPUSH", "fw:list", "1"});
  CHECK_FALSE(begin_get(*store, "a"));  // it is idle
  server.pause();
  auto waiting = std::async(std::launch::async, [&] { return store->get("a"); });
  const auto value = await_begin_get(*store, "a");
  const auto missing = begin_get(*store, "b");
  const auto list = begin_get(*store, "list");
  REQUIRE(missing);
  REQUIRE(list);
  server.resume();
  CHECK(waiting.get() == "1");
  CHECK(value->get().value == "1");
  const auto nothing = missing->get();
  CHECK_FALSE(nothing.value);
  CHECK(nothing.error.empty());
  CHECK(contains(list->get().error, "WRONGTYPE"));
}

TEST_CASE("redis store: asynchronous reads end when the server is paused or stopped") {
  RedisServer server;
  const auto store = fw::redis_store({.url = server.url(), .timeout = 300, .connections = 1});
  std::future<std::string> waiting;
  // Pauses the server while a thread waits for a reply, and begins another read. On a busy machine,
  // the thread may not wait so long.
  const auto begin_on_pause = [&] {
    std::shared_ptr<Result> result;
    CHECK(eventually([&] {
      server.resume();
      wait_until_it_works(*store);
      server.pause();
      waiting = std::async(std::launch::async, [&] { return error_of([&] { store->get("a"); }); });
      while (!result && waiting.wait_for(1ms) != std::future_status::ready) {
        result = begin_get(*store, "a");
      }
      return result != nullptr;
    }));
    return result;
  };
  auto result = begin_on_pause();
  REQUIRE(result);
  CHECK(contains(result->get().error, "no reply in time"));
  CHECK(contains(waiting.get(), "no reply in time"));
  result = begin_on_pause();
  REQUIRE(result);
  server.stop();
  CHECK(contains(result->get().error, "Redis: "));
  waiting.get();
}

TEST_CASE("redis store: asynchronous reads end on time and with their store") {
  // The error of a read to which the server never replies. Nothing if the one before it, which
  // waits for its reply, was not in time.
  const auto error_after = [](std::int64_t timeout, bool ends_on_time) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const std::string url = url_of(listener);
    std::promise<void> may_reply;
    std::future<void> reply_allowed = may_reply.get_future();
    std::thread peer([&] {
      const int client = ::accept(listener, nullptr, nullptr);
      char bytes[4096];
      for (int commands = 0; ::recv(client, bytes, sizeof bytes, 0) > 0; ++commands) {
        if (commands == 1) reply_allowed.wait();
        if (commands < 2) ::send(client, "+OK\r\n", 5, MSG_NOSIGNAL);
      }
      ::close(client);
    });
    std::shared_ptr<Result> result;
    std::optional<std::string> error;
    {
      const auto store = fw::redis_store({.url = url, .timeout = timeout, .connections = 1});
      std::string value;
      auto waiting = std::async(std::launch::async, [&] {
        return error_of([&] { value = store->get("a").value_or(""); });
      });
      while (!result && waiting.wait_for(1ms) != std::future_status::ready) {
        result = begin_get(*store, "a");
      }
      may_reply.set_value();
      if (!waiting.get().empty()) result = nullptr;
      if (result) CHECK(value == "OK");
      if (result && ends_on_time) error = result->get().error;
    }
    if (result && !ends_on_time) error = result->get().error;
    peer.join();
    ::close(listener);
    return error;
  };
  std::optional<std::string> error;
  CHECK(eventually([&] {
    error = error_after(200, true);
    return error.has_value();
  }));
  CHECK(contains(error.value_or(""), "no reply in time"));
  CHECK(contains(error_after(60'000, false).value_or(""), "the connection was closed"));
}

TEST_CASE("redis store: asynchronous reads can renew the time to live") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000, .connections = 1});
  store->set("a", "1", 1min);
  const auto begin = [&](std::string_view key) {
    auto result = std::make_shared<Result>();
    auto& reader = dynamic_cast<AsyncReader&>(*store);
    return reader.begin_get_and_renew(key, 1h, result) ? result : nullptr;
  };
  CHECK_FALSE(begin("a"));  // the connection is idle
  server.pause();
  auto waiting = std::async(std::launch::async, [&] { return store->get("a"); });
  std::shared_ptr<Result> value;
  while (!(value = begin("a"))) std::this_thread::sleep_for(1ms);
  const auto missing = begin("b");
  REQUIRE(missing);
  server.resume();
  CHECK(waiting.get() == "1");
  CHECK(value->get().value == "1");  // although the server has never seen the script
  const auto nothing = missing->get();
  CHECK_FALSE(nothing.value);
  CHECK(nothing.error.empty());
  CHECK(direct.execute({"PTTL", "fw:a"}).integer > milliseconds(2min).count());
}

TEST_CASE("redis store: a cached response needs one command, and at most three without an entry") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000, .connections = 1});
  fw::Config config = fw::testing::TestApp::test_config();
  config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
  OneFileApp app(
      [](fw::Router& router) {
        const auto respond = [](fw::Request&, fw::Response& res) { res.json(1); };
        router.get("/c", {.cache = {{.ttl = 60'000, .tags = {"a", "b"}}}}, respond);
        router.get("/short", {.cache = 50}, respond);
      },
      config);
  const auto outcome_of = [&](const std::string& target) {
    return std::string(app.request("GET", target).send().header("x-cache").value_or(""));
  };
  outcome_of("/c");  // the server knows the scripts from now on
  constexpr int kRequests = 10;
  const auto request_all = [&](std::string_view expected) {
    direct.execute({"CONFIG", "RESETSTAT"});
    for (int i = 0; i < kRequests; ++i) CHECK(outcome_of("/c?" + std::to_string(i)) == expected);
    return calls_of(direct);
  };
  auto without = request_all("MISS");
  CHECK(without["mget"] == kRequests);
  CHECK(without["evalsha"] == 2 * kRequests);
  CHECK(request_all("HIT") == std::map<std::string, int>{{"mget", kRequests}});

  // Entries leave nothing behind.
  for (int i = 0; i < 100; ++i) outcome_of("/short?" + std::to_string(i));
  const auto left = [&] { return direct.execute({"KEYS", "*/short*"}).items.size(); };
  // The list of the route's entries may still be there.
  CHECK(eventually([&] { return left() <= 1; }));
}

namespace {

/// A cached route GET /c/:id with its entries in a Redis of its own.
struct CachedInRedis {
  RedisServer server;
  RedisClient direct{{.url = server.url(), .timeout = 60'000, .connections = 1}};
  OneFileApp app;

  explicit CachedInRedis(int max_entries)
      : app(
            [](fw::Router& router) {
              router.get("/c/:id", {.cache = 60'000}, [](fw::Request& req, fw::Response& res) {
                res.json(std::string(req.param("id").value()));
              });
            },
            [&] {
              fw::Config config = fw::testing::TestApp::test_config();
              config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
              config.cache.max_entries = max_entries;
              return config;
            }()) {}

  void request(int begin, int end) {
    for (int i = begin; i < end; ++i) app.request("GET", "/c/" + std::to_string(i)).send();
  }
  /// The key of the list of the route's entries.
  std::string list() {
    const auto keys = direct.execute({"KEYS", "fw:cache:entry:GET*"}).items;
    REQUIRE(keys.size() == 1);
    return keys[0].text;
  }
  std::size_t listed() {
    return static_cast<std::size_t>(direct.execute({"ZCARD", list()}).integer);
  }
  /// Without the list.
  std::size_t stored() { return direct.execute({"KEYS", "fw:cache:entry:*"}).items.size() - 1; }
};

}  // namespace

TEST_CASE("redis store: a claim ends with a failed handler and with a stored response") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000, .connections = 1});
  fw::Config config = fw::testing::TestApp::test_config();
  config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
  std::size_t running = 0;
  const auto claims = [&] { return direct.execute({"KEYS", "fw:cache:claim:*"}).items.size(); };
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/c", {.cache = 60'000}, [&](fw::Request& req, fw::Response& res) {
          running = claims();
          if (req.query("fail")) fw::raise(500, "failed");
          res.json(1);
        });
      },
      config);
  for (const char* const target : {"/c?fail=1", "/c"}) {
    CAPTURE(target);
    app.request("GET", target).send();
    CHECK(running == 1);
    CHECK(eventually([&] { return claims() == 0; }));
  }
}

TEST_CASE("redis store: the marker of a late run replaces no response") {
  const RedisServer server;
  for (const auto& store :
       {fw::redis_store({.url = server.url(), .timeout = 60'000}), fw::memory_store()}) {
    const auto commands = fw::store::cache_commands_of(*store);
    const auto put = [&](std::string_view key, std::string_view value, bool only_if_absent) {
      store->set("claim", "1", 1min);
      commands->put({.key = key,
                     .value = value,
                     .ttl = 1min,
                     .group = "group",
                     .most = 10,
                     .claim = "claim",
                     .id = "1",
                     .only_if_absent = only_if_absent});
      // Its claim ends in any case.
      CHECK(eventually([&] { return !store->get("claim"); }));
    };
    put("a", "response", false);
    put("a", "marker", true);
    CHECK(store->get("a") == "response");
    put("b", "marker", true);
    CHECK(store->get("b") == "marker");
    put("b", "response", false);
    CHECK(store->get("b") == "response");
  }
}

TEST_CASE("redis store: the list of a route keeps few expired entries") {
  CachedInRedis route(1'000);
  route.request(0, 20);
  // As if they had been stored long ago.
  for (const auto& key : route.direct.execute({"ZRANGE", route.list(), "0", "-1"}).items) {
    route.direct.execute({"ZADD", route.list(), "1", key.text});
  }
  route.request(20, 31);
  CHECK(route.listed() == 11);
  CHECK(route.stored() == 11);
}

TEST_CASE("redis store: the number of entries of a route is bounded") {
  CachedInRedis route(10);
  route.request(0, 40);
  CHECK(route.listed() <= 10);
  CHECK(route.listed() >= 8);
  CHECK(route.stored() == route.listed());
}

TEST_CASE("redis store: tags keep few expired values, and are erased in steps") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000, .connections = 1});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  const std::vector<std::string> tags = {"t"};
  const auto add = [&](int begin, int end, milliseconds ttl) {
    for (int i = begin; i < end; ++i) {
      const std::string key = "k" + std::to_string(i);
      store->set(key, "v", ttl);
      store->tag(key, tags);
    }
  };
  add(0, 1, 10min);
  add(1, 20, 1ms);
  while (direct.execute({"DBSIZE"}).integer > 2) std::this_thread::sleep_for(10ms);
  add(20, 40, 10min);
  CHECK(direct.execute({"ZCARD", "fw:tagged:t"}).integer == 21);

  // A value that lives longer now keeps its tag.
  direct.execute({"ZADD", "fw:tagged:t", "1", "fw:k0"});
  add(40, 1240, 10min);
  CHECK(direct.execute({"ZCARD", "fw:tagged:t"}).integer == 1221);
  direct.execute({"CONFIG", "RESETSTAT"});
  CHECK(store->erase_tagged("t") == 1221);
  CHECK(calls_of(direct)["unlink"] == 3);
  CHECK(direct.execute({"DBSIZE"}).integer == 0);
  CHECK(store->erase_tagged("t") == 0);
}

TEST_CASE("redis store: a request of a rolling session needs one command") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000, .connections = 1});
  fw::Config config = fw::testing::TestApp::test_config();
  config.session.enabled = true;
  config.session.rolling = true;
  config.session.ttl = 7'200;
  config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/set", [](fw::Request& req, fw::Response& res) {
          req.session().set("user", "ada");
          res.json(nullptr);
        });
        router.get("/get",
                   [](fw::Request& req, fw::Response& res) { res.json(req.session().data()); });
        router.get("/unused", [](fw::Request&, fw::Response& res) { res.json(nullptr); });
      },
      config);
  auto client = app.client();
  client.request("GET", "/set").send();
  client.request("GET", "/get").send();  // the server knows the script from now on
  direct.execute({"CONFIG", "RESETSTAT"});
  constexpr int kRequests = 20;
  for (int i = 0; i < kRequests / 2; ++i) {
    const auto response = client.request("GET", "/get").send();
    CHECK(response.json()["data"] == fw::Json{{"user", "ada"}});
    CHECK(response.header("set-cookie"));
    CHECK(client.request("GET", "/unused").send().header("set-cookie"));
  }
  CHECK(calls_of(direct) == std::map<std::string, int>{{"evalsha", kRequests},
                                                       {"get", kRequests},
                                                       {"pexpire", kRequests}});
  const auto keys = direct.execute({"KEYS", "fw:session:*"}).items;
  REQUIRE(keys.size() == 1);
  CHECK(direct.execute({"PTTL", keys[0].text}).integer > milliseconds(110min).count());
}

TEST_CASE("redis store: a window has constant size, however many events it counts") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  for (int i = 0; i < 500; ++i) CHECK(store->increment("k", 300ms, 1'000'000).count > 0);
  for (int round = 0; round < 50; ++round) {
    store->increment("k", 300ms, 1'000'000);
    std::this_thread::sleep_for(10ms);
    CHECK(direct.execute({"LLEN", "fw:k"}).integer <= 31);
  }
}

TEST_CASE("redis store: the events of a window expire with the last one of their slot") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  const auto now = [&] {
    const auto time = direct.execute({"TIME"}).items;
    return std::stoll(time[0].text) * 1000 + std::stoll(time[1].text) / 1000;
  };
  const auto push = [&](std::int64_t time, int count) {
    direct.execute({"RPUSH", "fw:k", std::to_string(time) + ":" + std::to_string(count)});
  };
  push(now() - 3'600'000, 70);
  push(now() - 1'800'000, 20);
  push(now() - 900'000, 9);
  const auto window = store->increment("k", 1h, 30);
  CHECK(window.count == 29 + 1);
  CHECK(window.counted);
  CHECK(window.reset <= 30min);
  CHECK(window.reset > 29min);
  const auto full = store->increment("k", 1h, 30);
  CHECK_FALSE(full.counted);
  CHECK(full.count == 30);
  CHECK(store->increment("k", 1h, 100).count == 31);
}

TEST_CASE("redis store: concurrent synchronous and asynchronous reads get their own replies") {
  const RedisServer server;
  const auto store = fw::redis_store({.url = server.url(), .timeout = 60'000});
  for (int i = 0; i < 8; ++i) store->set("k" + std::to_string(i), std::to_string(i), 1min);
  std::atomic<int> begun = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const std::string key = "k" + std::to_string(i);
      for (int n = 0; n < 500; ++n) {
        if (const auto result = begin_get(*store, key)) {
          ++begun;
          CHECK(result->get().value == std::to_string(i));
        } else {
          CHECK(store->get(key) == std::to_string(i));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(begun > 0);
}

TEST_CASE("redis store: replies that are not Redis are errors") {
  // A listener that sends these bytes to each client, and then nothing more.
  const auto error_with = [](const std::string& bytes, std::int64_t timeout = 60'000) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const std::string url = url_of(listener);
    std::thread peer([&] {
      const int client = ::accept(listener, nullptr, nullptr);
      char command[64];
      ::recv(client, command, sizeof command, 0);
      ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      while (::recv(client, command, sizeof command, 0) > 0) {
      }
      ::close(client);
    });
    std::string error;
    {
      const auto store = fw::redis_store({.url = url, .timeout = timeout});
      error = error_of([&] { store->get("a"); });
    }
    peer.join();
    ::close(listener);
    return error;
  };
  CHECK(contains(error_with("HTTP/1.1 400 Bad Request\r\n\r\n"), "a reply is malformed"));
  CHECK(contains(error_with("+PONG\r\n:1\r\n"), "Redis: "));
  CHECK(contains(error_with("$-5\r\n"), "Redis: "));
  CHECK(contains(error_with("*1000000000\r\n"), "a reply is malformed"));
  // On a busy machine, connecting may take all of the time.
  CHECK(eventually([&] { return contains(error_with("+PO", 100), "no reply in time"); }));
}

TEST_CASE("redis store: applications that share it admit exactly the rate limit") {
  RedisServer server;
  fw::Config config = fw::testing::TestApp::test_config();
  config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
  config.rate_limit.enabled = true;
  const auto routes = [](fw::Router& router) {
    router.get("/x", [](fw::Request&, fw::Response& res) { res.json(1); });
  };
  OneFileApp one(routes, config);
  OneFileApp two(routes, config);
  std::atomic<int> admitted = 0;
  std::atomic<int> rejected = 0;
  std::vector<std::thread> threads;
  for (OneFileApp* app : {&one, &two, &one, &two}) {
    threads.emplace_back([&, app] {
      for (int i = 0; i < 100; ++i) {
        const int status = app->request("GET", "/x").send().status;
        if (status == 200) ++admitted;
        if (status == 429) ++rejected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(admitted == 100);
  CHECK(rejected == 300);

  server.stop();
  const auto uncounted = one.request("GET", "/x").send();
  CHECK(uncounted.status == 200);
  CHECK(!uncounted.header("ratelimit-limit"));
}

}  // namespace redis_store_test
