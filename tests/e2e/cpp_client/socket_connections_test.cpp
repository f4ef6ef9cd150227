// Connections of sockets of a generated client: which are replaced, with which delays and limits.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <exception>
#include <future>
#include <netdb.h>
#include <optional>
#include <sockets_client.hpp>
#include <stop_token>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "cpp_client/raw_server.hpp"
#include "cpp_client/rooms.hpp"
#include "cpp_client/rooms_server.hpp"
#include "cpp_client/socket_server.hpp"
#include "cpp_client/tls_identity.hpp"
#include "sanitizers.hpp"
#include "temporary_directory.hpp"

namespace sockets_test {
namespace {

/// The ports that are the addresses of "two.addresses.test" in this process.
std::vector<std::string> addresses_of_host;

}  // namespace
}  // namespace sockets_test

// Instead of the function of the system, which it calls.
extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* wish,
                           addrinfo** found) {
  static const auto look_up = reinterpret_cast<decltype(&getaddrinfo)>(  // NOLINT
      dlsym(RTLD_NEXT, "getaddrinfo"));
  if (host == nullptr || std::string_view(host) != "two.addresses.test") {
    return look_up(host, service, wish, found);
  }
  for (const std::string& port : sockets_test::addresses_of_host) {
    const int error = look_up("127.0.0.1", port.c_str(), wish, found);
    if (error != 0) return error;
    while (*found != nullptr) found = &(*found)->ai_next;
  }
  return 0;
}

