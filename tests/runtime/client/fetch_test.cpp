// app.fetch against a well-behaved upstream: what is sent, what comes back, and when it is
// repeated.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <future>
#include <memory>
#include <mutex>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "base/loggable_url.hpp"
#include "client/outbound_client.hpp"
#include "client/public_address.hpp"
#include "client/transfer.hpp"
#include "client/url.hpp"
#include "eventually.hpp"
#include "sanitizers.hpp"
#include "support/scripted_upstream.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace fetch_test {

namespace {

using fw::Json;
using fw::support::always;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::Shared;
using namespace std::chrono_literals;

/// An upstream that keeps the requests and responds 200 "ok".
class Recorder {
 public:
  Recorder()
      : upstream([this](ScriptedConnection& connection) {
          for (std::string text; !(text = connection.read_request()).empty();) {
            {
              const std::lock_guard lock(mutex_);
              requests_.push_back(text);
            }
            connection.respond(200, "ok");
          }
        }) {}

  /// The last request.
  std::string last() const {
    const std::lock_guard lock(mutex_);
    return requests_.empty() ? "" : requests_.back();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;

 public:
  ScriptedUpstream upstream;  // last: its threads use what is above
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Its calls have time on a busy machine.
fw::Config quiet() {
  fw::Config config = fw::testing::TestApp::test_config();
  config.fetch.timeout = 600'000;
  return config;
}

/// Calls of `app` use connections again that have been idle for a while, on a busy machine.
void keep_connections(fw::App& app) {
  fw::detail::Access::core(app).client->set_transport(
      fw::outbound::make_transport({.longest_idle = std::chrono::minutes(10)}));
}

/// While it exists, the process has no free descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual_) == 0);
    rlimit few = usual_;
    few.rlim_cur = 256;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    for (int fd = 0; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.push_back(fd);
  }
  ~NoDescriptors() {
    for (const int fd : taken_) ::close(fd);
    ::setrlimit(RLIMIT_NOFILE, &usual_);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit usual_{};
  std::vector<int> taken_;
};

TEST_CASE("fetch: sends the request and reads the response") {
  fw::App app(quiet());
  keep_connections(app);
  Recorder recorder;
  auto response = app.fetch.get(recorder.upstream.url("/a b?x=1#part"));
  CHECK(response.ok());
  CHECK(response.status() == 200);
  CHECK(response.attempt() == 0);
  CHECK(response.url() == recorder.upstream.url("/a%20b?x=1"));
  CHECK(response.headers().get("CONTENT-LENGTH") == "2");
  CHECK(response.text() == "ok");
  CHECK(response.text() == "ok");
  CHECK(recorder.last().starts_with("GET /a%20b?x=1 HTTP/1.1\r\n"));
  CHECK(has(recorder.last(), "\r\nuser-agent: fairway\r\n"));

  app.fetch.post(recorder.upstream.url(), {{"name", "Ada"}}).text();
  CHECK(recorder.last().starts_with("POST / HTTP/1.1\r\n"));
  CHECK(has(recorder.last(), "\r\ncontent-type: application/json\r\n"));
  CHECK(recorder.last().ends_with("\r\n\r\n{\"name\":\"Ada\"}"));

  app.fetch.post(recorder.upstream.url()).text();
  CHECK(has(recorder.last(), "Content-Length: 0\r\n"));
  CHECK(!has(recorder.last(),
             "ontent-"
             "ype"));

  app.fetch(recorder.upstream.url(),
            {.method = "put", .headers = {{"X-Empty", ""}}, .body = "text"})
      .text();
  CHECK(recorder.last().starts_with("PUT / HTTP/1.1\r\n"));
  CHECK(has(recorder.last(), "\r\nx-empty:\r\n"));
  CHECK(has(recorder.last(), "\r\ncontent-type: text/plain;charset=UTF-8\r\n"));
  CHECK(recorder.last().ends_with("\r\n\r\ntext"));

  app.fetch.del(recorder.upstream.url()).text();
  CHECK(recorder.last().starts_with("DELETE / HTTP/1.1\r\n"));
  CHECK(recorder.upstream.connections() == 1);
}

TEST_CASE("fetch: sends forms") {
  fw::App app(quiet());
  Recorder recorder;
  fw::FormData form;
  form.append("name", "Ada & Co")
      .append_file("file", "a\"b.txt", "bytes", "text/plain")
      .append_file("raw", "c", "01", "");
  app.fetch(recorder.upstream.url(), {.method = "POST", .body = form}).text();
  const std::string multipart = recorder.last();
  const auto at = multipart.find("content-type: multipart/form-data; boundary=");
  REQUIRE(at != std::string::npos);
  const auto begin = multipart.find('=', at) + 1;
  const std::string boundary = multipart.substr(begin, multipart.find('\r', begin) - begin);
  CHECK(multipart.ends_with(
      "\r\n\r\n--" + boundary +
      "\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nAda & Co\r\n--" + boundary +
      "\r\nContent-Disposition: form-data; name=\"file\"; "
      "filename=\"a%22b.txt\"\r\nContent-Type: text/plain\r\n\r\nbytes\r\n--" +
      boundary +
      "\r\nContent-Disposition: form-data; name=\"raw\"; filename=\"c\"\r\n\r\n01\r\n--" +
      boundary + "--\r\n"));

  CHECK_THROWS_AS(
      app.fetch(recorder.upstream.url(), {.method = "POST", .body = form.url_encoded()}),
      fw::OptionError);
  fw::FormData fields;
  fields.append("name", "Ada & Co").append("ü", "1").url_encoded();
  app.fetch(recorder.upstream.url(), {.method = "POST", .body = fields}).text();
  CHECK(has(recorder.last(),
            "\r\ncontent-type: application/x-www-form-urlencoded;charset=UTF-8\r\n"));
  CHECK(recorder.last().ends_with("\r\n\r\nname=Ada+%26+Co&%C3%BC=1"));
}

TEST_CASE("URLs: host and path are normalised, and the bytes of the query are kept") {
  using fw::outbound::parse_url;
  const auto text = [](std::string_view url) { return parse_url(url).text; };
  CHECK(text("HTTP://h.example:8080") == "http://h.example:8080/");
  CHECK(text("http://h/a/../b/./c%zz") == "http://h/b/c%zz");
  CHECK(text("http://h?x") == "http://h/?x");
  CHECK(text("http://h/?") == "http://h/");
  CHECK(text("http://h/#part?x") == "http://h/");
  CHECK(text("http://h/?a=%3b&b=+%2B&%zz&c=[\"]|'<>\\^`{}~/?:@!$;,*()") ==
        "http://h/?a=%3b&b=+%2B&%zz&c=[\"]|'<>\\^`{}~/?:@!$;,*()");
  CHECK(text("http://h/?a b\xC3\xBC") == "http://h/?a%20b%C3%BC");
  CHECK(parse_url("http://h/a?b=c/d").target() == "/a?b=c/d");
  CHECK(parse_url("https://H/").origin == "https://h:443");
  for (const std::string wrong : {"http://h/?a\r\nX: y", "http://h/\r\nX: y", "http://u:p@h/",
                                  "http://@:80/", "http://h:65536/", "ftp://h/"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_url(wrong), std::invalid_argument);
  }
  using fw::outbound::resolve_url;
  const auto base = parse_url("http://h/a/b?x=%3a");
  CHECK(resolve_url(base, "c").text == "http://h/a/c");
  CHECK(resolve_url(base, "?y=%3b").text == "http://h/a/b?y=%3b");
  CHECK(resolve_url(base, "#part").text == "http://h/a/b?x=%3a");
  CHECK(resolve_url(base, "//other/?z=%3c#part").text == "http://other/?z=%3c");
}

TEST_CASE("URLs: log lines and messages contain no secrets") {
  using fw::base::loggable_url;
  CHECK(loggable_url("https://user:password@h/a?token=secret&page=2#part") ==
        "https://h/a?token=…&page=…");
  CHECK(loggable_url("https://h/a@b") == "https://h/a@b");
  CHECK(loggable_url("http://h/?secret&=x&") == "http://h/?…&=…&");
  CHECK(loggable_url("no URL") == "no URL");
}

TEST_CASE("fetch: log lines and messages contain no query values") {
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(quiet());
  app.set_logger(fw::Logger(sink, fw::LogLevel::debug));
  ScriptedUpstream silent([](ScriptedConnection& connection) { connection.wait_for_end(); });
  ScriptedUpstream busy(
      always("HTTP/1.1 302 Found\r\nLocation: http://h/?code=secret\r\n"
             "Content-Length: 0\r\n\r\n"));
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing";
  };
  CHECK(!has(message([&] { app.fetch.get("http://127.0.0.1:1/?token=secret"); }), "secret"));
  CHECK(!has(message([&] { app.fetch.get("http://user:secret@h/"); }), "secret"));
  CHECK(!has(message([&] {
               app.fetch.get(busy.url("/?token=secret"), {.redirect = fw::Redirect::error});
             }),
             "secret"));
  // The message has the whole URL; logs remove its secrets.
  CHECK(message([&] { app.fetch.get(silent.url("/?token=secret"), {.timeout = 20}); }) ==
        "[app.fetch] GET " + silent.url("/?token=secret") + " timed out after 20ms");
  app.fetch.get(busy.url("/?token=secret"), {.redirect = fw::Redirect::manual});
  const auto records = sink->records();
  REQUIRE(records.size() == 4);
  for (const auto& record : records) {
    CHECK(!has(record.message, "secret"));
    CHECK(has(record.message, "?token=…"));
    CHECK(!has(record.fields.dump(), "secret"));
  }
}

TEST_CASE("fetch: streams bodies in both directions") {
  fw::App app(quiet());
  Recorder recorder;
  const auto counting = [](int parts) {
    return fw::Readable([left = parts](std::span<char> buffer) mutable -> std::size_t {
      if (left-- == 0) return 0;
      buffer[0] = 'x';
      return 1;
    });
  };
  app.fetch(recorder.upstream.url(), {.method = "POST", .body = counting(3)}).text();
  CHECK(has(recorder.last(), "Transfer-Encoding: chunked\r\n"));
  CHECK(recorder.last().ends_with("1\r\nx\r\n1\r\nx\r\n1\r\nx\r\n0\r\n\r\n"));
  app.fetch(recorder.upstream.url(), {.method = "PUT", .body = fw::Readable("known size")}).text();
  CHECK(has(recorder.last(), "Content-Length: 10\r\n"));
  CHECK(recorder.last().ends_with("\r\n\r\nknown size"));

  // More than any buffer of the client's, sent as fast as it is read.
  constexpr std::size_t kSize = 3'000'000;
  ScriptedUpstream large([](ScriptedConnection& connection) {
    connection.read_request();
    connection.respond(200, std::string(kSize, 'y'));
  });
  auto response = app.fetch.get(large.url());
  std::vector<char> buffer(70'000);
  std::size_t total = 0;
  while (const std::size_t count = response.read(buffer)) total += count;
  CHECK(total == kSize);
}

TEST_CASE("fetch: retries only idempotent requests") {
  fw::App app(quiet());
  std::atomic<int> requests = 0;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) {
      connection.respond(++requests < 3 ? 503 : 200, "n");
    }
  });
  std::vector<int> asked;
  const auto delay = [&](int attempt) {
    asked.push_back(attempt);
    return 1ms;
  };
  auto response = app.fetch.get(upstream.url(), {.retry = 5, .retry_delay = delay});
  CHECK(response.status() == 200);
  CHECK(response.attempt() == 2);
  CHECK(asked == std::vector<int>{1, 2});
  const auto count = [&](auto call) {
    requests = 0;
    call();
    return requests.load();
  };
  const auto once = fw::FetchInit{.retry = 5, .retry_delay = 1};
  CHECK(count([&] { app.fetch.post(upstream.url(), {{"a", 1}}, once); }) == 1);
  CHECK(count([&] { app.fetch.patch(upstream.url(), {{"a", 1}}, once); }) == 1);
  CHECK(count([&] { app.fetch.put(upstream.url(), {{"a", 1}}, once); }) == 3);
  CHECK(count([&] {
          app.fetch(upstream.url(),
                    {.method = "PUT", .body = fw::Readable("x"), .retry = 5, .retry_delay = 1});
        }) == 1);
}

