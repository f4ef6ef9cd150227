#include "dev/request_log.hpp"

#include <doctest/doctest.h>

#include <string>

#include "dev/http_message.hpp"

namespace request_log_test {

using fairway::dev::RequestLog;
using Json = RequestLog::Json;

namespace {

struct Log {
  RequestLog::Id begin(const std::string& head = "GET /a?token=x HTTP/1.1\r\nHost: a\r\n\r\n") {
    return requests.begin(head, span);
  }
  Json row(RequestLog::Id id) const {
    const Json rows = requests.rows_since(0);
    for (const Json& row : rows["requests"]) {
      if (row["id"] == id) return row;
    }
    return {};
  }

  int changes = 0;
  RequestLog requests{[this] { ++changes; }};
  fw::base::TraceParent span =
      *fw::base::parse_traceparent("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01");
};

Json span(const std::string& id, const std::string& parent, Json attributes = Json::array()) {
  return {{"traceId", "0123456789abcdef0123456789abcdef"},
          {"spanId", id},
          {"parentSpanId", parent},
          {"name", "GET /a"},
          {"startTimeUnixNano", "1"},
          {"endTimeUnixNano", "2000001"},
          {"attributes", std::move(attributes)},
          {"status", {{"code", 2}}}};
}

Json spans(Json list) {
  return {{"resourceSpans", {{{"scopeSpans", {{{"spans", std::move(list)}}}}}}}};
}

}  // namespace

TEST_CASE("request log: a request has its status and its duration when they are known") {
  Log log;
  const auto id = log.begin();
  CHECK(log.row(id)["target"] == "/a?token=***");
  CHECK(log.row(id)["trace"].get<std::string>().size() == 32);
  CHECK(log.row(id)["status"] == nullptr);
  log.requests.add_response(id, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Crea");
  CHECK(log.row(id)["status"] == nullptr);
  log.requests.add_response(id, "ted\r\nContent-Type: text/plain\r\n\r\nab");
  log.requests.add_response(id, "c");
  CHECK(log.row(id)["status"] == 201);
  CHECK(log.row(id)["duration"] == nullptr);
  log.requests.end(id);
  log.requests.end(id);
  CHECK(log.row(id)["duration"].is_number());
  const Json response = log.requests.detail(id).value()["response"];
  CHECK(response["text"] == "abc");
  CHECK(response["size"] == 3);
  CHECK(log.changes == 3);
}

TEST_CASE("request log: a reader gets what has changed, and all after a restart") {
  Log log;
  const auto first = log.begin();
  const auto version = log.requests.version();
  log.begin();
  CHECK(log.requests.rows_since(version)["requests"].size() == 1);
  log.requests.end(first);
  CHECK(log.requests.rows_since(version)["requests"].size() == 2);
  const Json all = log.requests.rows_since(1'000);
  CHECK(all["reset"] == true);
  CHECK(all["requests"].size() == 2);
}

TEST_CASE("request log: the memory is bounded") {
  Log log;
  const auto first = log.begin();
  log.requests.add_request_body(first, std::string(RequestLog::kMaxBody + 1, 'x'));
  log.requests.end(first);
  CHECK(log.requests.detail(first).value()["request"]["cut"] == true);
  CHECK(!log.requests.bytes(first));
  for (std::size_t i = 0; i < RequestLog::kMaxRequests; ++i) log.begin();
  CHECK(!log.requests.detail(first));
  log.requests.add_response(first, "HTTP/1.1 200 OK\r\n\r\n");
  CHECK(log.requests.rows_since(0)["requests"].size() == RequestLog::kMaxRequests);
  CHECK(log.requests.rows_since(0)["oldest"] == first + 1);

  const auto last = log.begin();
  Json many = Json::array();
  for (std::size_t i = 0; i < RequestLog::kMaxSpans + 1; ++i) {
    many.push_back(span(std::to_string(i), "0123456789abcdef"));
  }
  log.requests.add_spans(spans(many));
  CHECK(log.requests.detail(last).value()["spans"].size() == RequestLog::kMaxSpans);
  // A response without an end of its head.
  for (int i = 0; i < 10; ++i) log.requests.add_response(last, std::string(100'000, 'x'));
  CHECK(log.row(last)["status"] == nullptr);
}

TEST_CASE("request log: spans belong to the request whose span they descend from") {
  Log log;
  const auto id = log.begin();
  log.requests.add_spans(spans({span("b", "a"), span("x", "elsewhere"),
                                span("a", "0123456789abcdef",
                                     {{{"key", "http.route"}, {"value", {{"stringValue", "/a"}}}},
                                      {{"key", "number"}, {"value", {{"intValue", "7"}}}},
                                      {{"key", "api_key"}, {"value", {{"stringValue", "x"}}}}})}));
  const Json found = log.requests.detail(id).value()["spans"];
  REQUIRE(found.size() == 2);
  CHECK(found[0]["id"] == "a");
  CHECK(found[0]["duration"] == 2.0);
  CHECK(found[0]["failed"] == true);
  CHECK(found[0]["attributes"]["number"] == 7);
  CHECK(found[0]["attributes"]["api_key"] == "***");
  CHECK(found[1]["id"] == "b");
  CHECK(log.row(id)["route"] == "/a");
}

TEST_CASE("request log: lines of the log belong to the request whose span has them as events") {
  Log log;
  const auto id = log.begin();
  const auto event = [](const std::string& name, const std::string& message) {
    return Json{{"timeUnixNano", "3000000"},
                {"name", name},
                {"attributes",
                 {{{"key", "level"}, {"value", {{"stringValue", "warn"}}}},
                  {{"key", "message"}, {"value", {{"stringValue", message}}}},
                  {{"key", "count"}, {"value", {{"intValue", "7"}}}},
                  {{"key", "password"}, {"value", {{"stringValue", "x"}}}}}}};
  };
  Json own = span("a", "0123456789abcdef");
  own["events"] = {event("log", "low stock"), event("exception", "other"), 7};
  Json inner = span("b", "a");
  inner["events"] = {event("log", "of another span")};
  log.requests.add_spans(spans({own, inner}));
  const Json lines = log.requests.detail(id).value()["log"];
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["level"] == "warn");
  CHECK(lines[0]["message"] == "low stock");
  CHECK(lines[0]["fields"] == Json{{"count", 7}, {"password", "***"}});
  CHECK(lines[0]["time"].is_number());
}

TEST_CASE("request log: spans of another form are ignored") {
  Log log;
  const auto id = log.begin();
  for (
      const char* const text :
      {"[]", "7", R"({"resourceSpans": 7})", R"({"resourceSpans": [{"scopeSpans": [[1]]}]})",
       R"({"resourceSpans": [{"scopeSpans": [{"spans": [7, {"traceId": 7, "attributes": 7}]}]}]})"}) {
    CAPTURE(text);
    log.requests.add_spans(Json::parse(text));
  }
  Json odd = span("a", "0123456789abcdef", {7, {{"key", 7}}, {{"key", "k"}, {"value", 7}}});
  odd["status"] = 7;
  odd["name"] = nullptr;
  odd["startTimeUnixNano"] = "x";
  log.requests.add_spans(spans(Json::array({odd})));
  CHECK(log.requests.detail(id).value()["spans"].size() == 1);
}

TEST_CASE("request log: a complete request can be sent again as it was") {
  Log log;
  const auto id = log.begin(
      "POST /a?token=x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  log.requests.add_request_body(id, "abc");
  CHECK(!log.requests.bytes(id));
  log.requests.end(id);
  CHECK(log.requests.bytes(id) ==
        "POST /a?token=x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
  const auto upgrade = log.begin("GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
  log.requests.end(upgrade);
  CHECK(!log.requests.bytes(upgrade));
}

TEST_CASE("request log: the content of chunks is read, as far as it has arrived") {
  using fairway::dev::without_chunks;
  CHECK(without_chunks("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n") == "abcde");
  CHECK(without_chunks("3\r\nabc\r\n5\r\nde") == "abcde");
  CHECK(without_chunks("3\r\nabc") == "abc");
  CHECK(without_chunks("x\r\nabc").empty());
  CHECK(without_chunks("").empty());
}

}  // namespace request_log_test
