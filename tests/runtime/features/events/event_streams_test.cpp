// Streams of events through the whole pipeline: what is sent, what is refused, the queue, other
// features of the same routes, and how streams end.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "http/loopback.hpp"
#include "support/server_config.hpp"
#include "support/table_builder.hpp"
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
#include "http/http2_client.hpp"
#endif

namespace event_streams_test {

namespace {

using fw::EndOfStream;
using fw::EventStream;
using fw::Json;
using fw::http::test::Client;
using fw::http::test::eventually;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::support::server_config;
using fw::support::TableBuilder;
using fw::testing::TestApp;
using namespace std::chrono_literals;

/// The struct that the route compiler generates for an event.
struct Created {
  static constexpr std::string_view kEventName = "created";
  double total;
};

void fw_encode(fw::detail::JsonWriter& out, const Created& event) {
  out.raw(R"({"total":)");
  out.number(event.total);
  out.raw("}");
}

void to_json(Json& json, const Created& event) { json = {{"total", event.total}}; }

using LiveEvent = std::variant<Created>;

/// An event that counts how often it is formatted.
struct Deleted {
  static constexpr std::string_view kEventName = "deleted";
  std::int64_t id;
  std::atomic<int>* formatted;
};

void fw_encode(fw::detail::JsonWriter& out, const Deleted& event) {
  ++*event.formatted;
  out.raw(R"({"id":)");
  out.integer(event.id);
  out.raw("}");
}

void to_json(Json& json, const Deleted& event) { json = {{"id", event.id}}; }

/// The streams that handlers have opened.
class Feed {
 public:
  void add(EventStream stream) {
    stream.on_close([this](EndOfStream end) {
      const std::lock_guard lock(mutex_);
      ends_.push_back(end);
    });
    const std::lock_guard lock(mutex_);
    ++opened_;
    streams_.push_back(std::move(stream));
  }
  std::size_t opened() const {
    const std::lock_guard lock(mutex_);
    return opened_;
  }
  EventStream& last() {
    const std::lock_guard lock(mutex_);
    return streams_.back();
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return streams_.size();
  }
  std::vector<EndOfStream> ends() const {
    const std::lock_guard lock(mutex_);
    return ends_;
  }
  /// Sends to all streams; removes those that have ended.
  void send(std::string_view event, const Json& data) {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&](EventStream& stream) { return !stream.send(event, data); });
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    streams_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<EventStream> streams_;
  std::vector<EndOfStream> ends_;
  std::size_t opened_ = 0;
};

fw::RouteOptions with_events(fw::EventOptions events = {}) {
  return {.responses = {{"200", fw::events({{"created", {{"total", "number"}}},
                                            {"deleted", {{"id", "integer"}}},
                                            {"message", "string"}})}},
          .events = std::move(events)};
}

/// `/live`, whose streams are added to the feed.
std::function<void(fw::Router&)> live(Feed& feed, fw::RouteOptions options = with_events()) {
  return [&feed, options](fw::Router& app) {
    app.get("/live", options, [&feed](fw::Request&, fw::Response& res) { feed.add(res.events()); });
  };
}

/// An application that listens on a port.
class Server {
 public:
  explicit Server(std::function<void(fw::Router&)> factory, fw::Config config = server_config())
      : app(std::move(config)) {
    table_.routes(std::move(factory));
    app.set_logger(fw::Logger(sink));
    app.mount(table_.table());
    app.start();
  }

  std::uint16_t port() const { return static_cast<std::uint16_t>(app.port()); }

  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();

 private:
  TableBuilder table_;