/// Closes each connection at its second request, without a response.
class Closing {
 public:
  Closing()
      : upstream([this](ScriptedConnection& connection) {
          while (!connection.read_request().empty()) {
            ++requests;
            if (connection.index() > 0) return;
            connection.respond(200, "first");
          }
        }) {}

  std::atomic<int> requests = 0;
  ScriptedUpstream upstream;  // last: its threads use what is above
};

TEST_CASE("fetch: a reused connection that closes without a response is retried once") {
  fw::App app(quiet());
  keep_connections(app);
  Closing closing;
  const std::string url = closing.upstream.url();
  CHECK(app.fetch.get(url).text() == "first");
  auto repeated = app.fetch.get(url);
  CHECK(repeated.text() == "first");
  CHECK(repeated.attempt() == 1);
  CHECK(closing.requests == 3);
  // What cannot be repeated is sent once.
  CHECK_THROWS_AS(app.fetch.post(url, {{"a", 1}}), fw::NetworkError);
  CHECK(closing.requests == 4);
  CHECK(app.fetch.get(url).text() == "first");
  CHECK_THROWS_AS(app.fetch(url, {.method = "PUT", .body = fw::Readable("x")}), fw::NetworkError);
  CHECK(closing.requests == 6);
}

TEST_CASE("fetch: a new connection that closes without a response is an immediate error") {
  fw::App app(quiet());
  std::atomic<int> requests = 0;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    connection.read_request();
    ++requests;
  });
  CHECK_THROWS_AS(app.fetch.get(upstream.url()), fw::NetworkError);
  CHECK(requests == 1);
}

