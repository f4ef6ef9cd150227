// Who may respond, how often, and streamed responses.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <future>

#include "engines.hpp"
#include "server_connections.hpp"

namespace adapter_responses_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

constexpr std::string_view kGet10 = "GET / HTTP/1.0\r\n\r\n";

/// Produces `pieces` times "piece".
BodyProducer pieces(int count) {
  return [count](std::span<char> buffer) mutable -> std::size_t {
    if (count-- == 0) return 0;
    std::memcpy(buffer.data(), "piece", 5);
    return 5;
  };
}

std::size_t endless(std::span<char> buffer) {
  std::memset(buffer.data(), 'y', buffer.size());
  return buffer.size();
}

}  // namespace

TEST_CASE("adapter responses: the first response wins") {
  std::atomic<int> accepted{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    CHECK_FALSE(transaction->has_response());
    accepted += transaction->respond({201, {}}, "first");
    CHECK(transaction->has_response());
    accepted += transaction->respond({}, "second");
    accepted +=
        transaction->respond_stream({}, std::nullopt, pieces(1), [&](const auto&) { ++accepted; });
  });
  Client client(server.port());
  CHECK(client.exchange(kGet).body == "first");
  CHECK(client.exchange(kGet).status == 201);
  CHECK(eventually([&] { return accepted == 2; }));
}

TEST_CASE("adapter responses: a response of another thread is sent while the handler blocks") {
  Gate gate;
  std::atomic<bool> late_response{true};
  std::promise<std::shared_ptr<Transaction>> started;
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target != "/") return respond(*transaction, "next");
    started.set_value(transaction);
    gate.wait();
    late_response = transaction->respond({}, "late");
  });
  const OpensAtEnd opener(gate);
  Client client(server.port());
  client.send(kGet);
  respond(*started.get_future().get(), "deadline", 504);
  const auto first = client.read_response();
  CHECK(first.status == 504);
  CHECK(first.body == "deadline");
  constexpr std::string_view kNext = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
  if (first.field("connection") == "close") {
    CHECK(Client(server.port()).exchange(kNext).body == "next");
  } else {
    CHECK(client.exchange(kNext).body == "next");
  }
  gate.open();
  CHECK(eventually([&] { return !late_response; }));
}

TEST_CASE("adapter responses: the next request is served while the last handler blocks" *
          not_on_httplib("`timeout` of a route")) {
  Gate gate;
  std::promise<std::shared_ptr<Transaction>> started;
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target != "/first") return respond(*transaction, "next");
    started.set_value(transaction);
    gate.wait();
  });
  const OpensAtEnd opener(gate);
  Client client(server.port());
  client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(kGet));
  respond(*started.get_future().get(), "deadline", 504);
  const auto first = client.read_response();
  CHECK(first.status == 504);
  CHECK(first.field("connection") == "(none)");
  // With what was pipelined and with what comes later.
  CHECK(client.read_response().body == "next");
  CHECK(client.exchange(kGet).body == "next");
  gate.open();
  CHECK(client.exchange(kGet).body == "next");
}

TEST_CASE("adapter responses: two threads race to respond to each request") {
  std::atomic<int> won{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    auto other = std::async(std::launch::async,
                            [&won, transaction] { won += transaction->respond({}, "b"); });
    won += transaction->respond({}, "a");
  });
  auto client = std::make_unique<Client>(server.port());
  for (int i = 0; i < 200; ++i) {
    const auto response = client->exchange(kGet);
    REQUIRE(response.status == 200);
    if (response.field("connection") != "close") continue;
    CHECK(client->sees_end());
    client = std::make_unique<Client>(server.port());
  }
  CHECK(eventually([&] { return won == 200; }));
}

TEST_CASE("adapter responses: the transaction can outlive handler, connection and adapter") {
  std::shared_ptr<Transaction> kept;
  {
    Server server([&](const std::shared_ptr<Transaction>& transaction) {
      kept = transaction;
      respond(*transaction, "ok");
    });
    Client client(server.port());
    CHECK(client.exchange(kGet).body == "ok");
    CHECK(eventually([&] { return kept != nullptr; }));
  }
  CHECK(kept->head().target == "/");
  CHECK_FALSE(kept->respond({}, "late"));
  std::string body;
  CHECK(kept->read_body(10, body) == BodyStatus::complete);
}

