// Responses that outlive their handlers: bodies that are sent whenever they have something.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/un.h>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "temporary_directory.hpp"

namespace adapter_pushed_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

/// A body to which any thread adds.
class Body : public PushedBody {
 public:
  explicit Body(std::chrono::milliseconds heartbeat = 60s, std::string_view text = ".",
                std::optional<std::uint64_t> length = std::nullopt)
      : heartbeat_(heartbeat), text_(text), length_(length) {}

  void add(std::string_view bytes) {
    change([&] { content_ += bytes; });
  }
  void close() {
    change([&] { is_closed_ = true; });
  }
  void cut() {
    is_broken_ = true;
    change([] {});
  }
  /// Breaks it when the next part is taken, as a send of another thread may.
  void cut_in_take() {
    breaks_in_take_ = true;
    change([] {});
  }

  std::optional<std::uint64_t> length() const noexcept override { return length_; }
  void begin(std::weak_ptr<BodyWaker> waker, std::shared_ptr<BufferBudget>) noexcept override {
    const std::lock_guard lock(mutex_);
    waker_ = std::move(waker);
  }
  std::optional<Part> take(std::span<char> buffer) noexcept override {
    const std::lock_guard lock(mutex_);
    if (breaks_in_take_) is_broken_ = true;
    if (is_broken_) return std::nullopt;
    const auto size = content_.copy(buffer.data(), buffer.size());
    content_.erase(0, size);
    return Part{size, content_.empty() && is_closed_};
  }
  bool may_wait() noexcept override {
    if (must_not_wait) is_broken_ = true;
    return !is_broken_;
  }
  bool is_broken() const noexcept override { return is_broken_; }
  std::string_view heartbeat() const noexcept override {
    ++heartbeats;
    return text_;
  }
  std::chrono::milliseconds heartbeat_interval() const noexcept override { return heartbeat_; }
  void stop() noexcept override {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_closed_, true)) content_ += "stop";
  }
  void end(bool is_complete) noexcept override { ended = is_complete ? 1 : 0; }

  std::atomic<int> ended{-1};
  mutable std::atomic<int> heartbeats{0};  ///< asked for
  std::atomic<bool> must_not_wait{false};

 private:
  template <class Change>
  void change(const Change& apply) {
    std::shared_ptr<BodyWaker> waker;
    {
      const std::lock_guard lock(mutex_);
      apply();
      waker = waker_.lock();
    }
    if (waker) waker->wake();
  }

  const std::chrono::milliseconds heartbeat_;
  const std::string_view text_;
  const std::optional<std::uint64_t> length_;
  std::atomic<bool> is_broken_{false};
  std::atomic<bool> breaks_in_take_{false};
  std::mutex mutex_;
  std::string content_;
  bool is_closed_ = false;
  std::weak_ptr<BodyWaker> waker_;
};

/// A body that always has something.
class EndlessBody : public Body {
 public:
  std::optional<Part> take(std::span<char> buffer) noexcept override {
    std::ranges::fill(buffer, 'x');
    ++taken;
    return Part{buffer.size(), false};
  }
  bool may_wait() noexcept override {
    ++blocked;
    return true;
  }

  std::atomic<int> taken{0};    ///< parts
  std::atomic<int> blocked{0};  ///< how often the client has accepted nothing more
};

/// A body of which so many bytes are in memory, until they are discarded.
class CountedBody final : public EndlessBody {
 public:
  explicit CountedBody(std::size_t size) : size_(size) {}

  void begin(std::weak_ptr<BodyWaker> waker,
             std::shared_ptr<BufferBudget> buffers) noexcept override {
    buffers_ = std::move(buffers);
    share_.emplace(*buffers_);
    CHECK(share_->grow(size_));
    Body::begin(std::move(waker), nullptr);
  }
  std::size_t waiting() const noexcept override { return size_; }
  void discard() noexcept override { share_->release(); }

 private:
  const std::size_t size_;
  std::shared_ptr<BufferBudget> buffers_;
  std::optional<BufferBudget::Share> share_;
};

ResponseHead head_of_stream() {
  ResponseHead head;
  head.fields.add("Content-Type", "text/event-stream");
  return head;
}

