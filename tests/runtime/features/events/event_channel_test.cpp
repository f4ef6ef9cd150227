// The queue of an open stream, between the application and the connection.
#include "features/events/event_channel.hpp"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "exchange/cancellation.hpp"

namespace event_channel_test {

using namespace fw::detail;

namespace {

std::shared_ptr<EventChannel> open_channel() {
  DeclaredStream declared{fw::StreamSchema::Format::events, {}};
  declared.events.push_back({"message", fw::schema::OutputSchema(fw::Json::object()), nullptr});
  return std::make_shared<EventChannel>(
      std::make_shared<const DeclaredStream>(std::move(declared)),
      std::make_shared<const StreamPolicy>("GET /live", fw::EventOptions{}, fw::ServerConfig{}),
      "192.0.2.1");
}

}  // namespace

TEST_CASE("event channel: what ends with a full queue is cut off, not complete") {
  const auto channel = open_channel();
  const std::string text(1000, 'x');
  while (channel->send("message", fw::Json(text), {})) {
  }
  std::array<char, 4096> buffer;
  // A connection that is about to take notices it without asking `is_broken`.
  CHECK(!channel->take(buffer));
}

TEST_CASE("event channel: a client is slow only while it accepts nothing") {
  const std::string text(1000, 'x');
  const auto fill = [&](EventChannel& channel) {
    std::size_t sent = 0;
    while (channel.send("message", fw::Json(text), {})) ++sent;
    return sent;
  };
  std::array<char, 4096> buffer;
  constexpr std::size_t kLimit = 64;  // KB, of which an event is about one

  const auto untried = open_channel();
  CHECK(fill(*untried) > 10 * kLimit);

  const auto blocked = open_channel();
  CHECK(blocked->may_wait());
  CHECK(fill(*blocked) < kLimit);
  CHECK(blocked->is_broken());

  const auto taken = open_channel();
  CHECK(taken->may_wait());
  CHECK(taken->take(buffer));
  CHECK(fill(*taken) > 10 * kLimit);

  const auto full = open_channel();
  for (std::size_t i = 0; i < 2 * kLimit; ++i) CHECK(full->send("message", fw::Json(text), {}));
  CHECK(!full->may_wait());
  CHECK(full->is_broken());
  CHECK(full->pending() == 0);
}

TEST_CASE("event channel: req.on_close runs for a lost connection that another thread detects") {
  for (const bool is_lost : {true, false}) {
    const auto channel = open_channel();
    const auto cancellation = std::make_shared<Cancellation>();
    int calls = 0;
    cancellation->on_close([&] { ++calls; });
    channel->keep(cancellation);
    channel->begin({}, {});
    channel->close();
    if (is_lost) Cancellation::callback(cancellation).mark_lost();
    channel->end(/*is_complete=*/!is_lost);
    CHECK(calls == (is_lost ? 1 : 0));
    // That thread comes later.
    cancellation->disconnect();
    CHECK(calls == (is_lost ? 1 : 0));
  }
}

TEST_CASE("event channel: what ends with a close is complete") {
  const auto channel = open_channel();
  channel->send("message", fw::Json(1), {});
  channel->close();
  std::array<char, 4096> buffer;
  const auto part = channel->take(buffer);
  REQUIRE(part);
  CHECK(part->is_last);
  CHECK(std::string(buffer.data(), part->size) == "data: 1\n\n");
}

}  // namespace event_channel_test