 public:
  fw::App app;  // last, because it refers to the table
};

constexpr std::string_view kLive = "GET /live HTTP/1.1\r\nHost: a\r\n\r\n";

bool sees(Client& client, std::string_view text) {
  while (client.input().find(text) == std::string::npos) {
    if (!client.receive_more()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("event streams: events are sent long after the handler") {
  Feed feed;
  OneFileApp app(live(feed));
  auto events = app.events("/live");
  REQUIRE(events.response == 200);
  CHECK(events.response.header("content-type") == "text/event-stream");
  CHECK(events.response.header("cache-control") == "no-store");
  CHECK(events.response.header("x-accel-buffering") == "no");
  EventStream& stream = feed.last();
  CHECK(stream.is_open());
  CHECK(stream.send("created", {{"total", 7}}, {.id = "7"}));
  CHECK(stream.pending() == std::string("event: created\nid: 7\ndata: {\"total\":7}\n\n").size());
  const auto event = events.next();
  REQUIRE(event);
  CHECK(event->name == "created");
  CHECK(event->id == "7");
  CHECK(event->json() == Json{{"total", 7}});
  CHECK(stream.pending() == 0);
  std::thread later([&] { stream.send("message", "later"); });
  CHECK(events.next(1min)->json() == "later");
  later.join();
  stream.close();
  CHECK(!stream.is_open());
  CHECK(!stream.send("created", {{"total", 8}}));
  CHECK(!events.next());
  CHECK(feed.ends() == std::vector{EndOfStream::closed});
}

TEST_CASE("event streams: generated structs are sent by their own names") {
  Feed feed;
  OneFileApp app(live(feed));
  auto events = app.events("/live");
  EventStream& stream = feed.last();
  stream.send<Created>({.total = 1.5}, {.id = "1"});
  stream.send(LiveEvent(Created{2.5}));
  CHECK(events.next()->json() == Json{{"total", 1.5}});
  const auto second = events.next();
  CHECK(second->name == "created");
  CHECK(second->json() == Json{{"total", 2.5}});
  CHECK_THROWS_WITH_AS(stream.send(Created{std::numeric_limits<double>::infinity()}),
                       "the event 'created' of GET /live is not as declared: the data has a number "
                       "that is not finite",
                       std::invalid_argument);
}

TEST_CASE("event streams: data is converted to the declared schema") {
  Feed feed;
  OneFileApp app(live(feed));
  auto events = app.events("/live");
  EventStream& stream = feed.last();
  stream.send("deleted", {{"id", "7"}, {"secret", true}});
  CHECK(events.next()->json() == Json{{"id", 7}});
  CHECK_THROWS_WITH_AS(stream.send("deleted", {{"id", "x"}}),
                       "the event 'deleted' of GET /live is not as declared: 'id' must be "
                       "integer, but is string",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(stream.send("moved", nullptr),
                       "GET /live does not declare the event 'moved'", std::invalid_argument);
  CHECK_THROWS_AS(stream.send("deleted", {{"id", 7}}, {.id = "a\nb"}), std::invalid_argument);
}

TEST_CASE("event streams: what is sent in the handler comes first, and a dropped handle ends it") {
  OneFileApp app([](fw::Router& router) {
    router.get("/live", with_events({.retry = 2s}), [](fw::Request& req, fw::Response& res) {
      EventStream stream = res.events();
      stream.send("message", req.last_event_id().value_or("none"));
      res.set_header("x-late", "yes");
    });
  });
  auto events = app.request("GET", "/live").header("Last-Event-ID", "41").events();
  CHECK(events.response.header("x-late") == "yes");
  const auto event = events.next();
  CHECK(event->json() == "41");
  CHECK(event->retry == 2s);
  CHECK(!events.next());
  CHECK(app.request("GET", "/live").send().body == "retry: 2000\n\ndata: \"none\"\n\n");
}

TEST_CASE("event streams: lines are JSON values") {
  std::optional<fw::LineStream> stream;
  OneFileApp app([&](fw::Router& router) {
    router.get("/lines", {.responses = {{"200", fw::lines({{"id", "integer"}})}}},
               [&](fw::Request&, fw::Response& res) { stream = res.lines(); });
  });
  auto lines = app.events("/lines");
  CHECK(lines.response.header("content-type") == "application/x-ndjson");
  stream->send({{"id", "7"}});
  stream->send({{"id", 8}});
  CHECK(lines.next()->json() == Json{{"id", 7}});
  CHECK(lines.next()->data == R"({"id":8})");
  CHECK_THROWS_WITH_AS(stream->send("x"),
                       "a line of GET /lines is not as declared: the data must be object, but is "
                       "string",
                       std::invalid_argument);
  stream.reset();
  CHECK(!lines.next());
}

TEST_CASE("event streams: the declaration and the response must agree") {
  fw::Config config = TestApp::test_config();
  config.response.hide_internal_errors = false;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/undeclared", [](fw::Request&, fw::Response& res) { res.events(); });
        router.get("/lines", with_events(), [](fw::Request&, fw::Response& res) { res.lines(); });
        router.get("/status", with_events(),
                   [](fw::Request&, fw::Response& res) { res.status(202).events(); });
        router.get("/json", with_events(), [](fw::Request&, fw::Response& res) { res.json("x"); });
        router.get("/twice", with_events(), [](fw::Request&, fw::Response& res) {
          const auto first = res.events();
          res.events();
        });
      },
      config);
  const auto message = [&](const std::string& path) {
    const auto response = app.request("GET", path).send();
    CHECK(response == 500);
    return response.json().value("message", "");
  };
  CHECK(message("/undeclared") ==
        "GET /undeclared declares no stream of events for the status 200: write .responses = "
        R"({{"200", fw::events({…})}})");
  CHECK(message("/lines") ==
        "GET /lines declares no stream of lines for the status 200: write "
        R"(.responses = {{"200", fw::lines(…)}})");
  CHECK(message("/status").starts_with(
      "GET /status declares no stream of events for the status 202"));
  CHECK(message("/json") ==
        "GET /json declares a stream for the status 200: send it with res.events()");
  CHECK(message("/twice") == "GET /twice has a response already");
}

TEST_CASE("event streams: an error after the stream was opened is sent instead") {
  std::vector<EndOfStream> ends;
  std::optional<EventStream> kept;
  OneFileApp app([&](fw::Router& router) {
    router.get("/live", with_events(), [&](fw::Request&, fw::Response& res) {
      kept = res.events();
      kept->on_close([&](EndOfStream end) { ends.push_back(end); });
      kept->send("message", "never");
      fw::raise(409, "no");
    });
  });
  const auto response = app.request("GET", "/live").send();
  CHECK(response == 409);
  CHECK(response.header("content-type") == "application/json; charset=utf-8");
  CHECK(!response.header("x-accel-buffering"));
  CHECK(ends == std::vector{EndOfStream::not_sent});
  CHECK(!kept->is_open());
}

TEST_CASE("event streams: HEAD has the head only") {
  Feed feed;
  OneFileApp app([&](fw::Router& router) {
    router.head("/live", with_events(),
                [&](fw::Request&, fw::Response& res) { feed.add(res.events()); });
  });
  const auto response = app.request("HEAD", "/live").send();
  CHECK(response == 200);
  CHECK(response.header("content-type") == "text/event-stream");
  CHECK(feed.ends() == std::vector{EndOfStream::not_sent});
}

TEST_CASE("event streams: the declaration is checked at the start") {
  const auto error_of = [](fw::RouteOptions options) -> std::string {
    try {
      const OneFileApp app([&](fw::Router& router) {
        router.get("/live", options, [](fw::Request&, fw::Response&) {});
      });
      return "none";
    } catch (const fw::StartupError& error) {
      return error.errors().front();
    }
  };
  const auto declared = [](fw::StreamSchema stream) {
    return fw::RouteOptions{.responses = {{"200", std::move(stream)}}};
  };
  CHECK(error_of(declared(fw::events({{"a", "string"}, {"a", "string"}})))
            .ends_with("responses.200: event 'a': the event is declared twice"));
  CHECK(error_of(declared(fw::events({{"a\nb", "string"}})))
            .ends_with("the name of an event must not have control characters"));
  CHECK(error_of(declared(fw::events({{"", "string"}}))).ends_with("an event needs a name"));
  CHECK(error_of(declared(fw::events({{"a", fw::lines("string")}})))
            .ends_with("the data of an event cannot be a stream"));
  CHECK(error_of(with_events({.queue = "1b"}))
            .find("'events.queue' must be a size from 1kb to 16mb") != std::string::npos);
  CHECK(error_of(with_events({.overflow = "wait"})).find("'events.overflow' cannot be 'wait'") !=
        std::string::npos);
}

TEST_CASE("event streams: a full queue closes the stream by default") {
  Feed feed;
  OneFileApp app(live(feed, with_events({.queue = "1kb"})));
  auto events = app.events("/live");
  EventStream& stream = feed.last();
  int sent = 0;
  while (stream.send("message", "0123456789")) ++sent;
  CHECK(sent > 1);
  CHECK(sent < 1024 / 10);
  CHECK(!stream.is_open());
  CHECK(stream.pending() == 0);
  CHECK(!events.next());
  CHECK(feed.ends() == std::vector{EndOfStream::too_slow});
}

TEST_CASE("event streams: a client is not slow before the server has tried to send") {
  const std::string text(4'000, 'a');
  const auto send_at_once = [&](fw::Router& router) {
    // Nothing can be sent before the handler returns.
    const auto send = [&](fw::Response& res, int most) {
      EventStream stream = res.events();
      for (int sent = 0; sent < most && stream.send("message", text);) ++sent;
    };
    router.get("/some", with_events({.queue = "16kb"}),
               [=](fw::Request&, fw::Response& res) { send(res, 12); });
    router.get("/endless", with_events({.queue = "16kb"}),
               [=](fw::Request&, fw::Response& res) { send(res, 1'000'000); });
  };
  fw::Config config = server_config();
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
  config.server.http2.cleartext = true;
#endif
  Server server(send_at_once, config);
  const auto count = [&](std::string_view body) {
    int events = 0;
    for (std::size_t at = 0; (at = body.find(text, at)) != body.npos; at += text.size()) ++events;
    return events;
  };
  Client client(server.port());
  auto response = client.exchange("GET /some HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(response.is_complete);
  CHECK(count(response.body) == 12);
  // What has not been tried has a bound, too.
  Client endless(server.port());
  CHECK(!endless.exchange("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n").is_complete);
#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
  fw::http::test::Http2Client over_http2(server.port());
  const auto some = over_http2.exchange("/some");
  CHECK(some.is_complete);
  CHECK(count(some.body) == 12);
  CHECK(!over_http2.exchange("/endless").is_complete);
#endif
}

TEST_CASE("event streams: a full queue may drop the oldest events") {
  Feed feed;
  OneFileApp app(live(feed, with_events({.queue = "1kb", .overflow = "drop_oldest"})));
  auto events = app.events("/live");
  EventStream& stream = feed.last();
  for (int i = 0; i < 100; ++i) CHECK(stream.send("deleted", {{"id", i}}));
  CHECK(stream.pending() < 1024);
  CHECK(stream.dropped() > 50);
  std::vector<int> ids;
  stream.close();
  while (const auto event = events.next()) ids.push_back(event->json()["id"]);
  REQUIRE(!ids.empty());
  CHECK(ids.back() == 99);
  CHECK(ids.front() == 100 - static_cast<int>(ids.size()));
  CHECK(ids.size() + stream.dropped() == 100);
}

TEST_CASE("event streams: a full queue may coalesce events of one name") {
  Feed feed;
  OneFileApp app(live(feed, with_events({.queue = "1kb", .overflow = "coalesce"})));
  auto events = app.events("/live");
  EventStream& stream = feed.last();
  stream.send("message", "first");
  for (int i = 0; i < 100; ++i) CHECK(stream.send("deleted", {{"id", i}}));
  stream.close();
  CHECK(events.next()->json() == "first");  // another name, so it is kept
  int last = -1;
  while (const auto event = events.next()) last = event->json()["id"];
  CHECK(last == 99);
}

TEST_CASE("event streams: an event that is larger than the queue is an error") {
  Feed feed;
  OneFileApp app(live(feed, with_events({.queue = "1kb"})));
  auto events = app.events("/live");
  CHECK_THROWS_WITH_AS(feed.last().send("message", std::string(2000, 'x')),
                       "an event of GET /live with 2010 bytes is larger than its queue of 1024 "
                       "bytes: set 'events.queue'",
                       std::length_error);
  CHECK(feed.last().is_open());
}

TEST_CASE("event streams: one address has a limit") {
  Feed feed;
  OneFileApp app(live(feed, with_events({.max_per_address = 2})));
  auto first = app.events("/live");
  auto second = app.events("/live");
  CHECK(app.events("/live").response == 429);
  CHECK(app.request("GET", "/live").remote_address("192.0.2.1").events().response == 200);
  first.disconnect();
  CHECK(app.events("/live").response == 200);
}

TEST_CASE("event streams: a disconnect ends the stream, and stops the request's signal") {
  std::stop_token token;
  bool has_closed = false;
  std::optional<EventStream> kept;
  Server server([&](fw::Router& router) {
    router.get("/live", with_events(), [&](fw::Request& req, fw::Response& res) {
      token = req.signal();
      req.on_close([&] { has_closed = true; });
      kept = res.events();
      kept->send("message", "hello");
    });
  });
  Client client(server.port());
  client.send(kLive);
  CHECK(sees(client, "hello"));
  CHECK(!token.stop_requested());
  client.reset();
  CHECK(eventually([&] { return !kept->is_open(); }));
  CHECK(eventually([&] { return token.stop_requested(); }));
  server.app.stop();
  CHECK(has_closed);
}

TEST_CASE("event streams: a client that has only finished sending is reported, and gets events") {
  std::stop_token token;
  std::atomic<bool> has_closed = false;
  std::optional<EventStream> kept;
  Server server([&](fw::Router& router) {
    router.get("/live", with_events(), [&](fw::Request& req, fw::Response& res) {
      token = req.signal();
      req.on_close([&] { has_closed = true; });
      kept = res.events();
      kept->send("message", "hello");
    });
  });
  Client client(server.port());
  client.send(kLive);
  CHECK(sees(client, "hello"));
  client.end_sending();
  CHECK(eventually([&] { return token.stop_requested() && has_closed; }));
  CHECK(kept->is_open());
  CHECK(kept->send("message", "later"));
  CHECK(sees(client, "later"));
  kept->close();
  CHECK(sees(client, "\r\n0\r\n\r\n"));
}

TEST_CASE("event streams: a slow reader never takes more memory than its queue") {
  Feed feed;
  Server server(live(feed, with_events({.queue = "64kb", .overflow = "drop_oldest"})));
  Client client(server.port(), 4096);
  client.send(kLive);
  CHECK(eventually([&] { return feed.size() == 1; }));
  EventStream& stream = feed.last();
  const std::string text(1000, 'x');
  std::size_t most = 0;
  // Until the buffers of the sockets are full, too: each event replaces another one then.
  for (std::uint64_t in_a_row = 0, before = 0; in_a_row < 1000 && stream.send("message", text);
       before = stream.dropped()) {
    in_a_row = stream.dropped() > before ? in_a_row + 1 : 0;
    most = std::max(most, stream.pending());
  }
  CHECK(stream.is_open());
  CHECK(stream.dropped() >= 1000);
  CHECK(most <= 64 * 1024);
  client.close();
  CHECK(eventually([&] { return feed.ends() == std::vector{EndOfStream::disconnected}; }));
}

namespace {

/// Sends until the reader of the last stream is too slow, whose end is reported.
void check_too_slow(Feed& feed) {
  std::atomic<int> calls{0};
  std::atomic<int> inside{0};  // a sender may have locks that the callbacks need
  feed.last().on_close([&, sender = std::this_thread::get_id()](EndOfStream) {
    if (std::this_thread::get_id() == sender) ++inside;
    ++calls;
  });
  const std::string text(1000, 'x');
  while (feed.last().send("message", text)) {
  }
  CHECK(eventually([&] { return feed.ends() == std::vector{EndOfStream::too_slow}; }));
  CHECK(eventually([&] { return calls == 1; }));
  CHECK(inside == 0);
}

}  // namespace

TEST_CASE("event streams: a slow reader is cut off by default") {
  Feed feed;
  Server server(live(feed));
  Client client(server.port(), 4096);
  client.send(kLive);
  CHECK(eventually([&] { return feed.size() == 1; }));
  check_too_slow(feed);
  CHECK(!sees(client, "0\r\n\r\n"));
}

TEST_CASE("event streams: a stop ends them after a last event") {
  Feed feed;
  Server server(live(feed));
  Client client(server.port());
  client.send(kLive);
  CHECK(eventually([&] { return feed.size() == 1; }));
  feed.last().send_at_stop("message", "bye");
  server.app.stop();
  CHECK(sees(client, "data: \"bye\"\n\n\r\n0\r\n\r\n"));
  CHECK(feed.ends() == std::vector{EndOfStream::stopped});
  CHECK(!feed.last().send("message", "late"));
}

TEST_CASE("event streams: the access log has a line at the end") {
  Feed feed;
  fw::Config config = server_config();
  config.logger.level = fw::LogLevel::info;
  config.access_log.enabled = true;
  config.access_log.log_response_size = true;
  config.access_log.slow_threshold = 1;
  Server server(live(feed), config);
  const auto line = [&]() -> std::string {
    for (const auto& record : server.sink->records()) {
      if (record.message.starts_with("GET /live")) return record.request_id + " " + record.message;
    }
    return "";
  };
  Client client(server.port());
  client.send("GET /live HTTP/1.1\r\nHost: a\r\nX-Request-Id: my-id\r\n\r\n");
  CHECK(eventually([&] { return feed.size() == 1; }));
  feed.last().send("message", "0123");
  CHECK(sees(client, "0123"));
  CHECK(line() == "");
  feed.last().close();
  CHECK(eventually([&] { return !line().empty(); }));
  CHECK(line().find("GET /live 200 ") != std::string::npos);
  CHECK(line().ends_with("ms | 127.0.0.1 [14B]"));
}

TEST_CASE("event streams: the time-out is for the handler, not for the stream") {
  Feed feed;
  fw::RouteOptions options = with_events();
  options.timeout = 500;
  Server server([&](fw::Router& router) {
    router.get("/live", options, [&](fw::Request&, fw::Response& res) { feed.add(res.events()); });
    router.get("/slow", options, [&](fw::Request& req, fw::Response& res) {
      feed.add(res.events());
      CHECK(eventually([&] { return req.signal().stop_requested(); }));
    });
  });
  // On a busy machine, the time for the handler may be over before it runs.
  std::unique_ptr<Client> client;
  REQUIRE(eventually([&] {
    client = std::make_unique<Client>(server.port());
    client->send(kLive);
    REQUIRE(sees(*client, "\r\n\r\n"));
    return client->input().starts_with("HTTP/1.1 200 ");
  }));
  std::this_thread::sleep_for(600ms);
  feed.send("message", "still here");
  CHECK(sees(*client, "still here"));
  const auto ended = feed.ends().size();
  Client slow(server.port());
  CHECK(slow.exchange("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").status == 504);
  CHECK(eventually([&] { return feed.ends().size() > ended; }));
  CHECK(std::ranges::all_of(feed.ends(),
                            [](EndOfStream end) { return end == EndOfStream::not_sent; }));
}

TEST_CASE("event streams: sessions are saved, and CORS fields are there, before the first event") {
  Feed feed;
  fw::Config config = TestApp::test_config();
  config.session.enabled = true;
  config.cors.enabled = true;
  config.cors.origins = {"https://app.example"};
  config.compression.enabled = true;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/live", with_events(), [&](fw::Request& req, fw::Response& res) {
          req.session().set("user", "ada");
          feed.add(res.events());
        });
        router.get("/who", [](fw::Request& req, fw::Response& res) {
          res.json(req.session().get<std::string>("user").value_or("nobody"));
        });
      },
      config);
  auto client = app.client();
  auto events = client.request("GET", "/live")
                    .header("Origin", "https://app.example")
                    .header("Accept-Encoding", "gzip")
                    .events();
  CHECK(events.response.header("access-control-allow-origin") == "https://app.example");
  CHECK(!events.response.header("content-encoding"));
  CHECK(client.request("GET", "/who").send().json()["data"] == "ada");
  feed.last().send("message", "plain");
  CHECK(events.next()->json() == "plain");
}

TEST_CASE("event streams: a route with a guard sends nothing to strangers") {
  Feed feed;
  fw::RouteOptions options = with_events();
  options.auth = true;
  OneFileApp app(live(feed, options));
  CHECK(app.events("/live").response == 401);
  CHECK(feed.size() == 0);
}

TEST_CASE("event streams: the response cache never stores them") {
  Feed feed;
  fw::RouteOptions options = with_events();
  options.cache = 60'000;
  fw::Config config = TestApp::test_config();
  config.cache.enabled = true;
  OneFileApp app(live(feed, options), config);
  auto first = app.events("/live");
  auto second = app.events("/live");
  CHECK(feed.size() == 2);
  CHECK(second.response.header("cache-control") == "no-store");
}

TEST_CASE("event streams: a topic sends an event to all that have subscribed") {
  OneFileApp app([](fw::Router& router) {
    router.get("/live", with_events(), [&router](fw::Request&, fw::Response& res) {
      router.topics().get<LiveEvent>("orders").subscribe(res.events());
    });
  });
  fw::Topic<LiveEvent>& topic = app.app().topics().get<LiveEvent>("orders");
  CHECK(topic.publish(Created{1}) == 0);
  auto first = app.events("/live");
  auto second = app.events("/live");
  CHECK(topic.publish(Created{2}, {.id = "2"}) == 2);
  CHECK(first.next()->json() == Json{{"total", 2.0}});
  CHECK(second.next()->id == "2");
  first.disconnect();
  CHECK(topic.subscribers() == 1);
  CHECK(topic.publish(Created{3}) == 1);
  CHECK(second.next()->json() == Json{{"total", 3.0}});
  CHECK_THROWS_WITH_AS(app.app().topics().get<Created>("orders"),
                       "the topic 'orders' has events of another type", std::logic_error);
  for (int i = 0; i < 1000; ++i) app.events("/live");  // which disconnect
  CHECK(topic.subscribers() == 1);
}

TEST_CASE("event streams: a topic formats an event once for each route, not for each stream") {
  OneFileApp app([](fw::Router& router) {
    const auto subscribe = [&router](fw::Request&, fw::Response& res) {
      router.topics().get<Deleted>("orders").subscribe(res.events());
    };
    router.get("/live", with_events(), subscribe);
    router.get("/replaced", {.responses = {{"200", fw::events({{"deleted", {{"id", "string"}}}})}}},
               subscribe);
  });
  std::vector<fw::testing::TestEvents> streams;
  for (int i = 0; i < 3; ++i) streams.push_back(app.events("/live"));
  for (int i = 0; i < 3; ++i) streams.push_back(app.events("/replaced"));
  std::atomic<int> formatted = 0;
  CHECK(app.app().topics().get<Deleted>("orders").publish({7, &formatted}, {.id = "1"}) == 6);
  CHECK(formatted == 2);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto event = streams[i].next();
    REQUIRE(event);
    CHECK(event->id == "1");
    CHECK(event->json() == (i < 3 ? Json{{"id", 7}} : Json{{"id", "7"}}));
  }
}

