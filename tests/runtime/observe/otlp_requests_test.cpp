// The spans of several requests in a batch: what they have in common is encoded once.
#include <fairway/json.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "observe/batch_records.hpp"
#include "observe/otlp.hpp"

namespace otlp_requests_test {

using fw::Json;
using fw::detail::otlp_json;
using fw::detail::otlp_protobuf;
using fw::detail::RequestFacts;
using fw::detail::RequestKind;
using fw::detail::RequestSpan;
using fw::detail::RequestSpans;
using fw::detail::SpanBatch;
using fw::detail::SpanKind;
using fw::detail::SpanRecord;

namespace {

SpanRecord span_of(const RequestKind& kind, const std::string& path) {
  SpanRecord span;
  span.kind = SpanKind::server;
  span.request =
      std::make_shared<RequestFacts>(RequestFacts{.kind = kind, .path = path, .client = "::1"});
  return span;
}

/// Each one differs from the first one in one fact.
std::vector<SpanRecord> spans() {
  const RequestKind kind{.method = "GET",
                         .scheme = "http",
                         .route = "/users/:id",
                         .file = "users.cpp",
                         .version = "1.1",
                         .cache = "hit",
                         .line = 7,
                         .status = 200};
  std::vector<SpanRecord> spans = {span_of(kind, "/users/1"), span_of(kind, "/users/2")};
  const auto add = [&](auto change) {
    RequestKind changed = kind;
    change(changed);
    spans.push_back(span_of(changed, "/users/1"));
  };
  add([](RequestKind& each) { each.method = {}; });
  add([](RequestKind& each) { each.scheme = "https"; });
  add([](RequestKind& each) { each.route = {}; });
  add([](RequestKind& each) { each.file = "others.cpp"; });
  add([](RequestKind& each) { each.version = "2"; });
  add([](RequestKind& each) { each.cache = {}; });
  add([](RequestKind& each) { each.line = 8; });
  add([](RequestKind& each) { each.status = 404; });
  spans.push_back(spans.front());
  spans.back().set("error.type", std::string_view("timeout"));
  return spans;
}

Json spans_in(const std::string& batch) {
  return Json::parse(batch)["resourceSpans"][0]["scopeSpans"][0]["spans"];
}

}  // namespace

TEST_CASE("otlp: the span of a request has its name and attributes, in any batch") {
  const Json span = spans_in(otlp_json("shop", spans())).back();
  CHECK(span["name"] == "GET /users/:id");
  Json attributes;
  for (const Json& each : span["attributes"]) {
    attributes[each["key"].get<std::string>()] = *each["value"].begin();
  }
  CHECK(attributes == Json{{"http.request.method", "GET"},
                           {"url.scheme", "http"},
                           {"url.path", "/users/1"},
                           {"http.route", "/users/:id"},
                           {"code.file.path", "users.cpp"},
                           {"code.line.number", "7"},
                           {"http.response.status_code", "200"},
                           {"client.address", "::1"},
                           {"network.protocol.version", "1.1"},
                           {"fairway.cache", "hit"},
                           {"error.type", "timeout"}});
}

TEST_CASE("otlp: requests that differ in one fact are not confused in a batch") {
  const std::vector<SpanRecord> all = spans();
  const Json in_batch = spans_in(otlp_json("shop", all));
  const std::string batch = otlp_protobuf("shop", all);
  REQUIRE(in_batch.size() == all.size());
  std::string following;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(in_batch[i] == spans_in(otlp_json("shop", std::vector{all[i]}))[0]);
    const std::string alone = otlp_protobuf("shop", std::vector{all[i]});
    const std::string scope =
        "\x0a\x07"
        "fairway";  // its name
    following += alone.substr(alone.rfind(scope) + scope.size());
  }
  CHECK(batch.ends_with(following));
}

TEST_CASE("otlp: requests with plain spans are encoded as their records are") {
  using namespace std::chrono_literals;
  const auto at = [](std::chrono::nanoseconds time) { return SpanRecord::Clock::time_point(time); };
  SpanBatch batch;
  batch.to_unix_time = 1'700'000'000s;
  RequestSpans& part = batch.requests.emplace_back(100);
  const std::vector<SpanRecord> facts = spans();
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto first = fw::base::make_traceparent();
    RequestSpan request{.trace = first.trace,
                        .id = first.span,
                        .begin = at(999'999'999ns + i * 1s),
                        .end = at(1'000'000'000ns + i * 1s),
                        .kind = facts[i].request->kind,
                        .path = facts[i].request->path,
                        .client = "::1"};
    if (i % 2 == 0) request.parent = fw::base::make_span_id();
    std::vector<fw::detail::PlainSpan> within;
    for (std::size_t k = 0; k < i % 3; ++k) {
      within.push_back({.name = k == 0 ? "handler" : "guard",
                        .id = fw::base::nth_span_id(request.id, k + 1),
                        .parent = request.id,
                        .has_failed = i % 4 == 0,
                        .begin = at(1ns),
                        .end = at(10'000'000'007ns)});
    }
    fw::detail::MainSpan main;
    if (i % 2 == 0) {
      main = {.name = "handler",
              .has_failed = i % 4 == 0,
              .begin = 15 + i,
              .end = 20,
              .earliest = {request.begin, 10},
              .latest = {request.end, 30}};
    }
    part.add(request, main, within);
  }
  const SpanBatch records = records_of(batch);
  CHECK(records.records.size() == batch.size());
  CHECK(otlp_json("shop", batch) == otlp_json("shop", records));
  CHECK(otlp_protobuf("shop", batch) == otlp_protobuf("shop", records));
}

TEST_CASE("otlp: times have all their digits") {
  std::vector<SpanRecord> all;
  for (const std::int64_t time :
       {std::int64_t{0}, std::int64_t{7}, std::int64_t{999'999'999'999'999'999},
        std::int64_t{1'000'000'000'000'000'000}, std::int64_t{1'700'000'000'999'999'999},
        std::int64_t{1'700'000'001'000'000'000}, std::int64_t{1'700'000'001'012'345'678},
        std::numeric_limits<std::int64_t>::max()}) {
    SpanRecord& span = all.emplace_back();
    span.begin = SpanRecord::Clock::time_point(std::chrono::nanoseconds(time));
    span.end = span.begin;
  }
  const Json written = spans_in(otlp_json("shop", all));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string expected = std::to_string(all[i].begin.time_since_epoch().count());
    CHECK(written[i]["startTimeUnixNano"] == expected);
    CHECK(written[i]["endTimeUnixNano"] == expected);
  }
}

}  // namespace otlp_requests_test
