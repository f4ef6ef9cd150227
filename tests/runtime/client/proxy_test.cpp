// app.fetch.proxy: what reaches the upstream, what reaches the client, and what goes wrong between.
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compression/coding.hpp"
#include "eventually.hpp"
#include "http/loopback.hpp"
#include "support/scripted_upstream.hpp"
#include "support/table_builder.hpp"

namespace proxy_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::support::ScriptedConnection;
using fw::support::ScriptedUpstream;
using fw::support::Shared;
using fw::support::TableBuilder;

/// An application that passes on what comes, to an upstream that does what the script says.
class Gateway {
 public:
  using Forward = std::function<void(fw::Router&, fw::Request&, fw::Response&)>;

  Gateway(ScriptedUpstream::Script script, Forward forward,
          const std::function<void(fw::App&)>& set_up = {})
      : upstream(std::move(script)),
        app_(
            [forward](fw::Router& router) {
              const auto handler = [forward, &router](fw::Request& req, fw::Response& res) {
                forward(router, req, res);
              };
              router.get("/*", handler);
              router.post("/*", handler);
            },
            config(), set_up) {}

  fw::testing::TestRequest request(std::string method, std::string target) {
    return app_.request(std::move(method), std::move(target));
  }
  fw::testing::TestResponse get(std::string target = "/x") { return request("GET", target).send(); }

  ScriptedUpstream upstream;

 private:
  fw::Config config() const {
    fw::Config config = fw::testing::TestApp::test_config();
    config.fetch.proxy = {{.name = "up", .base_url = upstream.url("/base/")}};
    config.fetch.timeout = 600'000;
    return config;
  }

  OneFileApp app_;
};

bool has_length(const std::string& request) {
  return request.find("Content-Length: ") != std::string::npos;
}

fw::FetchProxyOptions to(std::string path) { return {.path = std::move(path)}; }

void forward_to_path(fw::Router& router, fw::Request& req, fw::Response& res) {
  router.fetch.proxy["up"](req, res, to("/p"));
}

TEST_CASE("proxy: responses are forwarded without hop-by-hop fields") {
  Gateway gateway(fw::support::always("HTTP/1.1 418 Teapot\r\nContent-Type: text/plain\r\n"
                                      "Connection: x-hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n"
                                      "X-Request-Id: upstream\r\nX-A: 1\r\nX-A: 2\r\n"
                                      "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
                                      "Content-Length: 4\r\n\r\nbody"),
                  forward_to_path);
  const auto response = gateway.request("GET", "/x").header("x-request-id", "mine").send();
  CHECK(response.status == 418);
  CHECK(response.body == "body");
  CHECK(response.header("x-a") == "1, 2");
  CHECK(response.header("x-request-id") == "mine");
  CHECK(!response.header("x-hop"));
  CHECK(!response.header("keep-alive"));
  CHECK(response.header("content-length") == "4");  // because the body has arrived completely
  std::vector<std::string> cookies;
  for (const auto& [name, value] : response.headers) {
    if (name == "Set-Cookie" || name == "set-cookie") cookies.push_back(value);
  }
  CHECK(cookies == std::vector<std::string>{"a=1", "b=2"});
}

TEST_CASE("proxy: CORS fields of the upstream do not count if the application has CORS") {
  const auto fields_for = [](const Json& cors, const char* origin) {
    fw::Config config = fw::testing::TestApp::test_config();
    fw::apply_config_layer(config, {{"cors", cors}}, "test");
    OneFileApp app(
        [](fw::Router& router) {
          router.get("/x", [&router](fw::Request& req, fw::Response& res) {
            res.set_header("access-control-expose-headers", "x-own");
            router.fetch.proxy(req, res, {.url = "http://upstream.test/x"});
          });
        },
        config);
    app.fetch_stub("GET http://upstream.test/x", [](const fw::testing::FetchCall&) {
      return fw::testing::FetchReply{
          .headers = {{"Access-Control-Allow-Origin", "https://evil.example"},
                      {"Access-Control-Allow-Credentials", "true"},
                      {"access-control-expose-headers", "x-theirs"}},
          .body = "x"};
    });
    const auto response = app.request("GET", "/x").header("Origin", origin).send();
    std::string fields;
    for (const char* name : {"origin", "credentials"}) {
      const auto value = response.header(std::string("access-control-allow-") + name);
      fields.append(value.value_or("-")).append(" ");
    }
    return fields.append(response.header("access-control-expose-headers").value_or("-"));
  };
  const Json own = {{"origins", {"https://a.example"}}};
  CHECK(fields_for(own, "https://a.example") == "https://a.example - x-own");
  CHECK(fields_for(own, "https://evil.example") == "- - x-own");
  CHECK(fields_for({{"enabled", false}}, "https://b.example") ==
        "https://evil.example true x-theirs");
}