/// Sends the body to each request for "/live", and "other" to others.
TransactionHandler push(const std::shared_ptr<Body>& body) {
  return [body](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target != "/live") return respond(*transaction, "other");
    transaction->respond_pushed(head_of_stream(), body);
  };
}

constexpr std::string_view kLive = "GET /live HTTP/1.1\r\nHost: a\r\n\r\n";

/// A client of a unix socket.
FileDescriptor connect_to(const std::string& path) {
  FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
          0);
  return client;
}

/// Receives until this has come.
bool sees(Client& client, std::string_view text) {
  while (client.input().find(text) == std::string::npos) {
    if (!client.receive_more()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("adapter pushed bodies: what is added after the handler is sent at once") {
  const auto body = std::make_shared<Body>();
  Server server(push(body));
  Client client(server.port());
  body->add("before;");
  client.send(kLive);
  CHECK(sees(client, "7\r\nbefore;\r\n"));
  client.forget_input();
  body->add("after;");
  CHECK(sees(client, "6\r\nafter;\r\n"));
  CHECK(client.input() == "6\r\nafter;\r\n");
  client.forget_input();
  body->add("last");
  body->close();
  CHECK(sees(client, "0\r\n\r\n"));
  CHECK(eventually([&] { return body->ended == 1; }));
  client.forget_input();
  CHECK(client.exchange(kGet).body == "other");
}

TEST_CASE("adapter pushed bodies: a silent one has heartbeats") {
  const auto body = std::make_shared<Body>(20ms);
  Server server(push(body));
  Client client(server.port());
  client.send(kLive);
  CHECK(sees(client, "1\r\n.\r\n1\r\n.\r\n"));
  body->close();
  CHECK(sees(client, "0\r\n\r\n"));
}

TEST_CASE("adapter pushed bodies: a client that closes its connection ends them") {
  const auto body = std::make_shared<Body>();
  Server server(push(body));
  Client client(server.port());
  client.send(kLive);
  body->add("one");
  CHECK(sees(client, "one"));
  SUBCASE("by closing") { client.close(); }
  SUBCASE("by a reset") { client.reset(); }
  CHECK(eventually([&] { return body->ended == 0; }));
  Client other(server.port());
  CHECK(other.exchange(kGet).body == "other");
}

TEST_CASE("adapter pushed bodies: a client that has finished sending still receives") {
  const auto body = std::make_shared<Body>();
  Server server(push(body));
  Client client(server.port());
  client.send(kLive);
  client.end_sending();
  CHECK(sees(client, "1\r\n.\r\n"));  // whether it is there
  body->add("one");
  body->close();
  CHECK(sees(client, "one"));
  CHECK(eventually([&] { return body->ended == 1; }));
}

TEST_CASE("adapter pushed bodies: a disconnect is announced once") {
  const auto body = std::make_shared<Body>();
  std::atomic<int> disconnects{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->on_disconnect([&] { ++disconnects; });
    transaction->respond_pushed(head_of_stream(), body);
  });
  Client client(server.port());
  client.send(kLive);
  body->add("one");
  CHECK(sees(client, "one"));
  client.reset();
  CHECK(eventually([&] { return disconnects == 1 && body->ended == 0; }));
}

TEST_CASE("adapter pushed bodies: the disconnect callback from before remains") {
  const auto body = std::make_shared<Body>();
  std::atomic<int> disconnects{0};
  std::atomic<int> later{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->on_disconnect([&] { ++disconnects; });
    transaction->respond_pushed(head_of_stream(), body);
    transaction->on_disconnect([&] { ++later; });
  });
  Client client(server.port());
  client.send(kLive);
  body->add("one");
  CHECK(sees(client, "one"));
  client.reset();
  CHECK(eventually([&] { return disconnects == 1 && body->ended == 0; }));
  CHECK(later == 0);
}

TEST_CASE("adapter pushed bodies: a broken one cuts the response off") {
  const auto body = std::make_shared<Body>();
  std::atomic<int> disconnects{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->on_disconnect([&] { ++disconnects; });
    push(body)(transaction);
  });
  Client client(server.port());
  client.send(kLive);
  body->add("one");
  CHECK(sees(client, "one"));
  SUBCASE("before a part is taken") { body->cut(); }
  SUBCASE("while a part is taken") { body->cut_in_take(); }
  CHECK(!sees(client, "0\r\n\r\n"));
  CHECK(eventually([&] { return body->ended == 0 && disconnects == 1; }));
}