TEST_CASE("adapter responses: a handler that sends no response or throws gives an error") {
  Server server([](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/throw") throw std::runtime_error("oops");
  });
  Client client(server.port());
  CHECK(client.exchange(kGet).body == "error: the handler sent no response");
  CHECK(client.exchange("GET /throw HTTP/1.1\r\nHost: a\r\n\r\n").status == 500);
}

TEST_CASE("adapter responses: after an invalid response another one can be sent") {
  Server server([](const std::shared_ptr<Transaction>& transaction) {
    CHECK_THROWS_AS(transaction->respond({200, {{"X", "a\r\nb"}}}, ""), std::invalid_argument);
    respond(*transaction, "fine");
  });
  Client client(server.port());
  CHECK(client.exchange(kGet).body == "fine");
}

TEST_CASE("adapter responses: a large body to a slow client occupies no worker" *
          not_on_httplib("a slow client")) {
  auto options = test_options();
  options.send_timeout = 10min;  // one client reads after the other
  options.min_workers = 1;
  options.max_workers = 1;
  const std::string large(20 * 1024 * 1024, 'x');
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) { respond(*transaction, large); },
      options);
  Client slow(server.port(), 4096);
  slow.send(std::string(kGet) + std::string(kGet10));
  Client other(server.port());
  CHECK(other.exchange(kGet).body.size() == large.size());
  CHECK(slow.read_response().body == large);
  CHECK(slow.read_response().body.size() == large.size());
  CHECK(slow.sees_end());
}

TEST_CASE("adapter responses: a client that never reads is disconnected") {
  auto options = test_options();
  options.send_timeout = 100ms;
  const std::string large(20 * 1024 * 1024, 'x');
  std::atomic<int> ended{0};
  std::atomic<int> detected{0};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/") {
          respond(*transaction, large);
        } else {
          transaction->on_disconnect([&] { ++detected; });
          transaction->respond_stream({}, std::nullopt, endless, [&](const auto& error) {
            CHECK_FALSE(error);
            ++ended;
          });
        }
      },
      options);
  Client whole(server.port(), 4096);
  whole.send(kGet);
  Client streamed(server.port(), 4096);
  streamed.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(eventually([&] { return ended == 1 && detected == 1; }));
  CHECK(eventually([&] {
    const ServerConnections connections(server.port());
    return connections.open + connections.left == 0;
  }));
  CHECK_FALSE(whole.read_response().is_complete);
  CHECK_FALSE(streamed.read_response().is_complete);
}

TEST_CASE("adapter responses: streams are chunked or have a length") {
  Server server([](const std::shared_ptr<Transaction>& transaction) {
    const bool known = transaction->head().target == "/known";
    transaction->respond_stream({200, {{"X", "1"}}},
                                known ? std::optional<std::uint64_t>(15) : std::nullopt, pieces(3),
                                {});
  });
  Client client(server.port());
  const auto chunked = client.exchange(kGet);
  CHECK(chunked.body == "piecepiecepiece");
  CHECK(chunked.field("transfer-encoding") == "chunked");
  CHECK(chunked.field("content-length") == "(none)");
  const auto known = client.exchange("GET /known HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(known.body == "piecepiecepiece");
  CHECK(known.field("content-length") == "15");
  const auto head = client.exchange("HEAD /known HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD");
  CHECK(head.field("content-length") == "15");
  // A client of HTTP/1.0 knows no chunks: the end of the connection is the end of the body.
  const auto old = client.exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(announces_end(old));
  CHECK(old.body == "piecepiecepiece");
  CHECK(old.is_complete);
}

TEST_CASE("adapter responses: a stream is sent while it is produced") {
  Gate gate;
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    const auto produce = [&, calls = 0](std::span<char> buffer) mutable -> std::size_t {
      if (++calls == 2) gate.wait();
      buffer[0] = 'x';
      return calls < 3 ? 1 : 0;
    };
    transaction->respond_stream({}, std::nullopt, produce, {});
  });
  const OpensAtEnd opener(gate);
  Client client(server.port());
  client.send(kGet);
  while (client.input().find("1\r\nx\r\n") == std::string::npos) REQUIRE(client.receive_more());
  gate.open();
  CHECK(client.read_response().body == "xx");
}

