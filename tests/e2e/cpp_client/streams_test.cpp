// Streams of a generated client: what it reads, and how it connects again.
#include <random>
#include <streams_client.hpp>
#include <thread>

#include "cpp_client/raw_server.hpp"

namespace streams_test {

using namespace std::chrono_literals;
using e2e::json_response;
using e2e::RawServer;
using fairway_client::detail::EventParser;
using fairway_client::detail::SentEvent;
using streams_api::ApiError;
using streams_api::LiveEvent;
using streams_api::StreamsClient;
using streams_api::TransportError;
using streams_api::ValidationFailure;
using Kind = TransportError::Kind;

namespace {

/// A chunked response; without an end, the connection breaks after it.
std::string stream(const std::vector<std::string>& parts, bool ends = true,
                   const std::string& type = "text/event-stream; charset=utf-8") {
  std::string text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: " + type + "\r\n\r\n";
  for (const std::string& part : parts) {
    std::ostringstream size;
    size << std::hex << part.size();
    text += size.str() + "\r\n" + part + "\r\n";
  }
  return ends ? text + "0\r\n\r\n" : text;
}

const std::string kOver = "HTTP/1.1 204 No Content\r\n\r\n";

StreamsClient client_of(const RawServer& server) {
  return StreamsClient(
      {.base_url = server.url(), .retry = {.first_delay = 5ms, .longest_delay = 50ms}});
}

/// "created 1 first #3", "tick 5 #", in order.
std::string text_of(const LiveEvent& event) {
  if (const auto* created = std::get_if<streams_api::LiveCreatedEvent>(&event)) {
    return "created " + std::to_string(created->data.id) + " " + created->data.name + " #" +
           created->id;
  }
  if (const auto* deleted = std::get_if<streams_api::LiveDeletedEvent>(&event)) {
    return "deleted " + std::to_string(deleted->data.id) + " #" + deleted->id;
  }
  const auto& tick = std::get<streams_api::LiveTickEvent>(event);
  return "tick " + std::to_string(tick.data) + " #" + tick.id;
}

std::vector<std::string> all(StreamsClient& client,
                             const streams_api::StreamOptions& options = {}) {
  std::vector<std::string> texts;
  for (const LiveEvent& event : client.live({}, options)) texts.push_back(text_of(event));
  return texts;
}

template <class Error, class Call>
Error thrown_by(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  throw std::logic_error("unreachable");
}

std::vector<std::string> parsed(const std::vector<std::string>& parts) {
  EventParser parser("before");
  std::vector<std::string> events;
  for (const std::string& part : parts) {
    parser.push(part, [&](const SentEvent& event) {
      events.push_back(event.name + "|" + event.data + "|" + event.id);
      return true;
    });
  }
  return events;
}

}  // namespace

TEST_CASE("cpp client: the rules of event streams hold however their bytes arrive") {
  const std::string text =
      "\xEF\xBB\xBF: a comment\nevent: a\ndata: one\ndata:two\ndata\n\n"
      "id: 7\nevent:  b\ndata:  x: y\n\nevent: skipped\nid: 8\n\ndata: later\nother: field\n\n"
      "id\nevent: a\ndata: \xC3\xA9\n\nretry: 1x\nretry: 250\ndata\n\ndata: not complete\n";
  const std::vector<std::string> expected = {"a|one\ntwo\n|before", " b| x: y|7", "message|later|8",
                                             "a|\xC3\xA9|", "message||"};
  for (const char* end : {"\n", "\r\n", "\r"}) {
    std::string bytes;
    for (const char c : text) bytes += c == '\n' ? end : std::string(1, c);
    CHECK(parsed({bytes}) == expected);
    std::vector<std::string> single;
    for (const char c : bytes) single.emplace_back(1, c);
    CHECK(parsed(single) == expected);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      CHECK(parsed({bytes.substr(0, at), bytes.substr(at)}) == expected);
    }
  }
  EventParser parser;
  const auto ignore = [](const SentEvent&) { return true; };
  using namespace std::string_view_literals;
  parser.push("retry: 250\nretry:\nretry: -1\nretry: 99999999999999999999\nid: a\nid: b\0c\n\n"sv,
              ignore);
  CHECK(parser.retry() == 250ms);
  CHECK(parser.last_event_id() == "a");
}

TEST_CASE("cpp client: any bytes give the same events in any parts") {
  std::mt19937 random(4711);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  const std::string_view pieces[] = {"data", "event", "id",           "retry", ":",  " ", "\n",
                                     "\r",   "\r\n",  "\xEF\xBB\xBF", "xyz",   "12", "",  "\n\n"};
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (std::size_t i = below(40); i > 0; --i) bytes += pieces[below(std::size(pieces))];
    if (below(4) == 0 && !bytes.empty()) bytes[below(bytes.size())] = static_cast<char>(below(256));
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = 1 + below(5);
      parts.push_back(bytes.substr(at, size));
      at += size;
    }
    CAPTURE(bytes);
    CHECK(parsed(parts) == parsed({bytes}));
  }
}

