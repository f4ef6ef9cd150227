// Messages between processes through a redis-server: each Process has a bus of its own.
#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "eventually.hpp"
#include "free_port.hpp"
#include "http/socket.hpp"
#include "redis_server.hpp"
#include "store/message_bus.hpp"
#include "store/redis/redis_client.hpp"
#include "support/no_new_threads.hpp"

namespace redis_bus_test {

namespace {

using namespace std::chrono_literals;
using fairway::test::eventually;
using fairway::test::RedisServer;
using fw::store::MessageBus;
using fw::store::RedisClient;
using fw::support::NoNewThreads;

/// What a process receives of a topic.
class Inbox : public MessageBus::Receiver {
 public:
  void receive(std::string_view message) noexcept override {
    const std::lock_guard lock(mutex_);
    messages_.emplace_back(message);
  }
  std::vector<std::string> messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return messages_.size();
  }
  bool has(std::string_view message) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::find(messages_, message) != messages_.end();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

/// A receiver that does not return until the test lets it.
class Gate : public MessageBus::Receiver {
 public:
  void receive(std::string_view) noexcept override {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.wait(lock, [this] { return let_ >= arrived_; });
  }
  void let(std::size_t messages) {
    const std::lock_guard lock(mutex_);
    let_ += messages;
    changed_.notify_all();
  }
  std::size_t arrived() const {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;
  std::size_t let_ = 0;
};

/// A receiver that takes its time for each hundredth of the first 300 messages.
class Slow : public MessageBus::Receiver {
 public:
  explicit Slow(std::chrono::milliseconds time) : time_(time) {}
  void receive(std::string_view) noexcept override {
    if (arrived < 300 && arrived % 100 == 0) std::this_thread::sleep_for(time_);
    ++arrived;
  }

  std::atomic<std::size_t> arrived = 0;

 private:
  const std::chrono::milliseconds time_;
};

/// A server to which both connections of a bus can be opened, but which confirms no subscription.
class MuteServer {
 public:
  MuteServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener_.get(), 8) == 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "redis://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] {
      for (auto& connection : connections_) {
        connection = fw::http::FileDescriptor(::accept(listener_.get(), nullptr, nullptr));
        receive_something(connection.get());  // a PING
        ::send(connection.get(), "+PONG\r\n", 7, MSG_NOSIGNAL);
      }
      receive_something(connections_[1].get());
      is_asked = true;
    });
  }
  ~MuteServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  MuteServer(const MuteServer&) = delete;
  MuteServer& operator=(const MuteServer&) = delete;

  const std::string& url() const { return url_; }

  std::atomic<bool> is_asked = false;  ///< for a subscription

 private:
  static void receive_something(int connection) {
    std::array<char, 1024> bytes{};
    static_cast<void>(::recv(connection, bytes.data(), bytes.size(), 0));
  }

  fw::http::FileDescriptor listener_;
  std::array<fw::http::FileDescriptor, 2> connections_;
  std::string url_;
  std::thread thread_;
};

class Process : public MessageBus::Observer {
 public:
  explicit Process(fw::RedisStoreOptions options, bool is_started = true)
      : bus(fw::store::make_redis_bus(std::move(options), *this)) {
    if (is_started) bus->start();
  }
  ~Process() override { bus->stop(); }

  void count_lost(std::uint64_t messages) noexcept override { lost += messages; }
  void count_unreadable(std::string_view, std::string_view) noexcept override { ++unreadable; }
  void inform(const std::string& text) noexcept override { note(text); }
  void warn(const std::string& text) noexcept override { note(text); }

