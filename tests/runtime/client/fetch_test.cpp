// app.fetch against a well-behaved upstream: what is sent, and what comes back.
#include <fairway/fairway.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <system_error>

#include "client/recorder.hpp"
#include "support/scripted_upstream.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace fetch_test {

namespace {

using fw::client::test::has;
using fw::client::test::keep_connections;
using fw::client::test::quiet;
using fw::client::test::Recorder;
using fw::support::always;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::Shared;
using namespace std::chrono_literals;

}  // namespace

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

TEST_CASE("fetch: the body of a response can be the source of another call") {
  fw::App app(quiet());
  Recorder recorder;
  ScriptedUpstream source([](ScriptedConnection& connection) {
    while (!connection.read_request().empty()) connection.respond(200, "0123456789");
  });
  const auto passed_on = [&](fw::FetchResponse response) {
    app.fetch(recorder.upstream.url(), {.method = "PUT", .body = std::move(response).body()});
    return recorder.last().substr(recorder.last().find("\r\n\r\n") + 4);
  };
  CHECK(passed_on(app.fetch.get(source.url())) == "0123456789");

  auto partly_read = app.fetch.get(source.url());
  std::vector<char> buffer(4);
  REQUIRE(partly_read.read(buffer) == 4);
  CHECK(passed_on(std::move(partly_read)) == "456789");
  CHECK(has(recorder.last(), "Content-Length: 6\r\n"));

  auto read_as_text = app.fetch.get(source.url());
  REQUIRE(read_as_text.text() == "0123456789");
  CHECK(passed_on(std::move(read_as_text)) == "0123456789");

  auto too_large = app.fetch.get(source.url(), {.max_size = "5b"});
  const auto read_all = [&] {
    auto body = std::move(too_large).body();
    while (body.read(buffer) > 0) {
    }
  };
  CHECK_THROWS_AS(read_all(), fw::BodyError);
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

}  // namespace fetch_test
