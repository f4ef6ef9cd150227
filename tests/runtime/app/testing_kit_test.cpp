// The testing kit's requests and responses follow the rules of a server.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eventually.hpp"
#include "support/table_builder.hpp"
#include "testing/memory_transaction.hpp"

namespace testing_kit_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::testing::TestApp;
using fw::testing::TestResponse;
using fw::testing::TestSocket;

/// Responds with what it got.
void echo(fw::Request& req, fw::Response& res) {
  Json headers = Json::object();
  for (const auto& [name, value] : req.headers()) headers[name] = value;
  Json files = Json::array();
  for (const fw::ParsedFile& file : req.files()) {
    files.push_back({file.fieldname, file.filename, file.mimetype, file.buffer});
  }
  res.raw_json(
      {{"target", req.url()}, {"headers", headers}, {"files", files}, {"body", req.body()}});
}

OneFileApp echo_app(fw::Config config = TestApp::test_config()) {
  return OneFileApp(
      [](fw::Router& app) {
        app.get("/echo", echo);
        app.head("/echo", [](fw::Request&, fw::Response& res) { res.text("not sent"); });
        app.post("/echo", {.multipart = {.enabled = true}}, echo);
      },
      std::move(config));
}

/// The sockets of an application, and what their ends were.
struct Sockets {
  std::vector<fw::Socket> open;
  std::vector<std::string> ends;
};