TEST_CASE("fetch: redirects are followed as browsers do") {
  fw::App app(quiet());
  Recorder other;
  Shared<std::string> seen;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    for (std::string text; !(text = connection.read_request()).empty();) {
      const std::string path =
          text.substr(text.find(' ') + 1, text.find(" HTTP") - text.find(' ') - 1);
      if (path == "/see-other") {
        connection.respond(303, "", "Location: end?x=1\r\n");
      } else if (path == "/moved") {
        connection.respond(301, "", "Location: /end\r\n");
      } else if (path == "/again") {
        connection.respond(307, "", "Location: /end\r\n");
      } else if (path == "/away") {
        connection.respond(302, "", "Location: " + other.upstream.url("/there") + "\r\n");
      } else if (path == "/loop") {
        connection.respond(302, "", "Location: /loop\r\n");
      } else if (path == "/ftp") {
        connection.respond(302, "", "Location: ftp://localhost/\r\n");
      } else if (path == "/nowhere") {
        connection.respond(302, "here");
      } else {
        seen.set(text);
        connection.respond(200, "end");
      }
    }
  });
  const auto post = [&](std::string_view path) {
    return app.fetch.post(upstream.url(path), {{"a", 1}});
  };
  CHECK(post("/see-other").url() == upstream.url("/end?x=1"));
  CHECK(seen.get().starts_with("GET /end?x=1 "));
  CHECK(!has(seen.get(), "content-type"));
  CHECK(post("/moved").text() == "end");
  CHECK(seen.get().starts_with("GET /end "));
  CHECK(app.fetch.put(upstream.url("/moved"), {{"a", 1}}).text() == "end");
  CHECK(seen.get().starts_with("PUT /end "));
  CHECK(post("/again").text() == "end");
  CHECK(seen.get().starts_with("POST /end "));
  CHECK(seen.get().ends_with("{\"a\":1}"));

  const fw::FetchHeaders secrets{{"authorization", "Bearer s"}, {"cookie", "a=1"}, {"x-kept", "k"}};
  CHECK(app.fetch.get(upstream.url("/away"), {.headers = secrets}).text() == "ok");
  CHECK(has(other.last(), "x-kept: k"));
  CHECK(!has(other.last(), "authorization"));
  CHECK(!has(other.last(), "cookie"));
  CHECK(app.fetch.get(upstream.url("/moved"), {.headers = secrets}).text() == "end");
  CHECK(has(seen.get(), "authorization: Bearer s"));

  CHECK(app.fetch.get(upstream.url("/nowhere")).text() == "here");
  CHECK(app.fetch.get(upstream.url("/moved"), {.redirect = fw::Redirect::manual}).status() == 301);
  CHECK_THROWS_AS(app.fetch.get(upstream.url("/moved"), {.redirect = fw::Redirect::error}),
                  fw::RedirectError);
  CHECK_THROWS_WITH_AS(app.fetch.get(upstream.url("/loop")),
                       doctest::Contains("more than 20 redirects"), fw::RedirectError);
  CHECK_THROWS_AS(app.fetch.get(upstream.url("/ftp")), fw::RedirectError);
  CHECK_THROWS_AS(app.fetch(upstream.url("/again"), {.method = "POST", .body = fw::Readable("x")}),
                  fw::RedirectError);
}

