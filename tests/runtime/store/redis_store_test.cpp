// The Redis store with a redis-server: how it connects, and what it does while the server is down.
#include <fairway/response_cache.hpp>
#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "eventually.hpp"
#include "observe/otlp.hpp"
#include "observe/span_queue.hpp"
#include "redis_server.hpp"
#include "store/redis/redis_client.hpp"
#include "store/redis_probes.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace redis_store_test {

namespace {

using fairway::test::eventually;
using fairway::test::RedisServer;
using fairway::test::TemporaryDirectory;
using fw::Store;
using fw::StoreError;
using fw::store::RedisClient;
using fw::store::test::contains;
using fw::store::test::error_of;
using fw::store::test::url_of;
using fw::store::test::wait_until_it_works;
using fw::store::test::works;
using fw::support::OneFileApp;
using namespace std::chrono_literals;

/// A certificate for 127.0.0.1 that is its own authority.
void make_certificate(const TemporaryDirectory& directory) {
  const std::string path = directory.path().string();
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 "
      "-subj /CN=redis -addext subjectAltName=IP:127.0.0.1 -keyout " +
      path + "/key.pem -out " + path + "/cert.pem 2>/dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
}

}  // namespace

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
  const auto trace =
      fw::detail::RequestTrace::begin(queue, fw::base::make_traceparent(), fw::base::SpanId(), "",
                                      fw::detail::RequestTrace::Recording::for_good);
  {
    const fw::detail::SpanPosition position{.trace = trace.get()};
    const fw::detail::CurrentSpanScope scope(&position);
    store->set("key-s3cret", "value-s3cret", 1min);
  }
  trace->end(trace->own_span());
  const fw::detail::SpanBatch batch = queue->take(2, 1h);
  REQUIRE(batch.records.size() == 2);
  CHECK(batch.records[0].name == "SET");
  CHECK(batch.records[0].kind == fw::detail::SpanKind::client);
  const std::string body = fw::detail::otlp_json("test", batch);
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

TEST_CASE("redis store: after an invalidation, no process responds with what was read before") {
  const RedisServer server;
  RedisClient direct({.url = server.url(), .timeout = 60'000});
  using Invalidate = void (*)(fw::ResponseCache& cache);
  const Invalidate by_tag = [](fw::ResponseCache& cache) { cache.invalidate("t"); };
  const Invalidate by_key = [](fw::ResponseCache& cache) { cache.erase("GET /c"); };
  const Invalidate all = [](fw::ResponseCache& cache) { cache.clear(); };
  struct Case {
    std::size_t process;
    Invalidate invalidate;
  };
  for (const Case& each :
       {Case{0, by_tag}, Case{1, by_tag}, Case{2, by_tag}, Case{2, by_key}, Case{2, all}}) {
    CAPTURE(each.process);
    direct.execute({"FLUSHALL"});
    std::atomic<int> data = 1;
    std::atomic<int> calls = 0;
    std::atomic<bool> is_open = false;
    fw::Config config = fw::testing::TestApp::test_config();
    config.store = {.type = fw::StoreType::redis, .url = server.url(), .timeout = 60'000};
    const auto routes = [&](fw::Router& router) {
      router.get("/c", {.cache = {{.ttl = 600'000, .tags = {"t"}}}},
                 [&](fw::Request&, fw::Response& res) {
                   const int seen = data;
                   if (++calls == 1) {
                     while (!is_open) std::this_thread::yield();
                   }
                   res.json(seen);
                 });
    };
    // They have nothing in common but Redis.
    std::vector<std::unique_ptr<OneFileApp>> processes;
    for (int i = 0; i < 3; ++i) processes.push_back(std::make_unique<OneFileApp>(routes, config));
    const auto get = [&](std::size_t process) {
      return processes[process]->request("GET", "/c").send().json()["data"].get<int>();
    };
    const auto looks = [&] {
      const std::string statistics = direct.execute({"INFO", "commandstats"}).text;
      const std::string name = "cmdstat_mget:calls=";
      const auto begin = statistics.find(name);
      return begin == std::string::npos ? 0 : std::stoi(statistics.substr(begin + name.size()));
    };
    /// Several looks of waiting requests, so that each has begun to wait.
    const auto wait_for_looks = [&](int more) {
      const int before = looks();
      return eventually([&] { return looks() >= before + more; });
    };

    int leading = 0;
    int waiting = 0;
    std::thread lead([&] { leading = get(0); });
    while (calls < 1) std::this_thread::yield();
    std::thread wait([&] { waiting = get(1); });
    CHECK(wait_for_looks(4));
    data = 2;
    each.invalidate(processes[each.process]->app().cache());
    std::vector<int> later(processes.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      threads.emplace_back([&, i] { later[i] = get(i); });
    }
    CHECK(wait_for_looks(12));
    is_open = true;
    lead.join();
    wait.join();
    for (std::thread& thread : threads) thread.join();
    CHECK(leading == 1);
    // It has begun before the invalidation.
    CHECK((waiting == 1 || waiting == 2));
    CHECK(later == std::vector<int>{2, 2, 2});
    for (std::size_t i = 0; i < processes.size(); ++i) CHECK(get(i) == 2);
  }
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

TEST_CASE("redis store: commands wait for a server that hangs on one connection only") {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string url = url_of(listener);
  std::atomic<bool> hangs = false;
  std::atomic<bool> ends = false;
  std::atomic<int> clients = 0;
  std::atomic<int> without_reply = 0;
  std::thread peer([&] {
    std::vector<pollfd> sockets = {{.fd = listener, .events = POLLIN, .revents = 0}};
    while (!ends) {
      ::poll(sockets.data(), sockets.size(), 5);
      for (std::size_t i = 1; i < sockets.size(); ++i) {
        char bytes[4096];
        const ssize_t size = ::recv(sockets[i].fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (size <= 0) continue;
        const std::string_view command(bytes, static_cast<std::size_t>(size));
        if (!hangs) {
          ::send(sockets[i].fd, "$-1\r\n", 5, MSG_NOSIGNAL);
        } else if (command.find("GET") != std::string_view::npos) {
          ++without_reply;
        }
      }
      if ((sockets[0].revents & POLLIN) != 0) {
        sockets.push_back(
            {.fd = ::accept(listener, nullptr, nullptr), .events = POLLIN, .revents = 0});
        ++clients;
      }
    }
    for (const pollfd& socket : sockets) ::close(socket.fd);
  });
  const auto store = fw::redis_store({.url = url, .timeout = 1'000, .connections = 2});
  CHECK(eventually([&] { return works(*store) && clients == 2; }));
  hangs = true;
  for (int i = 0; i < 4; ++i) {
    CHECK(contains(error_of([&] { store->get("a"); }), "no reply in time"));
  }
  CHECK(without_reply == 1);
  hangs = false;
  wait_until_it_works(*store);
  ends = true;
  peer.join();
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

TEST_CASE("redis store: commands that wait for others are sent together") {
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