TEST_CASE("event streams: a cluster has no topics") {
  fw::Config config = TestApp::test_config();
  config.cluster.enabled = true;
  fw::App app(config);
  CHECK_THROWS_WITH_AS(app.topics(), doctest::Contains("set cluster.enabled to false"),
                       std::logic_error);
}

TEST_CASE("event streams: threads send and publish while clients come and go") {
  constexpr int kThreads = 32;
  constexpr std::string_view kSubscribe = "GET /topic HTTP/1.1\r\nHost: a\r\n\r\n";
  Feed feed;
  fw::Config config = server_config();
  config.server.max_streams_per_address =
      0;  // the server may be late to see that clients have left
  const fw::RouteOptions options = with_events({.queue = "16kb"});
  Server server(
      [&](fw::Router& router) {
        live(feed, options)(router);
        router.get("/topic", options, [&router](fw::Request&, fw::Response& res) {
          router.topics().get<LiveEvent>("orders").subscribe(res.events());
        });
      },
      config);
  fw::Topic<LiveEvent>& topic = server.app.topics().get<LiveEvent>("orders");
  std::atomic<bool> is_over{false};
  // Where the server gets little time, queues may be full before a part of them has been sent.
  const auto sees_hello = [&](Client& client) {
    return sees(client, "hello") ||
           eventually([&] { return std::ranges::count(feed.ends(), EndOfStream::too_slow) > 0; });
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        feed.send("message", "hello");
        topic.publish(Created{1});
        std::this_thread::sleep_for(1ms);
      }
    });
  }
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<Client>> clients;
    std::vector<std::unique_ptr<Client>> subscribers;
    for (int i = 0; i < 10; ++i) {
      clients.push_back(std::make_unique<Client>(server.port()));
      clients.back()->send(kLive);
      subscribers.push_back(std::make_unique<Client>(server.port()));
      subscribers.back()->send(kSubscribe);
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (i % 3 != 0) CHECK(sees_hello(*clients[i]));
      if (i % 3 != 1) CHECK(sees(*subscribers[i], "HTTP/1.1 200"));
      if (i % 2 == 0) clients[i]->reset();
      if (i % 2 == 1) subscribers[i]->reset();
    }
  }
  CHECK(eventually([&] { return topic.subscribers() == 0; }));
  Client last(server.port());
  last.send(kLive);
  CHECK(sees_hello(last));
  Client subscriber(server.port());
  subscriber.send(kSubscribe);
  CHECK(sees(subscriber, "total"));
  std::thread stopper([&] { server.app.stop(); });
  stopper.join();
  is_over = true;
  for (auto& thread : threads) thread.join();
  CHECK(feed.opened() > 100);
  CHECK(feed.ends().size() == feed.opened());
  CHECK(topic.subscribers() == 0);
}