TEST_CASE("fetch: invalid options are rejected, and nothing is sent") {
  fw::App app(quiet());
  Recorder recorder;
  const std::string url = recorder.upstream.url();
  const auto rejects = [&](fw::FetchInit init, std::string_view message) {
    try {
      app.fetch(url, std::move(init));
      FAIL("accepted");
    } catch (const fw::OptionError& error) {
      CHECK(error.what() == message);
    }
  };
  rejects({.timeout = 0}, "timeout: expected from 1 to 2147483647 milliseconds, not 0");
  rejects({.retry = -1}, "retry: expected 0 or more, not -1");
  rejects({.retry_delay = 3'000'000'000},
          "retryDelay: expected from 0 to 2147483647 milliseconds, not 3000000000");
  rejects({.method = "TRACE"}, "method: 'TRACE' cannot be sent");
  rejects({.body = "x"}, "body: a GET request cannot have a body");
  rejects({.headers = {{"a b", "x"}}}, "headers: 'a b' is not a valid header name");
  rejects({.headers = {{"a", "x\r\nb: c"}}},
          "headers: the value of 'a' contains control characters");
  rejects({.headers = {{"Content-Length", "1"}}},
          "headers: 'Content-Length' must not be set: the HTTP client sets it");
  for (const char* wrong :
       {"", "/path", "ftp://host/", "http://", "http://user:secret@host/", "http://host/\r\nX: y",
        "file:///etc/passwd", "http://unix:/run/docker.sock:/containers/json"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(app.fetch.get(wrong), fw::OptionError);
  }
  rejects({.unix_socket = "relative"}, "url: 'relative' is not the absolute path of a unix socket");
  rejects({.addresses = fw::Addresses::public_only, .unix_socket = "/run/app.sock"},
          "addresses: public_only does not permit a unix socket");
  rejects({.idle_timeout = 0}, "idleTimeout: expected from 1 to 2147483647 milliseconds, not 0");
  rejects({.total_timeout = -1},
          "totalTimeout: expected from 1 to 2147483647 milliseconds, not -1");
  CHECK_THROWS_AS(app.fetch.create({.base_url = "/relative"}), fw::OptionError);
  for (const char* wrong :
       {"https://a/v1?key=1", "https://a/v1?", "https://a/v1#x", "http://unix:/a.sock:/v1?key=1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(app.fetch.create({.base_url = wrong}), fw::OptionError);
  }
  CHECK_THROWS_WITH_AS(
      app.fetch.create({.base_url = "https://a/v1?key=secret"}),
      "baseURL: 'https://a/v1?key=…': a base URL has neither a query nor a fragment",
      fw::OptionError);
  const auto tenant = app.fetch.create({.base_url = recorder.upstream.url("/v1/tenant")});
  for (const char* path : {"/users/../../../admin", "..", "/a/%2e%2E/b", "/a/.%2e?x", "/a\\..\\b",
                           "/..;/admin", "/a%2f..%2fb", "/100%"}) {
    CAPTURE(path);
    CHECK_THROWS_AS(tenant.get(path), fw::OptionError);
  }
  CHECK(recorder.last().empty());
}

TEST_CASE("fetch: a stop token cancels a call, a pause between attempts, and the body") {
  fw::App app(quiet());
  ScriptedUpstream silent([](ScriptedConnection& connection) { connection.wait_for_end(); });
  ScriptedUpstream busy(always("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"));
  ScriptedUpstream half([](ScriptedConnection& connection) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    connection.wait_for_end();
  });
  const auto cancelled = [&](auto call) {
    std::stop_source source;
    auto running = std::async(std::launch::async, [&] { call(source.get_token()); });
    std::this_thread::sleep_for(20ms);
    const auto begin = std::chrono::steady_clock::now();
    source.request_stop();
    CHECK_THROWS_WITH_AS(running.get(), doctest::Contains("the signal was requested"),
                         fw::AbortError);
    return std::chrono::steady_clock::now() - begin < 50s;
  };
  CHECK(cancelled([&](std::stop_token signal) {
    app.fetch.get(silent.url(), {.timeout = 60'000, .signal = signal});
  }));
  CHECK(cancelled([&](std::stop_token signal) {
    app.fetch.get(busy.url(), {.retry = 1, .retry_delay = 60'000, .signal = signal});
  }));
  CHECK(cancelled(
      [&](std::stop_token signal) { app.fetch.get(half.url(), {.signal = signal}).text(); }));
}

TEST_CASE("fetch: hooks see each call once, and log lines each attempt") {
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(quiet());
  app.set_logger(fw::Logger(sink, fw::LogLevel::debug));
  std::vector<std::string> events;
  app.hooks().on<fw::hooks::FetchBefore>([&](fw::hooks::FetchBefore& event) {
    events.push_back("before " + std::to_string(event.attempt));
    event.headers.set("x-signed", "yes");
    if (event.url.ends_with("/refused")) throw std::runtime_error("not now");
  });
  app.hooks().on<fw::hooks::FetchAfter>([&](fw::hooks::FetchAfter& event) {
    events.push_back("after " + std::to_string(event.attempt) + " " +
                     std::to_string(event.response.status()));
  });
  app.hooks().on<fw::hooks::FetchFailed>([&](fw::hooks::FetchFailed& event) {
    events.push_back("error " + std::to_string(event.attempt));
  });
  std::promise<std::string> first_request;
  std::atomic<bool> is_first = true;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    for (std::string text; !(text = connection.read_request()).empty();) {
      if (is_first.exchange(false)) first_request.set_value(text);
      connection.respond(500, "no");
    }
  });
  CHECK(app.fetch.get(upstream.url("/x"), {.retry = 1, .retry_delay = 0}).text() == "no");
  CHECK(has(first_request.get_future().get(), "x-signed: yes"));
  CHECK_THROWS_AS(app.fetch.get("http://127.0.0.1:1/", {.retry = 1, .retry_delay = 0}),
                  fw::NetworkError);
  CHECK_THROWS_WITH(app.fetch.get(upstream.url("/refused")), "not now");
  CHECK(events ==
        std::vector<std::string>{"before 0", "after 1 500", "before 0", "error 1", "before 0"});
  const auto records = sink->records();
  REQUIRE(records.size() == 4);
  const Json& first = records[0].fields;
  CHECK(records[0].level == fw::LogLevel::error);
  CHECK(first.at("type") == "outbound");
  CHECK(first.at("method") == "GET");
  CHECK(first.at("url") == upstream.url("/x"));
  CHECK(first.at("status") == 500);
  CHECK(first.contains("duration"));
  CHECK(records[2].fields.contains("error"));
  CHECK(!records[2].fields.contains("status"));
}

TEST_CASE("fetch: calls within a request propagate its id and the configured headers") {
  Recorder recorder;
  fw::Config config = quiet();
  config.fetch.propagate_headers = {"X-Tenant"};
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/", [&](fw::Request&, fw::Response& res) {
          router.fetch.get(recorder.upstream.url(), {.headers = {{"x-own", "1"}}}).text();
          res.json(nullptr);
        });
      },
      config);
  app.request("GET", "/").header("X-Request-Id", "R1").header("x-tenant", "t1").send();
  CHECK(has(recorder.last(), "\r\nx-request-id: R1\r\n"));
  CHECK(has(recorder.last(), "\r\nx-tenant: t1\r\n"));
  app.app().fetch.get(recorder.upstream.url()).text();
  CHECK(!has(recorder.last(), "x-request-id"));
}

