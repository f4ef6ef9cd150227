// Time limits, disconnects, the start and the end.
#include <doctest/doctest.h>

#include <atomic>
#include <fcntl.h>
#include <sys/resource.h>
#include <system_error>
#include <vector>

#include "engines.hpp"
#include "sanitizers.hpp"

namespace adapter_connections_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

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

}  // namespace

TEST_CASE("adapter close: a client that has sent more data still gets the response" *
          not_on_http2("`Connection: close`")) {
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

TEST_CASE("adapter close: nothing follows the response to CONNECT" *
          not_on_http2("the engine rejects CONNECT itself")) {
  Server server([](const std::shared_ptr<Transaction>& t) { respond(*t, "no", 405); });
  Client client(server.port());
  const auto rejection = client.exchange("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
  CHECK(ends_after(client, rejection));
}

TEST_CASE("adapter continue: a client that does not read 100 Continue blocks no other response") {
  Gate full;
  std::atomic<bool> is_reading{false};
  std::shared_ptr<Transaction> held;
  std::mutex mutex;
  auto options = test_options();
  options.send_timeout = 10min;
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        {
          const std::lock_guard lock(mutex);
          held = transaction;
        }
        full.wait();
        is_reading = true;
        std::string body;
        transaction->read_body(100, body);  // sends 100 Continue first, for which there is no room
      },
      options);
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
  // Long before the time for which a client may take nothing.
  CHECK(eventually([&] { return has_responded.load(); }));
  client.close();
  other.join();
}

TEST_CASE("adapter limits: an incomplete head gets a 408" *
          not_on_http2("an incomplete head ends the connection")) {
  auto options = test_options();
  options.headers_timeout = 60ms;
  Server server(echo_target, options);
  // On a busy machine, the server may have taken a client for a silent one before it sends.
  CHECK(eventually([&] {
    Client partial(server.port());
    partial.send("GET / HTTP/1.1\r\n");
    const auto response = partial.read_response();
    return response.status == 408 && ends_after(partial, response);
  }));
  CHECK(eventually([&] {
    Client trickling(server.port());
    trickling.send("GET / HTTP/1.1\r\nX: ");
    for (int i = 0; i < 50 && trickling.send("x"); ++i) std::this_thread::sleep_for(5ms);
    return trickling.read_response().status == 408;
  }));
  Client silent(server.port());
  CHECK(silent.sees_end());
}

TEST_CASE("adapter limits: idle connections are closed") {
  auto options = test_options();
  options.keep_alive_timeout = 60ms;
  Server server(echo_target, options);
  // On a busy machine, the first request may be late for HTTP/2.
  CHECK(eventually([&] {
    Client client(server.port());
    if (client.exchange(kGet).status != 200) return false;
    CHECK(client.sees_end());
    CHECK_FALSE(client.was_reset());
    return true;
  }));
}

TEST_CASE("adapter limits: a handler may exceed the connection time limits") {
  auto options = test_options();
  options.keep_alive_timeout = 50ms;
  options.headers_timeout = 50ms;
  Server server(
      [](const std::shared_ptr<Transaction>& transaction) {
        std::this_thread::sleep_for(150ms);
        respond(*transaction, "slow");
      },
      options);
  // The head of a request may be late, on a busy machine.
  CHECK(eventually([&] { return Client(server.port()).exchange(kGet).body == "slow"; }));
}

TEST_CASE("adapter limits: running out of descriptors is survived" *
          doctest::skip(fairway::test::kChecksObjects) *
          not_with_tls("the clients wait in their handshakes")) {
  AdapterOptions options = test_options();
  std::atomic<bool> is_reported{false};
  options.report_failed_accepts = [&](std::size_t count, int error) {
    is_reported = count > 0 && error == EMFILE;
  };
  Server server(echo_target, std::move(options));
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
  CHECK(eventually([&] { return is_reported || tests_httplib(); }));
  setrlimit(RLIMIT_NOFILE, &before);
  taken.clear();
  for (auto& client : waiting) CHECK(client->read_response().status == 200);
}

