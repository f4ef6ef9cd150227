// Topics of several processes, which share a redis-server: each TestApp is one.
#include <fairway/fairway.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "app/access.hpp"
#include "eventually.hpp"
#include "features/topics/topic_relay.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"
#if FAIRWAY_REDIS
#include "redis_server.hpp"
#include "store/redis/redis_client.hpp"

namespace topics_test {

/// The structs that the route compiler generates.
struct Said {
  static constexpr std::string_view kEventName = "said";
  std::string text;
};
void fw_encode(fw::detail::JsonWriter& out, const Said& said) {
  out.raw(R"({"text":)");
  out.string(said.text);
  out.raw("}");
}
void to_json(fw::Json& json, const Said& said) { json = {{"text", said.text}}; }

struct Counted {
  static constexpr std::string_view kEventName = "counted";
  double number;
};
void fw_encode(fw::detail::JsonWriter& out, const Counted& counted) {
  out.raw(R"({"number":)");
  out.number(counted.number);
  out.raw("}");
}
void to_json(fw::Json& json, const Counted& counted) { json = {{"number", counted.number}}; }

namespace {

using fairway::test::eventually;
using fairway::test::kPatience;
using fairway::test::RedisServer;
using fw::Json;
using fw::detail::Access;
using fw::support::OneFileApp;
using fw::testing::TestApp;
using Event = std::variant<Said, Counted>;

constexpr std::string_view kChannel = "fw:topic:0:room";

fw::Config sharing(const RedisServer& redis) {
  fw::Config config = TestApp::test_config();
  config.store.type = fw::StoreType::redis;
  config.store.url = redis.url();
  config.store.timeout = 60'000;
  config.server.max_streams_per_address = 0;
  return config;
}

/// A process with streams and sockets of the topic `room`.
class Process : public OneFileApp {
 public:
  explicit Process(const RedisServer& redis) : OneFileApp(routes, sharing(redis)) {}

  fw::Topic<Event>& topic() { return app().topics().get<Event>("room"); }
  fw::detail::TopicRelay::Figures& figures() { return Access::relay(app().topics()).figures(); }
  bool has_logged(std::string_view part) {
    for (const Json& line : log_lines()) {
      if (line.dump().find(part) != std::string::npos) return true;
    }
    return false;
  }

