// app.fetch and the proxy over HTTP/2: who gets it, which connections calls use, and what the ends
// of streams and connections mean.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "client/network/curl_library.hpp"
#include "client/outbound_client.hpp"
#include "client/response_parser.hpp"
#include "eventually.hpp"
#include "http/local_options.hpp"
#include "http/loopback.hpp"
#include "http/tls/tls_server.hpp"
#include "support/certificates.hpp"
#include "support/http2_upstream.hpp"
#include "support/scripted_upstream.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace http2_calls_test {

using namespace std::chrono_literals;
using fairway::test::eventually;
using fw::http::Transaction;
using fw::http::test::Gate;
using fw::http::test::OpensAtEnd;
using fw::http::test::respond;
using fw::support::Http2Exchange;
using fw::support::Http2Upstream;
using fw::support::Shared;

namespace {

constexpr std::uint32_t kInternalError = 2;
constexpr std::uint32_t kRefusedStream = 7;
constexpr std::uint32_t kHttp11Required = 13;

constexpr std::size_t kLarge = std::size_t{8} * 1024 * 1024;

/// A certificate for "localhost" that the configurations trust.
struct Trust {
  fairway::test::TemporaryDirectory folder;
  fw::test::TestCertificate certificate{folder.path(), "server", {.is_authority = true}};

  /// Its calls have time on a busy machine.
  fw::Config config() const {
    fw::Config config = fw::testing::TestApp::test_config();
    config.fetch.timeout = 600'000;
    config.fetch.idle_timeout = 600'000;
    config.fetch.tls.ca_file = certificate.certificate_file();
    return config;
  }
};

/// Calls of the application use connections again that have been idle for a while.
void keep_connections(fw::App& app, const Trust& trust) {
  fw::detail::Access::core(app).client->set_transport(
      fw::client::make_transport({.ca_file = trust.certificate.certificate_file(),
                                  .longest_idle = std::chrono::minutes(10),
                                  .http2 = true}));
}

/// Our own server, with TLS.
class OwnServer {
 public:
  OwnServer(const Trust& trust, fw::http::TransactionHandler handler, std::size_t streams = 128)
      : config_{.certificate = trust.certificate.certificate_file(),
                .key = trust.certificate.key_file()},
        server_(std::move(handler), options(streams), fw::http::make_epoll_adapter()) {}

  std::string url(std::string_view path = "/") const {
    return fmt::format("https://localhost:{}{}", server_.port(), path);
  }
  std::size_t connections() const { return server_.connections(); }

 private:
  fw::http::AdapterOptions options(std::size_t streams) {
    const auto ignore = [](const std::string&) {};
    std::vector<fw::http::TlsError> errors;
    fw::http::AdapterOptions options = fw::http::test::local_options();
    options.tls = fw::http::make_tls_server(config_, -1, {ignore, ignore}, errors, true);
    options.http2.over_tls = true;
    options.http2.max_concurrent_streams = streams;
    options.keep_alive_timeout = options.queue_timeout = options.handshake_timeout = 10min;
    options.send_timeout = 10min;
    return options;
  }

  const fw::TlsConfig config_;
  fw::http::test::Server server_;
};

/// Responds with the version.
void tell_version(const std::shared_ptr<Transaction>& transaction) {
  respond(*transaction, transaction->http_version());
}

/// What a call ends with: the status and the body, or the error.
std::string outcome_of(const std::function<fw::FetchResponse()>& call) {
  try {
    fw::FetchResponse response = call();
    return fmt::format("{} {}", response.status(), response.text());
  } catch (const fw::BodyError&) {
    return "body error";
  } catch (const fw::AbortError&) {
    return "aborted";
  } catch (const fw::FetchError& error) {
    const std::string message = error.what();
    return message.substr(message.find(" failed: ") + 9);
  }
}

}  // namespace