TEST_CASE("adapter disconnect: a handler is notified that its client has disconnected") {
  std::atomic<int> detected{0};
  Gate registered[2];
  std::atomic<int> started{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    const auto index = static_cast<std::size_t>(started++);
    const auto gone = std::make_shared<Gate>();
    transaction->on_disconnect([&, gone] {
      ++detected;
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
  CHECK(eventually([&] { return detected == 1; }));
  Client resetting(server.port());
  resetting.send(kGet);
  registered[1].wait();
  resetting.reset();
  CHECK(eventually([&] { return detected == 2; }));
}

TEST_CASE("adapter disconnect: no notification after the response is complete") {
  std::atomic<int> detected{0};
  std::atomic<int> ended{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->on_disconnect([&] { ++detected; });
    respond(*transaction, "ok");
    transaction->on_disconnect([&] { ++detected; });
    ++ended;
  });
  for (int i = 0; i < 20; ++i) CHECK(Client(server.port()).exchange(kGet).body == "ok");
  CHECK(eventually([&] { return ended == 20; }));
  std::this_thread::sleep_for(20ms);
  CHECK(detected == 0);
}

TEST_CASE("adapter disconnect: a callback replaces the one before, without a lock") {
  std::atomic<int> replaced{0};
  std::atomic<int> detected{0};
  Gate registered;
  Gate gone;
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    // Owned by the first callback: when that is replaced, the second one is, too.
    std::shared_ptr<void> owned(nullptr, [&](void*) {
      transaction->on_disconnect([&] {
        ++detected;
        gone.open();
      });
    });
    transaction->on_disconnect([&, owned = std::move(owned)] { ++replaced; });
    transaction->on_disconnect([&] { ++replaced; });
    registered.open();
    gone.wait();
    respond(*transaction, "unheard");
  });
  Client client(server.port());
  client.send(kGet);
  registered.wait();
  client.close();
  CHECK(eventually([&] { return detected == 1; }));
  CHECK(replaced == 0);
}

TEST_CASE("adapter disconnect: a client that half-closes still gets its responses") {
  Gate gone;
  std::atomic<int> handled{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    if (++handled == 1) {
      transaction->on_disconnect([&] { gone.open(); });
      gone.wait();  // the half-close is reported, though the response can still be sent
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

TEST_CASE("adapter disconnect: a truncated head is not a request") {
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

TEST_CASE("adapter start: the bound port, and errors of a port in use and an unknown host") {
  Server server(echo_target);
  CHECK(server.port() != 0);
  auto options = test_options();
  options.port = server.port();
  CHECK_THROWS_AS(Server(echo_target, options), std::system_error);
  options.host = "no such host";
  CHECK_THROWS_AS(Server(echo_target, options), std::system_error);
  CHECK(make_tested_adapter()->port() == 0);
}

TEST_CASE("adapter start: listens on a host name and an IPv6 address" *
          not_with_tls("a client of its own")) {
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

TEST_CASE("adapter stop: idle connections are closed and running requests completed" *
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
  CHECK(server.stop(1min));
  observer.join();
  const auto response = running.read_response();
  CHECK(response.body == "done");
  CHECK(announces_end(response));
  CHECK(running.sees_end());
  CHECK(server.stop(0ms));
}

TEST_CASE("adapter stop: requests that exceed the grace period are closed and reported") {
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
    CHECK(server.stop(1min));
    for (auto& client : clients) client.join();
    CHECK(cut == 0);
  }
}

TEST_CASE("adapter stop: before a start, and twice") {
  const auto adapter = make_tested_adapter();
  CHECK(adapter->stop(0ms));
  Server server(echo_target);
  CHECK(server.stop(1min));
  CHECK(server.stop(1min));
}

}  // namespace adapter_connections_test
