// Where the front listens: unix sockets, shared ports, both families.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/un.h>
#include <vector>

#include "engines.hpp"
#include "http/listener.hpp"
#include "temporary_directory.hpp"

namespace adapter_listeners_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

constexpr std::string_view kLastGet = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

void echo_address(const std::shared_ptr<Transaction>& transaction) {
  respond(*transaction, transaction->head().remote_address);
}

/// Sends a request and returns all that comes; empty if nobody listens.
std::string talk(int family, const sockaddr* address, socklen_t size) {
  const FileDescriptor fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval timeout{60, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  if (connect(fd.get(), address, size) != 0) return {};
  if (send(fd.get(), kLastGet.data(), kLastGet.size(), MSG_NOSIGNAL) < 0) return {};
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = recv(fd.get(), buffer, sizeof buffer, 0)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

std::string talk_to_path(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  return talk(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

AdapterOptions path_options(const std::string& path) {
  auto options = test_options();
  options.unix_socket = path;
  return options;
}

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
}

}  // namespace

TEST_CASE("listener: a unix socket is served, has its permissions and is removed at the end") {
  const fairway::test::TemporaryDirectory directory;
  const std::string path = directory.path().string() + "/front.sock";
  auto options = path_options(path);
  options.unix_socket_mode = 0622;
  options.max_connections_per_address = 1;
  Server server(echo_address, options);
  CHECK(server.port() == 0);
  CHECK(mode_of(path) == 0622);
  CHECK(talk_to_path(path).ends_with("\r\n\r\nunix"));
  CHECK(server.stop(1min));
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(talk_to_path(path).empty());
}

TEST_CASE("listener: clients of a unix socket do not share a per-address limit") {
  const fairway::test::TemporaryDirectory directory;
  const std::string path = directory.path().string() + "/front.sock";
  auto options = path_options(path);
  options.max_connections_per_address = 1;
  Gate gate;
  std::atomic<int> blocked{0};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        ++blocked;
        gate.wait();
        respond(*transaction, "done");
      },
      options);
  const OpensAtEnd opener(gate);
  std::vector<std::thread> clients;
  std::atomic<int> served{0};
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&] { served += talk_to_path(path).ends_with("done") ? 1 : 0; });
  }
  CHECK(eventually([&] { return blocked == 3; }));
  gate.open();
  for (auto& client : clients) client.join();
  CHECK(served == 3);
}