 private:
  static void routes(fw::Router& router) {
    const fw::Responses responses = {{"200", fw::events({{"said", {{"text", "string:1-50"}}},
                                                         {"counted", {{"number", "number"}}},
                                                         {"other", {{"text", "string"}}}})}};
    const auto open = [&router](fw::Request&, fw::Response& res) {
      router.topics().get<Event>("room").subscribe(res.events());
    };
    router.get("/live", {.responses = responses}, open);
    fw::EventOptions small;
    small.queue = "1kb";
    router.get("/slow", {.responses = responses, .events = small}, open);
    router.socket(
        "/chat",
        {.receive = {{"say", {{"text", "string"}}}},
         .send = {{"said", {{"text", "string:1-50"}}}, {"counted", {{"number", "number"}}}}},
        [&router](fw::Request&, fw::Socket& socket) {
          router.topics().get<Event>("room").subscribe(socket);
          socket.on("say", [&router](const Json& say) {
            router.topics().get<Event>("room").publish(Said{say.at("text")});
          });
        });
  }
};

class Publisher {
 public:
  explicit Publisher(const RedisServer& redis) : client_({.url = redis.url(), .timeout = 60'000}) {}
  void publish(std::string_view message) { client_.execute({"PUBLISH", kChannel, message}); }
  std::int64_t subscribers() {
    return client_.execute({"PUBSUB", "NUMSUB", kChannel}).items.at(1).integer;
  }
  std::string clients() { return client_.execute({"CLIENT", "LIST"}).text; }

 private:
  fw::store::RedisClient client_;
};

}  // namespace

TEST_CASE("topics: events reach streams and sockets of all processes, once and in order") {
  const RedisServer redis;
  Process one(redis);
  Process two(redis);
  auto own = one.events("/live");
  auto events = two.events("/live");
  auto socket = two.socket("/chat");
  CHECK(one.topic().publish(Said{"hi"}, {.id = "7", .retry = 100}) == 1);  // of its own process
  CHECK(one.topic().publish(Counted{2.5}) == 1);
  const auto first = events.next(kPatience);
  CHECK(first->json() == Json{{"text", "hi"}});
  CHECK(first->name == "said");
  CHECK(first->id == "7");
  CHECK(events.next(kPatience)->json() == Json{{"number", 2.5}});
  CHECK(socket.next(kPatience)->json() == Json{{"type", "said"}, {"text", "hi"}});
  CHECK(socket.next(kPatience)->json() == Json{{"type", "counted"}, {"number", 2.5}});
  CHECK(own.next(kPatience)->json() == Json{{"text", "hi"}});
  CHECK(own.next(kPatience)->json() == Json{{"number", 2.5}});
  socket.send("say", {{"text", "from a socket"}});
  CHECK(own.next(kPatience)->json() == Json{{"text", "from a socket"}});
  CHECK(events.next(kPatience)->json() == Json{{"text", "from a socket"}});
  // They are counted after the events have been sent.
  CHECK(eventually([&] { return one.figures().published == 2; }));
  CHECK(eventually([&] { return one.figures().delivered == 3; }));
  CHECK(eventually([&] { return two.figures().published == 1; }));
  CHECK(eventually([&] { return two.figures().delivered == 6; }));
  CHECK(one.figures().lost + two.figures().lost == 0);
}

TEST_CASE("topics: an event that JSON or a stream cannot have is refused before it is sent") {
  const RedisServer redis;
  Process one(redis);
  CHECK_THROWS_WITH_AS(one.topic().publish(Counted{std::numeric_limits<double>::infinity()}),
                       doctest::Contains("not finite"), std::invalid_argument);
  CHECK_THROWS_AS(one.topic().publish(Said{"a"}, {.id = "a\nb"}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(one.topic().publish(Said{std::string(fw::store::kMaxBusMessage, 'x')}),
                       doctest::Contains("too large for other processes"), std::length_error);
  CHECK(one.figures().published == 0);
}

TEST_CASE("topics: events that cannot be read are counted and logged, and the next ones arrive") {
  const RedisServer redis;
  Process one(redis);
  auto events = one.events("/live");
  auto socket = one.socket("/chat");
  Publisher other(redis);
  std::uint64_t count = 0;
  const auto is_unreadable = [&](const std::string& message) {
    CAPTURE(message.substr(0, 100));
    other.publish(message);
    ++count;
    CHECK(eventually([&] { return one.figures().unreadable == count; }));
  };
  is_unreadable("");
  is_unreadable("not JSON");
  is_unreadable("[]");
  is_unreadable(R"({"data":{"text":"a"}})");
  is_unreadable(R"({"event":7,"data":{"text":"a"}})");
  is_unreadable(R"({"event":"said"})");
  is_unreadable(R"({"event":"unknown","data":{"text":"a"}})");
  is_unreadable(R"({"event":"other","data":{"text":"of the route, not of the topic"}})");
  is_unreadable(R"({"event":"said","data":{"words":"a"}})");
  is_unreadable(R"({"event":"said","data":null})");
  is_unreadable(R"({"event":"said","data":{"text":"a"},"id":7})");
  is_unreadable(R"({"event":"said","data":{"text":"a"},"id":"a\nb"})");
  is_unreadable(R"({"event":"said","data":{"text":"a"},"retry":"x"})");
  is_unreadable(R"({"event":"said","data":)" + std::string(10'000, '[') + std::string(10'000, ']') +
                '}');
  is_unreadable(R"({"event":"said","data":[0)" + [] {
    std::string zeros;
    for (int i = 0; i < 1'000'001; ++i) zeros += ",0";
    return zeros;
  }() + "]}");
  CHECK(one.has_logged("cannot be read in the topic 'room'"));
  other.publish(R"({"event":"said","data":{"text":"of another program"},"later":true})");
  CHECK(events.next(kPatience)->json() == Json{{"text", "of another program"}});
  CHECK(socket.next(kPatience)->json() == Json{{"type", "said"}, {"text", "of another program"}});
  CHECK(one.figures().unreadable == count);
}

TEST_CASE("topics: streams stay open while Redis is down, and get events of their process") {
  RedisServer redis;
  Process one(redis);
  Process two(redis);
  auto own = one.events("/live");
  auto events = two.events("/live");
  one.topic().publish(Said{"before"});
  CHECK(events.next(kPatience)->json() == Json{{"text", "before"}});
  CHECK(own.next(kPatience)->json() == Json{{"text", "before"}});
  redis.stop();
  REQUIRE(eventually([&] { return one.has_logged("this process only"); }));
  REQUIRE(eventually([&] { return two.has_logged("this process only"); }));
  CHECK(one.topic().publish(Said{"meanwhile"}) == 1);
  CHECK(own.next(kPatience)->json() == Json{{"text", "meanwhile"}});
  auto late = two.events("/live");  // which does not wait for Redis
  CHECK(late.response == 200);
  redis.start();
  REQUIRE(eventually([&] { return one.has_logged("other processes again"); }));
  REQUIRE(eventually([&] { return two.has_logged("other processes again"); }));
  one.topic().publish(Said{"after"});
  for (auto* stream : {&events, &late}) {
    Json text = stream->next(kPatience)->json();
    // Lost if this process has subscribed too late, which is counted.
    if (text == Json{{"text", "meanwhile"}}) text = stream->next(kPatience)->json();
    CHECK(text == Json{{"text", "after"}});
  }
}

TEST_CASE("topics: a slow client does not delay others, nor make other processes keep events") {
  const RedisServer redis;
  Process one(redis);
  Process two(redis);
  auto slow = two.events("/slow");
  auto events = two.events("/live");
  for (int i = 0; i < 500; ++i) {
    one.topic().publish(Counted{static_cast<double>(i)});
    CHECK(events.next(kPatience)->json() == Json{{"number", i}});
  }
  CHECK(eventually([&] { return two.topic().subscribers() == 1; }));
  CHECK(one.figures().lost + two.figures().lost == 0);
}

TEST_CASE("topics: a process subscribes while it has clients, and connects if it uses topics") {
  const RedisServer redis;
  Publisher other(redis);
  Process one(redis);
  CHECK(one.request("GET", "/none").send() == 404);
  const std::string before = other.clients();
  CHECK(before.find("cmd=subscribe") == std::string::npos);
  {
    auto events = one.events("/live");
    CHECK(other.subscribers() == 1);
    auto second = one.events("/live");
    CHECK(other.subscribers() == 1);
  }
  other.publish(R"({"event":"said","data":{"text":"nobody"}})");
  CHECK(eventually([&] { return other.subscribers() == 0; }));
  auto events = one.events("/live");
  CHECK(other.subscribers() == 1);
  other.publish(R"({"event":"said","data":{"text":"again"}})");
  CHECK(events.next(kPatience)->json() == Json{{"text", "again"}});
  CHECK(one.figures().unreadable == 0);
}

TEST_CASE("topics: with Redis, a cluster has them") {
  const RedisServer redis;
  fw::Config config = sharing(redis);
  config.cluster.enabled = true;
  fw::App app(config);
  CHECK(app.topics().get<Event>("room").publish(Said{"before the start"}) == 0);
}

TEST_CASE("topics: an application stops while Redis does not reply") {
  const RedisServer redis;
  fw::support::TableBuilder table;
  table.routes([](fw::Router&) {});
  auto sink = std::make_shared<fw::support::RecordingSink>();
  fw::Config config = fw::support::server_config();
  config.store = sharing(redis).store;
  fw::App app(config);
  app.set_logger(fw::Logger(sink));
  app.mount(table.table());
  app.start();
  redis.pause();
  app.topics().get<Event>("room").publish(Said{"b"});
  app.stop();
  redis.resume();
  const auto lines = sink->messages(fw::LogLevel::warn);
  CHECK(std::ranges::any_of(lines, [](const std::string& line) {
    return line.find("did not reach others before the stop") != std::string::npos;
  }));
}

}  // namespace topics_test
#endif