TEST_CASE("cpp client: a stream is a range, and continues after the last event") {
  const RawServer server(
      {stream({"event: created\nid: 1\ndata: {\"id\": 1,\ndata: \"name\": \"first\", \"state\": "
               "\"open\"}\n\nevent: unknown\ndata: x\n\nevent: ti",
               "ck\r\nid: 2\r\ndata: 5\r", "\n\r\nevent: tick\ndata: 6"},
              false),
       stream({"event: deleted\ndata: {\"id\": 9}\n\n"}), kOver});
  StreamsClient client = client_of(server);
  CHECK(all(client) == std::vector<std::string>{"created 1 first #1", "tick 5 #2", "deleted 9 #2"});
  const auto requests = server.requests();
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].starts_with("GET /live HTTP/1.1\r\n"));
  CHECK(requests[0].find("Accept: text/event-stream\r\n") != std::string::npos);
  CHECK(requests[0].find("Last-Event-ID") == std::string::npos);
  CHECK(requests[1].find("Last-Event-ID: 2\r\n") != std::string::npos);
  CHECK(requests[2].find("Last-Event-ID: 2\r\n") != std::string::npos);
}

TEST_CASE("cpp client: the trace of a stream is asked for once, on the thread that opens it") {
  RawServer server({stream({"event: tick\ndata: 1\n\n"}), kOver});
  std::vector<std::thread::id> threads;
  StreamsClient client({.base_url = server.url(),
                        .trace =
                            [&] {
                              threads.push_back(std::this_thread::get_id());
                              return streams_api::Headers{{"traceparent", "t-1"}};
                            },
                        .retry = {.first_delay = 5ms, .longest_delay = 50ms}});
  CHECK(all(client).size() == 1);
  CHECK(threads == std::vector{std::this_thread::get_id()});
  REQUIRE(server.requests().size() == 2);
  for (const std::string& request : server.requests()) {
    CHECK(request.find("\r\ntraceparent: t-1\r\n") != std::string::npos);
  }
}

TEST_CASE("cpp client: a function is called with each event until it returns false") {
  const RawServer server(
      {stream({"event: tick\ndata: 1\n\nevent: tick\ndata: 2\n\n", "event: tick\ndata: 3\n\n"}),
       kOver});
  StreamsClient client = client_of(server);
  std::vector<std::string> texts;
  const auto take = [&](std::size_t count) {
    texts.clear();
    client.forEachLive({.topic = "a b"}, [&](const LiveEvent& event) {
      texts.push_back(text_of(event));
      return texts.size() < count;
    });
    return texts.size();
  };
  CHECK(take(2) == 2);
  CHECK(server.requests()[0].starts_with("GET /live?topic=a%20b HTTP/1.1\r\n"));
  CHECK(take(1) == 0);  // the service has nothing more
  CHECK(thrown_by<std::logic_error>([&] {
          const RawServer other({stream({"event: tick\ndata: 1\n\n"})});
          client_of(other).forEachLive(
              {}, [](const LiveEvent&) -> bool { throw std::logic_error("of the caller"); });
        }).what() == std::string("of the caller"));
}

TEST_CASE("cpp client: temporary errors are retried, others have their types") {
  const std::string busy = json_response("503 Busy", R"({"code": 503})", "Retry-After: 0\r\n");
  const std::string one = stream({"event: tick\ndata: 1\n\n"}, false);
  {
    const RawServer server({busy, one, busy, busy, busy, busy, one, kOver});
    StreamsClient client = client_of(server);
    CHECK(all(client).size() == 2);
    CHECK(server.requests().size() == 8);
  }
  {
    const RawServer server({busy});
    StreamsClient client = client_of(server);
    CHECK(thrown_by<ApiError>([&] { all(client); }).status() == 503);
    CHECK(server.requests().size() == 3);
  }
  {
    const RawServer server({one, busy});
    StreamsClient client = client_of(server);
    CHECK(thrown_by<ApiError>([&] { all(client, {.max_reconnects = 2}); }).status() == 503);
    CHECK(server.requests().size() == 3);
  }
  const RawServer server(
      {json_response("422 No", R"({"code": 422, "errors": [{"field": "topic"}]})"),
       json_response("409 No", R"({"code": "BUSY", "message": "busy"})"),
       json_response("200 OK", "{}"), stream({"event: tick\ndata: {\n\n"}),
       stream({"event: tick\ndata: \"x\"\n\n"})});
  StreamsClient client = client_of(server);
  CHECK(thrown_by<ValidationFailure>([&] { all(client); }).fields().size() == 1);
  CHECK(thrown_by<streams_api::Busy>([&] { all(client); }).code() == "BUSY");
  CHECK(thrown_by<TransportError>([&] { all(client); }).kind() == Kind::malformed);
  CHECK(thrown_by<TransportError>([&] { all(client); }).kind() == Kind::malformed);
  CHECK(thrown_by<TransportError>([&] { all(client); }).kind() == Kind::malformed);
  CHECK(server.requests().size() == 5);
}

