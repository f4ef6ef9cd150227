// Topics with many sockets: `publish` waits while one subscribes.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "features/sockets/socket_channel.hpp"

namespace socket_subscriptions_test {

/// The struct that the route compiler generates.
struct Said {
  static constexpr std::string_view kEventName = "said";
  std::string text;
};
void fw_encode(fw::detail::JsonWriter& out, const Said& said) {
  out.raw(R"({"text":)");
  out.string(said.text);
  out.raw("}");
}

namespace {

using fw::detail::Access;
using fw::detail::SocketChannel;
using fw::detail::SocketPolicy;

/// Processor time of this thread in nanoseconds.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

TEST_CASE("topics: a socket subscribes and unsubscribes as quickly beside many as beside few") {
  fw::Config config = fw::testing::TestApp::test_config();
  config.server.max_streams_per_address = 0;
  fw::App app(config);
  const auto policy = std::make_shared<const SocketPolicy>(
      "SOCKET /", fw::RouteOptions{}, fw::detail::DeclaredMessages{.sends_raw = true},
      Access::core(app).env);
  const auto open = [&] {
    return fw::Socket(std::make_shared<SocketChannel>(policy, SocketChannel::Agreement{}, "a"));
  };
  fw::Topic<Said>& room = app.topics().get<Said>("room");
  std::vector<fw::Socket> few;
  for (int i = 0; i < 100; ++i) few.push_back(open());
  // In comparison, which does not depend on how fast the machine is.
  const auto time = [&] {
    double least = 1e12;
    for (int i = 0; i < 20; ++i) {
      const double begin = now();
      for (const fw::Socket& socket : few) room.subscribe(socket);
      for (const fw::Socket& socket : few) CHECK(room.unsubscribe(socket));
      least = std::min(least, now() - begin);
    }
    return least;
  };
  const double beside_few = time();
  std::vector<fw::Socket> many;
  for (int i = 0; i < 20'000; ++i) {
    many.push_back(open());
    room.subscribe(many.back());
  }
  CHECK(time() < 20 * beside_few);
  CHECK(room.subscribers() == many.size());
}

}  // namespace socket_subscriptions_test