TEST_CASE("fetch: a cached response depends on a header that would have been propagated") {
  Recorder recorder;
  fw::Config config = quiet();
  config.fetch.propagate_headers = {"X-Tenant"};
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
          router.fetch.get(recorder.upstream.url()).text();
          res.json(nullptr);
        });
      },
      config);
  app.request("GET", "/").send();
  app.request("GET", "/").header("X-Tenant", "b").send();
  CHECK(has(recorder.last(), "\r\nx-tenant: b\r\n"));
}

TEST_CASE("fetch: propagated headers are sent to no other origin") {
  Recorder other;
  Recorder own;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) {
      connection.respond(302, "", "Location: " + other.upstream.url("/there") + "\r\n");
    }
  });
  fw::Config config = quiet();
  config.fetch.propagate_headers = {"X-Tenant", "X-Plan"};
  std::vector<fw::FetchHeaders> sent;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/away", [&](fw::Request&, fw::Response& res) {
          router.fetch.get(upstream.url("/"), {.headers = {{"x-plan", "own"}}}).text();
          res.json(nullptr);
        });
        router.get("/others", [&](fw::Request&, fw::Response& res) {
          const fw::FetchClient others = router.fetch.create(
              {.base_url = own.upstream.url("/"), .addresses = fw::Addresses::public_only});
          for (const auto& call : {std::function([&] {
                                     router.fetch.get(own.upstream.url("/"),
                                                      {.addresses = fw::Addresses::public_only});
                                   }),
                                   std::function([&] { others.get("/"); })}) {
            CHECK_THROWS_AS(call(), fw::AddressError);
          }
          res.json(nullptr);
        });
      },
      config,
      [&](fw::App& application) {
        application.hooks().on<fw::hooks::FetchBefore>(
            [&](fw::hooks::FetchBefore& event) { sent.push_back(event.headers); });
      });
  const auto get = [&](const char* path) {
    app.request("GET", path).header("X-Tenant", "t1").header("X-Plan", "p1").send();
  };
  get("/away");
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].get("x-tenant") == "t1");
  CHECK_FALSE(has(other.last(), "x-tenant"));
  CHECK(has(other.last(), "x-plan: own"));  // a header of the call itself
  get("/others");
  REQUIRE(sent.size() == 3);
  for (const std::size_t i : {1U, 2U}) {
    CHECK_FALSE(sent[i].has("x-tenant"));
    CHECK_FALSE(sent[i].has("x-plan"));
  }
}

