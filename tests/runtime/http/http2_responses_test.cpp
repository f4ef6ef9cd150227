// Responses of HTTP/2 in the epoll engine: bodies, order, failures, and cancellation.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http2_server.hpp"

namespace http2_responses_test {

using namespace fw::http;
using namespace fw::http::test;

TEST_CASE("http2: HEAD, 204 and 304 have no body") {
  auto server = serve_http2([](const std::shared_ptr<Transaction>& transaction) {
    const auto target = std::string_view(transaction->head().target).substr(1);
    respond(*transaction, "body", target.empty() ? 200 : std::stoi(std::string(target)));
  });
  Http2Client client(server.port());
  const auto head = client.wait(client.begin("HEAD", "/"));
  CHECK(head.body.empty());
  CHECK(head.field("content-length") == "4");
  for (const char* path : {"/204", "/304"}) {
    const auto response = client.exchange(path);
    CHECK(response.is_complete);
    CHECK(response.body.empty());
    CHECK(response.field("content-length") == "(none)");
  }
}

TEST_CASE("http2: fields of HTTP/1.1 connections are not sent") {
  auto server = serve_http2([](const std::shared_ptr<Transaction>& transaction) {
    ResponseHead head;
    head.fields = {
        {"Connection", "close"},          {"Keep-Alive", "timeout=5"},   {"Upgrade", "x"},
        {"Transfer-Encoding", "chunked"}, {"Proxy-Connection", "close"}, {"X-Mixed-Case", "Kept"}};
    transaction->respond(head, "body");
  });
  Http2Client client(server.port());
  const auto response = client.exchange("/");
  CHECK(response.body == "body");
  std::vector<std::string> names;
  for (const auto& field : response.fields) names.emplace_back(field.name);
  CHECK(names == std::vector<std::string>{"x-mixed-case", "date", "content-length"});
}

TEST_CASE("http2: streamed responses follow the windows of the client") {
  std::atomic<std::size_t> produced = 0;
  std::atomic<int> ended = 0;
  auto server = serve_http2([&](const std::shared_ptr<Transaction>& transaction) {
    auto produce = [&, left = std::size_t{1'000'000}](std::span<char> buffer) mutable {
      const auto size = std::min(left, buffer.size());
      std::fill_n(buffer.data(), size, 'x');
      left -= size;
      produced += size;
      return size;
    };
    transaction->respond_stream({}, std::nullopt, produce,
                                [&](const std::exception_ptr& error) { ended += error ? 100 : 1; });
  });
  Http2Client client(server.port(), {.reads_automatically = false});
  const auto stream = client.get("/");
  REQUIRE(client.receive_until([&] { return client.response(stream).body.size() == 65'535; }));
  CHECK(produced <= 2 * 65'536);
  CHECK(ended == 0);
  client.enlarge_window(0, 2'000'000);
  client.enlarge_window(stream, 2'000'000);
  CHECK(client.wait(stream).body.size() == 1'000'000);
  CHECK(client.response(stream).is_complete);
  CHECK(eventually([&] { return ended == 1; }));
}

TEST_CASE("http2: a stream that fails resets its stream only") {
  std::atomic<int> errors = 0;
  auto server = serve_http2([&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/") return respond(*transaction, "fine");
    const bool throws = transaction->head().target == "/throws";
    auto produce = [throws, count = 0](std::span<char> buffer) mutable -> std::size_t {
      if (count++ == 0) {
        buffer[0] = 'x';
        return 1;
      }
      if (throws) throw std::runtime_error("the source fails");
      return 0;
    };
    transaction->respond_stream({}, throws ? std::optional<std::uint64_t>() : 10, produce,
                                [&](const std::exception_ptr& error) { errors += error ? 1 : 0; });
  });
  Http2Client client(server.port());
  for (const char* path : {"/throws", "/short"}) {
    const auto stream = client.get(path);
    client.receive_until([&] { return client.response(stream).is_closed; });
    CHECK(client.response(stream).reset == kInternalError);
  }
  CHECK(client.exchange("/").body == "fine");
  CHECK(eventually([&] { return errors == 1; }));
}

TEST_CASE("http2: a canceled request notifies its handler") {
  std::atomic<int> running = 0;
  std::atomic<int> notified = 0;
  Gate gate;
  auto server = serve_http2([&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/") return respond(*transaction, "other");
    transaction->on_disconnect([&] { ++notified; });
    ++running;
    gate.wait();
    respond(*transaction, "too late");
  });
  const OpensAtEnd opens(gate);
  Http2Client client(server.port());
  const auto stream = client.get("/canceled");
  REQUIRE(eventually([&] { return running == 1; }));
  client.cancel(stream);
  CHECK(eventually([&] { return notified == 1; }));
  CHECK(client.exchange("/").body == "other");
  const auto lost = client.get("/lost");
  static_cast<void>(lost);
  REQUIRE(eventually([&] { return running == 2; }));
  client.close();  // the whole connection
  CHECK(eventually([&] { return notified == 2; }));
}

TEST_CASE("http2: a stream whose client cancels it is not produced further") {
  std::atomic<int> ended = 0;
  auto server = serve_http2([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->respond_stream(
        {}, std::nullopt, [](std::span<char> buffer) { return buffer.size(); },
        [&](const std::exception_ptr&) { ++ended; });
  });
  Http2Client client(server.port());
  const auto stream = client.get("/");
  REQUIRE(client.receive_until([&] { return client.response(stream).body.size() > 200'000; }));
  client.cancel(stream);
  CHECK(eventually([&] { return ended == 1; }));
}

TEST_CASE("http2: a client that gives no window is reset after the send timeout") {
  auto options = http2_options();
  options.send_timeout = 100ms;
  auto server = serve_http2(
      [](const std::shared_ptr<Transaction>& transaction) {
        respond(*transaction, std::string(200'000, 'x'));
      },
      std::move(options));
  // On a busy machine, the server may be late with the whole window.
  CHECK(eventually([&] {
    Http2Client client(server.port(), {.reads_automatically = false});
    const auto stream = client.get("/");
    client.receive_until([&] { return client.response(stream).is_closed; });
    CHECK(client.response(stream).reset == kCancel);
    return client.response(stream).body.size() == 65'535;
  }));
}

namespace {

/// A server with one worker. GET /block occupies it; /stream takes time to produce, and so does
/// /long, which occupies it with its second part.
class OneWorker {
 public:
  static constexpr std::size_t kParts = 10;
  static constexpr std::int32_t kEnough = 1 << 20;  ///< a window for all parts

  explicit OneWorker(AdapterOptions options = http2_options())
      : server_([this](const auto& transaction) { handle(transaction); }, one_worker(options),
                make_epoll_adapter()) {}

  std::uint16_t port() const { return server_.port(); }

  /// A stream that waits for its window.
  std::int32_t begin_stream(Http2Client& client) {
    const auto stream = client.get("/stream");
    REQUIRE(client.receive_until([&] { return client.response(stream).body.size() == 65'535; }));
    std::size_t before = 0;
    REQUIRE(eventually([&] {
      std::this_thread::sleep_for(20ms);
      return std::exchange(before, produced_.load()) == produced_;
    }));
    return stream;
  }
  void block(Http2Client& client) {
    client.get("/block");
    REQUIRE(eventually([&] { return is_blocked_.load(); }));
  }
  void unblock() { gate_.open(); }
  /// Begins /long and then /stream, up to the second part, which the worker produces for /long
  /// while it is due for /stream.
  std::pair<std::int32_t, std::int32_t> begin_both(Http2Client& occupying, Http2Client& waiting,
                                                   Http2Client& blocking) {
    const auto first = occupying.get("/long");
    const auto second = waiting.get("/stream");
    occupying.receive_until([&] { return occupying.response(first).body.size() == 100; });
    waiting.receive_until([&] { return waiting.response(second).body.size() == 100; });
    block(blocking);
    // For the rest of the first part, and the beginning of the second.
    for (Http2Client* const client : {&occupying, &waiting}) {
      client->hold();
      client->enlarge_window(0, kEnough);
      client->enlarge_window(client == &occupying ? first : second, 70'000);
      client->send_held();
    }
    unblock();
    return {first, second};
  }
  bool is_occupied() const { return is_occupied_; }
  /// Parts of /stream.
  std::size_t produced_of_stream() const { return produced_of_stream_; }
  /// The parts that were produced between /block and /other.
  std::size_t produced_between() const { return at_other_ - at_block_; }

 private:
  static AdapterOptions one_worker(AdapterOptions options) {
    options.min_workers = options.max_workers = 1;
    return options;
  }
  void handle(const std::shared_ptr<Transaction>& transaction) {
    const std::string& target = transaction->head().target;
    if (target == "/stream" || target == "/long") {
      const auto produce = [this, is_long = target == "/long",
                            part = std::size_t{0}](std::span<char> buffer) mutable -> std::size_t {
        if (part == 0) std::this_thread::sleep_for(20ms);
        if (part == 1 && is_long) {
          is_occupied_ = true;
          std::this_thread::sleep_for(1500ms);
        }
        std::ranges::fill(buffer, 'x');
        ++produced_;
        if (!is_long) ++produced_of_stream_;
        return ++part < kParts ? buffer.size() : 0;
      };
      transaction->respond_stream({}, std::nullopt, produce, {});
      return;
    }
    if (target == "/block") {
      at_block_ = produced_.load();
      is_blocked_ = true;
      gate_.wait();
    } else if (target == "/other") {
      at_other_ = produced_.load();
    }
    respond(*transaction, "done");
  }

  std::atomic<std::size_t> produced_{0};
  std::atomic<std::size_t> produced_of_stream_{0};
  std::atomic<bool> is_occupied_{false};
  std::atomic<std::size_t> at_block_{0};
  std::atomic<std::size_t> at_other_{0};
  std::atomic<bool> is_blocked_{false};
  Gate gate_;
  Server server_;
  const OpensAtEnd opener_{gate_};  // before the server stops
};

}  // namespace

TEST_CASE("http2: a stream that takes time to produce comes after events of other connections") {
  OneWorker server;
  Http2Client client(server.port(), {.reads_automatically = false});
  Http2Client blocking(server.port());
  Http2Client other(server.port());
  REQUIRE(other.exchange("/").body == "done");
  const auto stream = server.begin_stream(client);
  server.block(blocking);
  // The event of this client comes first.
  client.enlarge_window(0, OneWorker::kEnough);
  client.enlarge_window(stream, OneWorker::kEnough);
  std::int32_t quick = 0;
  SUBCASE("alone") {}
  SUBCASE("beside a request of the same connection") { quick = client.get("/"); }
  std::this_thread::sleep_for(50ms);
  const auto request = other.get("/other");
  std::this_thread::sleep_for(50ms);
  server.unblock();
  CHECK(other.wait(request).body == "done");
  CHECK(server.produced_between() == 0);
  if (quick != 0) CHECK(client.wait(quick).body == "done");
  CHECK(client.wait(stream).is_complete);
}

TEST_CASE("http2: the wait for a worker is not counted as the client's delay") {
  auto options = http2_options();
  options.headers_timeout = 400ms;  // connections are checked every 50 ms
  options.min_data_rate = {.bytes_per_second = 1'000'000, .grace = 1s};
  // On a busy machine, the client may be too slow, too.
  CHECK(eventually([&] {
    OneWorker server(options);
    Http2Client first(server.port(), {.reads_automatically = false, .window = 100});
    Http2Client second(server.port(), {.reads_automatically = false, .window = 100});
    Http2Client blocking(server.port());
    const auto waiting = server.begin_both(first, second, blocking).second;
    std::this_thread::sleep_for(1800ms);
    second.enlarge_window(waiting, OneWorker::kEnough);
    return second.wait(waiting).is_complete;
  }));
}

TEST_CASE("http2: a part is not produced for a stream that is canceled while it waits") {
  // The worker may take the streams in another order now and then.
  CHECK(eventually([&] {
    OneWorker server;
    const Http2ClientOptions slow{.reads_automatically = false, .window = 100};
    Http2Client first(server.port(), slow);
    Http2Client second(server.port(), slow);
    Http2Client blocking(server.port());
    const auto [occupying, waiting] = server.begin_both(first, second, blocking);
    REQUIRE(eventually([&] { return server.is_occupied(); }));
    second.cancel(waiting);
    // Its next part comes after the one of the other stream.
    first.enlarge_window(occupying, OneWorker::kEnough);
    CHECK(first.wait(occupying).is_complete);
    return server.produced_of_stream() == 1;
  }));
}

TEST_CASE("http2: a large response shares the connection with others of its urgency") {
  constexpr std::size_t kLarge = 8 * 1024 * 1024;
  auto server = serve_http2([](const std::shared_ptr<Transaction>& transaction) {
    const bool is_large = transaction->head().target == "/large";
    respond(*transaction, std::string(is_large ? kLarge : 50'000, 'x'));
  });
  struct Case {
    std::optional<std::uint32_t> no_old_priorities;
    Fields large;
    Fields small;
  };
  // By RFC 9218, responses are not incremental by default.
  const std::vector<Case> cases = {
      {std::nullopt, {}, {}},
      {0, {}, {}},
      {1, {}, {}},
      {1, {{"priority", "u=5"}}, {{"priority", "i, u=5"}}},
      {1, {{"priority", "i"}}, {}},
  };
  for (const Case& each : cases) {
    CAPTURE(each.no_old_priorities.value_or(99));
    CAPTURE(each.large.size());
    Http2Client client(server.port(), {.reads_automatically = false,
                                       .window = 2 * kLarge,
                                       .no_old_priorities = each.no_old_priorities});
    const auto large = client.begin("GET", "/large", each.large);
    // The window of the connection stops both, so that the order of frames depends on nothing else.
    REQUIRE(client.receive_until([&] { return client.response(large).body.size() == 65'535; }));
    const auto small = client.begin("GET", "/small", each.small);
    REQUIRE(client.receive_until([&] { return client.response(small).has_head; }));
    client.enlarge_window(0, 2 * kLarge);
    CHECK(client.wait(small).body.size() == 50'000);
    CHECK(client.response(large).body.size() <= 512 * 1024);
    CHECK(client.wait(large).body.size() == kLarge);
  }
}

TEST_CASE("http2: a more urgent response is sent before a large one") {
  constexpr std::size_t kLarge = 8 * 1024 * 1024;
  auto server = serve_http2([](const std::shared_ptr<Transaction>& transaction) {
    respond(*transaction, std::string(kLarge, 'x'));
  });
  Http2Client client(server.port(),
                     {.reads_automatically = false, .window = 2 * kLarge, .no_old_priorities = 1});
  const auto later = client.begin("GET", "/", {{"priority", "u=6"}});
  REQUIRE(client.receive_until([&] { return client.response(later).body.size() == 65'535; }));
  // Until it is large enough to take turns, and then has its urgency still.
  client.enlarge_window(0, 512 * 1024);
  REQUIRE(client.receive_until([&] { return client.response(later).body.size() >= 512 * 1024; }));
  const auto before = client.response(later).body.size();
  const auto sooner = client.begin("GET", "/", {{"priority", "u=5"}});
  REQUIRE(client.receive_until([&] { return client.response(sooner).has_head; }));
  client.enlarge_window(0, 4 * kLarge);
  CHECK(client.wait(sooner).body.size() == kLarge);
  CHECK(client.response(later).body.size() <= before + 64 * 1024);
  CHECK(client.wait(later).body.size() == kLarge);
}

TEST_CASE("http2: other threads respond") {
  std::vector<std::thread> threads;
  std::mutex mutex;
  {
    auto server = serve_http2([&](const std::shared_ptr<Transaction>& transaction) {
      const std::lock_guard lock(mutex);
      threads.emplace_back([transaction] { respond(*transaction, "from a thread"); });
      while (!transaction->has_response()) std::this_thread::yield();
    });
    Http2Client client(server.port());
    std::vector<std::int32_t> streams;
    for (int i = 0; i < 50; ++i) streams.push_back(client.get("/"));
    for (const auto stream : streams) CHECK(client.wait(stream).body == "from a thread");
  }
  for (auto& thread : threads) thread.join();
}

TEST_CASE("http2: a handler that sends no response or throws gives an error") {
  auto server = serve_http2([](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/throws") throw std::runtime_error("failed");
  });
  Http2Client client(server.port());
  CHECK(client.exchange("/").status == 500);
  CHECK(client.exchange("/throws").status == 500);
}

}  // namespace http2_responses_test