TEST_CASE("http2 calls: https upstreams choose the version, unless the configuration forbids it") {
  const Trust trust;
  OwnServer server(trust, tell_version);
  const auto version_of = [&](std::optional<bool> enabled) {
    fw::Config config = trust.config();
    config.fetch.http2.enabled = enabled;
    fw::App app(config);
    auto response = app.fetch.get(server.url());
    CHECK(response.http_version() == response.text());
    return response.text();
  };
  CHECK(version_of(std::nullopt) == "2");
  CHECK(version_of(true) == "2");
  CHECK(version_of(false) == "1.1");

  // In cleartext, there is no choice, although the server would understand it.
  fw::http::AdapterOptions options = fw::http::test::local_options();
  options.http2.cleartext = true;
  const fw::http::test::Server cleartext(tell_version, std::move(options),
                                         fw::http::make_epoll_adapter());
  fw::App app(trust.config());
  auto response = app.fetch.get(fmt::format("http://127.0.0.1:{}/", cleartext.port()));
  CHECK(response.http_version() == "1.1");
  CHECK(response.text() == "1.1");

  const auto http1 = [](const std::string& line) {
    return line + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
  };
  const auto ignore = [](Http2Exchange&) {};
  for (const std::string version : {"1.1", "1.0"}) {
    Http2Upstream older(trust.certificate, ignore, http1("HTTP/" + version + " 200 OK"));
    // It chooses HTTP/1.1 only if nothing else is offered.
    fw::Config config = trust.config();
    config.fetch.http2.enabled = false;
    fw::App http1_app(config);
    auto old_response = http1_app.fetch.get(older.url());
    CHECK(old_response.http_version() == version);
    CHECK(old_response.text() == "ok");
  }
}

