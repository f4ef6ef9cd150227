// An application over HTTP/2: its features do not know the version.
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "http/http2_client.hpp"
#include "support/collector.hpp"
#include "support/scripted_upstream.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"

namespace http2_application_test {

using fw::Json;
using fw::http::Fields;
using fw::http::test::eventually;
using fw::http::test::Http2Client;
using fw::http::test::Http2Response;
using fw::support::RecordingSink;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::Shared;
using fw::support::TableBuilder;

namespace {

struct Application {
  explicit Application(const std::function<void(fw::Router&)>& routes,
                       const std::function<void(fw::Config&)>& change = {}) {
    config = fw::support::server_config();
    config.server.http2.cleartext = true;
    if (change) change(config);
    table.routes(routes);
    app.emplace(config);
    app->set_logger(fw::Logger(sink));
    app->mount(table.table());
    app->start();
  }

  std::uint16_t port() const { return static_cast<std::uint16_t>(app->port()); }

  fw::Config config;
  TableBuilder table;
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  std::optional<fw::App> app;
};

Http2Response send(Http2Client& client, std::string_view method, std::string_view path,
                   const Fields& fields = {}, std::string_view body = {}) {
  const auto stream = client.begin(method, path, fields, !body.empty());
  if (!body.empty()) client.send_body(stream, body);
  return client.wait(stream);
}

/// The name and value of each cookie that the response sets.
std::vector<std::string> cookies_of(const Http2Response& response) {
  std::vector<std::string> cookies;
  for (const auto& [name, value] : response.fields) {
    if (name == "set-cookie") cookies.emplace_back(value.substr(0, value.find(';')));
  }
  return cookies;
}

}  // namespace

TEST_CASE(
    "http2 application: a request for a socket is an error of the client, not of the server") {
  Application application([](fw::Router& router) {
    router.socket("/", {.receive = fw::raw, .send = fw::raw}, [](fw::Request&, fw::Socket&) {});
  });
  Http2Client client(application.port());
  const auto response = send(client, "GET", "/");
  CHECK(response.status == 400);
  CHECK(response.body.find("a socket is opened with CONNECT (RFC 8441)") != std::string::npos);
  CHECK(application.sink->messages().size() == 1);  // where it listens
}

TEST_CASE("http2 application: a handler sees the version, and cookies that arrive in parts") {
  Application application([](fw::Router& router) {
    router.get("/seen", [](fw::Request& req, fw::Response& res) {
      res.json({{"version", req.http_version()},
                {"a", req.cookie("a").value_or("")},
                {"b", req.cookie("b").value_or("")},
                {"host", req.header("host").value_or("")}});
    });
  });
  Http2Client client(application.port());
  const auto response = send(client, "GET", "/seen", {{"cookie", "a=1"}, {"cookie", "b=2"}});
  CHECK(response.status == 200);
  CHECK(Json::parse(response.body)["data"] ==
        Json{{"version", "2"}, {"a", "1"}, {"b", "2"}, {"host", "a"}});
}

TEST_CASE("http2 application: a request continues the trace of its caller") {
  const fw::support::Collector collector;
  Application application(
      [](fw::Router& router) {
        router.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
      },
      [&](fw::Config& config) {
        config.tracing.endpoint = collector.url();
        config.tracing.export_interval = 1;
      });
  Http2Client client(application.port());
  const std::string trace = "0af7651916cd43dd8448eb211c80319c";
  send(client, "GET", "/", {{"traceparent", "00-" + trace + "-b7ad6b7169203331-01"}});
  const auto span = collector.await_named("GET /");
  CHECK(span.trace == trace);
  CHECK(span.attributes["network.protocol.version"] == "2");
}

TEST_CASE("http2 application: sessions and CSRF tokens") {
  Application application(
      [](fw::Router& router) {
        router.get("/token", [](fw::Request& req, fw::Response& res) {
          req.session().set("visits", req.session().get<int>("visits").value_or(0) + 1);
          res.json({{"token", req.csrf_token()}, {"visits", *req.session().get<int>("visits")}});
        });
        router.post("/act", [](fw::Request& req, fw::Response& res) { res.json(req.body()); });
      },
      [](fw::Config& config) {
        config.session.enabled = true;
        config.csrf.enabled = true;
      });
  Http2Client client(application.port());
  const auto first = send(client, "GET", "/token");
  REQUIRE(first.status == 200);
  Fields fields;
  for (const std::string& cookie : cookies_of(first)) fields.add("cookie", cookie);
  REQUIRE(fields.size() > 0);
  const auto second = send(client, "GET", "/token", fields);
  CHECK(Json::parse(second.body)["data"]["visits"] == 2);
  fields.add("content-type", "application/json");
  CHECK(send(client, "POST", "/act", fields, R"({"n":1})").status == 403);
  fields.add("x-csrf-token", Json::parse(first.body)["data"]["token"].get<std::string>());
  const auto accepted = send(client, "POST", "/act", fields, R"({"n":1})");
  CHECK(accepted.status == 200);
  CHECK(Json::parse(accepted.body)["data"] == Json{{"n", 1}});
}

TEST_CASE("http2 application: uploads arrive whole, above the first window, and up to the limit") {
  Application application(
      [](fw::Router& router) {
        router.post("/files", [](fw::Request& req, fw::Response& res) {
          res.json({{"name", req.files()[0].filename}, {"size", req.files()[0].size}});
        });
      },
      [](fw::Config& config) { config.multipart.enabled = true; });
  Http2Client client(application.port());
  const auto form = [](std::size_t size) {
    return "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n"
           "Content-Type: text/plain\r\n\r\n" +
           std::string(size, 'x') + "\r\n--XX--\r\n";
  };
  const Fields fields = {{"content-type", "multipart/form-data; boundary=XX"}};
  const auto response = send(client, "POST", "/files", fields, form(300'000));
  CHECK(response.status == 200);
  CHECK(Json::parse(response.body)["data"] == Json{{"name", "a.txt"}, {"size", 300'000}});
  CHECK(send(client, "POST", "/files", fields, form(40'000'000)).status == 413);
  CHECK(send(client, "POST", "/files", fields, form(10)).status == 200);
}

TEST_CASE("http2 application: a time-out gets a 504, and other streams continue") {
  Application application([](fw::Router& router) {
    router.get("/slow", {.timeout = 30}, [](fw::Request& req, fw::Response& res) {
      while (!req.signal().stop_requested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      res.json("late");
    });
    router.get("/fast", [](fw::Request&, fw::Response& res) { res.json("fast"); });
  });
  Http2Client client(application.port());
  const auto slow = client.get("/slow");
  CHECK(client.exchange("/fast").status == 200);
  CHECK(client.wait(slow).status == 504);
  CHECK(client.exchange("/fast").status == 200);
}

TEST_CASE("http2 application: a canceled request stops its handler") {
  std::atomic<bool> begun{false};
  std::atomic<bool> stopped{false};
  Application application([&](fw::Router& router) {
    router.get("/wait", [&](fw::Request& req, fw::Response& res) {
      begun = true;
      stopped = eventually([&] { return req.signal().stop_requested(); });
      res.json("unheard");
    });
    router.get("/other", [](fw::Request&, fw::Response& res) { res.json("ok"); });
  });
  Http2Client client(application.port());
  const auto stream = client.get("/wait");
  CHECK(eventually([&] { return begun.load(); }));
  client.cancel(stream);
  CHECK(eventually([&] { return stopped.load(); }));
  CHECK(client.exchange("/other").status == 200);
}

TEST_CASE("http2 application: cached responses, entity tags, compression and HEAD") {
  std::atomic<int> runs{0};
  Application application(
      [&](fw::Router& router) {
        router.get("/cached", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
          res.json({{"run", ++runs}, {"text", std::string(5'000, 'x')}});
        });
      },
      [](fw::Config& config) {
        config.etag = fw::EntityTags::strong;
        config.compression.enabled = true;
      });
  Http2Client client(application.port());
  const auto first = send(client, "GET", "/cached");
  const auto second = send(client, "GET", "/cached");
  CHECK(first.field("x-cache") == "MISS");
  CHECK(second.field("x-cache") == "HIT");
  CHECK(Json::parse(second.body)["data"] == Json::parse(first.body)["data"]);
  const auto known = send(client, "GET", "/cached", {{"if-none-match", first.field("etag")}});
  CHECK(known.status == 304);
  CHECK(known.body.empty());
  const auto head = send(client, "HEAD", "/cached");
  CHECK(head.status == 200);
  CHECK(head.field("content-length") == std::to_string(first.body.size()));
  CHECK(head.body.empty());
  const auto compressed = send(client, "GET", "/cached", {{"accept-encoding", "gzip"}});
  CHECK(compressed.field("content-encoding") == "gzip");
  CHECK(compressed.body.starts_with("\x1f\x8b"));
  CHECK(compressed.body.size() < first.body.size() / 10);
  CHECK(runs == 1);
}

TEST_CASE("http2 application: proxied requests and responses arrive whole") {
  constexpr std::size_t kSize = 300'000;
  Shared<std::string> received;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    received.set(connection.read_request());
    connection.send(
        "HTTP/1.1 201 Created\r\nConnection: x-hop\r\nX-Hop: 1\r\nX-End: 2\r\n"
        "Transfer-Encoding: chunked\r\n\r\n493e0\r\n" +
        std::string(kSize, 'r') + "\r\n0\r\n\r\n");
  });
  Application application([&](fw::Router& router) {
    router.post("/forward", [&](fw::Request& req, fw::Response& res) {
      router.fetch.proxy(req, res, {.url = upstream.url("/there")});
    });
  });
  Http2Client client(application.port());
  const auto response = send(client, "POST", "/forward?a=1", {{"content-type", "text/plain"}},
                             std::string(kSize, 'q'));
  CHECK(response.status == 201);
  CHECK(response.body == std::string(kSize, 'r'));
  CHECK(response.field("x-end") == "2");
  for (const auto name : {"connection", "x-hop", "transfer-encoding"}) {
    CHECK_MESSAGE(response.field(name) == "(none)", name);
  }
  const std::string seen = received.get();
  CHECK(seen.starts_with("POST /there?a=1 HTTP/1.1\r\n"));
  CHECK(seen.find("\r\nvia: 2 fairway-") != std::string::npos);
  CHECK(seen.find("\r\n:") == std::string::npos);
  CHECK(seen.ends_with("\r\n\r\n" + std::string(kSize, 'q')));
}

TEST_CASE("http2 application: a canceled request cancels what it asks of an upstream") {
  std::atomic<int> ended{0};
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    connection.read_request();
    connection.wait_for_end();
    ++ended;
  });
  Application application([&](fw::Router& router) {
    router.get("/proxy", [&](fw::Request& req, fw::Response& res) {
      router.fetch.proxy(req, res, {.url = upstream.url(), .timeout = 600'000});
    });
    router.get("/fetch", [&](fw::Request& req, fw::Response& res) {
      const auto fetched =
          router.fetch(upstream.url(), {.timeout = 600'000, .signal = req.signal()});
      res.json(fetched.status());
    });
    router.get("/other", [](fw::Request&, fw::Response& res) { res.json("ok"); });
  });
  Http2Client client(application.port());
  const auto proxied = client.get("/proxy");
  const auto fetched = client.get("/fetch");
  CHECK(eventually([&] { return upstream.connections() == 2; }));
  client.cancel(proxied);
  client.cancel(fetched);
  CHECK(eventually([&] { return ended == 2; }));
  CHECK(client.exchange("/other").status == 200);
}

TEST_CASE("http2 application: streamed responses, and a line of the access log for each request") {
  constexpr std::size_t kSize = 300'000;
  Application application(
      [](fw::Router& router) {
        router.get("/stream", [](fw::Request&, fw::Response& res) {
          res.stream([left = kSize](std::span<char> buffer) mutable -> std::size_t {
            const auto size = std::min(left, buffer.size());
            std::fill_n(buffer.begin(), size, 's');
            left -= size;
            return size;
          });
        });
      },
      [](fw::Config& config) { config.access_log.enabled = true; });
  Http2Client client(application.port());
  const auto first = client.get("/stream");
  const auto second = client.get("/stream");
  const auto missing = client.get("/missing");
  CHECK(client.wait(first).body == std::string(kSize, 's'));
  CHECK(client.wait(second).body == std::string(kSize, 's'));
  CHECK(client.wait(missing).status == 404);
  CHECK(client.response(first).field("transfer-encoding") == "(none)");
  const auto lines = [&](std::string_view begin) {
    std::size_t count = 0;
    for (const std::string& message : application.sink->messages()) {
      if (message.starts_with(begin)) ++count;
    }
    return count;
  };
  CHECK(eventually([&] { return lines("GET /stream 200 ") == 2; }));
  CHECK(eventually([&] { return lines("GET /missing 404 ") == 1; }));
}

TEST_CASE("http2 application: after requestTimeout, no handler runs without the whole body") {
  std::atomic<int> runs = 0;
  Application application(
      [&](fw::Router& router) {
        const auto handler = [&](fw::Request&, fw::Response& res) {
          ++runs;
          res.json("ran");
        };
        router.get("/", handler);
        router.post("/", handler);
      },
      [](fw::Config& config) { config.server.request_timeout = 50; });
  for (const std::string_view method : {"GET", "POST"}) {
    for (const std::string_view type : {"text/plain", "application/json"}) {
      CAPTURE(method);
      CAPTURE(type);
      Http2Client client(application.port());
      const auto stream = client.begin(method, "/", {{"content-type", type}}, true);
      client.send_body(stream, "part", false);
      const Http2Response& response = client.wait(stream);
      CHECK(response.status == 408);
      CHECK(Json::parse(response.body)["message"] == "Request Timeout");
    }
  }
  CHECK(runs == 0);
}

}  // namespace http2_application_test