TEST_CASE("adapter responses: a producer that throws or ends early closes the connection") {
  std::atomic<int> thrown{0};
  std::atomic<int> detected{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->on_disconnect([&] { ++detected; });
    if (transaction->head().target == "/short") {
      transaction->respond_stream({}, 100, pieces(2), {});
      return;
    }
    const auto produce = [source = pieces(2)](std::span<char> buffer) {
      const auto size = source(buffer);
      if (size == 0) throw std::runtime_error("the source is gone");
      return size;
    };
    transaction->respond_stream({}, std::nullopt, produce, [&](const std::exception_ptr& error) {
      CHECK_THROWS_WITH_AS(std::rethrow_exception(error), "the source is gone", std::runtime_error);
      ++thrown;
    });
  });
  Client chunked(server.port());
  const auto response = chunked.exchange(kGet);
  CHECK(response.body == "piecepiece");
  CHECK_FALSE(response.is_complete);
  CHECK_FALSE(Client(server.port()).exchange("GET /short HTTP/1.1\r\nHost: a\r\n\r\n").is_complete);
  CHECK_FALSE(Client(server.port()).exchange(kGet10).is_complete);
  CHECK(eventually([&] { return thrown == 2; }));
  CHECK(eventually([&] { return detected == 3; }));
}

TEST_CASE("adapter responses: streams to slow clients occupy no worker" *
          not_on_httplib("a slow client")) {
  auto options = test_options();
  options.send_timeout = 10min;  // one client reads after the other
  options.min_workers = 1;
  options.max_workers = 1;
  constexpr std::size_t kSize = 20 * 1024 * 1024;
  std::atomic<int> ended{0};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/other") return echo_target(transaction);
        const auto produce = [left = kSize](std::span<char> buffer) mutable {
          const auto size = std::min(left, buffer.size());
          std::memset(buffer.data(), 'y', size);
          left -= size;
          return size;
        };
        transaction->respond_stream({}, std::nullopt, produce, [&](const auto&) { ++ended; });
      },
      options);
  std::deque<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(server.port(), 4096).send(std::string(kGet) + std::string(kGet10));
  }
  Client other(server.port());
  CHECK(other.exchange("GET /other HTTP/1.1\r\nHost: a\r\n\r\n").body == "GET /other");
  CHECK(ended == 0);
  for (auto& client : clients) {
    CHECK(client.read_response().body == std::string(kSize, 'y'));
    CHECK(client.read_response().body.size() == kSize);
    CHECK(client.sees_end());
  }
  CHECK(eventually([&] { return ended == 6; }));
}

TEST_CASE("adapter responses: streams whose clients receive quickly end with a stop") {
  constexpr int kClients = 8;
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  const auto owned = std::make_shared<int>(0);
  std::vector<std::thread> clients;
  {
    Server server([&](const std::shared_ptr<Transaction>& transaction) {
      const auto produce = [owned](std::span<char> buffer) { return endless(buffer); };
      transaction->respond_stream({}, std::nullopt, produce, [&](const auto&) { ++ended; });
      ++begun;
    });
    for (int i = 0; i < kClients; ++i) {
      clients.emplace_back([port = server.port()] {
        Client client(port);
        client.send(kGet);
        while (client.receive_more()) client.forget_input();
      });
    }
    CHECK(eventually([&] { return begun == kClients; }));
    std::this_thread::sleep_for(50ms);
    CHECK(!server.stop(20ms));
  }
  for (std::thread& client : clients) client.join();
  CHECK(ended == kClients);
  CHECK(owned.use_count() == 1);
}

