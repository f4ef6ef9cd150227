// The spans of several requests in a batch: what they have in common is encoded once.
#include <fairway/json.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "observe/otlp.hpp"

namespace otlp_requests_test {

using fw::Json;
using fw::detail::otlp_json;
using fw::detail::otlp_protobuf;
using fw::detail::RequestFacts;
using fw::detail::RequestKind;
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
    CHECK(in_batch[i] == spans_in(otlp_json("shop", {&all[i], 1}))[0]);
    const std::string alone = otlp_protobuf("shop", {&all[i], 1});
    const std::string scope =
        "\x0a\x07"
        "fairway";  // its name
    following += alone.substr(alone.rfind(scope) + scope.size());
  }
  CHECK(batch.ends_with(following));
}

}  // namespace otlp_requests_test
