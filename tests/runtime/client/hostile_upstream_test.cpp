// app.fetch against upstreams that are slow, wrong or gone: each has its error, in time, and leaves
// nothing behind.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "client/outbound_client.hpp"
#include "client/transfer.hpp"
#include "compression/coding.hpp"
#include "eventually.hpp"
#include "support/scripted_upstream.hpp"

namespace hostile_upstream_test {

namespace {

using fw::support::always;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using namespace std::chrono_literals;

/// Its calls have time on a busy machine.
fw::Config quiet() {
  fw::Config config = fw::testing::TestApp::test_config();
  config.fetch.timeout = 600'000;
  return config;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// What the call throws, as "NetworkError: message after the URL".
std::string failure_of(const std::function<void()>& call) {
  const auto text = [](std::string_view type, const fw::FetchError& error) {
    const std::string message = error.what();
    const std::string name = "[app.fetch] " + error.method() + " " + error.url();
    CHECK(message.starts_with(name));
    return std::string(type) + message.substr(std::min(name.size(), message.size()));
  };
  try {
    call();
  } catch (const fw::TimeoutError& error) {
    return text("TimeoutError:", error);
  } catch (const fw::TlsError& error) {
    return text("TlsError:", error);
  } catch (const fw::NetworkError& error) {
    return text("NetworkError:", error);
  } catch (const fw::BodyError& error) {
    return text("BodyError:", error);
  }
  return "nothing";
}

constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\n";

TEST_CASE("hostile upstream: ambiguous responses are rejected") {
  fw::App app(quiet());
  const auto reading = [&](const std::string& response) {
    ScriptedUpstream upstream([&](ScriptedConnection& connection) {
      connection.read_request();
      connection.send(response);
    });
    return failure_of([&] { app.fetch.get(upstream.url(), {.timeout = 60'000}).text(); });
  };
  const auto head = [&](const std::string& fields) {
    return reading(std::string(kHead) + fields + "\r\nbody");
  };
  CHECK(head("Content-Length: 4\r\n") == "nothing");
  CHECK(head("") == "nothing");
  CHECK(head("Content-Length: 4\r\nContent-Length: 4\r\n") ==
        "NetworkError: failed: Content-Length is given more than once");
  CHECK(head("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") ==
        "NetworkError: failed: Content-Length and Transfer-Encoding are given together");
  CHECK(head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") ==
        "NetworkError: failed: Transfer-Encoding is given more than once");
  CHECK(head("Transfer-Encoding: gzip, chunked\r\n").starts_with("NetworkError: failed: "));
  CHECK(head("Content-Length: 4, 4\r\n").starts_with("NetworkError: failed: "));
  CHECK(head("Content-Length: +4\r\n").starts_with("NetworkError: failed: "));
  CHECK(head("Content-Length: -1\r\n").starts_with("NetworkError: failed: "));
  CHECK(head("Content-Length : 4\r\n") ==
        "NetworkError: failed: a header name is empty or contains an invalid character");
  CHECK(head("X: 1\r\n folded\r\nContent-Length: 4\r\n") ==
        "NetworkError: failed: a header line begins with whitespace: folded header lines are not "
        "accepted");
  CHECK(head("No colon\r\n").starts_with("NetworkError: failed: "));
  CHECK(reading("HTTP/1.1 200 OK\nContent-Length: 0\n\n") ==
        "NetworkError: failed: a line of the head does not end with CR LF");
  CHECK(reading("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") ==
        "NetworkError: failed: Transfer-Encoding is given in an HTTP/1.0 message");
  CHECK(reading("HTTP/1.1 2x0 OK\r\n\r\n").starts_with("NetworkError: failed: "));
  CHECK(reading("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n") ==
        "NetworkError: failed: the upstream switches to another protocol");
  CHECK(reading("body without a head").starts_with("NetworkError: failed: "));
  CHECK(reading("").starts_with("NetworkError: failed: "));
  CHECK(reading("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
            .starts_with("NetworkError: failed: "));
}

TEST_CASE("hostile upstream: interim responses are skipped") {
  fw::App app(quiet());
  ScriptedUpstream upstream(
      always("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  auto response = app.fetch.get(upstream.url());
  CHECK(response.status() == 200);
  CHECK(!response.headers().has("link"));
  CHECK(response.text() == "ok");
}

TEST_CASE("hostile upstream: endless heads and interim responses are rejected") {
  fw::App app(quiet());
  const auto endless = [&](const std::string& start, const std::string& part) {
    ScriptedUpstream upstream([&](ScriptedConnection& connection) {
      connection.read_request();
      connection.send(start);
      while (connection.send(part)) {
      }
    });
    return failure_of([&] { app.fetch.get(upstream.url()); });
  };
  const std::string too_large =
      "NetworkError: failed: the head of the response is larger than 64 kB";
  const std::string line = "X: " + std::string(1000, 'x') + "\r\n";
  CHECK(endless(std::string(kHead), line) == too_large);
  CHECK(endless("", "HTTP/1.1 100 Continue\r\n" + line + "\r\n") == too_large);
  CHECK(endless(std::string(kHead) + "X: ", "x").starts_with("NetworkError: failed: "));
  CHECK(endless(std::string(kHead) + "Transfer-Encoding: chunked\r\n\r\n0\r\n", line) == "nothing");
  ScriptedUpstream many([](ScriptedConnection& connection) {
    connection.read_request();
    std::string fields;
    for (int i = 0; i < 300; ++i) fields += "X: 1\r\n";
    connection.respond(200, "", fields);
  });
  CHECK(failure_of([&] { app.fetch.get(many.url()); }) ==
        "NetworkError: failed: the response has too many headers");
}

TEST_CASE("hostile upstream: a missing response ends with the timeout") {
  fw::App app(quiet());
  const auto times_out = [&](const ScriptedUpstream::Script& script) {
    ScriptedUpstream upstream(script);
    return failure_of([&] { app.fetch.get(upstream.url(), {.timeout = 30}).text(); });
  };
  CHECK(times_out([](ScriptedConnection& connection) { connection.wait_for_end(); }) ==
        "TimeoutError: timed out after 30ms");
  CHECK(times_out([](ScriptedConnection& connection) {
          connection.send("HTTP/1.1 200 OK\r\nX: ");
          while (connection.send("x")) std::this_thread::sleep_for(1ms);
        }) == "TimeoutError: timed out after 30ms");
  CHECK(times_out([](ScriptedConnection& connection) {
          connection.read_request();
          while (connection.send("HTTP/1.1 100 Continue\r\n\r\n")) std::this_thread::sleep_for(1ms);
        }) == "TimeoutError: timed out after 30ms");
  // The timeout is of the head: a body may take its time.
  ScriptedUpstream slow_body([](ScriptedConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n");
    std::this_thread::sleep_for(1200ms);
    connection.send("x");
  });
  // On a busy machine, the head may be late, too.
  CHECK(fairway::test::eventually([&] {
    std::string text;
    const std::string failure =
        failure_of([&] { text = app.fetch.get(slow_body.url(), {.timeout = 1000}).text(); });
    return failure == "nothing" && text == "x";
  }));
}

TEST_CASE("hostile upstream: a stalled body ends with the idle or total timeout") {
  fw::App app(quiet());
  ScriptedUpstream stalled([](ScriptedConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\":");
    connection.wait_for_end();
  });
  const auto reading = [&](fw::FetchInit init) {
    return failure_of([&] { app.fetch.get(stalled.url(), init).text(); });
  };
  CHECK(reading({.idle_timeout = 30}) ==
        "TimeoutError: timed out: no part of the body has arrived for 30ms");
  CHECK(reading({.total_timeout = 30}) ==
        "TimeoutError: timed out: the call has taken more than 30ms");
  fw::Config config = quiet();
  config.fetch.idle_timeout = 20;
  fw::App impatient(config);
  CHECK(failure_of([&] { impatient.fetch.get(stalled.url()).text(); }) ==
        "TimeoutError: timed out: no part of the body has arrived for 20ms");
  config.fetch.idle_timeout = 60'000;
  config.fetch.total_timeout = 20;
  fw::App limited(config);
  CHECK(failure_of([&] { limited.fetch.get(stalled.url()).text(); }) ==
        "TimeoutError: timed out: the call has taken more than 20ms");
  // It also ends the delay between two attempts, and limits the head.
  ScriptedUpstream busy(always("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"));
  CHECK(failure_of([&] {
          app.fetch.get(busy.url(), {.retry = 1, .retry_delay = 600'000, .total_timeout = 30});
        }) == "TimeoutError: timed out: the call has taken more than 30ms");
  ScriptedUpstream silent([](ScriptedConnection& connection) { connection.wait_for_end(); });
  CHECK(failure_of([&] {
          app.fetch.get(silent.url(), {.timeout = 600'000, .total_timeout = 30});
        }) == "TimeoutError: timed out: the call has taken more than 30ms");
}

namespace {

using fw::client::Transfer;

std::shared_ptr<Transfer> begin_call(fw::client::OutboundTransport& transport,
                                     const std::string& url) {
  auto transfer = std::make_shared<Transfer>(
      fw::client::OutboundRequest{.method = "GET", .url = fw::client::parse_url(url)});
  transfer->start(transport);
  CHECK(transfer->wait_for_head(std::nullopt) == Transfer::Outcome::ready);
  return transfer;
}

void read_body(Transfer& transfer) {
  std::array<char, 10> buffer;
  std::size_t count = 0;
  while (transfer.read(buffer, count, std::nullopt) == Transfer::Outcome::ready) {
  }
  CHECK(transfer.is_complete());
}

}  // namespace

TEST_CASE("hostile upstream: an idle connection is closed without another call") {
  std::promise<void> closed;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    connection.read_request();
    connection.respond(200, "ok");
    connection.wait_for_end();
    closed.set_value();
  });
  const auto transport = fw::client::make_transport({.longest_idle = 50ms});
  const auto transfer = begin_call(*transport, upstream.url());
  read_body(*transfer);
  closed.get_future().wait();
  transfer->close();
}

TEST_CASE("hostile upstream: an old idle connection is not reused, whatever other calls run") {
  ScriptedUpstream upstream([](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) connection.respond(200, "ok");
  });
  std::promise<void> ends;
  ScriptedUpstream busy([&](ScriptedConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
    ends.get_future().wait();
    connection.send("ok");
  });
  const auto transport = fw::client::make_transport({.longest_idle = 1s});
  const auto call = [&] {
    const auto transfer = begin_call(*transport, upstream.url());
    read_body(*transfer);
    transfer->close();
  };
  // While a call runs, no timer closes idle connections.
  const auto running = begin_call(*transport, busy.url());
  call();
  std::this_thread::sleep_for(1'100ms);
  call();
  CHECK(upstream.connections() == 2);
  ends.set_value();
  read_body(*running);
  running->close();
}

TEST_CASE("hostile upstream: a broken connection is a network error at every stage") {
  fw::App app(quiet());
  const std::string full = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789";
  for (const bool with_reset : {false, true}) {
    for (const std::size_t sent :
         {std::size_t{0}, std::size_t{5}, full.size() - 10, full.size() - 1}) {
      CAPTURE(with_reset);
      CAPTURE(sent);
      ScriptedUpstream upstream([&](ScriptedConnection& connection) {
        connection.read_request();
        connection.send(full.substr(0, sent));
        if (with_reset) connection.reset();
      });
      CHECK(failure_of([&] {
              app.fetch.get(upstream.url()).text();
            }).starts_with("NetworkError: failed: "));
    }
  }
  ScriptedUpstream chunks([](ScriptedConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal");
  });
  CHECK(failure_of([&] {
          app.fetch.get(chunks.url()).text();
        }).starts_with("NetworkError: failed: "));
  CHECK(failure_of([&] {
          app.fetch.get("http://127.0.0.1:1/");
        }).starts_with("NetworkError: failed: "));
  // Where names are looked up slowly, the timeout is first.
  const std::string unknown_name =
      failure_of([&] { app.fetch.get("http://name.invalid/", {.timeout = 100}); });
  CHECK((unknown_name == "TimeoutError: timed out after 100ms" ||
         unknown_name.starts_with("NetworkError: failed: ")));
}

TEST_CASE("hostile upstream: a body is limited in memory to the maximum size") {
  fw::Config config = quiet();
  config.fetch.max_size = "100kb";
  fw::App app(config);
  ScriptedUpstream endless([](ScriptedConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\n\r\n");
    while (connection.send(std::string(10'000, 'x'))) {
    }
  });
  const std::string too_large = "BodyError:: the body of the response is larger than maxSize";
  CHECK(failure_of([&] { app.fetch.get(endless.url()).text(); }) == too_large);
  CHECK(failure_of([&] { app.fetch.get(endless.url(), {.max_size = "1kb"}).text(); }) == too_large);
  CHECK(failure_of([&] {
          auto response = app.fetch.get(endless.url(), {.max_size = "1mb"});
          char buffer[1000];
          while (response.read(buffer) > 0) {
          }
        }) == too_large);
  // 100 kB of zeros, by gzip.
  const std::string bomb(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xed\xc1\x01\x01\x00\x00\x00\x82\x20\xff"
      "\xaf\x6e\x48\x40\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x7c\x18\x61\x85\xf8\x4a\x00\x90\x01\x00",
      133);
  ScriptedUpstream packed([&](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) {
      connection.respond(200, bomb, "Content-Encoding: gzip\r\n");
    }
  });
  CHECK(failure_of([&] { app.fetch.get(packed.url(), {.max_size = "50kb"}).text(); }) == too_large);
  CHECK(app.fetch.get(packed.url(), {.max_size = "200kb"}).text().size() == 102'400);
  CHECK(failure_of([&] { app.fetch.get(packed.url()).json(); }) ==
        "BodyError:: the body of the response is not JSON, or is nested more than 512 levels deep");
}

TEST_CASE("hostile upstream: deeply nested JSON is an error of the body") {
  fw::App app(quiet());
  const auto nested = [&](std::size_t levels) {
    ScriptedUpstream upstream(
        always(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}{}", levels * 2,
                           std::string(levels, '['), std::string(levels, ']'))));
    return failure_of([&] { app.fetch.get(upstream.url()).json(); });
  };
  CHECK(nested(512) == "nothing");
  CHECK(nested(513).starts_with("BodyError:: the body of the response is not JSON, or is nested"));
  CHECK(nested(200'000).starts_with("BodyError:: "));
}

TEST_CASE("hostile upstream: compressed bodies are decoded, malformed ones are network errors") {
  fw::App app(quiet());
  std::string content;
  while (content.size() < 600'000) content += std::to_string(content.size());
  const auto reading = [&](const std::string& coding, const std::string& body,
                           std::size_t part = 7'000) {
    ScriptedUpstream upstream([&](ScriptedConnection& connection) {
      connection.read_request();
      connection.send(std::string(kHead) +
                      "Transfer-Encoding: chunked\r\nContent-Encoding: " + coding + "\r\n\r\n");
      for (std::size_t at = 0; at < body.size(); at += part) {
        const std::string bytes = body.substr(at, part);
        connection.send(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes));
      }
      connection.send("0\r\n\r\n");
    });
    std::string text;
    const std::string failure = failure_of([&] { text = app.fetch.get(upstream.url()).text(); });
    if (failure == "nothing") return text;
    return failure;
  };
  for (const auto coding : fw::compression::kCodings) {
    if (!fw::compression::is_available(coding)) continue;
    const std::string name(fw::compression::name_of(coding));
    CAPTURE(name);
    const std::string body = fw::compression::compress(coding, 5, content);
    CHECK(reading(name, body) == content);
    const std::string small = content.substr(0, 2'000);
    CHECK(reading(name, fw::compression::compress(coding, 5, small), 1) == small);
    CHECK(reading(name, "") == "");
    CHECK(reading(name, body.substr(0, body.size() - 3)) ==
          "NetworkError: failed: the compressed body of the response is cut off");
    CHECK(reading(name, body + "more") ==
          "NetworkError: failed: the response has bytes after its compressed body");
    CHECK(reading(name, "\xFF\xFF plain text").starts_with("NetworkError: failed: the "));
    if (coding == fw::compression::Coding::brotli) continue;
    const std::string other = fw::compression::compress(coding, 5, "another member");
    CHECK(reading(name, body + other) == content + "another member");
    CHECK(reading(name, body + other, 1'000'000) == content + "another member");
    CHECK(reading(name, body + other.substr(0, 9)) ==
          "NetworkError: failed: the response has bytes after its compressed body");
  }
  CHECK(reading("identity", "text") == "text");
  CHECK(reading("gzip, gzip", "text") ==
        "NetworkError: failed: the body of the response has the unknown content coding "
        "'gzip, gzip'");
  if (!fw::compression::is_available(fw::compression::Coding::gzip)) return;
  const std::string deflated = "\xCB\x48\xCD\xC9\xC9\x07";
  CHECK(reading("deflate", deflated + std::string(1, '\0')) == "hello");
  CHECK(reading("Deflate", "\x78\x9C" + deflated + std::string(1, '\0') + "\x06\x2C\x02\x15") ==
        "hello");
}

TEST_CASE("hostile upstream: a connection is reused only after an unambiguous response end") {
  fw::App app(quiet());
  // A connection may be idle for a while, on a busy machine.
  fw::detail::Access::core(app).client->set_transport(
      fw::client::make_transport({.longest_idle = 10min}));
  // In single bytes, so that the reader meets every boundary.
  const auto connections = [&](const std::string& response, const std::string& method = "GET",
                               std::size_t part = 1) {
    ScriptedUpstream upstream([&](ScriptedConnection& connection) {
      while (!connection.read_request().empty()) {
        for (std::size_t at = 0; at < response.size();) {
          const std::string_view bytes = std::string_view(response).substr(at, part);
          connection.send(bytes);
          at += bytes.size();
        }
        if (response.find("\r\n\r\nuntil the end") != std::string::npos) return;
      }
    });
    for (int i = 0; i < 3; ++i) app.fetch(upstream.url(), {.method = method}).text();
    return upstream.connections();
  };
  const std::string head(kHead);
  CHECK(connections(head + "Content-Length: 4\r\n\r\nbody") == 1);
  CHECK(connections(head + "Content-Length: 0\r\n\r\n") == 1);
  CHECK(connections(head +
                    "Transfer-Encoding: chunked\r\n\r\n4;x=y\r\nbody\r\n0\r\nT: 1\r\n\r\n") == 1);
  CHECK(connections(head + "Content-Length: 4\r\n\r\n", "HEAD") == 1);
  CHECK(connections("HTTP/1.1 204 No Content\r\n\r\n") == 1);
  CHECK(connections("HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n") == 1);
  CHECK(connections("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n") == 1);
  CHECK(connections("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n") == 3);
  CHECK(connections(head + "Connection: close\r\nContent-Length: 0\r\n\r\n") == 3);
  CHECK(connections(head + "\r\nuntil the end") == 3);
  CHECK(connections(head + "Content-Length: 4\r\n\r\nbody of more", "GET", 1000) == 3);
  // What follows a response without a body never is the beginning of the next one.
  ScriptedUpstream generous([&](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) {
      if (connection.index() == 0) {
        connection.send(
            "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n"
            "Content-Length: 5\r\n\r\nwrong");
      } else {
        connection.respond(200, "right");
      }
    }
  });
  for (int i = 0; i < 3; ++i) {
    auto response = app.fetch.get(generous.url());
    CHECK((response.status() == 204 || response.text() == "right"));
  }
  // The upstream closes an idle connection: the next call notices it, and nothing is repeated.
  std::atomic<int> closed = 0;
  ScriptedUpstream closing([&](ScriptedConnection& connection) {
    connection.read_request();
    connection.respond(200, "ok");
    connection.close();
    ++closed;
  });
  for (int i = 1; i <= 3; ++i) {
    CHECK(app.fetch.get(closing.url()).text() == "ok");
    while (closed < i) std::this_thread::sleep_for(1ms);
  }
  CHECK(closing.connections() == 3);
}

TEST_CASE("hostile upstream: a response before the end of the request is accepted") {
  fw::App app(quiet());
  ScriptedUpstream upstream([](ScriptedConnection& connection) {
    connection.respond(413, "too large", "Connection: close\r\n");
    connection.wait_for_end();
  });
  const std::string large(20'000'000, 'x');
  auto whole = app.fetch(upstream.url(), {.method = "POST", .body = large});
  CHECK(whole.status() == 413);
  CHECK(whole.text() == "too large");
  auto streamed = app.fetch(upstream.url(), {.method = "POST", .body = fw::Readable(large)});
  CHECK(streamed.status() == 413);
  CHECK(streamed.text() == "too large");
}

TEST_CASE("fetch: a destroyed client leaks no descriptor") {
  const std::size_t before = open_descriptors();
  {
    ScriptedUpstream upstream([](ScriptedConnection& connection) {
      connection.read_request();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
      connection.wait_for_end();
    });
    fw::App app(quiet());
    for (int i = 0; i < 20; ++i) app.fetch.get(upstream.url());
    CHECK(failure_of([&] {
            app.fetch.get("http://127.0.0.1:1/");
          }).starts_with("NetworkError: failed: "));
    // What is under way when the application ends, fails.
    auto left = app.fetch.get(upstream.url());
    app.stop();
    CHECK(failure_of([&] { left.text(); }) == "NetworkError: failed: the application has ended");
    CHECK_THROWS_AS(app.fetch.get(upstream.url()), std::logic_error);
  }
  // A lookup of an earlier test may still have been running.
  CHECK(fairway::test::eventually([&] { return open_descriptors() <= before; }));
}

TEST_CASE("fetch: a call cancelled at the end of the application leaks nothing") {
  ScriptedUpstream silent([](ScriptedConnection& connection) { connection.wait_for_end(); });
  for (int i = 0; i < 50; ++i) {
    fw::App app(quiet());
    CHECK(failure_of([&] {
            app.fetch.get(silent.url(), {.timeout = 1});
          }).starts_with("TimeoutError"));
  }
}

}  // namespace

}  // namespace hostile_upstream_test