#if FAIRWAY_EPOLL && FAIRWAY_HTTP2
TEST_CASE("event streams: HTTP/2 carries several on one connection") {
  using fw::http::test::Http2Client;
  Feed feed;
  fw::Config config = server_config();
  config.server.http2.cleartext = true;
  config.server.heartbeat = 50;
  Server server(live(feed), config);
  Http2Client client(server.port());
  const auto first = client.get("/live");
  const auto second = client.get("/live");
  CHECK(eventually([&] { return feed.size() == 2; }));
  feed.send("message", "to both");
  const auto has = [&](std::int32_t stream, std::string_view text) {
    return client.response(stream).body.find(text) != std::string::npos;
  };
  CHECK(client.receive_until([&] { return has(first, "to both") && has(second, "to both"); }));
  CHECK(client.receive_until([&] { return has(first, ":\n\n") && has(second, ":\n\n"); }));
  client.cancel(first);
  CHECK(eventually([&] { return feed.ends() == std::vector{EndOfStream::disconnected}; }));
  feed.send("message", "to one");
  CHECK(client.receive_until([&] { return has(second, "to one"); }));
  SUBCASE("closed by the application") {
    feed.clear();
    CHECK(client.wait(second).is_complete);
    CHECK(eventually([&] { return feed.ends().back() == EndOfStream::closed; }));
  }
  SUBCASE("a stop") {
    feed.last().send_at_stop("message", "bye");
    std::thread stopper([&] { server.app.stop(); });
    CHECK(client.wait(second).is_complete);
    client.close();
    stopper.join();
    CHECK(has(second, "bye"));
    CHECK(feed.ends().back() == EndOfStream::stopped);
  }
  SUBCASE("a reset of the connection") {
    client.close();
    CHECK(eventually([&] { return feed.ends().size() == 2; }));
  }
}

TEST_CASE("event streams: HTTP/2 cuts off a slow reader") {
  using fw::http::test::Http2Client;
  Feed feed;
  fw::Config config = server_config();
  config.server.http2.cleartext = true;
  Server server(live(feed), config);
  Http2Client client(server.port(), {.reads_automatically = false});
  const auto stream = client.get("/live");
  CHECK(eventually([&] { return feed.size() == 1; }));
  check_too_slow(feed);
  CHECK(client.receive_until([&] { return client.response(stream).reset.has_value(); }));
}
#endif

}  // namespace event_streams_test
