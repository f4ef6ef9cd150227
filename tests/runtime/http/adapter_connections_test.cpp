// Threads, time limits, disconnects and the end.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <pthread.h>
#include <span>
#include <sys/resource.h>
#include <system_error>
#include <vector>

#include "engines.hpp"
#include "support/allocation_count.hpp"

namespace adapter_connections_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kBlock = "GET /block HTTP/1.1\r\nHost: a\r\n\r\n";

/// While it lives, no thread can be started.
class NoNewThreads {
 public:
  NoNewThreads() {
    REQUIRE(pthread_getattr_default_np(&usual_) == 0);
    pthread_attr_t impossible = usual_;
    // More than there are addresses.
    REQUIRE(pthread_attr_setstacksize(&impossible, std::size_t{1} << 60U) == 0);
    REQUIRE(pthread_setattr_default_np(&impossible) == 0);
  }
  ~NoNewThreads() { pthread_setattr_default_np(&usual_); }
  NoNewThreads(const NoNewThreads&) = delete;
  NoNewThreads& operator=(const NoNewThreads&) = delete;

 private:
  pthread_attr_t usual_{};
};

/// Leaves the server's socket of that client, which is one of this process, no room to send.
void fill_connection_to(const Client& client) {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  REQUIRE(getsockname(client.fd(), reinterpret_cast<sockaddr*>(&own), &size) == 0);
  const std::string filler(64 * 1024, 'x');
  bool is_found = false;
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_in peer{};
    size = sizeof peer;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.sin_family != AF_INET || peer.sin_port != own.sin_port) continue;
    is_found = true;
    while (send(fd, filler.data(), filler.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
    while (send(fd, filler.data(), 1, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
  }
  REQUIRE(is_found);
}

/// Waits at the gate for /block.
TransactionHandler blocking_at(Gate& gate, std::atomic<int>& blocked) {
  return [&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/block") {
      ++blocked;
      gate.wait();
    }
    respond(*transaction, "done");
  };
}

}  // namespace

TEST_CASE("adapter threads: blocked handlers delay nobody else" *
          not_on_httplib("idle connections")) {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  options.min_workers = 2;
  options.worker_idle_timeout = 50ms;
  Server server(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  const auto threads_before = thread_count();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 24; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send(kBlock);
  }
  Client ninth(server.port());
  CHECK(ninth.exchange(kGet).body == "done");
  CHECK(eventually([&] { return blocked == 24; }));
  CHECK(ninth.exchange(kGet).body == "done");
  gate.open();
  for (auto& client : clients) CHECK(client->read_response().body == "done");
  CHECK(eventually([&] { return thread_count() <= threads_before; }));
  CHECK(ninth.exchange(kGet).body == "done");
}

TEST_CASE("adapter threads: no more workers than allowed") {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  options.min_workers = 1;
  options.max_workers = 3;
  Server server(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send(kBlock);
  }
  CHECK(eventually([&] { return blocked == 3; }));
  std::this_thread::sleep_for(50ms);
  CHECK(blocked == 3);
  gate.open();
  for (auto& client : clients) CHECK(client->read_response().body == "done");
}

TEST_CASE("adapter threads: handlers that compute start no more workers" *
          not_on_httplib("idle connections")) {
  auto options = test_options();
  options.min_workers = 2;
  Server server(
      [](const std::shared_ptr<Transaction>& transaction) {
        // A tenth of a second of processor time, however busy the machine is.
        const auto spent = [] {
          timespec time{};
          clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
          return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
        };
        const auto end = spent() + 0.1;
        while (spent() < end) {
        }
        respond(*transaction, "done");
      },
      options);
  const auto threads_before = thread_count();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send(kGet);
  }
  std::ptrdiff_t most = 0;
  for (auto& client : clients) {
    CHECK(client->read_response().body == "done");
    most = std::max(most, thread_count());
  }
  // A glance or two may be wrong.
  CHECK(most <= threads_before + 2);
}

TEST_CASE("adapter threads: as many workers as allowed when all handlers wait") {
  Gate gate;
  std::atomic<int> blocked{0};
  auto options = test_options();
  options.min_workers = 2;
  options.max_workers = 400;
  Server server(blocking_at(gate, blocked), options);
  const OpensAtEnd opener(gate);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 400; ++i) {
    clients.push_back(std::make_unique<Client>(server.port()));
    clients.back()->send(kBlock);
  }
  CHECK(eventually([&] { return blocked == 400; }));
  gate.open();
  for (auto& client : clients) CHECK(client->read_response().body == "done");
}