TEST_CASE("adapter pushed bodies: a broken one whose client reads nothing is a disconnect" *
          not_on_httplib("a client that reads a part")) {
  struct Flood final : EndlessBody {
    std::optional<Part> take(std::span<char> buffer) noexcept override {
      if (is_broken()) return std::nullopt;
      return EndlessBody::take(buffer);
    }
  };
  const auto body = std::make_shared<Flood>();
  auto options = test_options();
  options.send_timeout = 10min;  // not what ends it
  std::atomic<int> disconnects{0};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        transaction->on_disconnect([&] { ++disconnects; });
        transaction->respond_pushed(head_of_stream(), body);
      },
      options);
  Client client(server.port(), 4096);
  client.send(kLive);
  CHECK(eventually([&] { return body->blocked > 0; }));
  body->cut();
  CHECK(eventually([&] { return disconnects == 1; }));
}

TEST_CASE("adapter pushed bodies: a stop ends them completely") {
  const auto body = std::make_shared<Body>();
  Server server(push(body));
  Client client(server.port());
  client.send(kLive);
  body->add("one");
  CHECK(sees(client, "one"));
  CHECK(server.stop(1min));
  CHECK(sees(client, "4\r\nstop\r\n0\r\n\r\n"));
  CHECK(body->ended == 1);
}

TEST_CASE("adapter pushed bodies: a response without a body ends them at once") {
  const auto body = std::make_shared<Body>();
  Server server(push(body));
  Client client(server.port());
  const auto response = client.exchange("HEAD /live HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD");
  CHECK(response.field("content-type") == "text/event-stream");
  CHECK(eventually([&] { return body->ended == 0; }));
  CHECK(client.exchange(kGet).body == "other");
}

TEST_CASE("adapter pushed bodies: a client of HTTP/1.0 gets them without chunks") {
  const auto body = std::make_shared<Body>();
  Server server(push(body));
  Client client(server.port());
  client.send("GET /live HTTP/1.0\r\n\r\n");
  body->add("one");
  body->close();
  const auto response = client.read_response();
  CHECK(response.body == "one");
  CHECK(response.is_complete);
}

TEST_CASE("adapter pushed bodies: a slow reader holds a part of them, and ends after a while") {
  const auto body = std::make_shared<Body>();
  auto options = test_options();
  options.send_timeout = 200ms;
  Server server(push(body), options);
  Client client(server.port(), 4096);
  client.send(kLive);
  body->add(std::string(std::size_t{16} * 1024 * 1024, 'x'));
  CHECK(eventually([&] { return body->ended == 0; }));
}

TEST_CASE("adapter pushed bodies: one that must not wait for its client is cut off" *
          not_on_httplib("event streams")) {
  const auto body = std::make_shared<Body>();
  body->must_not_wait = true;
  auto options = test_options();
  options.send_timeout = 10min;  // not what ends it
  Server server(push(body), options);
  Client client(server.port(), 4096);
  client.send(kLive);
  body->add("small");
  CHECK(sees(client, "small"));
  CHECK(body->ended == -1);
  body->add(std::string(std::size_t{16} * 1024 * 1024, 'x'));
  CHECK(eventually([&] { return body->ended == 0; }));
}

TEST_CASE("adapter pushed bodies: one that is cut off ends on a full unix socket, too" *
          not_on_httplib("event streams")) {
  const fairway::test::TemporaryDirectory directory;
  const auto body = std::make_shared<Body>();
  auto options = test_options();
  options.tls = nullptr;
  options.send_timeout = 10min;
  options.unix_socket = directory.path().string() + "/front.sock";
  Server server(push(body), options);
  const FileDescriptor client = connect_to(options.unix_socket);
  REQUIRE(::send(client.get(), kLive.data(), kLive.size(), MSG_NOSIGNAL) > 0);
  SUBCASE("because it must not wait for its client") {
    body->must_not_wait = true;
    body->add(std::string(std::size_t{16} * 1024 * 1024, 'x'));
  }
  SUBCASE("by its application") {
    body->add(std::string(std::size_t{16} * 1024 * 1024, 'x'));
    body->cut();
  }
  CHECK(eventually([&] { return body->ended == 0; }));
  CHECK(server.stop(1min));
}