TEST_CASE("http2 calls: a request whose head is too large for HTTP/2 is sent by HTTP/1.1") {
  const Trust trust;
  Http2Upstream upstream(
      trust.certificate,
      [](Http2Exchange& exchange) {
        exchange.respond(200, std::to_string(exchange.field("x-large").size()));
      },
      "HTTP/1.1 431 Large\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhttp");
  fw::App app(trust.config());
  // '^' has a long code in HPACK.
  const auto outcome = [&](const fw::FetchHeaders& headers) {
    return outcome_of(
        [&] { return app.fetch.get(upstream.url(), {.headers = headers, .timeout = 60'000}); });
  };
  const auto large = [](std::size_t size) {
    return fw::FetchHeaders{{"x-large", std::string(size, '^')}};
  };
  CHECK(outcome(large(59'000)) == "200 59000");
  CHECK(outcome(large(66'000)) == "431 http");
  fw::FetchHeaders many;
  for (int i = 0; i < 4'000; ++i) many.append("x-many", "^^^^^");
  CHECK(outcome(many) == "431 http");
  CHECK(outcome(large(1)) == "200 1");
}

TEST_CASE("http2 calls: the configuration is an error if libcurl has no HTTP/2") {
  const auto yes = [] { return true; };
  const auto no = [] { return false; };
  fw::FetchConfig config;
  CHECK(fw::detail::OutboundClient::config_errors(config, no).empty());
  config.http2.enabled = false;
  CHECK(fw::detail::OutboundClient::config_errors(config, no).empty());
  config.http2.enabled = true;
  CHECK(fw::detail::OutboundClient::config_errors(config, yes).empty());
  CHECK(fw::detail::OutboundClient::config_errors(config, no) ==
        std::vector<std::string>{
            "configuration: /fetch/http2/enabled: the installed libcurl has no HTTP/2, or this "
            "build of Fairway has no outbound client (FAIRWAY_FETCH)"});
}

TEST_CASE("http2 calls: a head of HTTP/2 is accepted only from a connection that may have it") {
  using fw::client::ResponseParser;
  ResponseParser strict;
  CHECK(strict.add("HTTP/2 200 \r\n") == ResponseParser::State::rejected);
  ResponseParser parser;
  parser.accept_http2();
  CHECK(parser.add("HTTP/2 200 \r\n") == ResponseParser::State::incomplete);
  CHECK(parser.add("\r\n") == ResponseParser::State::complete);
  CHECK(parser.http_version() == "2");
  for (const std::string_view line : {"HTTP/2\r\n", "HTTP/2.0 200 \r\n", "HTTP/3 200 \r\n",
                                      "HTTP/ 200 \r\n", "HTTP/2 20 \r\n", "http/2 200 \r\n"}) {
    CAPTURE(line);
    ResponseParser other;
    other.accept_http2();
    CHECK(other.add(line) == ResponseParser::State::rejected);
  }
}

TEST_CASE("http2 calls: a server of HTTP/1.1 cannot pass for one of HTTP/2") {
  const Trust trust;
  Http2Upstream upstream(
      trust.certificate, [](Http2Exchange&) {}, "HTTP/2 200 \r\nContent-Length: 2\r\n\r\nok");
  fw::Config config = trust.config();
  config.fetch.http2.enabled = false;
  fw::App app(config);
  CHECK(outcome_of([&] { return app.fetch.get(upstream.url()); }) ==
        "the response does not begin with an HTTP/1.1 status line");
}

TEST_CASE("http2 calls: concurrent calls have a connection each, which later calls use again") {
  const Trust trust;
  constexpr int kCalls = 8;
  std::atomic<int> running = 0;
  OwnServer server(trust, [&](const std::shared_ptr<Transaction>& transaction) {
    ++running;
    eventually([&] { return running >= kCalls; });
    respond(*transaction, std::string(transaction->http_version()) + " " +
                              std::string(transaction->head().method));
  });
  fw::App app(trust.config());
  keep_connections(app, trust);
  for (int round = 0; round < 2; ++round) {
    running = 0;
    std::vector<fw::Future<fw::FetchResponse>> calls;
    for (int i = 0; i < kCalls; ++i) {
      calls.push_back(app.fetch.async(server.url(), {.method = i % 2 == 0 ? "GET" : "POST"}));
    }
    for (int i = 0; i < kCalls; ++i) {
      CHECK(calls[static_cast<std::size_t>(i)].get().text() == (i % 2 == 0 ? "2 GET" : "2 POST"));
    }
    CHECK(server.connections() == kCalls);
  }
}

TEST_CASE("http2 calls: a response that is not read delays no other call") {
  const Trust trust;
  const std::string large(kLarge, 'x');
  OwnServer server(trust, [&](const std::shared_ptr<Transaction>& transaction) {
    respond(*transaction,
            transaction->head().target == "/large" ? std::string_view(large) : "small");
  });
  fw::App app(trust.config());
  auto unread = app.fetch.get(server.url("/large"));
  CHECK(unread.http_version() == "2");
  for (int i = 0; i < 3; ++i) CHECK(app.fetch.get(server.url("/")).text() == "small");
  CHECK(unread.text() == large);
}

TEST_CASE("http2 calls: an upstream waits until its response is read") {
  constexpr std::size_t kEndless = std::size_t{500} * 1024 * 1024;
  const Trust trust;
  std::atomic<std::size_t> produced = 0;
  OwnServer server(trust, [&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/") return respond(*transaction, "small");
    transaction->respond_stream({}, std::nullopt,
                                [&](std::span<char> buffer) {
                                  produced += buffer.size();
                                  return produced < kEndless ? buffer.size() : 0;
                                },
                                {});
  });
  fw::App app(trust.config());
  auto unread = app.fetch.get(server.url("/endless"));
  std::size_t before = 0;
  while (before != produced) {
    before = produced;
    std::this_thread::sleep_for(200ms);
    CHECK(app.fetch.get(server.url("/")).text() == "small");
  }
  // What the buffers of the system take, and less than the window of libcurl.
  CHECK(produced < std::size_t{24} * 1024 * 1024);
}

TEST_CASE("http2 calls: a request that the upstream has refused is repeated once, also a POST") {
  const Trust trust;
  Shared<std::vector<std::string>> log;
  std::atomic<int> rejections = 1;
  bool with_goaway = false;
  Http2Upstream upstream(trust.certificate, [&](Http2Exchange& exchange) {
    const bool refuses = exchange.field("x-first") == "(none)" && rejections-- > 0;
    log.update([&](auto& lines) {
      lines.push_back(fmt::format("{} {} {} {}", exchange.connection(), exchange.field(":method"),
                                  exchange.body(), refuses ? "refused" : "ok"));
    });
    if (!refuses) return exchange.respond(200, "ok");
    if (with_goaway) return exchange.go_away(Http2Exchange::LastStream::one_before);
    exchange.reset(kRefusedStream);
  });
  const auto has_size = [&](std::size_t size) { return log.get().size() == size; };
  for (const bool goes_away : {false, true}) {
    for (const bool is_reused : {false, true}) {
      CAPTURE(goes_away);
      CAPTURE(is_reused);
      with_goaway = goes_away;
      fw::App app(trust.config());
      keep_connections(app, trust);
      fw::FetchInit init{.method = "POST", .body = fw::FetchBody("data")};
      const auto post = [&] { return app.fetch(upstream.url(), init); };
      if (is_reused) {
        fw::FetchInit first = init;
        first.headers.set("x-first", "yes");
        REQUIRE(outcome_of([&] { return app.fetch(upstream.url(), first); }) == "200 ok");
      }
      log.set({});
      rejections = 1;
      CHECK(outcome_of(post) == "200 ok");
      const auto lines = log.get();
      REQUIRE(has_size(2));
      CHECK(lines[0].ends_with("POST data refused"));
      CHECK(lines[1].ends_with("POST data ok"));
      CHECK(lines[0].substr(0, lines[0].find(' ')) !=
            lines[1].substr(0, lines[1].find(' ')));  // on another connection

      // Not more than once.
      log.set({});
      rejections = 100;
      CHECK(outcome_of(post) == "the upstream has refused the request");
      CHECK(has_size(2));
      // But what may be repeated anyway, is.
      log.set({});
      rejections = 3;
      fw::FetchInit put{.method = "PUT", .body = fw::FetchBody("data"), .retry = 2};
      put.retry_delay = 1;
      CHECK(outcome_of([&] { return app.fetch(upstream.url(), put); }) ==
            "the upstream has refused the request");
      CHECK(has_size(3));
    }
  }
}

TEST_CASE("http2 calls: a refused request is not repeated if a part of it has been processed") {
  const Trust trust;
  std::atomic<int> requests = 0;
  Http2Upstream upstream(trust.certificate, [&](Http2Exchange& exchange) {
    ++requests;
    if (exchange.field(":path") == "/from") {
      return exchange.respond(303, "", {{"location", "/to"}});
    }
    exchange.reset(kRefusedStream);
  });
  fw::App app(trust.config());
  // The POST has been processed, and the GET that follows it is refused.
  CHECK(outcome_of([&] { return app.fetch.post(upstream.url("/from"), nullptr); }) ==
        "the upstream has refused the request");
  CHECK(requests == 2);
  // The body cannot be read again.
  requests = 0;
  fw::Readable source("text");
  CHECK(outcome_of([&] {
          return app.fetch(upstream.url("/to"), {.method = "PUT", .body = std::move(source)});
        }) == "the upstream has refused the request");
  CHECK(requests == 1);
}

TEST_CASE("http2 calls: a request is sent by HTTP/1.1 if the upstream requires it") {
  const Trust trust;
  Http2Upstream upstream(
      trust.certificate, [](Http2Exchange& exchange) { exchange.reset(kHttp11Required); },
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhttp");
  fw::App app(trust.config());
  auto response = app.fetch.post(upstream.url(), nullptr);
  CHECK(response.text() == "http");
  CHECK(response.http_version() == "1.1");
  CHECK(response.attempt() == 1);
}

TEST_CASE("http2 calls: a stream that ends with an error is an error, not a stale connection") {
  const Trust trust;
  std::atomic<int> failures = 0;
  Http2Upstream upstream(trust.certificate, [&](Http2Exchange& exchange) {
    if (exchange.field(":path") == "/") return exchange.respond(200, "ok");
    ++failures;
    if (exchange.field(":path") == "/in-body") exchange.begin(200, "part");
    exchange.reset(kInternalError);
  });
  fw::App app(trust.config());
  keep_connections(app, trust);
  for (const std::string path : {"/", "/reset", "/in-body", "/"}) {
    CAPTURE(path);
    failures = 0;
    const auto outcome = outcome_of([&] { return app.fetch.get(upstream.url(path)); });
    if (path == "/") {
      CHECK(outcome == "200 ok");
    } else {
      CHECK(outcome.ends_with("was not closed cleanly: INTERNAL_ERROR (err 2)"));
      CHECK(failures == 1);
    }
  }
}

TEST_CASE("http2 calls: a reused connection that closes without a response is retried once") {
  const Trust trust;
  std::atomic<int> requests = 0;
  Http2Upstream upstream(trust.certificate, [&](Http2Exchange& exchange) {
    ++requests;
    if (exchange.index() == 1) return exchange.close();
    exchange.respond(200, "ok");
  });
  for (const std::string method : {"GET", "POST"}) {
    CAPTURE(method);
    fw::App app(trust.config());
    keep_connections(app, trust);
    const fw::FetchInit init{.method = method};
    const auto call = [&] { return app.fetch(upstream.url(), init); };
    REQUIRE(outcome_of(call) == "200 ok");
    requests = 0;
    const bool is_repeated = method == "GET";
    CHECK(outcome_of(call).starts_with(
        is_repeated ? "200 ok" : "the upstream has closed the connection without a response"));
    CHECK(requests == (is_repeated ? 2 : 1));
  }
}

TEST_CASE("http2 calls: a connection that the upstream ends is not used again") {
  const Trust trust;
  Http2Upstream upstream(trust.certificate, [](Http2Exchange& exchange) {
    exchange.respond(200, "ok");
    if (exchange.field(":path") == "/close") return exchange.close();
    exchange.go_away(Http2Exchange::LastStream::this_one);  // and the connection stays open
  });
  fw::App app(trust.config());
  keep_connections(app, trust);
  for (const std::string path : {"/close", "/goaway"}) {
    const int connections = upstream.connections();
    for (int i = 1; i <= 3; ++i) {
      CHECK(outcome_of([&] { return app.fetch.post(upstream.url(path), nullptr); }) == "200 ok");
      if (path == "/close") {
        REQUIRE(eventually([&] { return upstream.ended() == upstream.connections(); }));
      }
    }
    CHECK(upstream.connections() == connections + 3);
  }
}

TEST_CASE("http2 calls: a cancelled call ends its connection, and the others continue") {
  const Trust trust;
  std::atomic<int> begun = 0;
  Http2Upstream upstream(trust.certificate, [&](Http2Exchange& exchange) {
    if (exchange.field(":path") == "/held") {
      ++begun;
      return;
    }
    if (exchange.field(":path") == "/half") return exchange.begin(200, "half");
    exchange.respond(200, std::string(500'000, 'z'));
  });
  fw::App app(trust.config());
  keep_connections(app, trust);
  auto half = app.fetch.get(upstream.url("/half"));
  for (int i = 1; i <= 3; ++i) {
    std::stop_source source;
    auto call = app.fetch.async(upstream.url("/held"), {.signal = source.get_token()});
    REQUIRE(eventually([&] { return begun == i; }));
    source.request_stop();
    CHECK_THROWS_AS(call.get(), fw::AbortError);
    REQUIRE(eventually([&] { return upstream.ended() == i; }));
    CHECK(app.fetch.get(upstream.url()).text().size() == 500'000);
  }
  std::array<char, 10> buffer;
  CHECK(half.read(buffer) == 4);
  half.discard();
  CHECK(eventually([&] { return upstream.ended() == 4; }));
}

TEST_CASE("http2 calls: an unread body that is dropped closes its connection") {
  // Otherwise, libcurl 7.88 may lose its place in the frames of what has already arrived.
  const Trust trust;
  const std::string large(kLarge, 'x');
  OwnServer server(trust, [&](const std::shared_ptr<Transaction>& transaction) {
    respond(*transaction,
            transaction->head().target == "/large" ? std::string_view(large) : "small");
  });
  fw::App app(trust.config());
  keep_connections(app, trust);
  for (int i = 0; i < 5; ++i) {
    {
      auto unread = app.fetch.get(server.url("/large"));
      std::array<char, 1000> buffer;
      REQUIRE(unread.read(buffer) > 0);
    }
    CHECK(eventually([&] { return server.connections() == 0; }));
    CHECK(app.fetch.get(server.url("/")).text() == "small");
    CHECK(server.connections() == 1);
    fw::App other(trust.config());
    app.fetch.get(server.url("/large")).discard();
    CHECK(eventually([&] { return server.connections() == 0; }));
  }
}

TEST_CASE("http2 calls: the end of a body arrives with a head that is large when decoded") {
  // All of such a response is in one record of TLS, but does not fit in 16 kB, the usual buffer of
  // libcurl.
  const Trust trust;
  const auto body_size = [](std::size_t head_size) { return 16'000 - head_size * 5 / 8; };
  Http2Upstream upstream(trust.certificate, [&](Http2Exchange& exchange) {
    const std::size_t size = std::stoul(exchange.field(":path").substr(1));
    exchange.respond(200, std::string(body_size(size), 'b'), {{"x-head", std::string(size, '0')}});
  });
  fw::App app(trust.config());
  for (const std::size_t size : {400U, 2'000U, 8'000U, 24'000U}) {
    CAPTURE(size);
    auto response = app.fetch.get(upstream.url(fmt::format("/{}", size)), {.idle_timeout = 60'000});
    CHECK(response.headers().get("x-head")->size() == size);
    CHECK(response.text().size() == body_size(size));
  }
}

/// While it exists, transfers are added long before they are performed, and wait after they have
/// sent their requests, so that the response is there when libcurl first reads.
class SlowTransfers {
 public:
  SlowTransfers() { add_before = std::exchange(libcurl().multi_add_handle, &SlowTransfers::add); }
  ~SlowTransfers() { libcurl().multi_add_handle = add_before; }
  SlowTransfers(const SlowTransfers&) = delete;
  SlowTransfers& operator=(const SlowTransfers&) = delete;

 private:
  static fw::client::CurlFunctions& libcurl() {
    return const_cast<fw::client::CurlFunctions&>(fw::client::libcurl());
  }
  static CURLMcode add(CURLM* multi, CURL* easy) {
    libcurl().easy_setopt(easy, CURLOPT_VERBOSE, 1L);
    libcurl().easy_setopt(easy, CURLOPT_DEBUGFUNCTION, &SlowTransfers::on_news);
    const CURLMcode code = add_before(multi, easy);
    std::this_thread::sleep_for(2ms);
    return code;
  }
  static int on_news(CURL*, curl_infotype type, char*, std::size_t, void*) {
    if (type == CURLINFO_HEADER_OUT) std::this_thread::sleep_for(300us);
    return 0;
  }

  static inline decltype(fw::client::CurlFunctions::multi_add_handle) add_before = nullptr;
};

TEST_CASE("http2 calls: the end of a body is seen when libcurl loses a timer") {
  const Trust trust;
  Http2Upstream upstream(trust.certificate,
                         [&](Http2Exchange& exchange) { exchange.respond(200, "body"); });
  const SlowTransfers slow;
  fw::App app(trust.config());
  keep_connections(app, trust);
  for (int i = 0; i < 100; ++i) {
    REQUIRE(app.fetch.get(upstream.url(), {.idle_timeout = 30'000}).text() == "body");
  }
}

TEST_CASE("http2 calls: hundreds of calls one after another succeed") {
  const Trust trust;
  OwnServer server(trust, [](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/") return tell_version(transaction);
    transaction->respond_stream({}, std::nullopt,
                                [sent = false](std::span<char> buffer) mutable {
                                  if (std::exchange(sent, true)) return std::size_t{0};
                                  buffer[0] = '2';
                                  return std::size_t{1};
                                },
                                {});
  });
  fw::App app(trust.config());
  keep_connections(app, trust);
  const auto failures = [&](const std::string& path) {
    int failed = 0;
    for (int i = 0; i < 500; ++i) {
      failed +=
          outcome_of([&] { return app.fetch.post(server.url(path), nullptr); }) != "200 2" ? 1 : 0;
    }
    return failed;
  };
  CHECK(failures("/") == 0);
  CHECK(server.connections() == 1);
  // After a response without a length, libcurl 7.88 sends RST_STREAM, and the server ends the
  // connection of a client that sends many.
  CHECK(failures("/parts") == 0);
}

TEST_CASE(
    "http2 calls: a body of a request that is large, or without a size, is sent by HTTP/1.1") {
  const Trust trust;
  Gate gate;
  OwnServer server(trust, [&](const std::shared_ptr<Transaction>& transaction) {
    if (transaction->head().target == "/held") gate.wait();
    std::string body;
    transaction->read_body(100'000'000, body);
    respond(*transaction, std::to_string(body.size()));
  });
  const OpensAtEnd opens(gate);
  fw::App app(trust.config());
  const std::string large(3'000'000, 'u');
  const auto client = app.fetch.create({.base_url = server.url()});
  auto held = client.async("/held", {.method = "POST", .body = fw::FetchBody(large)});
  for (int i = 0; i < 3; ++i) {
    auto response = client("/", {.method = "POST", .body = fw::FetchBody(large)});
    CHECK(response.http_version() == "1.1");
    CHECK(response.text() == "3000000");
  }
  gate.open();
  CHECK(held.get().text() == "3000000");

  for (const bool knows_size : {false, true}) {
    CAPTURE(knows_size);
    std::size_t left = 3'000'000;
    fw::Readable::Generator generate = [left](std::span<char> buffer) mutable {
      if (left % 3 == 0) std::this_thread::sleep_for(1ms);
      const std::size_t count = std::min({left, buffer.size(), std::size_t{50'000}});
      std::fill_n(buffer.begin(), count, 's');
      left -= count;
      return count;
    };
    fw::Readable source = knows_size ? fw::Readable(generate, 3'000'000) : fw::Readable(generate);
    auto response = client("/", {.method = "PUT", .body = std::move(source)});
    CHECK(response.http_version() == "1.1");
    CHECK(response.text() == "3000000");
  }

  const std::string small(65'535, 'u');
  for (const bool is_source : {false, true}) {
    CAPTURE(is_source);
    fw::FetchBody body = is_source ? fw::FetchBody(fw::Readable(small)) : fw::FetchBody(small);
    fw::App other(trust.config());  // it has no connection of HTTP/1.1 that it could use
    auto response = other.fetch(server.url("/"), {.method = "POST", .body = std::move(body)});
    CHECK(response.http_version() == "2");
    CHECK(response.text() == "65535");
  }
}

TEST_CASE("http2 calls: interim responses, trailers and HEAD are what they are in HTTP/1.1") {
  const Trust trust;
  Shared<std::string> seen;
  Http2Upstream upstream(trust.certificate, [&](Http2Exchange& exchange) {
    seen.set(exchange.field(":authority") + " " + exchange.field("host") + " " +
             exchange.field("connection") + " " + exchange.field("transfer-encoding") + " " +
             exchange.field("te") + " " + exchange.field("x-own"));
    if (exchange.field(":method") == "HEAD") {
      return exchange.respond(200, "", {{"content-length", "7"}, {"x-kind", "head"}});
    }
    exchange.inform(103, {{"link", "</style.css>; rel=preload"}});
    exchange.respond(200, "body", {{"x-kind", "get"}, {"set-cookie", "a=1"}, {"set-cookie", "b=2"}},
                     {{"x-trailer", "end"}});
  });
  fw::App app(trust.config());
  fw::FetchInit init{.headers = {{"host", "other.example"}, {"x-own", "1"}}};
  auto response = app.fetch.get(upstream.url(), init);
  CHECK(response.text() == "body");
  CHECK(response.headers().get("x-kind") == "get");
  CHECK(!response.headers().get("link"));
  CHECK(response.headers().get_set_cookie() == std::vector<std::string>{"a=1", "b=2"});
  CHECK(seen.get() == "other.example (none) (none) (none) (none) 1");
  init.method = "HEAD";
  auto head = app.fetch(upstream.url(), init);
  CHECK(head.text().empty());
  CHECK(head.headers().get("content-length") == "7");
  CHECK(head.http_version() == "2");
}

TEST_CASE("http2 calls: malformed responses are network errors") {
  const Trust trust;
  Http2Upstream upstream(trust.certificate, [](Http2Exchange& exchange) {
    const std::string path = exchange.field(":path");
    if (path == "/status") return exchange.respond(99, "");
    if (path == "/101") return exchange.inform(101, {});
    if (path == "/connection") return exchange.respond(200, "ok", {{"connection", "close"}});
    if (path == "/coding") return exchange.respond(200, "ok", {{"transfer-encoding", "chunked"}});
    if (path == "/short") return exchange.respond(200, "ok", {{"content-length", "3"}});
    if (path == "/long") return exchange.respond(200, "ok", {{"content-length", "1"}});
    if (path == "/many") {
      return exchange.respond(200, "ok", Http2Exchange::Fields(300, {"x-many", "1"}));
    }
    exchange.respond(200, "ok", {{"x-large", std::string(70'000, 'x')}});
  });
  fw::App app(trust.config());
  for (const std::string path :
       {"/status", "/101", "/connection", "/coding", "/short", "/long", "/many", "/large"}) {
    CAPTURE(path);
    CHECK_THROWS_AS(app.fetch.get(upstream.url(path), {.timeout = 30'000}).text(),
                    fw::NetworkError);
  }
}

TEST_CASE("http2 calls: public_only does not use a connection to another address") {
  const Trust trust;
  Http2Upstream upstream(trust.certificate,
                         [](Http2Exchange& exchange) { exchange.respond(200, "ok"); });
  fw::App app(trust.config());
  keep_connections(app, trust);
  for (int i = 0; i < 2; ++i) {
    CHECK(app.fetch.get(upstream.url()).text() == "ok");
    CHECK_THROWS_AS(app.fetch.get(upstream.url(), {.addresses = fw::Addresses::public_only}),
                    fw::AddressError);
  }
  CHECK(upstream.connections() == 1);
}

TEST_CASE("http2 calls: the proxy forwards by HTTP/2, and a slow client delays no other") {
  const Trust trust;
  const std::string large(kLarge, 'x');
  Shared<std::string> seen;
  Http2Upstream upstream(trust.certificate, [&](Http2Exchange& exchange) {
    if (exchange.field(":path") == "/large") return exchange.respond(200, large);
    if (exchange.field(":path") == "/reset") return exchange.reset(kInternalError);
    seen.set(fmt::format("{} {} {} {} {} {}", exchange.field(":method"), exchange.field("via"),
                         exchange.field("connection"), exchange.field("host"),
                         exchange.field("x-hop"), exchange.field("x-own")));
    exchange.respond(200, "coded", {{"content-encoding", "unknown"}, {"x-kind", "small"}});
  });
  fw::Config config = fw::support::server_config();
  config.fetch = trust.config().fetch;
  config.fetch.via = "gate";
  config.server.send_timeout = 600'000;
  fw::App app(config);
  fw::support::TableBuilder table;
  table.routes([&](fw::Router& router) {
    router.get("/up/*", [&](fw::Request& req, fw::Response& res) {
      app.fetch.proxy(req, res,
                      {.url = upstream.url("/" + std::string(req.param("*").value_or(""))),
                       .forward_headers = {"x-hop", "x-own"},
                       .timeout = 600'000});
    });
  });
  app.set_logger(fw::Logger(std::make_shared<fw::support::RecordingSink>()));
  app.mount(table.table());
  app.start();
  const auto port = static_cast<std::uint16_t>(app.port());
  const auto get = [](const std::string& path) {
    return "GET /up/" + path +
           " HTTP/1.1\r\nHost: a\r\nConnection: x-hop\r\nX-Hop: 1\r\nX-Own: 2\r\n\r\n";
  };
  fw::http::test::Client slow(port, 4'096);
  slow.send(get("large"));
  while (slow.input().find("\r\n\r\n") == std::string::npos) REQUIRE(slow.receive_more());
  for (int i = 0; i < 3; ++i) {
    fw::http::test::Client client(port);
    client.send(get("small"));
    const auto response = client.read_response();
    CHECK(response.status == 200);
    CHECK(response.body == "coded");
    CHECK(response.field("content-encoding") == "unknown");
    CHECK(response.field("x-kind") == "small");
    CHECK(seen.get() == "GET 1.1 gate (none) (none) (none) 2");
    client.send(get("reset"));
    CHECK(client.read_response().status == 502);
  }
  while (slow.input().size() < large.size()) REQUIRE(slow.receive_more());
  {
    fw::http::test::Client leaves(port, 4'096);
    leaves.send(get("large"));
    while (leaves.input().empty()) REQUIRE(leaves.receive_more());
  }
}

}  // namespace http2_calls_test
