// The bytes of a batch in protobuf, compared with those that protoc makes: otlp_trace.proto.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/traceparent.hpp"
#include "observe/otlp.hpp"

namespace otlp_protobuf_test {

using fw::detail::otlp_protobuf;
using fw::detail::otlp_rejection;
using fw::detail::SpanEvent;
using fw::detail::SpanKind;
using fw::detail::SpanRecord;
using namespace std::chrono_literals;

namespace {

/// `service.name` of the resource.
const std::string kServiceName = "0a160a0c736572766963652e6e616d6512060a0473686f70";

/// All spans of the batch, with their scope.
const std::string kScopeSpans =
    "129d020a090a076661697277617912ce010a104bf92f3577b34da6a3ce929d0e0e4736120800f067aa0ba902"
    "b71a03613d31220801020304050607082a0e474554202f75736572732f3a696430023901002a36fe9c971741"
    "81b21045fe9c97174a0c0a047465787412040a02c3a44a140a05636f756e74120b18ffffffffffffffffff01"
    "4a120a05726174696f120921000000000000e03f4a090a03796573120210014a080a026e6f1202100050ac02"
    "5a210902002a36fe9c971712036c6f671a0f0a056c6576656c12060a04696e666f200160027a021802850101"
    "030000123f0a104bf92f3577b34da6a3ce929d0e0e4736120800f067aa0ba902b82a05717565756530013901"
    "000000000000004102000000000000007a00850101000000";

std::string hex_of(const std::string& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += {kDigits[byte >> 4U], kDigits[byte & 0xFU]};
  }
  return digits;
}

std::vector<SpanRecord> spans() {
  const auto caller =
      *fw::base::parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  SpanRecord server;
  server.trace = caller.trace;
  server.id = caller.span;
  server.parent.bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  server.has_remote_parent = true;
  server.kind = SpanKind::server;
  server.has_failed = true;
  server.dropped_attributes = 300;
  server.name = "GET /users/:id";
  server.tracestate = "a=1";
  server.begin = SpanRecord::Clock::time_point(1ns);
  server.end = server.begin + 250ms;
  server.to_unix_time = 1'700'000'000s;
  server.set("text", std::string("\u00e4"));
  server.set("count", std::int64_t{-1});
  server.set("ratio", 0.5);
  server.set("yes", true);
  server.set("no", false);
  SpanEvent event{.time = 1'700'000'000s + 2ns, .name = "log", .dropped_attributes = 1};
  event.set("level", std::string("info"));
  server.events.push_back(std::move(event));
  server.dropped_events = 2;
  SpanRecord queue;
  queue.trace = caller.trace;
  queue.id = caller.span;
  queue.id.bytes[7] = 0xb8;
  queue.name = "queue";
  queue.begin = SpanRecord::Clock::time_point(1ns);
  queue.end = SpanRecord::Clock::time_point(2ns);
  return {server, queue};
}

}  // namespace

TEST_CASE("otlp protobuf: a batch has the bytes that protoc writes") {
  const std::string batch = hex_of(otlp_protobuf("shop", spans()));
  CHECK(batch.find(kServiceName) != std::string::npos);
  REQUIRE(batch.size() > kScopeSpans.size());
  CHECK(batch.substr(batch.size() - kScopeSpans.size()) == kScopeSpans);
}

TEST_CASE("otlp protobuf: strings are UTF-8, because a collector rejects the batch otherwise") {
  auto batch = spans();
  batch[0].name = "GET /\xff";
  batch[0].set("text", std::string("\xff"));
  CHECK(hex_of(otlp_protobuf("shop", batch)).find(hex_of("GET /\ufffd")) != std::string::npos);
}

TEST_CASE("otlp protobuf: the rejected spans of a response are read, and nothing of another") {
  using namespace std::string_literals;
  // protoc: partial_success { rejected_spans: 300 error_message: "no" }
  CHECK(otlp_rejection("\x0a\x07\x08\xac\x02\x12\x02no"s).spans == 300);
  CHECK(otlp_rejection("\x0a\x07\x08\xac\x02\x12\x02no"s).message == "no");
  // -5
  CHECK(otlp_rejection("\x0a\x0b\x08\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01"s).spans == 0);
  // Other fields, of each wire type, before it.
  CHECK(otlp_rejection("\x10\x05\x19\0\0\0\0\0\0\0\0\x25\0\0\0\0\x0a\x02\x08\x03"s).spans == 3);
  for (const std::string& other : {""s, "{}"s, "\x0a"s, "\x0a\x7f\x08\x01"s, "\x0a\x02\x08\xff"s,
                                   "\x0b"s, "\x19\x01"s, std::string(20, '\xff')}) {
    CHECK(otlp_rejection(other).spans == 0);
  }
}

}  // namespace otlp_protobuf_test