TEST_CASE("adapter pushed bodies: one without a heartbeat is silent") {
  const auto body = std::make_shared<Body>(20ms, "");
  Server server(push(body));
  Client client(server.port());
  client.send(kLive);
  body->add("one");
  CHECK(sees(client, "one\r\n"));
  client.forget_input();
  client.end_sending();
  CHECK(eventually([&] { return body->heartbeats > 2; }));
  body->add("two");
  CHECK(sees(client, "two\r\n"));
  CHECK(client.input() == "3\r\ntwo\r\n");
  body->close();
  CHECK(sees(client, "0\r\n\r\n"));
}

TEST_CASE("adapter pushed bodies: a known length is announced, and kept") {
  const auto body = std::make_shared<Body>(60s, "", 6);
  Server server(push(body));
  Client client(server.port());
  client.send(kLive);
  body->add("one");
  CHECK(sees(client, "one"));
  SUBCASE("by as many bytes, without an end") {
    body->add("two");
    const auto response = client.read_response();
    CHECK(response.field("content-length") == "6");
    CHECK(response.field("transfer-encoding") == "(none)");
    CHECK(response.body == "onetwo");
    CHECK(eventually([&] { return body->ended == 1; }));
    CHECK(client.exchange(kGet).body == "other");
  }
  SUBCASE("not by fewer") {
    body->close();
    CHECK(!client.read_response().is_complete);
    CHECK(eventually([&] { return body->ended == 0; }));
  }
  SUBCASE("not by more") {
    body->add("two and more");
    CHECK(!client.read_response().is_complete);
    CHECK(eventually([&] { return body->ended == 0; }));
  }
  SUBCASE("for HEAD") {
    Client other(server.port());
    const auto head = other.exchange("HEAD /live HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD");
    CHECK(head.field("content-length") == "6");
    CHECK(other.exchange(kGet).body == "other");
  }
}

TEST_CASE("adapter pushed bodies: the minimum data rate applies across parts that follow at once" *
          not_on_httplib("a slow client")) {
  const auto body = std::make_shared<EndlessBody>();
  auto options = test_options();
  options.min_data_rate = {.bytes_per_second = 1'000'000'000, .grace = 300ms};
  Server server(push(body), options);
  Client client(server.port(), 4096);
  client.send(kLive);
  // The client receives only when the server waits for it, and then a part, which is in time: what
  // counts is the sum of its pauses.
  int seen = 0;
  CHECK(eventually([&] {
    if (const int blocked = body->blocked; blocked > seen) {
      seen = blocked;
      const int taken = body->taken;
      std::this_thread::sleep_for(30ms);
      while (body->taken == taken && client.receive_more()) client.forget_input();
    }
    return body->ended == 0;
  }));
}

TEST_CASE("adapter pushed bodies: one that is ended for memory is announced, on unix sockets, too" *
          not_on_httplib("memory for bodies and responses")) {
  const fairway::test::TemporaryDirectory directory;
  auto options = test_options();
  options.send_timeout = 10min;  // not what ends them
  options.max_buffered_bytes = std::size_t{1024} * 1024;
  SUBCASE("TCP") {}
  SUBCASE("unix") {
    options.tls = nullptr;
    options.unix_socket = directory.path().string() + "/front.sock";
  }
  std::atomic<int> disconnects{0};
  std::mutex mutex;
  std::vector<std::shared_ptr<Body>> bodies;
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        const auto body = std::make_shared<CountedBody>(std::size_t{300} * 1024);
        {
          const std::lock_guard lock(mutex);
          bodies.push_back(body);
        }
        transaction->on_disconnect([&] { ++disconnects; });
        transaction->respond_pushed(head_of_stream(), body);
      },
      options);
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<FileDescriptor> local;
  for (int i = 0; i < 3; ++i) {
    if (options.unix_socket.empty()) {
      clients.push_back(std::make_unique<Client>(server.port(), 4096));
      clients.back()->send(kLive);
    } else {
      local.push_back(connect_to(options.unix_socket));
      REQUIRE(::send(local.back().get(), kLive.data(), kLive.size(), MSG_NOSIGNAL) > 0);
    }
  }
  const auto ended = [&] {
    const std::lock_guard lock(mutex);
    return std::ranges::count_if(bodies, [](const auto& body) { return body->ended == 0; });
  };
  CHECK(eventually([&] { return ended() > 0; }));
  // Before the client closes its side.
  CHECK(eventually([&] { return disconnects >= ended(); }));
}