TEST_CASE("fetch: calls use unix sockets and the proxy from the environment") {
  const fairway::test::TemporaryDirectory directory;
  const std::string socket = directory.path() / "socket";
  fw::support::TableBuilder table;
  table.routes([](fw::Router& router) {
    router.get("/*", [](fw::Request& req, fw::Response& res) { res.text(std::string(req.url())); });
  });
  fw::Config config = quiet();
  config.server.unix_socket = socket;
  fw::App server(config);
  server.mount(table.table());
  server.start();
  fw::App app(quiet());
  auto response = app.fetch.get("http://any/a?b=1", {.unix_socket = socket});
  CHECK(response.text() == "/a?b=1");
  CHECK(app.fetch.create({.unix_socket = socket}).get("c").text() == "/c");
  CHECK(app.fetch.create({.base_url = "http://unix:" + socket + ":/v1/"}).get("c").text() ==
        "/v1/c");
  CHECK(app.fetch.create({.base_url = "http://unix:" + socket + ":"}).get("c").text() == "/c");
  CHECK(app.fetch.create({.base_url = "http://unix:" + socket}).get("c").text() == "/c");
  CHECK_THROWS_AS(app.fetch.create({.base_url = "http://unix:relative:/"}), fw::OptionError);
  CHECK_THROWS_AS(app.fetch.create({.base_url = "http://unix::"}), fw::OptionError);
  CHECK_THROWS_AS(app.fetch.get("http://any/", {.unix_socket = "/no/such/socket"}),
                  fw::NetworkError);

  Recorder proxy;
  ::setenv("HTTP_PROXY", proxy.upstream.url("").c_str(), 1);
  fw::App proxied(quiet());
  CHECK(proxied.fetch.get("http://example.invalid/x").text() == "ok");
  ::unsetenv("HTTP_PROXY");
  CHECK(proxy.last().starts_with("GET http://example.invalid/x HTTP/1.1\r\n"));
}