TEST_CASE("adapter threads: without any there is no server") {
  {
    const NoNewThreads none;
    CHECK_THROWS_AS(Server(echo_target, test_options()), std::system_error);
  }
  const Server server(echo_target);
  CHECK(Client(server.port()).exchange(kGet).status == 200);
}

TEST_CASE("adapter threads: one that cannot be started ends the start, or is done without") {
  // The state of a thread is allocated before it is started: threads begin to fail before each of
  // them in turn, the one that watches the others included.
  static std::optional<NoNewThreads> no_threads;
  auto options = test_options();
  options.min_workers = 3;
  const auto threads_before = thread_count();
  int failed = 0;
  bool was_reached = true;
  for (std::size_t number = 1; was_reached; ++number) {
    std::optional<Server> server;
    bool is_failed = false;
    {
      const fw::support::AtAllocation starts_to_fail(number, [] {
        no_threads.emplace();
        return true;
      });
      try {
        server.emplace(echo_target, options);
      } catch (const std::system_error&) {
        is_failed = true;
      }
    }
    was_reached = no_threads.has_value();
    no_threads.reset();
    failed += is_failed;
    CAPTURE(number);
    if (is_failed) {
      CHECK(eventually([&] { return thread_count() <= threads_before; }));
    } else {
      REQUIRE(Client(server->port()).exchange(kGet).status == 200);
    }
  }
  CHECK(failed > 0);
}

TEST_CASE("adapter close: a response reaches a client that has sent more") {
  Gate gate;
  std::atomic<int> blocked{0};
  Server server(blocking_at(gate, blocked));
  const OpensAtEnd opener(gate);
  Client client(server.port());
  client.send("GET /block HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  REQUIRE(eventually([&] { return blocked == 1; }));
  client.send(kGet);
  gate.open();
  CHECK(client.read_response().body == "done");
  CHECK(client.sees_end());
  CHECK(!client.was_reset());
}

TEST_CASE("adapter close: nothing follows the response to CONNECT") {
  Server server([](const std::shared_ptr<Transaction>& t) { respond(*t, "no", 405); });
  Client client(server.port());
  const auto rejection = client.exchange("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
  CHECK(rejection.field("connection") == "close");
  CHECK(client.sees_end());
}

TEST_CASE("adapter continue: a client that takes no 100 Continue keeps nobody from responding") {
  Gate full;
  std::atomic<bool> is_reading{false};
  std::shared_ptr<Transaction> held;
  std::mutex mutex;
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    {
      const std::lock_guard lock(mutex);
      held = transaction;
    }
    full.wait();
    is_reading = true;
    std::string body;
    transaction->read_body(100, body);  // sends 100 Continue first, for which there is no room
  });
  const OpensAtEnd opener(full);
  Client client(server.port(), 4096);
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  REQUIRE(eventually([&] {
    const std::lock_guard lock(mutex);
    return held != nullptr;
  }));
  fill_connection_to(client);
  full.open();
  REQUIRE(eventually([&] { return is_reading.load(); }));
  std::this_thread::sleep_for(50ms);
  std::atomic<bool> has_responded{false};
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    respond(*held, "too late", 504);
    held.reset();
    has_responded = true;
  });
  // Long before the 30 s that a client may take nothing.
  CHECK(eventually([&] { return has_responded.load(); }));
  client.close();
  other.join();
}

TEST_CASE("adapter threads: idle and half-sent connections hold no worker" *
          not_on_httplib("idle connections")) {
  auto options = test_options();
  options.min_workers = 1;
  options.max_workers = 1;
  Server server(echo_target, options);
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 50; ++i) {
    silent.push_back(std::make_unique<Client>(server.port()));
    if (i % 2 == 0) silent.back()->send("GET / HT");
  }
  CHECK(Client(server.port()).exchange(kGet).status == 200);
  CHECK(silent[0]->exchange("TP/1.1\r\nHost: a\r\n\r\n").status == 200);
  CHECK(silent[1]->exchange(kGet).status == 200);
}

