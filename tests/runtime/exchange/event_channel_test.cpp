// The queue of an open stream, between the application and the connection.
#include "exchange/event_channel.hpp"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

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