namespace sockets_test {

using e2e::json_response;
using e2e::RawServer;
using e2e::server_frame;
using e2e::SocketPeer;
using e2e::SocketServer;
using sockets_api::ApiError;

TEST_CASE("cpp client sockets: a lost connection is replaced, and messages wait for that") {
  std::promise<void> is_lost;
  std::promise<void> may_open;
  const auto lose = [](SocketPeer& peer) {
    peer.open();
    peer.drop();
  };
  const auto restart = [](SocketPeer& peer) {
    peer.open();
    peer.close(1012);
    peer.wait_for_end();
  };
  const auto reject = [&](SocketPeer& peer) {
    is_lost.set_value();
    may_open.get_future().wait();
    peer.send(json_response("503 Service Unavailable", "{}", "Retry-After: 0\r\n"));
    peer.drop();
  };
  std::vector<std::string> texts;
  const auto take_two = [&](SocketPeer& peer) {
    peer.open();
    for (int i = 0; i < 2; ++i) texts.push_back(peer.read_text());
    peer.send_text(said("yes"));
    peer.close(1000);
    peer.wait_for_end();
  };
  SocketServer server({lose, restart, reject, take_two});
  SocketsClient client = client_of(server.url());
  std::atomic<int> opened{0};
  RoomSocket room = client.room({.id = 7}, {.reconnect = true, .on_open = [&](const auto& socket) {
                                              ++opened;
                                              socket.send(RoomTypingMessage{});
                                            }});
  is_lost.get_future().wait();
  CHECK(!room.is_open());
  room.send(RoomSayMessage{{.text = "later"}});
  may_open.set_value();
  CHECK(all(room) == std::vector<std::string>{"said yes"});
  CHECK(texts ==
        std::vector<std::string>{R"({"type":"typing"})", R"({"text":"later","type":"say"})"});
  CHECK(opened == 3);
  CHECK(server.requests().size() == 4);
}

TEST_CASE("cpp client sockets: a service that is away ends the socket after the retries") {
  RawServer server({json_response("503 Service Unavailable", "{}")});
  SocketsClient client({.base_url = server.url(),
                        .retry = {.max_retries = 3, .first_delay = 1ms, .longest_delay = 1ms}});
  const auto open = [&](const RoomSocket::Options& options) {
    const std::size_t before = server.requests().size();
    CHECK(thrown_by<ApiError>([&] { client.room({.id = 7}, options); }).status() == 503);
    return server.requests().size() - before;
  };
  CHECK(open({}) == 1);
  CHECK(open({.reconnect = true}) == 4);
  CHECK(open({.reconnect = true, .max_reconnects = 1}) == 2);

  SocketServer dropping({[](SocketPeer& peer) {
    peer.open();
    peer.drop();
  }});
  SocketsClient other = client_of(dropping.url());
  RoomSocket room = other.room({.id = 7}, {.reconnect = true, .max_reconnects = 2});
  CHECK(thrown_by<TransportError>([&] { room.next(); }).kind() == Kind::interrupted);
  CHECK(dropping.requests().size() == 3);

  const int port = e2e::free_port();
  SocketsClient lonely({.base_url = "http://127.0.0.1:" + std::to_string(port)});
  CHECK(thrown_by<TransportError>([&] { lonely.room({.id = 7}); }).kind() == Kind::connect);
  SocketsClient lost({.base_url = "http://host.invalid"});
  CHECK(thrown_by<TransportError>([&] { lost.room({.id = 7}); }).kind() == Kind::connect);
}

TEST_CASE("cpp client sockets: an opening without a response in time is tried again") {
  SocketServer server({[](SocketPeer& peer) { peer.wait_for_end(); },
                       [](SocketPeer& peer) {
                         peer.open("", server_frame(0x81, said("hi")));
                         peer.wait_for_end();
                       }});
  SocketsClient client({.base_url = server.url(),
                        .read_timeout = 50ms,
                        .retry = {.first_delay = 1ms, .longest_delay = 1ms}});
  // More than once, if the machine is slow.
  RoomSocket room = client.room({.id = 7}, {.reconnect = true, .max_reconnects = 1000});
  CHECK(text_of(room.next().value()) == "said hi");
  SocketServer other({[](SocketPeer& peer) { peer.wait_for_end(); },
                      [](SocketPeer& peer) {
                        peer.open();
                        peer.wait_for_end();
                      }});
  SocketsClient patient = client_of(other.url());
  patient.room({.id = 7}, {.timeout = 50ms, .reconnect = true, .max_reconnects = 1000});
}

TEST_CASE("cpp client sockets: a connection that ends during the handshake of TLS is tried again") {
  const auto connections = [](const std::string& response, Kind expected) {
    std::atomic<int> count{0};
    SocketServer server({[&](SocketPeer& peer) {
                          ++count;
                          peer.wait_for_bytes();
                          peer.send(response);
                          peer.drop();
                        }},
                        SocketServer::Requests::left);
    SocketsClient client = client_of("https" + server.url().substr(4));
    const auto error =
        thrown_by<TransportError>([&] { client.room({.id = 7}, {.reconnect = true}); });
    CAPTURE(error.what());
    CHECK(error.kind() == expected);
    return count.load();
  };
  CHECK(connections("", Kind::interrupted) == 3);
  // The service has another protocol, or the end of a record is missing.
  CHECK(connections("HTTP/1.1 400 Bad Request\r\n\r\n", Kind::tls) == 1);
  CHECK(connections("\x16\x03\x03", Kind::interrupted) == 3);
}

TEST_CASE("cpp client sockets: a service cannot make a client connect without delays") {
  const auto rejected = [](SocketPeer& peer) {
    peer.send(json_response("503 Service Unavailable", "{}", "Retry-After: 0\r\n"));
    peer.drop();
  };
  const auto greeted = [](SocketPeer& peer) {
    peer.open("", server_frame(0x81, said("hi")));
    peer.close(1012);
    peer.wait_for_end();
  };
  const auto over = [](SocketPeer& peer) {
    peer.open();
    peer.close(1000);
    peer.wait_for_end();
  };
  SocketServer server({greeted, rejected, greeted, greeted, rejected, over});
  SocketsClient client(
      {.base_url = server.url(), .retry = {.first_delay = 20ms, .longest_delay = 1h}});
  const auto begin = std::chrono::steady_clock::now();
  RoomSocket room = client.room({.id = 7}, {.reconnect = true});
  CHECK(all(room).size() == 3);
  CHECK(std::chrono::steady_clock::now() - begin >= 10ms + 20ms + 40ms + 80ms + 160ms);
  CHECK(server.requests().size() == 6);
}

TEST_CASE("cpp client: the delays of connections begin again after one that has lasted") {
  using fairway_client::detail::reconnect_delay;
  using fairway_client::detail::Reconnection;
  const auto most = std::chrono::milliseconds::max();
  Reconnection strict({.first_delay = 100ms, .longest_delay = 1h}, 2);
  for (int i = 0; i < 5; ++i) {
    strict.begin();
    strict.opened();
    strict.received();
    CHECK(strict.next(0ms).value() >= 50ms * (1 << i));
  }
  for (int i = 0; i < 2; ++i) {
    strict.begin();
    CHECK(strict.next({}).has_value() == (i == 0));  // one more without a message
  }
  Reconnection lasting({.first_delay = 1ms, .longest_delay = 8ms}, 2);
  for (int i = 0; i < 5; ++i) {
    lasting.begin();
    lasting.opened();
    std::this_thread::sleep_for(10ms);
    CHECK(lasting.next({}).value() <= 1ms);
  }
  Reconnection asked({.first_delay = 1ms, .longest_delay = 2ms}, {});
  asked.begin();
  CHECK(asked.next(70ms, 30ms).value() == 70ms);
  CHECK(asked.next(10ms, 30ms).value() >= 30ms);
  CHECK(asked.next({}, 0ms).has_value() == false);  // `max_retries`, because it was never open
  CHECK(reconnect_delay({.first_delay = 100ms}, 0, 0ms) >= 50ms);
  CHECK(reconnect_delay({.first_delay = most, .longest_delay = most}, 5, most) >= most / 2);
  CHECK(reconnect_delay({}, 100, most) >= std::chrono::hours(24));
}

TEST_CASE("cpp client sockets: limits may be as long as their type allows") {
  const auto most = std::chrono::milliseconds::max();
  SocketServer server({[](SocketPeer& peer) {
    peer.open();
    peer.send_text(peer.read_text() == R"({"type":"typing"})" ? said("hi") : "");
    peer.close(1000);
    peer.wait_for_end();
  }});
  SocketsClient client({.base_url = server.url(),
                        .connect_timeout = most,
                        .read_timeout = most,
                        .write_timeout = most,
                        .timeout = most,
                        .retry = {.first_delay = most, .longest_delay = most}});
  RoomSocket room = client.room({.id = 7}, {.timeout = most, .reconnect = true});
  room.send(RoomTypingMessage{});
  CHECK(all(room) == std::vector<std::string>{"said hi"});
  const SocketServer dropping({[](SocketPeer& peer) { peer.drop(); }});
  SocketsClient waiting(
      {.base_url = dropping.url(), .retry = {.first_delay = most, .longest_delay = most}});
  std::stop_source source;
  std::thread stopper([&] {
    while (dropping.requests().empty()) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(20ms);
    source.request_stop();
  });
  CHECK(thrown_by<TransportError>([&] {
          waiting.room({.id = 7}, {.stop = source.get_token(), .reconnect = true});
        }).kind() == Kind::cancelled);
  stopper.join();
}

TEST_CASE("cpp client sockets: a process without free descriptors gets an error of the client" *
          doctest::skip(fairway::test::kChecksObjects)) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int free = dup(0);
  close(free);
  const auto kind_with = [&](int limit) {
    const rlimit fewer{static_cast<rlim_t>(limit), before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &fewer);
    std::optional<Kind> kind;
    try {
      SocketsClient client = client_of("http://127.0.0.1:9");
      client.room({.id = 7});
    } catch (const TransportError& error) {
      kind = error.kind();
    } catch (const std::exception&) {
      // Another type.
    }
    setrlimit(RLIMIT_NOFILE, &before);
    return kind;
  };
  CHECK(kind_with(free) == Kind::connect);
  CHECK(kind_with(free + 2) == Kind::connect);
}