TEST_CASE("adapter threads: many clients at once") {
  Server server(echo_target);
  std::atomic<int> completed{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back([&, i] {
      Client client(server.port());
      for (int k = 0; k < 500; ++k) {
        const auto target = "/" + std::to_string(i) + "/" + std::to_string(k);
        const auto response = client.exchange("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
        if (response.body == "GET " + target) ++completed;
      }
    });
  }
  for (auto& client : clients) client.join();
  CHECK(completed == 16 * 500);
}

TEST_CASE("adapter limits: a head that does not come to its end gets a 408") {
  auto options = test_options();
  options.headers_timeout = 60ms;
  Server server(echo_target, options);
  Client partial(server.port());
  partial.send("GET / HTTP/1.1\r\n");
  const auto response = partial.read_response();
  CHECK(response.status == 408);
  CHECK(response.field("connection") == "close");
  CHECK(partial.sees_end());
  Client trickling(server.port());
  trickling.send("GET / HTTP/1.1\r\nX: ");
  for (int i = 0; i < 50 && trickling.send("x"); ++i) std::this_thread::sleep_for(5ms);
  CHECK(trickling.read_response().status == 408);
  Client silent(server.port());
  CHECK(silent.sees_end());
}

TEST_CASE("adapter limits: idle connections are closed") {
  auto options = test_options();
  options.keep_alive_timeout = 60ms;
  Server server(echo_target, options);
  Client client(server.port());
  CHECK(client.exchange(kGet).status == 200);
  CHECK(client.sees_end());
  CHECK_FALSE(client.was_reset());
}

TEST_CASE("adapter limits: a handler may take longer than any of the time limits") {
  auto options = test_options();
  options.keep_alive_timeout = 20ms;
  options.headers_timeout = 20ms;
  Server server(
      [](const std::shared_ptr<Transaction>& transaction) {
        std::this_thread::sleep_for(80ms);
        respond(*transaction, "slow");
      },
      options);
  CHECK(Client(server.port()).exchange(kGet).body == "slow");
}

TEST_CASE("adapter limits: lack of descriptors is survived") {
  Server server(echo_target);
  Client early(server.port());
  CHECK(early.exchange(kGet).status == 200);
  std::vector<std::unique_ptr<Client>> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(std::make_unique<Client>(server.port(), 0, false));
  }
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit low{static_cast<rlim_t>(fcntl(early.fd(), F_DUPFD_CLOEXEC, 0)) + 1, before.rlim_max};
  ::close(static_cast<int>(low.rlim_cur) - 1);
  setrlimit(RLIMIT_NOFILE, &low);
  std::vector<FileDescriptor> taken;
  for (int fd = 0; (fd = fcntl(early.fd(), F_DUPFD_CLOEXEC, 0)) >= 0;) taken.emplace_back(fd);
  for (auto& client : waiting) {
    client->connect();
    client->send(kGet);
  }
  CHECK(early.exchange(kGet).status == 200);
  setrlimit(RLIMIT_NOFILE, &before);
  taken.clear();
  for (auto& client : waiting) CHECK(client->read_response().status == 200);
}

TEST_CASE("adapter disconnect: a handler learns that its client is gone") {
  std::atomic<int> noticed{0};
  Gate registered[2];
  std::atomic<int> started{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    const auto index = static_cast<std::size_t>(started++);
    const auto gone = std::make_shared<Gate>();
    transaction->on_disconnect([&, gone] {
      ++noticed;
      gone->open();
    });
    registered[index].open();
    gone->wait();
    respond(*transaction, "unheard");
  });
  Client closing(server.port());
  closing.send(kGet);
  registered[0].wait();
  closing.close();
  CHECK(eventually([&] { return noticed == 1; }));
  Client resetting(server.port());
  resetting.send(kGet);
  registered[1].wait();
  resetting.reset();
  CHECK(eventually([&] { return noticed == 2; }));
}

TEST_CASE("adapter disconnect: nothing is called once the response is complete") {
  std::atomic<int> noticed{0};
  std::atomic<int> ended{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->on_disconnect([&] { ++noticed; });
    respond(*transaction, "ok");
    transaction->on_disconnect([&] { ++noticed; });
    ++ended;
  });
  for (int i = 0; i < 20; ++i) CHECK(Client(server.port()).exchange(kGet).body == "ok");
  CHECK(eventually([&] { return ended == 20; }));
  std::this_thread::sleep_for(20ms);
  CHECK(noticed == 0);
}

TEST_CASE("adapter disconnect: a client that only ends its sending gets its responses") {
  Gate gone;
  std::atomic<int> handled{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    if (++handled == 1) {
      transaction->on_disconnect([&] { gone.open(); });
      gone.wait();  // the end of sending is told, though the response can still be sent
    }
    respond(*transaction, transaction->head().target);
  });
  Client client(server.port());
  client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  client.end_sending();
  CHECK(client.read_response().body == "/1");
  CHECK(client.read_response().body == "/2");
  CHECK(client.sees_end());
}