TEST_CASE("adapter responses: a stream ends when the server stops or the client disconnects") {
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  std::atomic<int> detected{0};
  const auto owned = std::make_shared<int>(0);
  {
    Server server([&](const std::shared_ptr<Transaction>& transaction) {
      transaction->on_disconnect([&] { ++detected; });
      const auto produce = [owned](std::span<char> buffer) { return endless(buffer); };
      transaction->respond_stream({}, std::nullopt, produce, [&](const auto&) { ++ended; });
      ++begun;
    });
    Client gone(server.port(), 4096);
    gone.send(kGet);
    CHECK(eventually([&] { return begun == 1; }));
    gone.reset();
    CHECK(eventually([&] { return ended == 1 && detected == 1; }));
    Client waiting(server.port(), 4096);
    waiting.send(kGet);
    CHECK(eventually([&] { return begun == 2; }));
    std::this_thread::sleep_for(50ms);
    CHECK(ended == 1);
    CHECK_FALSE(server.stop(50ms));
    CHECK(eventually([&] { return ended == 2; }));
    CHECK_FALSE(waiting.read_response().is_complete);
  }
  CHECK(owned.use_count() == 1);
}

TEST_CASE("adapter responses: a stream that begins after the stop of the server ends at once") {
  Gate may_respond;
  Gate has_responded;
  std::promise<std::shared_ptr<Transaction>> started;
  std::atomic<int> ended{0};
  const auto owned = std::make_shared<int>(0);
  {
    Server server([&](const std::shared_ptr<Transaction>& transaction) {
      started.set_value(transaction);
      has_responded.wait();
    });
    const OpensAtEnd opener(has_responded);
    Client client(server.port());
    client.send(kGet);
    const auto transaction = started.get_future().get();
    std::thread responder([&] {
      may_respond.wait();
      const auto produce = [owned](std::span<char> buffer) { return endless(buffer); };
      transaction->respond_stream({}, std::nullopt, produce, [&](const auto&) { ++ended; });
    });
    CHECK_FALSE(server.stop(50ms));
    may_respond.open();
    responder.join();
    CHECK(ended == 1);
  }
  CHECK(owned.use_count() == 1);
}

TEST_CASE("adapter responses: a stream without a length that a stop cuts off ends in a reset" *
          not_on_http2("HTTP/1.0")) {
  std::atomic<bool> begun{false};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    const auto produce = [&, part = 0](std::span<char> buffer) mutable -> std::size_t {
      if (part++ > 0) std::this_thread::sleep_for(200ms);
      begun = true;
      buffer[0] = 'y';
      return 1;
    };
    transaction->respond_stream({}, std::nullopt, produce, {});
  });
  Client client(server.port());
  client.send(kGet10);
  CHECK(eventually([&] { return begun.load(); }));
  CHECK_FALSE(server.stop(10ms));
  CHECK_FALSE(client.read_response().is_complete);
  CHECK(client.was_reset());
}

TEST_CASE("adapter responses: a client sees the end of a stream before the completion callback") {
  Gate gate;
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->respond_stream({}, std::nullopt, pieces(2), [&](const auto&) { gate.wait(); });
  });
  const OpensAtEnd opener(gate);
  CHECK(Client(server.port()).exchange(kGet10).body == "piecepiece");
}

TEST_CASE("adapter responses: a stream without a receiver is not produced") {
  std::atomic<int> made{0};
  std::atomic<int> ended{0};
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    const auto produce = [&](std::span<char>) -> std::size_t {
      ++made;
      return 0;
    };
    const int status = transaction->head().target == "/none" ? 204 : 200;
    transaction->respond_stream({status, {}}, std::nullopt, produce, [&](const auto&) { ++ended; });
  });
  Client client(server.port());
  CHECK(client.exchange("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD").status == 200);
  CHECK(client.exchange("GET /none HTTP/1.1\r\nHost: a\r\n\r\n").status == 204);
  CHECK(client.exchange(kGet).is_complete);
  CHECK(eventually([&] { return ended == 3; }));
  CHECK(made == 1);
}

TEST_CASE("adapter responses: a body can be read after another thread has responded" *
          not_on_httplib("`timeout` of a route")) {
  auto options = test_options();
  options.plan = plan_bodies([](const RequestHead&) { return 100; });
  std::atomic<bool> has_read{false};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/next") return echo_target(transaction);
        std::thread([&] { respond(*transaction, "early"); }).join();
        std::string body;
        CHECK(transaction->read_body(100, body) == BodyStatus::complete);
        CHECK(body == "hello");
        has_read = true;
      },
      options);
  Client client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
  std::this_thread::sleep_for(20ms);
  client.send("hello");
  CHECK(client.read_response().body == "early");
  CHECK(eventually([&] { return has_read.load(); }));
  constexpr std::string_view kNext = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
  CHECK(client.exchange(kNext).body == "GET /next");
  CHECK(client.exchange(kNext).body == "GET /next");
}