TEST_CASE("addresses: only public Internet addresses are public") {
  using fw::outbound::is_public_address;
  for (const std::string address :
       {"8.8.8.8", "1.1.1.1", "168.63.129.15", "168.63.129.17", "172.15.0.1", "172.32.0.1",
        "100.63.0.1", "100.128.0.1", "192.167.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255",
        "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808"}) {
    CAPTURE(address);
    CHECK(is_public_address(address));
  }
  for (const std::string address : {"0.0.0.0",
                                    "0.1.2.3",
                                    "10.0.0.1",
                                    "100.64.0.1",
                                    "100.127.255.255",
                                    "127.0.0.1",
                                    "127.255.0.1",
                                    "168.63.129.16",
                                    "169.254.169.254",
                                    "172.16.0.1",
                                    "172.31.255.255",
                                    "192.0.0.1",
                                    "192.0.2.1",
                                    "192.168.1.1",
                                    "198.18.0.1",
                                    "198.19.0.1",
                                    "198.51.100.1",
                                    "203.0.113.1",
                                    "224.0.0.1",
                                    "239.1.1.1",
                                    "240.0.0.1",
                                    "255.255.255.255",
                                    "::",
                                    "::1",
                                    "::8.8.8.8",
                                    "::ffff:127.0.0.1",
                                    "::ffff:8.8.8.8",
                                    "fe80::1",
                                    "fec0::1",
                                    "fc00::1",
                                    "fd12::1",
                                    "ff02::1",
                                    "64:ff9b::7f00:1",
                                    "64:ff9b::a9fe:a9fe",
                                    "64:ff9b:1::1",
                                    "2001::1",
                                    "2001:db8::1",
                                    "2002:7f00:1::",
                                    "3fff::1",
                                    "100::1",
                                    "4000::1",
                                    "",
                                    "unix",
                                    "localhost",
                                    "127.1"}) {
    CAPTURE(address);
    CHECK(!is_public_address(address));
  }
}