  /// Subscribes. An inbox lives as long as the bus.
  Inbox& join(std::string_view topic) {
    Inbox& inbox = inboxes_.emplace_back();
    join(topic, inbox);
    return inbox;
  }
  void join(std::string_view topic, MessageBus::Receiver& receiver) const {
    bus->subscribe(topic, receiver);
    bus->wait_until_subscribed(topic);
  }
  std::size_t lines(std::string_view part) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(
        log_, [&](const std::string& line) { return line.find(part) != std::string::npos; }));
  }
  bool is_down() const { return lines("this process only") > lines("other processes again"); }

  std::atomic<std::uint64_t> lost = 0;
  std::atomic<std::uint64_t> unreadable = 0;

 private:
  void note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    log_.push_back(text);
  }

  mutable std::mutex mutex_;
  std::vector<std::string> log_;
  std::deque<Inbox> inboxes_;

 public:
  std::unique_ptr<MessageBus> bus;  // last, because it calls the other members
};

fw::RedisStoreOptions at(const RedisServer& redis, int timeout = 60'000) {
  return {.url = redis.url(), .timeout = timeout};
}

/// Publishes marks until one has arrived.
void publish_until_one_arrives(Process& from, std::string_view topic, const Inbox& inbox,
                               int& published) {
  static std::atomic<int> next = 0;
  const std::string mark = "mark" + std::to_string(++next);
  REQUIRE(eventually([&] {
    from.bus->publish(topic, mark);
    ++published;
    std::this_thread::sleep_for(20ms);
    return inbox.has(mark);
  }));
}

/// Whether each message of `one` has arrived at `two` or was counted as lost, once all have.
bool is_all_known(int published, const Inbox& inbox, const Process& one, const Process& two) {
  return eventually(
      [&] { return inbox.size() + one.lost + two.lost == static_cast<std::uint64_t>(published); });
}

/// Whether numbers are in ascending order, without the marks.
bool is_ascending(const std::vector<std::string>& messages) {
  int last = -1;
  for (const std::string& message : messages) {
    if (message.starts_with("mark")) continue;
    const int number = std::stoi(message);
    if (number <= last) return false;
    last = number;
  }
  return true;
}

std::int64_t subscribers(const RedisServer& redis, std::string_view channel) {
  RedisClient client(at(redis));
  return client.execute({"PUBSUB", "NUMSUB", channel}).items.at(1).integer;
}

}  // namespace

TEST_CASE("redis bus: other processes get messages in order, and the own process none") {
  const RedisServer redis;
  Process one(at(redis));
  Process two(at(redis));
  const Inbox& own = one.join("a");
  const Inbox& other = two.join("a");
  const Inbox& unrelated = two.join("b");
  for (int i = 0; i < 2000; ++i) one.bus->publish("a", std::to_string(i));
  CHECK(eventually([&] { return other.size() == 2000; }));
  CHECK(is_ascending(other.messages()));
  CHECK(own.size() == 0);
  CHECK(unrelated.size() == 0);
  two.bus->publish("a", "back");
  CHECK(eventually([&] { return own.size() == 1; }));
  CHECK(one.lost + two.lost == 0);
}

TEST_CASE("redis bus: after the wait for a subscription, each message arrives") {
  const RedisServer redis;
  Process one(at(redis));
  Process two(at(redis));
  for (int i = 0; i < 100; ++i) {
    const std::string topic = "t" + std::to_string(i);
    const Inbox& inbox = two.join(topic);
    one.bus->publish(topic, "x");
    CHECK(eventually([&] { return inbox.size() == 1; }));
  }
}

TEST_CASE("redis bus: an outage loses nothing that is not counted, and repeats nothing") {
  RedisServer redis;
  Process one(at(redis));
  Process two(at(redis));
  const Inbox& inbox = two.join("a");
  int published = 0;
  const auto publish = [&](int count) {
    for (int i = 0; i < count; ++i) one.bus->publish("a", std::to_string(published++));
  };
  publish(100);
  REQUIRE(eventually([&] { return inbox.size() == 100; }));
  for (std::size_t outage = 1; outage <= 2; ++outage) {
    redis.stop();
    publish(100);  // before and after the outage is detected
    REQUIRE(eventually([&] { return one.is_down() && two.is_down(); }));
    publish(100);
    redis.start();
    REQUIRE(eventually([&] { return !one.is_down() && !two.is_down(); }));
    publish_until_one_arrives(one, "a", inbox, published);
    CHECK(one.lines("this process only") == outage);
  }
  CHECK(is_ascending(inbox.messages()));
  CHECK(is_all_known(published, inbox, one, two));
}