OneFileApp socket_app(Sockets& sockets) {
  return OneFileApp([&](fw::Router& app) {
    const auto keep = [&](fw::Request& req, fw::Socket& socket) {
      sockets.open.push_back(socket);
      req.on_close([&] { sockets.ends.emplace_back("lost"); });
      socket.on_close([&](const fw::CloseReason& reason) {
        sockets.ends.push_back(std::to_string(reason.code) + (reason.by_client ? " client" : "") +
                               reason.reason);
      });
    };
    app.socket("/chat/:room",
               {.receive = {{"say", {{"text", "string:1-5"}}}},
                .send = {{"said", {{"text", "string"}}}},
                .socket = {.queue = "64kb"}},
               [=](fw::Request& req, fw::Socket& socket) {
                 keep(req, socket);
                 socket.send("said", {{"text", "room " + std::string(*req.param("room"))}});
                 socket.on("say", [](const Json& say, fw::Socket& from) {
                   from.send("said", {{"text", say["text"].get<std::string>() + "!"}});
                 });
               });
    app.socket(
        "/raw",
        {.receive = fw::raw, .send = fw::raw, .socket = {.max_message = 100'000, .queue = "1mb"}},
        [=](fw::Request& req, fw::Socket& socket) {
          keep(req, socket);
          socket.on_text([](std::string_view text, fw::Socket& from) {
            if (text == "close") return from.close(4001, "bye");
            if (text == "throw") throw std::runtime_error("broken handler");
            from.send_text(text);
          });
          socket.on_binary(
              [](std::string_view bytes, fw::Socket& from) { from.send_binary(bytes); });
        });
    app.get("/live", {.responses = {{"200", fw::events({{"message", "string"}})}}},
            [](fw::Request&, fw::Response& res) { res.events().send("message", "one"); });
  });
}

}  // namespace

TEST_CASE("testing: a socket exchanges the declared messages") {
  Sockets sockets;
  OneFileApp app = socket_app(sockets);
  TestSocket socket = app.socket("/chat/7");
  CHECK(socket.response == 101);
  CHECK(socket.response.request == "GET /chat/7");
  CHECK(socket.next()->json() == Json{{"type", "said"}, {"text", "room 7"}});
  socket.send("say", {{"text", "hi"}});
  CHECK(socket.next()->json() == Json{{"type", "said"}, {"text", "hi!"}});
  socket.send("say", {{"text", ""}});
  CHECK(socket.next()->json()["errors"][0]["field"] == "text");
  std::jthread other([&] { sockets.open.front().send("said", {{"text", "later"}}); });
  CHECK(socket.next(fairway::test::kPatience)->json()["text"] == "later");
  other.join();
  CHECK_THROWS_WITH_AS(socket.next(std::chrono::milliseconds(1)),
                       "the socket had no message before the timeout", std::runtime_error);
  for (int i = 0; i < 100; ++i) socket.send("say", {{"text", std::to_string(i)}});
  for (int i = 0; i < 100; ++i) CHECK(socket.next()->json()["text"] == std::to_string(i) + "!");
}

TEST_CASE("testing: a socket exchanges raw texts and bytes of each length") {
  Sockets sockets;
  OneFileApp app = socket_app(sockets);
  TestSocket socket = app.socket("/raw");
  for (const std::size_t size : {0U, 125U, 126U, 65'535U, 65'536U, 100'000U}) {
    socket.send_text(std::string(size, 'a'));
    const auto text = socket.next();
    CHECK(text->is_text);
    CHECK(text->content == std::string(size, 'a'));
    socket.send_binary(std::string(size, '\xff'));
    const auto bytes = socket.next();
    CHECK(!bytes->is_text);
    CHECK(bytes->content == std::string(size, '\xff'));
  }
  socket.send_text(std::string(100'001, 'a'));
  CHECK(!socket.next());
  CHECK(socket.closed()->code == 1009);
  CHECK(sockets.ends.size() == 1);
}

TEST_CASE("testing: the end of a socket is seen on both sides") {
  Sockets sockets;
  OneFileApp app = socket_app(sockets);
  TestSocket socket = app.socket("/raw");
  const auto ends = [&](const std::vector<std::string>& expected) {
    return std::exchange(sockets.ends, {}) == expected;
  };
  SUBCASE("the application closes") {
    socket.send_text("a");
    socket.send_text("close");
    CHECK(socket.next()->content == "a");
    CHECK(!socket.closed());
    CHECK(!socket.next());
    CHECK(socket.closed()->code == 4001);
    CHECK(socket.closed()->reason == "bye");
    CHECK(!socket.closed()->by_client);
    CHECK(ends({"4001bye"}));
  }
  SUBCASE("a handler throws") {
    socket.send_text("throw");
    CHECK(!socket.next());
    CHECK(socket.closed()->code == 1011);
    CHECK(ends({"1011"}));
  }
  SUBCASE("the client closes") {
    socket.close(4002, "enough");
    CHECK(socket.closed()->by_client);
    CHECK(ends({"4002 clientenough"}));
  }
  SUBCASE("the client disconnects") {
    socket.disconnect();
    CHECK(ends({"lost", "1006 client"}));
  }
  SUBCASE("the client is destroyed") {
    {
      const TestSocket last = std::move(socket);
    }
    CHECK(ends({"lost", "1006 client"}));
    return;
  }
  CHECK(!socket.next());
  CHECK(!sockets.open.front().is_open());
  socket.send_text("ignored");
  socket.disconnect();
  CHECK(sockets.ends.empty());
}

TEST_CASE("testing: a socket whose client does not read is closed, but not while it waits") {
  Sockets sockets;
  OneFileApp app = socket_app(sockets);
  TestSocket socket = app.socket("/chat/7");
  CHECK(socket.next());
  fw::Socket& sender = sockets.open.front();
  const Json message = {{"text", std::string(1'000, 'a')}};
  int sent = 0;
  while (sender.send("said", message)) ++sent;
  CHECK(sent > 50);
  CHECK(sent < 70);
  CHECK(!socket.next());
  CHECK(socket.closed()->code == 1008);
  CHECK(sockets.ends == std::vector<std::string>{"1008the client reads too slowly"});
}

TEST_CASE("testing: requests and sockets do not fit each other") {
  Sockets sockets;
  OneFileApp app = socket_app(sockets);
  CHECK(app.request("GET", "/raw").send() == 426);
  CHECK(app.socket("/absent").response == 404);
  TestSocket foreign = app.request("GET", "/raw").header("Origin", "http://b").socket();
  CHECK(foreign.response == 403);
  CHECK(foreign.response.json()["code"] == 403);
  CHECK(!foreign.next());
  CHECK(!foreign.closed());
  CHECK(app.socket("/live").response == 200);
  const auto opened = app.request("GET", "/raw")
                          .header("Connection", "Upgrade")
                          .header("Upgrade", "websocket")
                          .header("Sec-WebSocket-Version", "13")
                          .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
                          .send();
  CHECK(opened == 101);
  CHECK(sockets.ends == std::vector<std::string>{"lost", "1006 client"});
}

TEST_CASE("testing: requests have the header fields that a client adds") {
  OneFileApp app = echo_app();
  const Json seen = app.request("POST", "/echo?a=1").json({{"a", 1}}).send().json();
  CHECK(seen["target"] == "/echo?a=1");
  CHECK(seen["headers"]["host"] == "localhost");
  CHECK(seen["headers"]["content-length"] == "7");
  CHECK(seen["headers"]["content-type"] == "application/json");
  const Json own = app.request("GET", "/echo").header("Host", "shop.example").send().json();
  CHECK(own["headers"]["host"] == "shop.example");
  CHECK(app.request("HEAD", "/echo").send().body.empty());
}

TEST_CASE("testing: a body is read once, as from a socket") {
  using fw::http::BodyStatus;
  const auto transaction = [](std::string body) {
    fw::http::Framing framing;
    framing.content_length = 4;
    return fw::testing::MemoryTransaction(
        {.method = "POST",
         .target = "/",
         .fields = {},
         .remote_address = "127.0.0.1",
         .has_body = true,
         .content_length = 4},
        framing, [rest = std::move(body)]() mutable { return std::exchange(rest, {}); });
  };
  std::string body;
  auto whole = transaction("four");
  CHECK(whole.read_body(10, body) == BodyStatus::complete);
  CHECK(body == "four");
  CHECK(whole.read_body(10, body) == BodyStatus::complete);
  CHECK(body.empty());
  auto large = transaction("four");
  CHECK(large.read_body(3, body) == BodyStatus::too_large);
  CHECK(large.read_body(10, body) == BodyStatus::disconnected);
  auto late = transaction("four");
  CHECK(late.respond({}, ""));
  CHECK(late.read_body(10, body) == BodyStatus::disconnected);
}

TEST_CASE("testing: request heads are validated as from a socket") {
  OneFileApp app = echo_app();
  CHECK(app.request("GET", "no-slash").send() == 400);
  CHECK(app.request("GET", "/a b").send() == 400);
  CHECK(app.request("BREW", "/echo").send() == 501);
  CHECK(app.request("GET", "/echo").header("two words", "a").send() == 400);
  CHECK(app.request("GET", "/echo").header("x-bell", "\a").send() == 400);
  CHECK(app.request("GET", "/echo").header("Content-Length", "1, 2").send() == 400);
  const TestResponse large = app.request("GET", "/" + std::string(20'000, 'a')).send();
  CHECK(large == 431);
  CHECK(large.json()["code"] == 431);
  CHECK(large.header("x-request-id").has_value());
  auto request = app.request("GET", "/echo");
  for (int i = 0; i < 101; ++i) request.header("x-" + std::to_string(i), "a");
  CHECK(request.send() == 431);
  CHECK_THROWS_WITH_AS(app.request("GET", "/echo").header("x-a", "a\r\nx-b: b").send(),
                       "a test request's x-a contains a line break", std::invalid_argument);
  CHECK_THROWS_AS(app.request("GET /", "/echo\n").send(), std::invalid_argument);
}

TEST_CASE("testing: bodies are framed as their header fields announce") {
  OneFileApp app = echo_app();
  const auto post = [&](const std::string& field, const std::string& value,
                        const std::string& body) {
    return app.request("POST", "/echo")
        .header("Content-Type", "application/json")
        .header(field, value)
        .body(body)
        .send();
  };
  CHECK(post("Transfer-Encoding", "chunked", "3\r\n[1]\r\n0\r\n\r\n").json()["body"] == Json{1});
  CHECK(post("Transfer-Encoding", "chunked", "not a chunk").status == 400);
  // As of a client that sends less than it announces, or more.
  CHECK(post("Content-Length", "10", "[1]").status == 400);
  CHECK(post("Content-Length", "3", "[1] and more").json()["body"] == Json{1});
  fw::Config config = TestApp::test_config();
  config.body_parser.max_body_size = "4b";
  OneFileApp small = echo_app(std::move(config));
  CHECK(small.request("POST", "/echo").json("long").send() == 413);
}

TEST_CASE("testing: forms have files and text fields") {
  OneFileApp app([](fw::Router& router) {
    router.post("/form", {.multipart = {.enabled = false}, .body_parser = {.stream = true}},
                [](fw::Request& req, fw::Response& res) {
                  fw::MultipartStream form(req);
                  Json parts = Json::array();
                  while (auto part = form.next()) {
                    const std::string content = form.text(100);
                    parts.push_back({part->name, part->filename.value_or("-"), content});
                  }
                  res.raw_json(std::move(parts));
                });
  });
  const Json parts = app.request("POST", "/form")
                         .field("title", "Two \"words\"")
                         .file("picture", "a\"b.png", "PNG", "image/png")
                         .field("end", "")
                         .send()
                         .json();
  CHECK(parts ==
        Json{{"title", "-", "Two \"words\""}, {"picture", "a%22b.png", "PNG"}, {"end", "-", ""}});
}

TEST_CASE("testing: a streamed body is sent as the application reads it") {
  int produced = 0;
  std::string seen;
  OneFileApp app([&](fw::Router& router) {
    router.post("/stream", {.body_parser = {.stream = true}},
                [&](fw::Request& req, fw::Response& res) {
                  fw::Readable body = req.body_stream();
                  std::array<char, 2> buffer{};
                  CHECK(produced == 0);
                  while (const std::size_t size = body.read(buffer)) {
                    seen.append(buffer.data(), size);
                    CHECK(produced <= static_cast<int>(seen.size()) / 4 + 1);
                    if (req.query("early")) break;
                  }
                  res.json(seen);
                });
    router.post("/whole", [](fw::Request& req, fw::Response& res) { res.json(req.body()); });
  });
  const auto generator = [&](std::span<char> buffer) -> std::size_t {
    if (produced == 3) return 0;
    ++produced;
    return std::string_view("abcd").copy(buffer.data(), buffer.size());
  };
  CHECK(app.request("POST", "/stream").stream(generator).send().json()["data"] == "abcdabcdabcd");
  produced = 0;
  seen.clear();
  CHECK(app.request("POST", "/stream?early").stream(generator).send().json()["data"] == "ab");
  CHECK(produced == 1);
  const auto whole = app.request("POST", "/whole")
                         .header("Content-Type", "application/json")
                         .stream("{\"a\": [1, 2]}")
                         .send();
  CHECK(whole.json()["data"] == Json{{"a", {1, 2}}});
}

TEST_CASE("testing: a client keeps cookies until Max-Age or else Expires") {
  OneFileApp app([](fw::Router& router) {
    router.get("/set", [](fw::Request& req, fw::Response& res) {
      res.append_header("set-cookie", "a=1" + std::string(req.query("with").value_or(""))).json(1);
    });
  });
  const auto is_kept = [&](const std::string& attributes) {
    auto client = app.client();
    client.request("GET", "/set").send();
    REQUIRE(client.cookies() == std::map<std::string, std::string>{{"a", "1"}});
    std::string target = "/set?with=";
    for (const char c : attributes)
      target += c == ';' ? "%3B" : c == ' ' ? "%20" : std::string(1, c);
    client.request("GET", target).send();
    return client.cookies().contains("a");
  };
  CHECK(is_kept("; Path=/; HttpOnly"));
  CHECK(is_kept("; Max-Age=60"));
  CHECK_FALSE(is_kept("; max-age=0"));
  CHECK_FALSE(is_kept("; Max-Age=-1"));
  CHECK_FALSE(is_kept("; Expires=Thu, 01 Jan 1970 00:00:00 GMT"));
  CHECK_FALSE(is_kept("; Path=/; expires=Thu, 01-Jan-1970 00:00:00 GMT; Secure"));
  CHECK_FALSE(is_kept("; Expires=Thursday, 01-Jan-70 00:00:00 GMT"));
  CHECK(is_kept("; Expires=Thu, 01-Jan-69 00:00:00 GMT"));
  CHECK(is_kept("; Expires=Fri, 31 Dec 9999 23:59:59 GMT"));
  CHECK(is_kept("; Expires=yesterday"));
  CHECK(is_kept("; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60"));
  CHECK_FALSE(is_kept("; Max-Age=0; Expires=Fri, 31 Dec 9999 23:59:59 GMT"));
}

TEST_CASE("testing: a failed check prints the request and the response") {
  TestResponse response{.status = 404,
                        .headers = {{"content-type", "application/json"}},
                        .body = R"({"code":404,"errors":["a"]})",
                        .request = "GET /users/7"};
  std::ostringstream text;
  text << response;
  CHECK(text.str() ==
        "404 Not Found, the response to GET /users/7\n"
        "content-type: application/json\n"
        "\n"
        "{\n  \"code\": 404,\n  \"errors\": [\n    \"a\"\n  ]\n}");
  response = {.status = 200, .headers = {}, .body = "plain {text"};
  text.str("");
  text << response;
  CHECK(text.str() == "200 OK\n\nplain {text");
}

}  // namespace testing_kit_test