TEST_CASE("proxy: HEAD has the fields of GET") {
  const std::string gzip = fw::compression::is_available(fw::compression::Coding::gzip)
                               ? fw::compression::compress(fw::compression::Coding::gzip, 5, "text")
                               : "";
  struct Upstream {
    std::string fields;
    std::string body;
    bool is_chunked = false;
  };
  /// Length, coding, Vary and ETag, or "-" for those that are absent.
  const auto fields_of = [](const Upstream& upstream, const char* method, const char* accepted) {
    ScriptedUpstream server([&](ScriptedConnection& connection) {
      while (true) {
        const std::string request = connection.read_request();
        if (request.empty()) return;
        const std::string& body = upstream.body;
        std::string response = "HTTP/1.1 200 OK\r\n" + upstream.fields;
        response += upstream.is_chunked
                        ? "Transfer-Encoding: chunked\r\n\r\n"
                        : "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
        if (request.starts_with("HEAD ")) {
        } else if (upstream.is_chunked) {
          response += fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body);
        } else {
          response += body;
        }
        connection.send(response);
      }
    });
    fw::Config config = fw::testing::TestApp::test_config();
    config.compression.enabled = true;
    config.fetch.proxy = {{.name = "up", .base_url = server.url()}};
    OneFileApp app(
        [](fw::Router& router) {
          router.get("/x", [&router](fw::Request& req, fw::Response& res) {
            forward_to_path(router, req, res);
          });
        },
        config);
    auto request = app.request(method, "/x");
    if (*accepted != '\0') request.header("accept-encoding", accepted);
    const auto response = request.send();
    CHECK(response.status == 200);
    std::string fields;
    for (const char* name : {"content-length", "content-encoding", "vary", "etag"}) {
      fields.append(response.header(name).value_or("-")).append(" | ");
    }
    return fields;
  };
  const std::string text = "Content-Type: text/plain\r\nETag: \"a\"\r\n";
  const std::string encoded = text + "Content-Encoding: gzip\r\n";
  const Upstream small{text, "small"};
  const Upstream large{text, std::string(5'000, 'x')};
  for (const Upstream& upstream : {small, large, Upstream{encoded, gzip}}) {
    for (const char* accepted : {"", "gzip", "identity;q=0, gzip"}) {
      const bool is_decoded = upstream.fields == encoded && *accepted == '\0';
      if (is_decoded || upstream.body.empty()) continue;
      CAPTURE(upstream.body.size());
      CAPTURE(accepted);
      CHECK(fields_of(upstream, "HEAD", accepted) == fields_of(upstream, "GET", accepted));
    }
  }
  CHECK(fields_of(small, "HEAD", "gzip") == "5 | - | Origin | \"a\" | ");
  // Without the length, nobody knows whether the body of GET would be compressed.
  const Upstream unknown{text, "small", true};
  CHECK(fields_of(unknown, "HEAD", "gzip") == "- | - | Accept-Encoding, Origin | W/\"a\" | ");
  if (!gzip.empty()) {
    const Upstream decoded{encoded, gzip};
    CHECK(fields_of(decoded, "HEAD", "") == "- | - | Accept-Encoding, Origin | W/\"a\" | ");
  }
}

TEST_CASE("proxy: only the response to a HEAD has a length without a body") {
  const auto head_only = fw::support::always("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
  Gateway gateway(head_only, [](fw::Router& router, fw::Request& req, fw::Response& res) {
    router.fetch.proxy["up"](req, res, {.path = "/p", .method = "HEAD"});
  });
  CHECK(gateway.request("HEAD", "/x").send().header("content-length") == "4");
  CHECK(gateway.request("GET", "/x").send().header("content-length") != "4");
}

TEST_CASE("proxy: the upstream request combines request, call and target") {
  Shared<std::string> received;
  Gateway gateway(
      [&](ScriptedConnection& connection) {
        received.set(connection.read_request());
        connection.respond(200, "");
      },
      [](fw::Router& router, fw::Request& req, fw::Response& res) {
        router.fetch.proxy["up"](
            req, res,
            {.path = "/p?a=1&b=x y",
             .query = {{"q", 5}, {"gone", nullptr}},
             .forward_headers = {"Content-Type", "Host", "Connection", "Authorization"},
             .inject_headers = [](const fw::FetchProxyHeaderContext& context) {
               return Json{{"x-target", context.target->name}, {"x-null", nullptr}};
             }});
      });
  gateway.request("POST", "/x?b=2&gone=1&%C3%BC=%26")
      .header("Content-Type", "text/x")
      .header("Authorization", "Bearer s")
      .body("content")
      .send();
  const std::string seen = received.get();
  CHECK(seen.starts_with("POST /base/p?a=1&b=x%20y&%C3%BC=%26&q=5 HTTP/1.1\r\n"));
  CHECK(seen.find("content-type: text/x\r\n") != std::string::npos);
  CHECK(seen.find("x-target: up\r\n") != std::string::npos);
  CHECK(seen.find("Bearer") == std::string::npos);
  CHECK(seen.find("x-null") == std::string::npos);
  CHECK(seen.ends_with("\r\n\r\ncontent"));
}

TEST_CASE("proxy: a body set by the call replaces the request body") {
  const auto sent = [](const fw::FetchProxyOptions& options) {
    Shared<std::string> received;
    Gateway gateway(
        [&](ScriptedConnection& connection) {
          received.set(connection.read_request());
          connection.respond(200, "");
        },
        [&](fw::Router& router, fw::Request& req, fw::Response& res) {
          router.fetch.proxy["up"](req, res, options);
        });
    const auto response = gateway.request("POST", "/x")
                              .header("Content-Type", "text/x")
                              .body("of the request")
                              .send();
    CHECK(response.status == 200);
    const std::string seen = received.get();
    const auto type = seen.find("content-type: ");
    const std::string line =
        type == seen.npos ? "none" : seen.substr(type + 14, seen.find('\r', type) - type - 14);
    return line + "|" + seen.substr(seen.find("\r\n\r\n") + 4);
  };
  const auto options = [](fw::FetchBody body) {
    return fw::FetchProxyOptions{
        .path = "/p", .body = std::move(body), .forward_headers = {"Content-Type"}};
  };
  CHECK(sent(options("own")) == "text/x|own");
  CHECK(sent(options("")) == "text/x|");
  CHECK(sent(options(Json{{"a", 1}})) == R"(application/json|{"a":1})");
  CHECK(sent(options(fw::FormData().append("a", "1 2").url_encoded())) ==
        "application/x-www-form-urlencoded;charset=UTF-8|a=1+2");
  CHECK(
      sent(options(fw::FormData().append("a", "1"))).starts_with("multipart/form-data; boundary="));
  CHECK(sent(options(fw::Readable("source"))).find("source") != std::string::npos);
  auto named = options(Json(1));
  named.headers = {{"content-type", "application/x-own"}};
  CHECK(sent(named) == "application/x-own|1");
}

/// What an upstream gets: the request line, or "status message" of the proxy's own error.
std::string request_line(Gateway::Forward forward, const std::string& target) {
  Shared<std::string> received;
  Gateway gateway(
      [&](ScriptedConnection& connection) {
        received.set(connection.read_request());
        connection.respond(200, "");
      },
      std::move(forward));
  const auto response = gateway.get(target);
  if (response.status != 200) return std::to_string(response.status);
  const std::string seen = received.get();
  return seen.substr(0, seen.find(" HTTP"));
}

TEST_CASE("proxy: the query of the request is forwarded byte for byte") {
  const auto line = [](const std::string& query) {
    return request_line(forward_to_path, "/x" + query);
  };
  CHECK(line("?tag=1&tag=2&flag") == "GET /base/p?tag=1&tag=2&flag");
  CHECK(line("?a=%3b;b=+%2B&&=&%zz&c[]=1") == "GET /base/p?a=%3b;b=+%2B&&=&%zz&c[]=1");
  CHECK(line("") == "GET /base/p");
}

TEST_CASE("proxy: query keys set by the application replace the client's") {
  const auto line = [](const fw::FetchProxyOptions& options, const std::string& query) {
    return request_line(
        [options](fw::Router& router, fw::Request& req, fw::Response& res) {
          router.fetch.proxy["up"](req, res, options);
        },
        "/x?" + query);
  };
  CHECK(line(to("/p?tenant=acme"), "tenant=other&x=1") == "GET /base/p?tenant=acme&x=1");
  CHECK(line(to("/p?tenant=acme"), "%74enant=other&tenant&x=1&x=2") ==
        "GET /base/p?tenant=acme&x=1&x=2");
  // An upstream that also separates by semicolons must not find another tenant.
  CHECK(line(to("/p?tenant=acme"), "x=1;tenant=other") ==
        "GET /base/p?tenant=acme&x=1%3Btenant%3Dother");
  CHECK(line({.path = "/p", .query = {{"a", 1}, {"b", nullptr}}}, "a=2&b=3&c=4&c=5") ==
        "GET /base/p?c=4&c=5&a=1");
}

TEST_CASE("proxy: route parameters cannot change other segments of the path") {
  const auto encoded = [](fw::Router& router, fw::Request& req, fw::Response& res) {
    router.fetch.proxy["up"](req, res,
                             {.path = fw::url_path({"users", *req.param("*"), "public"})});
  };
  CHECK(request_line(encoded, "/42%2Fprivate%23") == "GET /base/users/42%2Fprivate%23/public");
  CHECK(request_line(encoded, "/a%3Fadmin=1") == "GET /base/users/a%3Fadmin%3D1/public");
  CHECK(request_line(encoded, "/100%25") == "GET /base/users/100%25/public");
  CHECK(request_line(encoded, "/%2541") == "GET /base/users/%2541/public");
  CHECK(request_line(encoded, "/%2e%2e") == "400");
  CHECK(request_line(encoded, "/x%2F..%2Fy") == "400");
  const auto raw = [](fw::Router& router, fw::Request& req, fw::Response& res) {
    router.fetch.proxy["up"](req, res, to("/users/" + std::string(*req.param("*")) + "/public"));
  };
  for (const char* target : {"/42%2Fprivate%23", "/a%3Fadmin=1", "/100%25", "/..%3B", "/%2e"}) {
    CAPTURE(target);
    CHECK(request_line(raw, target) == "400");
  }
  const auto subpath = [](fw::Router& router, fw::Request& req, fw::Response& res) {
    router.fetch.proxy["up"](req, res, to(fw::url_subpath(req.param("*").value_or(""))));
  };
  CHECK(request_line(subpath, "/a%20b/c%23d.pdf") == "GET /base/a%20b/c%23d.pdf");
  CHECK(request_line(subpath, "/a/..%2Fb") == "400");
}

TEST_CASE("url_path: encodes each segment, and rejects dot segments") {
  const std::string id = "a/b?c#d%e f;g\xC3\xBC";
  CHECK(fw::url_path({"users", id, 42, "public"}) ==
        "/users/a%2Fb%3Fc%23d%25e%20f%3Bg%C3%BC/42/public");
  CHECK(fw::url_path({"a.b", "...", "-._~"}) == "/a.b/.../-._~");
  for (const std::string segment : {"", ".", "..", "..;x", ".;", "a/../b", "..\\a"}) {
    CAPTURE(segment);
    CHECK_THROWS_AS(fw::url_path({"a", segment}), fw::HttpError);
  }
  CHECK(fw::url_subpath("a b/c?d") == "/a%20b/c%3Fd");
  CHECK(fw::url_subpath("/a/") == "/a/");
  CHECK(fw::url_subpath("") == "/");
  CHECK_THROWS_AS(fw::url_subpath("a/../b"), fw::HttpError);
  CHECK_THROWS_AS(fw::url_subpath("a/.."), fw::HttpError);
}

TEST_CASE("proxy: requests name the gateway in Via, and a repeated Via is a loop") {
  Shared<std::string> received;
  Gateway gateway(
      [&](ScriptedConnection& connection) {
        for (auto request = connection.read_request(); !request.empty();
             request = connection.read_request()) {
          received.set(request);
          connection.respond(200, "");
        }
      },
      forward_to_path);
  const auto via = [&] {
    const std::string seen = received.get();
    const auto begin = seen.find("\r\nvia: ") + 7;
    return seen.substr(begin, seen.find('\r', begin) - begin);
  };
  gateway.get();
  const std::string own = via();
  CHECK(own.starts_with("1.1 fairway-"));
  gateway.request("GET", "/x").header("Via", "1.0 edge (cdn), HTTP/1.1 fairway").send();
  CHECK(via() == "1.0 edge (cdn), HTTP/1.1 fairway, " + own);
  for (const std::string& field : {own, "1.0 edge, " + own + " (comment), 1.1 x"}) {
    const auto response = gateway.request("GET", "/x").header("Via", field).send();
    CHECK(response.status == 508);
    CHECK(response.json().at("message") == "Loop Detected");
  }
}

TEST_CASE("proxy: fields named in Connection are not forwarded") {
  Shared<std::string> received;
  Gateway gateway(
      [&](ScriptedConnection& connection) {
        received.set(connection.read_request());
        connection.respond(200, "");
      },
      [](fw::Router& router, fw::Request& req, fw::Response& res) {
        router.fetch.proxy["up"](req, res, {.path = "/p", .forward_headers = {"x-a", "x-b"}});
      });
  gateway.request("GET", "/x")
      .header("Connection", "close, X-A")
      .header("X-A", "1")
      .header("X-B", "2")
      .send();
  CHECK(received.get().find("x-a") == std::string::npos);
  CHECK(received.get().find("x-b: 2\r\n") != std::string::npos);
}

TEST_CASE("proxy: X-Forwarded headers follow the configured trust") {
  const auto forwarded = [](fw::TrustProxy trust) {
    Shared<std::string> received;
    ScriptedUpstream upstream([&](ScriptedConnection& connection) {
      received.set(connection.read_request());
      connection.respond(200, "");
    });
    fw::Config config = fw::testing::TestApp::test_config();
    config.trust_proxy = trust;
    config.fetch.proxy = {{.name = "up", .base_url = upstream.url(), .x_forwarded = true}};
    OneFileApp app(
        [](fw::Router& router) {
          router.get("/", [&](fw::Request& req, fw::Response& res) {
            router.fetch.proxy["up"](req, res, to("/p"));
          });
        },
        config);
    app.request("GET", "/")
        .remote_address("10.0.0.9")
        .header("Host", "api.example.com")
        .header("X-Forwarded-For", "6.6.6.6")
        .header("X-Forwarded-Proto", "https")
        .header("X-Forwarded-Host", "shop.example.com")
        .send();
    std::string fields;
    const std::string seen = received.get();
    for (const std::string name : {"for", "proto", "host"}) {
      const auto begin = seen.find("\r\nx-forwarded-" + name + ": ");
      if (begin == std::string::npos) continue;
      fields += seen.substr(begin + 14, seen.find('\r', begin + 2) - begin - 14) + "\n";
    }
    return fields;
  };
  CHECK(forwarded(false) == "for: 10.0.0.9\nproto: http\nhost: api.example.com\n");
  CHECK(forwarded(fw::TrustProxy({"192.168.0.0/16"})) ==
        "for: 10.0.0.9\nproto: http\nhost: api.example.com\n");
  for (const fw::TrustProxy& trust :
       {fw::TrustProxy(1), fw::TrustProxy(true), fw::TrustProxy({"10.0.0.0/8"})}) {
    CHECK(forwarded(trust) == "for: 6.6.6.6, 10.0.0.9\nproto: https\nhost: shop.example.com\n");
  }
}

TEST_CASE("proxy: an encoded body is forwarded unchanged to clients that accept its coding") {
  if (!fw::compression::is_available(fw::compression::Coding::gzip)) return;
  const std::string body = fw::compression::compress(fw::compression::Coding::gzip, 5, "content");
  Shared<std::string> received;
  const auto response_to = [&](const std::string& accepted, const std::string& fields = "") {
    Gateway gateway(
        [&](ScriptedConnection& connection) {
          received.set(connection.read_request());
          connection.respond(200, body,
                             "Content-Type: image/png\r\nContent-Encoding: gzip\r\nETag: \"a\"\r\n"
                             "Accept-Ranges: bytes\r\nContent-MD5: x\r\nRepr-Digest: y\r\n" +
                                 fields);
        },
        forward_to_path);
    auto request = gateway.request("GET", "/x");
    if (!accepted.empty()) request.header("accept-encoding", accepted);
    return request.send();
  };
  const auto encoded = response_to("br;q=0.5, gzip", "Vary: Origin\r\n");
  CHECK(received.get().find("\r\naccept-encoding: gzip") != std::string::npos);
  CHECK(encoded.header("content-encoding") == "gzip");
  CHECK(encoded.header("content-length") == std::to_string(body.size()));
  CHECK(encoded.header("etag") == "\"a\"");
  CHECK(encoded.header("accept-ranges") == "bytes");
  CHECK(encoded.header("repr-digest") == "y");
  CHECK(encoded.header("vary") == "Origin, Accept-Encoding");
  for (const std::string accepted : {"", "identity", "br", "gzip;q=0, br"}) {
    CAPTURE(accepted);
    const auto decoded = response_to(accepted);
    CHECK(decoded.body == "content");
    CHECK(!decoded.header("content-encoding"));
    CHECK(decoded.header("etag") == "W/\"a\"");
    CHECK(!decoded.header("accept-ranges"));
    CHECK(!decoded.header("content-md5"));
    CHECK(!decoded.header("repr-digest"));
    CHECK(decoded.header("vary") == "Accept-Encoding, Origin");
  }
  CHECK(received.get().find("\r\naccept-encoding: br\r\n") != std::string::npos);
}

TEST_CASE("proxy: its own errors are JSON with distinct statuses") {
  const auto response_to = [](ScriptedUpstream::Script script, Gateway::Forward forward,
                              const std::function<void(fw::App&)>& set_up = {}) {
    Gateway gateway(std::move(script), std::move(forward), set_up);
    const auto response = gateway.request("GET", "/x").header("x-request-id", "R").send();
    const Json body = response.json();
    CHECK(body.at("requestId") == "R");
    CHECK(body.size() == 3);
    return std::to_string(response.status) + " " + body.at("message").get<std::string>();
  };
  const auto silent = [](ScriptedConnection& connection) { connection.wait_for_end(); };
  const auto with = [](std::string name, fw::FetchProxyOptions options) -> Gateway::Forward {
    return [name, options](fw::Router& router, fw::Request& req, fw::Response& res) {
      router.fetch.proxy[name](req, res, options);
    };
  };
  const std::string bad_request = "400 Bad Request: the request cannot be forwarded";
  for (const char* path :
       {"", "/../admin", "/a/%2e%2E/b", "/a/..?x", "/a\\..\\b", "/a/..;/admin", "/a/..;x=1",
        "/a%2f..%2fb", "/a/./b", "/a#b", "/100%", "/a%zz", "/a\r\nX-Evil: 1"}) {
    CAPTURE(path);
    CHECK(response_to(silent, with("up", to(path))) == bad_request);
  }
  CHECK(response_to(silent, with("none", to("/"))) == "500 Internal Server Error");
  CHECK(response_to(silent, with("up", {.path = "/", .timeout = 30})) ==
        "504 Gateway Timeout: the upstream did not respond in time");
  CHECK(response_to([](ScriptedConnection& connection) { connection.read_request(); },
                    with("up", to("/"))) == "502 Bad Gateway: the upstream could not be reached");
  CHECK(response_to(silent, with("up", to("/")), [](fw::App& app) {
          app.hooks().on<fw::hooks::ProxyBefore>(
              [](fw::hooks::ProxyBefore&) { fw::raise(503, "closed for today"); });
        }) == "503 closed for today");
}

TEST_CASE("proxy: its own errors have no fields of the response that the handler has prepared") {
  Gateway gateway([](ScriptedConnection& connection) { connection.read_request(); },
                  [](fw::Router& router, fw::Request& req, fw::Response& res) {
                    res.set_header("Cache-Control", "public, max-age=60");
                    res.set_header("ETag", "\"a\"");
                    res.set_header("X-Other", "kept");
                    router.fetch.proxy["up"](req, res, {.path = "/"});
                  });
  const auto response = gateway.request("GET", "/x").send();
  CHECK(response.status == 502);
  CHECK(response.header("cache-control") == "no-store");
  CHECK(!response.header("etag"));
  CHECK(response.header("x-other") == "kept");
}

TEST_CASE("proxy: a disconnected client cancels the upstream request, which is no error") {
  std::promise<void> ended;
  ScriptedUpstream upstream([&](ScriptedConnection& connection) {
    const std::string request = connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    if (request.starts_with("GET /cut ")) return;
    connection.wait_for_end();
    ended.set_value();
  });
  TableBuilder table;
  table.routes([&](fw::Router& router) {
    router.get("/*", [&](fw::Request& req, fw::Response& res) {
      const std::string path = fw::url_subpath(req.param("*").value_or(""));
      router.fetch.proxy(req, res, {.url = upstream.url(path), .timeout = 60'000});
    });
    router.get("/own", [](fw::Request&, fw::Response& res) {
      res.stream([](std::span<char>) -> std::size_t {
        throw fw::AbortError("aborted", "GET", "http://a", 1, "the signal was requested");
      });
    });
  });
  fw::Config config = fw::testing::TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(config);
  app.set_logger(fw::Logger(sink, fw::LogLevel::error));
  app.mount(table.table());
  app.start();
  const auto read_half = [&](fw::http::test::Client& client, const std::string& path) {
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    while (client.input().find("half") == std::string::npos) REQUIRE(client.receive_more());
  };
  {
    fw::http::test::Client client(app.port());
    read_half(client, "/held");
  }
  CHECK(ended.get_future().wait_for(fairway::test::kPatience) == std::future_status::ready);
  // An upstream that fails is an error, and a call that the application itself has canceled.
  fw::http::test::Client client(app.port());
  read_half(client, "/cut");
  while (client.receive_more()) {
  }
  const std::string incomplete = "the response could not be completed";
  CHECK(fairway::test::eventually([&] { return !sink->messages().empty(); }));
  fw::http::test::Client other(app.port());
  other.send("GET /own HTTP/1.1\r\nHost: x\r\n\r\n");
  while (other.receive_more()) {
  }
  CHECK(fairway::test::eventually([&] { return sink->messages().size() == 2; }));
  app.stop();
  CHECK(sink->messages() == std::vector{incomplete, incomplete});
}

TEST_CASE("proxy: a client that disconnects before the response is no upstream failure") {
  ScriptedUpstream silent([](ScriptedConnection& connection) { connection.wait_for_end(); });
  TableBuilder table;
  table.routes([&](fw::Router& router) {
    router.get("/", [&](fw::Request& req, fw::Response& res) {
      router.fetch.proxy(req, res, {.url = silent.url(), .timeout = 60'000});
    });
  });
  fw::Config config = fw::testing::TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  const auto sink = std::make_shared<RecordingSink>();
  fw::App app(config);
  app.set_logger(fw::Logger(sink, fw::LogLevel::debug));
  app.mount(table.table());
  app.start();
  fw::http::test::Client client(app.port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  REQUIRE(fw::http::test::eventually([&] { return silent.connections() == 1; }));
  client.close();
  CHECK(fw::http::test::eventually([&] {
    const auto lines = sink->messages();
    return std::any_of(lines.begin(), lines.end(),
                       [](const std::string& line) { return line.starts_with("GET / 499 "); });
  }));
  CHECK(sink->messages(fw::LogLevel::error).empty());
}

TEST_CASE("proxy: a streamed body is forwarded while it arrives") {
  ScriptedUpstream upstream([](ScriptedConnection& connection) {
    // Until the client closes the connection, or sends no whole body.
    for (auto request = connection.read_request(); !request.empty();
         request = connection.read_request()) {
      connection.respond(200, request.substr(request.find("\r\n\r\n") + 4),
                         has_length(request) ? "X-Length: yes\r\n" : "");
    }
  });
  TableBuilder table;
  table.routes([&](fw::Router& router) {
    const auto forward = [&](int timeout, fw::ByteSize most = {}) {
      return [&, timeout, most](fw::Request& req, fw::Response& res) {
        router.fetch.proxy(
            req, res,
            {.url = upstream.url(), .max_body_size = most, .timeout = timeout, .retry = 3});
      };
    };
    const fw::BodyParser streamed{.max_body_size = 20, .stream = true};
    router.put("/", {.body_parser = streamed}, forward(60'000));
    router.put("/small", {.body_parser = streamed}, forward(60'000, 5));
    router.put("/slow", {.body_parser = streamed}, forward(50));
  });
  fw::Config config = fw::testing::TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  fw::App app(config);
  app.mount(table.table());
  app.start();
  using fw::http::test::Client;
  const auto put = [](const std::string& path, const std::string& fields, const std::string& body) {
    return "PUT " + path + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n" + body;
  };

  Client client(app.port());
  client.send(put("/", "Content-Length: 10\r\n", "first"));
  CHECK(fw::http::test::eventually([&] { return upstream.connections() == 1; }));
  const auto whole = client.exchange(" half");
  CHECK(whole.body == "first half");
  CHECK(whole.field("x-length") == "yes");
  CHECK(client.exchange(put("/", "Content-Length: 0\r\n", "")).status == 200);
  const auto chunked =
      client.exchange(put("/", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"));
  CHECK(chunked.body.starts_with("3\r\nabc\r\n0"));
  CHECK(chunked.field("x-length") == "(none)");

  const auto status = [&](const std::string& request) {
    return Client(app.port()).exchange(request).status;
  };
  CHECK(status(put("/", "Content-Length: 21\r\n", std::string(21, 'x'))) == 413);
  CHECK(status(put("/small", "Content-Length: 6\r\n", "")) == 413);
  CHECK(status(put("/small", "Transfer-Encoding: chunked\r\n", "6\r\nabcdef\r\n")) == 413);
  CHECK(status(put("/", "Transfer-Encoding: chunked\r\n", "nonsense\r\n")) == 400);
  CHECK(status(put("/slow", "Content-Length: 5\r\n", "ab")) == 504);
}

TEST_CASE("proxy: what an upstream gives to everyone is private on a route with auth") {
  const auto cache_control = [](const fw::RouteOptions& options, bool signs_in) {
    OneFileApp app(
        [&](fw::Router& router) {
          router.get("/x", options, [&router](fw::Request& req, fw::Response& res) {
            router.fetch.proxy(req, res, {.url = "http://upstream.test/x"});
          });
        },
        fw::testing::TestApp::test_config(),
        [](fw::App& app) {
          app.use(fw::auth({.verify = [](std::string_view, fw::Request&) {
            return fw::AuthIdentity{.user_id = "1"};
          }}));
        });
    app.fetch_stub("GET http://upstream.test/x", [](const fw::testing::FetchCall&) {
      return fw::testing::FetchReply{.headers = {{"cache-control", "public, max-age=100"}},
                                     .body = "all"};
    });
    auto request = app.request("GET", "/x");
    if (signs_in) request.header("Authorization", "Bearer 1");
    return std::string(request.send().header("cache-control").value_or(""));
  };
  CHECK(cache_control({}, false) == "public, max-age=100");
  CHECK(cache_control({}, true) == "private, max-age=100");
  CHECK(cache_control({.auth = true}, true) == "private, max-age=100");
}

TEST_CASE("proxy: what an upstream gives to everyone is private if it depends on the client") {
  using Handler = std::function<fw::FetchProxyOptions(fw::Request&)>;
  using Headers = decltype(fw::testing::FetchReply::headers);
  struct Sent {
    Handler options;
    std::vector<std::pair<std::string, std::string>> request = {};
    Headers response = {{"cache-control", "public, max-age=60, s-maxage=600"},
                        {"cdn-cache-control", "max-age=600"},
                        {"vary", "X-User"}};
  };
  const auto send = [](const Sent& sent) {
    fw::Config config = fw::testing::TestApp::test_config();
    config.session.enabled = true;
    OneFileApp app(
        [&](fw::Router& router) {
          router.get("/x", [&](fw::Request& req, fw::Response& res) {
            fw::FetchProxyOptions options = sent.options(req);
            options.url = "http://upstream.test/x";
            router.fetch.proxy(req, res, options);
          });
        },
        config);
    app.fetch_stub("GET http://upstream.test/x", [&](const fw::testing::FetchCall&) {
      return fw::testing::FetchReply{.headers = sent.response, .body = "all"};
    });
    auto request = app.request("GET", "/x");
    for (const auto& [name, value] : sent.request) request.header(name, value);
    return request.send();
  };
  const auto is_shared = [&](const Sent& sent) {
    const auto response = send(sent);
    const bool is_public = response.header("cache-control") == "public, max-age=60, s-maxage=600";
    if (!is_public) CHECK(response.header("cache-control") == "private, max-age=60");
    CHECK(response.header("cdn-cache-control").has_value() == is_public);
    return is_public;
  };
  const auto nothing = [](fw::Request&) { return fw::FetchProxyOptions(); };
  CHECK(is_shared({nothing}));
  CHECK(is_shared({nothing, {{"Cookie", "a=1"}, {"Authorization", "Basic x"}, {"X-User", "1"}}}));
  CHECK(is_shared({[](fw::Request& req) {
                     req.header("accept-language");
                     return fw::FetchProxyOptions{.headers = {{"x-key", "secret"}}};
                   },
                   {{"Cookie", "a=1"}}}));

  SUBCASE("read by the application") {
    const auto is_shared_after = [&](const std::function<void(fw::Request&)>& read) {
      return is_shared({[&](fw::Request& req) {
                          read(req);
                          return fw::FetchProxyOptions();
                        },
                        {{"Cookie", "a=1"}}});
    };
    CHECK_FALSE(is_shared_after([](fw::Request& req) { req.session(); }));
    CHECK_FALSE(is_shared_after([](fw::Request& req) { req.cookie("b"); }));
    CHECK_FALSE(is_shared_after([](fw::Request& req) { req.cookies(); }));
    CHECK_FALSE(is_shared_after([](fw::Request& req) { req.headers(); }));
    CHECK_FALSE(is_shared_after([](fw::Request& req) { req.header("Cookie"); }));
    CHECK_FALSE(is_shared_after([](fw::Request& req) { req.ip(); }));
    CHECK(is_shared_after([](fw::Request& req) { req.header("Authorization"); }));
  }
  SUBCASE("passed on as the client has sent it") {
    const Handler forward = [](fw::Request&) {
      return fw::FetchProxyOptions{.forward_headers = {"cookie", "authorization", "x-user"},
                                   .allow_authorization_forward = true};
    };
    CHECK(is_shared({forward, {{"X-User", "1"}}}));
    CHECK_FALSE(is_shared({forward, {{"Cookie", "a=1"}}}));
    CHECK_FALSE(is_shared({forward, {{"Authorization", "Basic x"}}}));
  }
  SUBCASE("what Vary names is not what the client has sent") {
    const Handler inject = [](fw::Request&) {
      return fw::FetchProxyOptions{.headers = {{"x-user", "1"}}};
    };
    CHECK_FALSE(is_shared({inject}));
    CHECK_FALSE(is_shared({inject, {{"X-User", "2"}}}));
    CHECK(is_shared({inject, {{"X-User", "1"}}}));
  }
  SUBCASE("other ways to allow it") {
    const auto of_session = [&](Headers fields) {
      const auto response = send({[](fw::Request& req) {
                                    req.session();
                                    return fw::FetchProxyOptions();
                                  },
                                  {},
                                  std::move(fields)});
      return std::string(response.header("cache-control").value_or("-"));
    };
    CHECK(of_session({{"cache-control", "max-age=60"}}) == "private, max-age=60");
    CHECK(of_session({{"cache-control", "private"}}) == "private");
    CHECK(of_session({{"expires", "Fri, 27 Nov 2099 00:00:00 GMT"}}) == "private");
    CHECK(of_session({{"last-modified", "Mon, 01 Jan 2024 00:00:00 GMT"}}) == "private");
    CHECK(of_session({{"x-a", "1"}}) == "-");
  }
}

TEST_CASE("proxy: invalid targets are rejected at startup") {
  const auto errors_of = [](std::vector<fw::FetchProxyTarget> targets) {
    fw::Config config = fw::testing::TestApp::test_config();
    config.fetch.proxy = std::move(targets);
    try {
      TableBuilder table;
      const fw::testing::TestApp app(table.table(), config);
    } catch (const fw::StartupError& error) {
      return error.errors();
    }
    return std::vector<std::string>();
  };
  CHECK(errors_of({{.name = "a", .base_url = "https://a/v1"}}).empty());
  CHECK(
      errors_of({{.name = "a", .base_url = "http://a"}, {.name = "a", .base_url = "http://b"}}) ==
      std::vector<std::string>{"configuration: /fetch/proxy/1/name: there is another target 'a'"});
  CHECK(errors_of({{.name = "constructor", .base_url = "http://a"}}) ==
        std::vector<std::string>{"configuration: /fetch/proxy/0/name: 'constructor' is reserved: "
                                 "choose another name"});
  CHECK(errors_of({{.name = "a", .base_url = "nope"}}).size() == 1);
  CHECK(errors_of({{.name = "a", .base_url = "https://a/v1?key=secret"}}) ==
        std::vector<std::string>{"configuration: /fetch/proxy/0/baseURL: 'https://a/v1?key=…': a "
                                 "base URL has neither a query nor a fragment"});
}

}  // namespace

}  // namespace proxy_test