TEST_CASE("redis bus: what waits in an outage is bounded, and the newest is kept") {
  RedisServer redis;
  Process one(at(redis));
  Process two(at(redis));
  const Inbox& inbox = two.join("a");
  one.bus->publish("a", "0");
  REQUIRE(eventually([&] { return inbox.size() == 1; }));
  redis.stop();
  REQUIRE(eventually([&] { return one.is_down() && two.is_down(); }));
  const std::string rest(100'000, ' ');
  int published = 1;
  for (int i = 1; i <= 200; ++i, ++published) one.bus->publish("a", std::to_string(i) + rest);
  CHECK(one.lost >= 100);
  CHECK(one.lost <= 130);
  redis.start();
  REQUIRE(eventually([&] { return !one.is_down() && !two.is_down(); }));
  CHECK(one.lines("of this process did not") == 1);
  publish_until_one_arrives(one, "a", inbox, published);
  CHECK(is_ascending(inbox.messages()));
  CHECK(is_all_known(published, inbox, one, two));
}

TEST_CASE("redis bus: a message that is sent again is not received again") {
  const RedisServer redis;
  Process one(at(redis, 200));
  Process two(at(redis));
  const Inbox& inbox = two.join("a");
  int published = 0;
  one.bus->publish("a", std::to_string(published++));
  REQUIRE(eventually([&] { return inbox.size() == 1; }));
  // The server has the messages, but the publisher gets no reply, and sends them on another
  // connection.
  redis.pause();
  for (int i = 0; i < 50; ++i) one.bus->publish("a", std::to_string(published++));
  REQUIRE(eventually([&] { return one.is_down(); }));
  redis.resume();
  REQUIRE(eventually([&] { return !one.is_down(); }));
  publish_until_one_arrives(one, "a", inbox, published);
  CHECK(is_ascending(inbox.messages()));
  CHECK(is_all_known(published, inbox, one, two));
}

TEST_CASE("redis bus: messages that are no messages of a bus are counted") {
  const RedisServer redis;
  Process one(at(redis));
  Process two(at(redis));
  const Inbox& inbox = two.join("a");
  RedisClient client(at(redis));
  const auto publish = [&](std::string_view message) {
    client.execute({"PUBLISH", "fw:topic:0:a", message});
  };
  publish("fw1 ");
  publish("fw1 nobody 1 x");
  publish(std::string("fw1 \0\r\n\xff", 8));
  publish("{}");  // of another program
  CHECK(eventually([&] { return inbox.size() == 1; }));
  CHECK(two.unreadable == 3);
  publish(std::string(fw::store::kMaxBusMessage + 1000, 'x'));
  CHECK(eventually([&] { return two.unreadable == 4; }));
  CHECK_FALSE(two.is_down());
  // Too large for the memory of a process: it connects again.
  publish(std::string(3 * fw::store::kMaxBusMessage, 'x'));
  CHECK(eventually([&] { return two.lines("has more than") == 1 && !two.is_down(); }));
  CHECK(two.unreadable == 5);
  int published = 0;
  publish_until_one_arrives(one, "a", inbox, published);
  CHECK(inbox.messages().front() == "{}");
}

TEST_CASE("redis bus: topics of other prefixes and databases are others, whatever their names") {
  const RedisServer redis;
  Process one(at(redis));
  fw::RedisStoreOptions other = at(redis);
  other.key_prefix = "other:";
  Process prefixed(other);
  other = at(redis);
  other.url += "/1";
  Process in_database(other);
  other = at(redis);
  other.key_prefix = "fw:topic:0:";  // begins like the channels of the first one
  Process nested(other);
  Process two(at(redis));
  const std::vector<std::string> names = {"a:b",   "a%3Ab", "*", "[a]",
                                          " \r\n", "",      "ä", std::string(5000, 'n')};
  std::map<std::string, const Inbox*> inboxes;
  std::vector<const Inbox*> strangers;
  for (const std::string& name : names) {
    inboxes[name] = &two.join(name);
    strangers.push_back(&prefixed.join(name));
    strangers.push_back(&in_database.join(name));
  }
  strangers.push_back(&nested.join("a"));
  one.bus->publish("topic:0:a", "!");
  for (const std::string& name : names) one.bus->publish(name, name + "!");
  for (const std::string& name : names) {
    CHECK(eventually([&] { return inboxes[name]->size() == 1; }));
    CHECK(inboxes[name]->messages() == std::vector{name + "!"});
  }
  for (const Inbox* const stranger : strangers) CHECK(stranger->size() == 0);
}

TEST_CASE("redis bus: a process that unsubscribes gets no more messages, until it subscribes") {
  const RedisServer redis;
  Process one(at(redis));
  Process two(at(redis));
  Inbox& inbox = two.join("a");
  const Inbox& kept = two.join("b");
  one.bus->publish("a", "1");
  REQUIRE(eventually([&] { return inbox.size() == 1; }));
  two.bus->unsubscribe("a");
  REQUIRE(eventually([&] { return subscribers(redis, "fw:topic:0:a") == 0; }));
  one.bus->publish("a", "2");
  one.bus->publish("b", "2");
  REQUIRE(eventually([&] { return kept.size() == 1; }));
  two.join("a", inbox);
  one.bus->publish("a", "3");
  CHECK(eventually([&] { return inbox.size() == 2; }));
  CHECK(inbox.messages().back() == "3");
  CHECK(two.lost == 0);
}

TEST_CASE("redis bus: a password is used, and its absence reported") {
  const RedisServer redis({"--requirepass", "word"});
  fw::RedisStoreOptions options = at(redis);
  options.url = "redis://:word@127.0.0.1:" + std::to_string(redis.port());
  Process one(options);
  Process two(options);
  Process stranger(at(redis));
  const Inbox& inbox = two.join("a");
  one.bus->publish("a", "1");
  CHECK(eventually([&] { return inbox.size() == 1; }));
  stranger.bus->publish("a", "2");
  CHECK(eventually([&] { return stranger.lines("NOAUTH") == 1; }));
}

TEST_CASE("redis bus: a receiver that takes longer than the time-out ends no connection") {
  // Only the short time-outs can be too short for a busy machine.
  bool is_complete = false;
  for (const int timeout : {100, 1'000, 10'000}) {
    if (is_complete) break;
    const RedisServer redis;
    Slow slow(std::chrono::milliseconds(timeout + 10));
    Process one(at(redis));
    Process two(at(redis, timeout));
    two.join("a", slow);
    REQUIRE(eventually([&] { return subscribers(redis, "fw:topic:0:a") == 1; }));
    // Several times of what is received at once.
    const std::string message(1000, 'x');
    for (int i = 0; i < 1000; ++i) one.bus->publish("a", message);
    REQUIRE(eventually([&] {
      return slow.arrived == 1000 || two.lines("this process only") > 0 || two.lost > 0;
    }));
    is_complete = slow.arrived == 1000 && two.lines("this process only") == 0;
  }
  CHECK(is_complete);
}

TEST_CASE("redis bus: a process can subscribe while a receiver has messages to handle") {
  const RedisServer redis;
  Gate gate;
  Inbox inbox;
  Process two(at(redis));
  two.join("a", gate);
  Process one(at(redis));
  for (int i = 0; i < 100; ++i) one.bus->publish("a", "x");
  CHECK(eventually([&] { return gate.arrived() == 1; }));
  two.bus->subscribe("b", inbox);
  gate.let(1);
  CHECK(eventually([&] { return subscribers(redis, "fw:topic:0:b") == 1; }));
  gate.let(99);
  CHECK(eventually([&] { return gate.arrived() == 100; }));
}

TEST_CASE("redis bus: a channel without the right to it stops no other one") {
  const RedisServer redis;
  RedisClient admin(at(redis));
  admin.execute({"ACL", "SETUSER", "limited", "on", ">word", "+@all", "~*", "resetchannels",
                 "&fw:topic:0:open"});
  fw::RedisStoreOptions options = at(redis);
  options.url = "redis://limited:word@127.0.0.1:" + std::to_string(redis.port());
  Process one(options);
  Process two(at(redis));
  SUBCASE("to publish") {
    const Inbox& inbox = two.join("open");
    one.bus->publish("closed", "x");
    one.bus->publish("open", "1");
    one.bus->publish("closed", "y");
    one.bus->publish("open", "2");
    CHECK(eventually([&] { return inbox.size() == 2; }));
    CHECK(eventually([&] { return one.lost == 2; }));
    CHECK(eventually([&] { return one.lines("on the channel fw:topic:0:closed") >= 1; }));
  }
  SUBCASE("to subscribe") {
    Inbox& closed = one.join("closed");
    const Inbox& open = one.join("open");
    CHECK(one.lines("on the channel fw:topic:0:closed do not arrive") == 1);
    two.bus->publish("closed", "x");
    two.bus->publish("open", "1");
    CHECK(eventually([&] { return open.size() == 1; }));
    one.join("closed", closed);  // again
    CHECK(one.lines("do not arrive") == 1);
    CHECK(closed.size() == 0);
    admin.execute({"ACL", "SETUSER", "limited", "allchannels"});
    one.join("closed", closed);
    two.bus->publish("closed", "y");
    CHECK(eventually([&] { return closed.size() == 1; }));
  }
  CHECK(one.lines("this process only") == 0);
}

TEST_CASE("redis bus: a message for which the server closes the connection is dropped") {
  const RedisServer redis({"--proto-max-bulk-len", "1mb"});
  Process one(at(redis));
  Process two(at(redis));
  const Inbox& inbox = two.join("a");
  one.bus->publish("a", "1");
  one.bus->publish("a", std::string(2 * 1024 * 1024, 'x'));
  one.bus->publish("a", "2");
  CHECK(eventually([&] { return inbox.size() == 2; }));
  CHECK(inbox.messages() == std::vector<std::string>{"1", "2"});
  CHECK(eventually([&] { return one.lost == 1; }));
  CHECK(eventually([&] { return one.lines("could not be sent on the channel") == 1; }));
  CHECK(eventually([&] { return !one.is_down(); }));
}

TEST_CASE("redis bus: losses do not keep the thread busy while the server confirms nothing") {
  MuteServer server;
  Inbox inbox;
  Process one({.url = server.url(), .timeout = 60'000});
  one.bus->subscribe("a", inbox);
  REQUIRE(eventually([&] { return server.is_asked.load(); }));
  const std::string message(1'000'000, ' ');
  for (int i = 0; i < 10; ++i) one.bus->publish("a", message);
  CHECK(one.lost > 0);
  const auto cpu_time = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  // On a busy machine, a thread that never waits does not get all of a processor either.
  std::chrono::nanoseconds least = 1h;
  for (int i = 0; i < 4; ++i) {
    const auto before = cpu_time();
    std::this_thread::sleep_for(500ms);
    least = std::min(least, cpu_time() - before);
  }
  CHECK(least < 10ms);
}

TEST_CASE("redis bus: without a thread, messages wait until there can be one") {
  const RedisServer redis;
  Inbox own;
  Process one(at(redis));
  Process two(at(redis));
  const Inbox& inbox = two.join("a");
  {
    const NoNewThreads none;
    CHECK_NOTHROW(one.bus->publish("a", "1"));
    CHECK_NOTHROW(one.join("b", own));
  }
  CHECK(one.lines("there can be no thread") == 1);
  one.bus->publish("a", "2");
  CHECK(eventually([&] { return inbox.size() == 2; }));
  CHECK(one.lost == 0);
  one.bus->wait_until_subscribed("b");
  two.bus->publish("b", "3");
  CHECK(eventually([&] { return own.size() == 1; }));
}

TEST_CASE("redis bus: what is published without a start is no loss") {
  const RedisServer redis;
  Process one(at(redis), false);
  one.bus->publish("a", "x");
  one.bus->stop();
  CHECK(one.lost == 0);
  CHECK(one.lines("") == 0);
}

TEST_CASE("redis bus: publishing never waits, and a stop ends, whatever the server does") {
  const RedisServer redis;
  SUBCASE("it is paused, and a connection is open") {
    Process one(at(redis));
    one.join("a");
    redis.pause();
    for (int i = 0; i < 1000; ++i) one.bus->publish("a", std::string(20'000, 'x'));
    one.bus->stop();
    CHECK(one.lost == 1000);
    CHECK(one.lines("before the stop") == 1);
  }
  SUBCASE("it is paused, and a connection is being opened") {
    redis.pause();
    Process one(at(redis));
    one.bus->publish("a", "x");
    std::this_thread::sleep_for(50ms);
    one.bus->stop();
    CHECK(one.lost == 1);
    one.bus->publish("a", "y");
    CHECK(one.lost == 2);
  }
  SUBCASE("it is not there") {
    const std::string port = std::to_string(fairway::test::free_port());
    Process one({.url = "redis://127.0.0.1:" + port, .timeout = 60'000});
    one.join("a");
    CHECK(eventually([&] { return one.is_down(); }));
    one.join("b");  // does not wait
    one.bus->publish("a", "x");
    one.bus->stop();
    CHECK(one.lost == 1);
  }
  SUBCASE("it is there: what waits is sent") {
    // On a busy machine, a stop may be over before that.
    bool is_all_sent = false;
    for (int attempt = 0; attempt < 20 && !is_all_sent; ++attempt) {
      Process one(at(redis));
      Process two(at(redis));
      const Inbox& inbox = two.join("a");
      one.join("a");
      for (int i = 0; i < 5000; ++i) one.bus->publish("a", std::to_string(i));
      one.bus->stop();
      CHECK(eventually([&] { return inbox.size() + one.lost >= 5000; }));
      is_all_sent = one.lost == 0;
    }
    CHECK(is_all_sent);
  }
  redis.resume();
}

TEST_CASE("redis bus: many threads publish and subscribe while the server comes and goes") {
  constexpr int kThreads = 8;
  RedisServer redis;
  Process one(at(redis));
  Process two(at(redis));
  std::vector<const Inbox*> inboxes;
  std::vector<Inbox*> own;
  for (int i = 0; i < kThreads; ++i) {
    inboxes.push_back(&two.join("t" + std::to_string(i)));
    own.push_back(&one.join("t" + std::to_string(i)));
  }
  std::atomic<bool> ends = false;
  std::vector<std::atomic<int>> published(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const std::string topic = "t" + std::to_string(i);
      const auto index = static_cast<std::size_t>(i);
      while (!ends) {
        one.bus->publish(topic, std::to_string(published[index]++));
        if (published[index] % 20 == 0) {
          one.bus->unsubscribe(topic);
          one.join(topic, *own[index]);
        }
        std::this_thread::sleep_for(1ms);
      }
    });
  }
  for (int outage = 0; outage < 2; ++outage) {
    for (const Inbox* const inbox : inboxes) {
      const std::size_t before = inbox->size();
      CHECK(eventually([&] { return inbox->size() > before; }));
    }
    redis.stop();
    CHECK(eventually([&] { return one.is_down() && two.is_down(); }));
    redis.start();
    CHECK(eventually([&] { return !one.is_down() && !two.is_down(); }));
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
  std::uint64_t total = 0;
  for (int i = 0; i < kThreads; ++i) {
    const auto index = static_cast<std::size_t>(i);
    int count = published[index];
    publish_until_one_arrives(one, "t" + std::to_string(i), *inboxes[index], count);
    CHECK(is_ascending(inboxes[index]->messages()));
    total += static_cast<std::uint64_t>(count);
  }
  CHECK(eventually([&] {
    std::uint64_t received = 0;
    for (const Inbox* const inbox : inboxes) received += inbox->size();
    return received + one.lost + two.lost == total;
  }));
}

}  // namespace redis_bus_test