TEST_CASE("fetch: calls succeed again when descriptors are available" *
          doctest::skip(fairway::test::kChecksObjects)) {
  fw::App app(quiet());
  Recorder recorder;
  {
    const NoDescriptors none;
    CHECK_THROWS_AS(app.fetch.get(recorder.upstream.url(), {.retry = 0}),
                    fw::NetworkError);  // the first call
  }
  CHECK(app.fetch.get(recorder.upstream.url(), {.timeout = 60'000}).ok());
}

TEST_CASE("fetch: idle connections are closed when descriptors are available again") {
  using fw::outbound::Clock;
  using fw::outbound::Transfer;
  std::promise<void> received;
  std::promise<void> may_respond;
  std::promise<void> closed;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    connection.read_request();
    received.set_value();
    may_respond.get_future().wait();
    connection.respond(200, "ok");
    connection.wait_for_end();
    closed.set_value();
  });
  Recorder recorder;
  const auto transport = fw::outbound::make_transport({.longest_idle = 50ms});
  const auto start = [&](const std::string& url) {
    auto transfer = std::make_shared<Transfer>(
        fw::outbound::OutboundRequest{.method = "GET", .url = fw::outbound::parse_url(url)});
    transfer->start(*transport);
    return transfer;
  };
  const auto first = start(upstream.url());
  received.get_future().wait();
  auto end = closed.get_future();
  {
    const NoDescriptors none;  // before the connection is idle
    may_respond.set_value();
    CHECK(first->wait_for_head(Clock::now() + fairway::test::kPatience) ==
          Transfer::Outcome::ready);
    // The handle that would replace the one with the connection is one that nothing can wake.
    CHECK(end.wait_for(300ms) == std::future_status::timeout);
  }
  CHECK(end.wait_for(fairway::test::kPatience) == std::future_status::ready);
  const auto second = start(recorder.upstream.url());
  CHECK(second->wait_for_head(Clock::now() + fairway::test::kPatience) == Transfer::Outcome::ready);
  first->close();
  second->close();
}

TEST_CASE("addresses: public_only rejects other addresses, even on an open connection") {
  fw::App app(quiet());
  Recorder recorder;
  const std::string url = recorder.upstream.url();
  const std::string port = url.substr(url.rfind(':'));
  const auto is_rejected = [&](const std::string& target) {
    try {
      app.fetch.get(target,
                    {.retry = 3, .retry_delay = 0, .addresses = fw::Addresses::public_only});
      return false;
    } catch (const fw::AddressError& error) {
      return has(error.what(), "failed: the host has no public address") && error.attempt() == 0;
    }
  };
  for (const char* host :
       {"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433"}) {
    CAPTURE(host);
    CHECK(is_rejected(std::string("http://") + host + port));
  }
  CHECK(recorder.upstream.connections() == 0);
  app.fetch.get(url).text();
  CHECK(recorder.last().starts_with("GET / "));
  CHECK(is_rejected(recorder.upstream.url("/other")));
  CHECK(recorder.last().starts_with("GET / "));
  const auto guarded = app.fetch.create({.base_url = url, .addresses = fw::Addresses::public_only});
  CHECK_THROWS_AS(guarded.get("/"), fw::AddressError);
  CHECK(guarded.get("/", {.addresses = fw::Addresses::any}).text() == "ok");
  // A proxy, whose own address is public, would connect to the address for the call.
  ::setenv("http_proxy", "http://8.8.8.8:1", 1);
  fw::App proxied(quiet());
  CHECK_THROWS_AS(
      proxied.fetch.get(url, {.timeout = 60'000, .addresses = fw::Addresses::public_only}),
      fw::AddressError);
  ::unsetenv("http_proxy");
}

namespace {

/// A public server that redirects to `location`. Other hosts are reached over the network.
class PublicRedirect : public fw::outbound::Transport {
 public:
  explicit PublicRedirect(std::string location) : location_(std::move(location)) {}

  std::unique_ptr<fw::outbound::Channel> open(
      std::shared_ptr<fw::outbound::Transfer> transfer) override {
    if (transfer->request().url.text != "http://public.example/") {
      return network_->open(std::move(transfer));
    }
    fw::http::Fields fields;
    fields.add("location", location_);
    transfer->put_head(302, std::move(fields));
    transfer->finish(std::nullopt);
    return std::make_unique<Ended>();
  }
  void stop() override { network_->stop(); }

 private:
  struct Ended : fw::outbound::Channel {
    void resume() override {}
    void cancel() override {}
  };
  const std::string location_;
  const std::shared_ptr<fw::outbound::Transport> network_ = fw::outbound::make_transport({});
};

}  // namespace

TEST_CASE("addresses: public_only also holds for the targets of redirects") {
  fw::App app(quiet());
  Recorder recorder;
  fw::detail::Access::core(app).client->set_transport(
      std::make_shared<PublicRedirect>(recorder.upstream.url("/internal")));
  const std::string url = "http://public.example/";
  CHECK_THROWS_WITH_AS(app.fetch.get(url, {.addresses = fw::Addresses::public_only}),
                       doctest::Contains("the host has no public address"), fw::AddressError);
  CHECK(recorder.upstream.connections() == 0);
  CHECK(app.fetch.get(url).text() == "ok");
  CHECK(recorder.last().starts_with("GET /internal "));
}

TEST_CASE("fetch: attempts are measured by server and outcome, if there is an admin listener") {
  fw::Config config = quiet();
  config.admin.socket = "admin.sock";
  OneFileApp app([](fw::Router&) {}, config);
  app.fetch_stub("GET https://api.test/*", [](const fw::testing::FetchCall& call) {
    if (call.url.ends_with("/broken")) throw std::runtime_error("no upstream");
    return fw::testing::FetchReply{.status = call.url.ends_with("/down") ? 503 : 200};
  });
  const auto& fetch = app.app().fetch;
  const auto page = [&] {
    fw::detail::Exposition text(fw::detail::Exposition::Format::prometheus);
    fw::detail::Access::core(app.app()).client->metrics()->write(text);
    return text.finish();
  };
  const auto lines_in = [](const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  const auto counts = [](const std::string& labels, int count) {
    return "http_client_request_duration_seconds_count{http_request_method=\"GET\"," + labels +
           "} " + std::to_string(count) + "\n";
  };
  const auto client = fetch.create({.base_url = "https://api.test/v1"});
  client.get("users");
  client.get("users?name=ada");
  client.get("down", {.retry = 1, .retry_delay = 0});
  CHECK_THROWS_AS(client.get("broken"), fw::NetworkError);
  const std::string server = R"(server_address="api.test",server_port="443",)";
  CHECK(has(page(), counts(server + R"(http_response_status_code="200")", 2)));
  CHECK(has(page(), counts(server + R"(http_response_status_code="503")", 2)));
  CHECK(has(page(), counts(server + R"(error_type="network")", 1)));
  CHECK_FALSE(has(page(), "users"));

  std::size_t size = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string url = "http://host" + std::to_string(i) + ".test/";
    app.fetch_stub("GET " + url, [](const auto&) { return fw::testing::FetchReply{}; });
    fetch.get(url);
    if (i == 0) size = lines_in(page());
  }
  CHECK(has(page(), counts(R"(http_response_status_code="200")", 300)));
  CHECK(lines_in(page()) == size);

  OneFileApp unmeasured([](fw::Router&) {});
  CHECK(fw::detail::Access::core(unmeasured.app()).client->metrics() == nullptr);
}

TEST_CASE("fetch: calls connect to IPv6 addresses") {
  fw::support::TableBuilder table;
  table.routes([](fw::Router& router) {
    router.get("/", [](fw::Request& req, fw::Response& res) { res.text(std::string(req.ip())); });
  });
  fw::Config config = quiet();
  config.host = "::1";
  config.port = 0;
  fw::App server(config);
  server.mount(table.table());
  try {
    server.start();
  } catch (const std::system_error&) {
    MESSAGE("this machine has no IPv6");
    return;
  }
  fw::App app(quiet());
  const std::string port = std::to_string(server.port());
  CHECK(app.fetch.get("http://[::1]:" + port + "/").text() == "::1");
}

}  // namespace

}  // namespace fetch_test