TEST_CASE("cpp client: a service cannot make a stream connect without delays") {
  const std::string busy = json_response("503 Busy", R"({"code": 503})", "Retry-After: 0\r\n");
  const std::string one = stream({"retry: 0\nevent: tick\ndata: 1\n\n"});
  const RawServer server({one, busy, one, busy, one, kOver});
  StreamsClient client(
      {.base_url = server.url(), .retry = {.first_delay = 20ms, .longest_delay = 1h}});
  const auto begin = std::chrono::steady_clock::now();
  CHECK(all(client).size() == 3);
  CHECK(std::chrono::steady_clock::now() - begin >= 10ms + 20ms + 40ms + 80ms + 160ms);
}

TEST_CASE("cpp client: the limits of a stream may be as long as their type allows") {
  const auto most = std::chrono::milliseconds::max();
  const RawServer server({stream({"event: tick\ndata: 1\n\n"}), kOver});
  StreamsClient client({.base_url = server.url(),
                        .connect_timeout = most,
                        .read_timeout = most,
                        .write_timeout = most,
                        .timeout = most,
                        .retry = {.first_delay = 1ms, .longest_delay = most}});
  CHECK(all(client, {.timeout = most}).size() == 1);
}

TEST_CASE("cpp client: a stop and the end of the range end a stream that is silent") {
  const RawServer server({stream({"event: tick\ndata: 1\n\n"}, false), RawServer::kSilence.data(),
                          stream({"event: tick\ndata: 1\n\n"}, false), RawServer::kSilence.data()});
  StreamsClient client = client_of(server);
  {
    std::stop_source source;
    std::jthread stop([&] {
      server.wait_for_requests(2);
      source.request_stop();
    });
    CHECK(thrown_by<TransportError>([&] { all(client, {.stop = source.get_token()}); }).kind() ==
          Kind::cancelled);
  }
  {
    auto events = client.live();
    REQUIRE(events.next());
    server.wait_for_requests(4);
  }
  CHECK(thrown_by<TransportError>([&] { all(client, {.timeout = 50ms}); }).kind() == Kind::timeout);
}

TEST_CASE("cpp client: a slow reader of a range holds the sender back") {
  std::vector<std::string> parts(100, "event: tick\ndata: 1\n\n");
  const RawServer server({stream(parts), kOver});
  StreamsClient client = client_of(server);
  int count = 0;
  for (const LiveEvent& event : client.live()) {
    if (count < 3) std::this_thread::sleep_for(5ms);
    CHECK(text_of(event) == "tick 1 #");
    ++count;
  }
  CHECK(count == 100);
}

TEST_CASE("cpp client: a POST and lines are not continued") {
  {
    const RawServer server({stream({"event: token\ndata: {\"text\": \"a\"}\n\n"})});
    StreamsClient client = client_of(server);
    std::string text;
    for (const auto& event : client.ask({.body = {.question = "why"}})) {
      text += std::get<streams_api::AskTokenEvent>(event).data.text;
    }
    CHECK(text == "a");
    CHECK(server.requests().size() == 1);
  }
  const std::vector<std::string> parts = {"{\"n\": 1, \"text\": \"\"}\r", "\n\n{\"n\"",
                                          ": 2, \"text\": \"\"}\n{\"n\": 3, \"text\": \"\"}"};
  const auto sum = [](StreamsClient& client) {
    std::int64_t total = 0;
    client.forEachRows({.id = 4}, [&](const auto& row) {
      total += row.n;
      return true;
    });
    return total;
  };
  {
    const RawServer server({stream(parts, true, "application/x-ndjson")});
    StreamsClient client = client_of(server);
    CHECK(sum(client) == 6);
    CHECK(server.requests().size() == 1);
  }
  const RawServer server({stream(parts, false, "application/x-ndjson")});
  StreamsClient client = client_of(server);
  CHECK(thrown_by<TransportError>([&] { sum(client); }).kind() == Kind::interrupted);
  CHECK(server.requests().size() == 1);
}

}  // namespace streams_test