TEST_CASE("listener: a stale unix socket is replaced, one in use and other files are not") {
  const fairway::test::TemporaryDirectory directory;
  const std::string path = directory.path().string() + "/front.sock";
  {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    const FileDescriptor left(::socket(AF_UNIX, SOCK_STREAM, 0));
    REQUIRE(bind(left.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  REQUIRE(std::filesystem::exists(path));
  Server server(echo_address, path_options(path));
  CHECK(talk_to_path(path).ends_with("unix"));
  CHECK_THROWS_WITH_AS(Server(echo_address, path_options(path)),
                       doctest::Contains("another process listens on it"), std::system_error);
  CHECK(talk_to_path(path).ends_with("unix"));
  const std::string other = directory.path().string() + "/precious";
  std::ofstream(other) << "data";
  CHECK_THROWS_WITH_AS(Server(echo_address, path_options(other)),
                       doctest::Contains("the path exists and is not a socket"), std::system_error);
  CHECK(std::filesystem::file_size(other) == 4);
  CHECK_THROWS_AS(Server(echo_address, path_options(std::string(200, 'a'))), std::system_error);
}

TEST_CASE("listener: a socket path taken over by a successor is not removed") {
  const fairway::test::TemporaryDirectory directory;
  const std::string path = directory.path().string() + "/front.sock";
  Server first(echo_address, path_options(path));
  std::filesystem::remove(path);
  Server second(echo_address, path_options(path));
  CHECK(first.stop(1min));
  CHECK(talk_to_path(path).ends_with("unix"));
}

TEST_CASE("listener: a port is shared only if both processes set reuse_port") {
  auto options = test_options();
  options.reuse_port = true;
  Server first(echo_target, options);
  options.port = first.port();
  Server second(echo_target, options);
  CHECK(second.port() == first.port());
  options.reuse_port = false;
  CHECK_THROWS_AS(Server(echo_target, options), std::system_error);
}

TEST_CASE("listener: the backlog is as long as configured") {
  auto options = test_options();
  options.backlog = 7;
  const Listener listener = Listener::open(options);
  tcp_info info{};
  socklen_t size = sizeof info;
  REQUIRE(getsockopt(listener.socket().get(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0);
  CHECK(info.tcpi_sacked == 7);
}

TEST_CASE("listener: the unspecified IPv6 address also accepts IPv4 clients") {
  auto options = test_options();
  options.host = "::";
  const FileDescriptor probe(::socket(AF_INET6, SOCK_STREAM, 0));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  if (bind(probe.get(), reinterpret_cast<const sockaddr*>(&v6), sizeof v6) != 0) {
    MESSAGE("this machine has no IPv6");
    return;
  }
  Server server(echo_address, options);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(server.port());
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(talk(AF_INET, reinterpret_cast<const sockaddr*>(&v4), sizeof v4).ends_with("\n127.0.0.1"));
  v6.sin6_port = htons(server.port());
  CHECK(talk(AF_INET6, reinterpret_cast<const sockaddr*>(&v6), sizeof v6).ends_with("\n::1"));
}

TEST_CASE("listener: after it stops accepting, queued clients are served and new ones refused" *
          not_without_epoll("a stop")) {
  auto options = test_options();
  options.reuse_port = true;
  Listener closing = Listener::open(options);
  Client waiting(closing.port());
  CHECK(waiting.send(kLastGet));
  closing.stop_accepting();
  Client late(closing.port(), 0, false);
  const timeval timeout{0, 300'000};
  setsockopt(late.fd(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  CHECK_THROWS(late.connect());
  int error = 0;
  CHECK(accept_connection(closing.socket(), error));
  CHECK_FALSE(accept_connection(closing.socket(), error));
}

TEST_CASE("adapter stop: every accepted connection gets a response, also on a shared port" *
          not_without_epoll("a stop")) {
  for (int round = 0; round < 10; ++round) {
    auto options = test_options();
    options.reuse_port = true;
    auto server = std::make_unique<Server>(echo_target, options);
    options.port = server->port();
    std::atomic<int> served{0};
    std::atomic<int> lost{0};
    std::atomic<bool> ends{false};
    std::vector<std::thread> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back([&] {
        while (!ends) {
          const auto begin = std::chrono::steady_clock::now();
          Client client(options.port);
          client.send(kLastGet);
          const bool is_complete = client.read_response().is_complete;
          // On a busy machine the time for first requests, half a second, may be over by then.
          const bool was_in_time = std::chrono::steady_clock::now() - begin < 400ms;
          if (is_complete) {
            ++served;
          } else if (was_in_time) {
            ++lost;
          }
        }
      });
    }
    CHECK(eventually([&] { return served > 20; }));
    auto successor = std::make_unique<Server>(echo_target, options);
    CHECK(server->stop(1min));
    const int served_before = served;
    CHECK(eventually([&] { return served > served_before + 20; }));
    ends = true;
    for (auto& client : clients) client.join();
    CHECK(lost == 0);
  }
}

TEST_CASE("adapter stop: a client that has just connected can still send its first request") {
  int in_time = 0;
  const auto end = std::chrono::steady_clock::now() + fairway::test::kPatience;
  while (in_time < 5 && std::chrono::steady_clock::now() < end) {
    Server server(echo_target);
    Client client(server.port());
    Client idle(server.port());
    CHECK(idle.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
    const auto begin = std::chrono::steady_clock::now();
    std::thread stopping([&] { CHECK(server.stop(1min)); });
    CHECK(idle.sees_end());  // connections are being closed
    client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto response = client.read_response();
    // On a busy machine the time for first requests, half a second, may be over by then.
    const bool was_in_time = std::chrono::steady_clock::now() - begin < 400ms;
    stopping.join();
    if (!was_in_time) continue;
    ++in_time;
    CHECK(response.body == "GET /first");
    CHECK(announces_end(response));
  }
  CHECK(in_time > 0);
}

TEST_CASE("adapter listeners: clients of a neighbour that does not accept are accepted" *
          not_on_httplib("`cluster`") *
          not_with_tls("the client's handshake needs a server that accepts")) {
  auto options = test_options();
  const Listener neighbour = Listener::open(options);
  Client waiting(neighbour.port());
  const Listener own = Listener::open(options);
  options.inherited_listeners = {fcntl(own.socket().get(), F_DUPFD_CLOEXEC, 0),
                                 fcntl(neighbour.socket().get(), F_DUPFD_CLOEXEC, 0)};
  Server server(echo_target, options);
  CHECK(server.port() == own.port());
  CHECK(waiting.exchange(kLastGet).body == "GET /");
  CHECK(Client(own.port()).exchange(kLastGet).body == "GET /");
  CHECK(server.stop(1min));
  CHECK_NOTHROW(Client(own.port()));  // an inherited listener stays open for the others
}

}  // namespace adapter_listeners_test