TEST_CASE("adapter pushed bodies: what is freed for memory counts before others are ended" *
          not_on_httplib("memory for bodies and responses")) {
  constexpr std::size_t kEach = 300 * 1024;
  constexpr std::size_t kMuch = std::size_t{8} * 1024 * 1024;  // more than the sockets keep
  auto options = test_options();
  options.send_timeout = 10min;  // not what ends them
  options.max_buffered_bytes = std::size_t{1024} * 1024;
  std::mutex mutex;
  std::vector<std::shared_ptr<Body>> bodies;
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        const auto body = std::make_shared<CountedBody>(kEach);
        {
          const std::lock_guard lock(mutex);
          bodies.push_back(body);
        }
        transaction->respond_pushed(head_of_stream(), body);
      },
      options);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<Client>(server.port(), 4096));
    clients.back()->send(kLive);
  }
  const auto ended = [&] {
    const std::lock_guard lock(mutex);
    return std::ranges::count_if(bodies, [](const auto& body) { return body->ended == 0; });
  };
  // Three quarters of the memory are in use; without two of them, it is less than a half.
  CHECK(eventually([&] { return ended() > 0; }));
  CHECK(std::ranges::any_of(clients, [](const auto& client) {
    std::size_t received = 0;
    while (received < kMuch && client->receive_more()) {
      received += client->input().size();
      client->forget_input();
    }
    return received >= kMuch;
  }));
}

TEST_CASE("adapter pushed bodies: clients that leave while there is more leave nothing" *
          not_on_httplib("a client that reads a part")) {
  constexpr int kClients = 60;
  // A body that owns its transaction, as the body of a proxied response does.
  struct OwningBody final : EndlessBody {
    explicit OwningBody(std::atomic<int>& count) : left(count) { ++left; }
    ~OwningBody() override { --left; }
    std::atomic<int>& left;
    std::shared_ptr<Transaction> transaction;
  };
  std::atomic<int> left{0};
  std::atomic<int> opened{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    const auto body = std::make_shared<OwningBody>(left);
    body->transaction = transaction;
    transaction->respond_pushed(head_of_stream(), body);
    ++opened;
  });
  for (int i = 0; i < kClients; ++i) {
    Client client(server.port());
    client.send(kLive);
    while (client.input().size() < 200'000 && client.receive_more()) {
    }
  }
  CHECK(opened == kClients);
  CHECK(eventually([&] { return left == 0; }));
}

TEST_CASE("adapter pushed bodies: open ones need no threads" * not_on_httplib("event streams")) {
  constexpr int kStreams = 1000;
  std::mutex mutex;
  std::vector<std::shared_ptr<Body>> bodies;
  auto options = test_options();
  options.min_workers = options.max_workers = 4;
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        const auto body = std::make_shared<Body>();
        transaction->respond_pushed(head_of_stream(), body);
        const std::lock_guard lock(mutex);
        bodies.push_back(body);
      },
      options);
  Client first(server.port());
  first.send(kLive);
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return bodies.size();
  };
  CHECK(eventually([&] { return count() == 1; }));
  const auto threads = thread_count();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_unique<Client>(server.port(), 4096));
    clients.back()->send(kLive);
  }
  CHECK(eventually([&] { return count() == kStreams + 1; }));
  CHECK(thread_count() <= threads);
  for (const auto& body : bodies) body->add("event");
  for (const auto& client : clients) CHECK(sees(*client, "event"));
}

}  // namespace adapter_pushed_test