TEST_CASE("cpp client sockets: the first address of a host does not use up the time") {
  const fairway::test::TemporaryDirectory directory;
  const std::string certificate = directory.path() / "certificate.pem";
  const std::string key = directory.path() / "key.pem";
  e2e::Identity().write(certificate, key);
  RoomsServer server(tls_settings(certificate, key));
  const e2e::DeafPort deaf(e2e::DeafPort::Queue::full);
  const auto port_of = [](const std::string& url) { return url.substr(url.rfind(':') + 1); };
  addresses_of_host = {port_of(deaf.url()), port_of(server.url())};
  bool is_open = false;
  for (auto limit = 100ms; !is_open && limit < 5s; limit *= 2) {  // the machine may be slow
    SocketsClient client({.base_url = "https://two.addresses.test",
                          .connect_timeout = limit,
                          .tls = {.verify = false}});
    try {
      is_open = client.numbered().is_open();
    } catch (const TransportError& error) {
      CHECK(error.kind() == Kind::timeout);
    }
  }
  CHECK(is_open);
}

TEST_CASE("cpp client sockets: a silent service is a broken connection") {
  std::atomic<int> pings{0};
  SocketServer server({[&](SocketPeer& peer) {
    peer.open();
    const auto frame = peer.read();
    if (frame && frame->opcode() == 9 && frame->is_masked) ++pings;
    peer.wait_for_end();
  }});
  for (auto limit = 50ms;; limit *= 2) {
    SocketsClient client({.base_url = server.url(), .read_timeout = limit});
    std::optional<RoomSocket> room;
    try {
      room.emplace(client.room({.id = 7}));
    } catch (const TransportError&) {
      continue;  // the machine is slow
    }
    CHECK(thrown_by<TransportError>([&] { room->next(); }).kind() == Kind::timeout);
    CHECK(room->closed().code == 1006);
    break;
  }
  while (pings != 1) std::this_thread::sleep_for(1ms);

  RawServer silent({std::string(RawServer::kSilence)});
  SocketsClient late({.base_url = silent.url(), .read_timeout = 30ms});
  CHECK(thrown_by<TransportError>([&] { late.room({.id = 7}); }).kind() == Kind::timeout);
  SocketsClient patient({.base_url = silent.url()});
  const auto limited = [&] { patient.room({.id = 7}, {.timeout = 30ms}); };
  CHECK(thrown_by<TransportError>(limited).kind() == Kind::timeout);
  e2e::DeafPort deaf(e2e::DeafPort::Queue::full);
  SocketsClient waiting({.base_url = deaf.url(), .connect_timeout = 30ms});
  CHECK(thrown_by<TransportError>([&] { waiting.room({.id = 7}); }).kind() == Kind::timeout);
}

TEST_CASE("cpp client sockets: pings get pongs") {
  std::promise<void> has_pong;
  SocketServer server({[&](SocketPeer& peer) {
    peer.open("", server_frame(0x89, "a") + server_frame(0x8A, "unasked"));
    const auto pong = peer.read();
    CHECK((pong && pong->opcode() == 10 && pong->payload == "a" && pong->is_masked));
    has_pong.set_value();
    peer.wait_for_end();
  }});
  SocketsClient client = client_of(server.url());
  RoomSocket room = client.room({.id = 7});
  has_pong.get_future().wait();
  room.close();
  CHECK(all(room).empty());
}

}  // namespace sockets_test