TEST_CASE("adapter disconnect: a head cut short is no request") {
  std::atomic<int> handled{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    ++handled;
    respond(*transaction, "ok");
  });
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\n");
  client.end_sending();
  CHECK(client.sees_end());
  CHECK(handled == 0);
}

TEST_CASE("adapter start: the port, and what is wrong with it") {
  Server server(echo_target);
  CHECK(server.port() != 0);
  auto options = test_options();
  options.port = server.port();
  CHECK_THROWS_AS(Server(echo_target, options), std::system_error);
  options.host = "no such host";
  CHECK_THROWS_AS(Server(echo_target, options), std::system_error);
  CHECK(make_tested_adapter()->port() == 0);
}

TEST_CASE("adapter start: a name and an IPv6 address") {
  auto options = test_options();
  options.host = "localhost";
  CHECK(Client(Server(echo_target, options).port()).fd() >= 0);
  options.host = "::1";
  const FileDescriptor probe(::socket(AF_INET6, SOCK_STREAM, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  if (bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    MESSAGE("this machine has no IPv6");
    return;
  }
  Server server(
      [](const std::shared_ptr<Transaction>& transaction) {
        respond(*transaction, transaction->head().remote_address);
      },
      options);
  const FileDescriptor fd(::socket(AF_INET6, SOCK_STREAM, 0));
  address.sin6_port = htons(server.port());
  REQUIRE(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  REQUIRE(::send(fd.get(), request.data(), request.size(), 0) > 0);
  std::string text;
  char buffer[1024];
  for (ssize_t size = 0; (size = recv(fd.get(), buffer, sizeof buffer, 0)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  CHECK(text.substr(text.size() - 7) == "\r\n\r\n::1");
}

TEST_CASE("adapter stop: idle connections close, running requests finish" *
          not_without_epoll("a stop")) {
  Gate gate;
  std::atomic<int> blocked{0};
  Server server(blocking_at(gate, blocked));
  const OpensAtEnd opener(gate);
  Client idle(server.port());
  CHECK(idle.exchange(kGet).status == 200);
  Client running(server.port());
  running.send(kBlock);
  CHECK(eventually([&] { return blocked == 1; }));
  std::thread observer([&] {
    CHECK(idle.sees_end());
    CHECK_THROWS(Client(server.port()));
    gate.open();
  });
  CHECK(server.stop(10s));
  observer.join();
  const auto response = running.read_response();
  CHECK(response.body == "done");
  CHECK(response.field("connection") == "close");
  CHECK(running.sees_end());
  CHECK(server.stop(0ms));
}

TEST_CASE("adapter stop: what outlasts the grace is closed and told") {
  Gate gone;
  std::atomic<bool> started{false};
  std::atomic<bool> returned{false};
  {
    Server server([&](const std::shared_ptr<Transaction>& transaction) {
      transaction->on_disconnect([&] { gone.open(); });
      started = true;
      gone.wait();
      respond(*transaction, "late");
      returned = true;
    });
    Client client(server.port());
    client.send(kGet);
    CHECK(eventually([&] { return started.load(); }));
    CHECK_FALSE(server.stop(20ms));
    CHECK(client.read_response().status == 0);
  }
  CHECK(returned);
}

TEST_CASE("adapter stop: under load no accepted request is lost") {
  for (int round = 0; round < 5; ++round) {
    Server server(echo_target);
    std::atomic<int> cut{0};
    std::atomic<int> served{0};
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back([&] {
        try {
          while (true) {
            Client client(server.port());
            if (!client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")) return;
            const auto response = client.read_response();
            if (response.status == 0) return;
            ++(response.is_complete ? served : cut);
          }
        } catch (const std::runtime_error&) {
          return;  // the port is closed
        }
      });
    }
    CHECK(eventually([&] { return served > 20; }));
    CHECK(server.stop(10s));
    for (auto& client : clients) client.join();
    CHECK(cut == 0);
  }
}

TEST_CASE("adapter stop: without start, and twice") {
  const auto adapter = make_tested_adapter();
  CHECK(adapter->stop(0ms));
  Server server(echo_target);
  CHECK(server.stop(1s));
  CHECK(server.stop(1s));
}

}  // namespace adapter_connections_test
