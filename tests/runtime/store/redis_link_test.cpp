// A shared connection to a server that replies as the test says.
#include "store/redis/redis_link.hpp"

#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <utility>

#include "base/redis_url.hpp"
#include "eventually.hpp"
#include "http/socket.hpp"
#include "support/allocation_count.hpp"

namespace redis_link_test {

namespace {

using namespace std::chrono_literals;
using fw::StoreError;
using fw::http::FileDescriptor;
using fw::store::append_command;
using fw::store::RedisCompletion;
using fw::store::RedisLink;
using fw::store::RedisReply;

/// A server with one connection, which `serve` handles.
class FakeServer {
 public:
  explicit FakeServer(std::function<void(int)> serve)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener_.get(), 8) == 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "redis://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this, serve = std::move(serve)] {
      const FileDescriptor connection(::accept(listener_.get(), nullptr, nullptr));
      serve(connection.get());
    });
  }
  ~FakeServer() { thread_.join(); }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  const std::string& url() const { return url_; }

 private:
  FileDescriptor listener_;
  std::string url_;
  std::thread thread_;
};

std::string command_of(std::string_view name, std::string_view argument) {
  std::string command;
  append_command(command, std::array{name, argument});
  return command;
}

/// Receives this number of bytes.
void receive(int connection, std::size_t size) {
  std::array<char, 64 * 1024> buffer;
  while (size > 0) {
    const auto received = ::recv(connection, buffer.data(), std::min(size, buffer.size()), 0);
    if (received <= 0) return;
    size -= static_cast<std::size_t>(received);
  }
}

void reply(int connection) { ::send(connection, "+OK\r\n", 5, MSG_NOSIGNAL); }

std::unique_ptr<RedisLink> link_to(const FakeServer& server) {
  return std::make_unique<RedisLink>(fw::base::parse_redis_url(server.url()), "",
                                     RedisLink::Clock::now() + 60s);
}

/// Notes how a command has ended, without memory.
struct Ended : RedisCompletion {
  explicit Ended(std::atomic<int>& count) : ended(count) {}
  void complete(std::optional<RedisReply>, std::string_view) noexcept override { ++ended; }
  std::atomic<int>& ended;
};

/// A thread sends the command of another one after its own deadline, which is in time for that one.
/// Returns false if its own reply did not come before its deadline.
bool send_for_another() {
  constexpr auto kShort = 1s;
  const std::string first = command_of("GET", "a");
  // More than the sockets hold while the server does not read.
  const std::string second = command_of("GET", std::string(32 * 1024 * 1024, 'b'));
  std::promise<void> first_is_there;
  std::promise<void> second_is_queued;
  const FakeServer server([&](int connection) {
    receive(connection, first.size());
    first_is_there.set_value();
    second_is_queued.get_future().wait();
    reply(connection);
    std::this_thread::sleep_for(kShort + 100ms);
    receive(connection, second.size());
    reply(connection);
  });
  const auto link = link_to(server);
  auto short_call = std::async(
      std::launch::async, [&] { return link->execute(first, RedisLink::Clock::now() + kShort); });
  first_is_there.get_future().wait();
  auto long_call = std::async(std::launch::async,
                              [&] { return link->execute(second, RedisLink::Clock::now() + 60s); });
  std::this_thread::sleep_for(50ms);
  second_is_queued.set_value();
  bool is_in_time = true;
  try {
    CHECK(short_call.get().text == "OK");
  } catch (const StoreError&) {
    is_in_time = false;
  }
  try {
    CHECK(long_call.get().text == "OK");
  } catch (const StoreError&) {
    // The connection has ended with the first command, if that was late.
    CHECK_FALSE(is_in_time);
  }
  return is_in_time;
}

}  // namespace

TEST_CASE("redis link: each command has its own deadline, whichever thread sends it") {
  // On a busy machine, the first command may be late.
  CHECK(fairway::test::eventually(send_for_another));
}

TEST_CASE("redis link: closing it ends every command, even without memory") {
  const std::string command = command_of("GET", "a");
  std::promise<void> first_is_there;
  std::promise<void> second_is_queued;
  std::atomic<int> ended{0};
  const FakeServer server([&](int connection) {
    receive(connection, command.size());
    first_is_there.set_value();
    second_is_queued.get_future().wait();
    reply(connection);
    receive(connection, 2 * command.size());  // until the connection ends
  });
  auto link = link_to(server);
  auto first = std::async(std::launch::async,
                          [&] { return link->execute(command, RedisLink::Clock::now() + 60s); });
  first_is_there.get_future().wait();
  REQUIRE(link->begin(command, RedisLink::Clock::now() + 60s, std::make_unique<Ended>(ended)));
  second_is_queued.set_value();
  CHECK(first.get().text == "OK");
  {
    const fw::support::FailingAllocations failing(16);
    link.reset();
  }
  CHECK(ended == 1);
}

}  // namespace redis_link_test