TEST_CASE("adapter responses: the producer's time is not counted as the client's delay") {
  auto options = test_options();
  options.send_timeout = 1s;
  options.min_data_rate = {.bytes_per_second = 1'000'000, .grace = 1s};
  Server server(
      [](const std::shared_ptr<Transaction>& transaction) {
        const auto produce = [part = 0](std::span<char> buffer) mutable -> std::size_t {
          if (part++ == 2) return 0;
          std::this_thread::sleep_for(1500ms);
          std::memset(buffer.data(), 'y', buffer.size());
          return buffer.size();
        };
        transaction->respond_stream({}, std::nullopt, produce, {});
      },
      options);
  // On a busy machine, the client may be too slow, too.
  CHECK(eventually([&] { return Client(server.port(), 4096).exchange(kGet).is_complete; }));
}

namespace {

/// An open file of `size` bytes, which has no name any more.
FilePart make_file(std::size_t size) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::string content(size, '\0');
  for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>('a' + i % 23);
  REQUIRE(std::fwrite(content.data(), 1, size, file) == size);
  REQUIRE(std::fflush(file) == 0);
  return {std::shared_ptr<void>(file, [](void* owned) { std::fclose(static_cast<FILE*>(owned)); }),
          fileno(file), 0, size};
}

std::string content_of(FilePart part) {
  std::string content(part.size, '\0');
  for (std::span<char> rest = content; !rest.empty();) rest = rest.subspan(read_next(part, rest));
  return content;
}

}  // namespace

TEST_CASE("adapter responses: small files, large files and ranges are sent") {
  const FilePart file = make_file(3'000'000);
  std::atomic<int> ended{0};
  std::vector<FilePart> parts;
  for (const std::uint64_t size : {0U, 1U, 65'536U, 65'537U, 2'900'000U}) {
    parts.push_back({file.owner, file.descriptor, 1'000, size});
  }
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    const auto which = static_cast<std::size_t>(transaction->head().target[1] - '0');
    const auto count = [&](const std::exception_ptr& error) { ended += error ? 100 : 1; };
    CHECK(transaction->respond_file({200, {{"X", "1"}}}, parts[which], count));
    CHECK_FALSE(transaction->respond_file({}, parts[which], count));
  });
  Client client(server.port());
  int expected = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CAPTURE(i);
    const auto request = [&](const std::string& method) {
      return method + " /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    };
    const auto whole = client.exchange(request("GET"));
    CHECK(whole.field("content-length") == std::to_string(parts[i].size));
    CHECK(whole.field("x") == "1");
    CHECK(whole.body == content_of(parts[i]));
    const auto head = client.exchange(request("HEAD"), "HEAD");
    CHECK(head.field("content-length") == std::to_string(parts[i].size));
    expected += 2;
    CHECK(eventually([&] { return ended == expected; }));
  }
}

TEST_CASE("adapter responses: a file that is truncated while it is sent closes the connection") {
  FilePart file = make_file(100'000);
  file.size = 4'000'000;
  std::promise<bool> failed;
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->respond_file(
        {}, file, [&](const std::exception_ptr& error) { failed.set_value(error != nullptr); });
  });
  Client client(server.port());
  CHECK_FALSE(client.exchange(kGet).is_complete);
  CHECK(failed.get_future().get());
}

TEST_CASE("adapter responses: a large file to a slow client occupies no worker" *
          not_on_httplib("a slow client")) {
  const FilePart file = make_file(20'000'000);
  auto options = test_options();
  options.send_timeout = 10min;  // one client reads after the other
  options.min_workers = 1;
  options.max_workers = 1;
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        if (transaction->head().target == "/") {
          transaction->respond_file({}, file, {});
        } else {
          respond(*transaction, "next");
        }
      },
      options);
  Client slow(server.port(), 4096);
  slow.send(kGet);
  CHECK(Client(server.port()).exchange("GET /next HTTP/1.1\r\nHost: a\r\n\r\n").body == "next");
  CHECK(slow.read_response().body == content_of(file));
}

}  // namespace adapter_responses_test
