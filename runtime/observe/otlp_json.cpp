#include <fairway/json_writer.hpp>

#include <array>
#include <cmath>
#include <unistd.h>
#include <utility>
#include <variant>

#include "observe/otlp.hpp"
#include "observe/request_encodings.hpp"

namespace fw::detail {
namespace {

/// 64-bit numbers are strings in the JSON of protobuf.
void put_number_text(JsonWriter& out, std::int64_t number) {
  out.raw("\"");
  out.integer(number);
  out.raw("\"");
}

void put_real(JsonWriter& out, double number) {
  if (std::isfinite(number)) return out.number(number);
  out.raw(std::isnan(number) ? R"("NaN")" : number > 0 ? R"("Infinity")" : R"("-Infinity")");
}

void put_attribute(JsonWriter& out, std::string_view name, const SpanValue& value) {
  out.raw(R"({"key":)");
  out.string(name);
  if (const auto* const text = std::get_if<std::string_view>(&value)) {
    out.raw(R"(,"value":{"stringValue":)");
    out.string(*text);
  } else if (const auto* const number = std::get_if<std::int64_t>(&value)) {
    out.raw(R"(,"value":{"intValue":)");
    put_number_text(out, *number);
  } else if (const auto* const real = std::get_if<double>(&value)) {
    out.raw(R"(,"value":{"doubleValue":)");
    put_real(out, *real);
  } else {
    out.raw(R"(,"value":{"boolValue":)");
    out.boolean(std::get<bool>(value));
  }
  out.raw("}}");
}

void put_text(JsonWriter& out, std::string_view name, std::string_view value) {
  out.raw(",");
  put_attribute(out, name, value);
}

template <class Digits>
void put_id(JsonWriter& out, const auto& id) {
  Digits digits;
  base::write_hex(id, digits);
  out.raw("\"");
  out.raw({digits.data(), digits.size()});
  out.raw("\"");
}

void put_time(JsonWriter& out, const SpanRecord& span, SpanRecord::Clock::time_point time) {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  const auto since_1970 = duration_cast<nanoseconds>(time.time_since_epoch()) + span.to_unix_time;
  put_number_text(out, since_1970.count());
}

/// A function that writes an attribute, after a comma unless it is the first one.
auto attribute_writer(JsonWriter& out, std::string_view& before) {
  return [&out, &before](std::string_view name, const SpanValue& value) {
    out.raw(std::exchange(before, ","));
    put_attribute(out, name, value);
  };
}

void put_dropped_attributes(JsonWriter& out, std::uint32_t count) {
  if (count == 0) return;
  out.raw(R"(,"droppedAttributesCount":)");
  out.integer(count);
}

void put_event(JsonWriter& out, const SpanEvent& event) {
  out.raw(R"({"timeUnixNano":)");
  put_number_text(out, event.time.count());
  out.raw(R"(,"name":)");
  out.string(event.name);
  out.raw(R"(,"attributes":[)");
  std::string_view before;
  event.attributes.for_each(attribute_writer(out, before));
  out.raw("]");
  put_dropped_attributes(out, event.dropped_attributes);
  out.raw("}");
}

RequestEncoding json_of(const RequestKind& kind) {
  JsonWriter name;
  name.string(kind.name());
  JsonWriter attributes;
  std::string_view before;
  kind.for_each(attribute_writer(attributes, before));
  return {.name = std::string(name.content()), .attributes = std::string(attributes.content())};
}

void put_span(JsonWriter& out, const SpanRecord& span, RequestEncodings& requests) {
  const RequestEncoding* const request =
      span.request ? &requests.of(span.request->kind, json_of) : nullptr;
  using TraceDigits = std::array<char, 32>;
  using SpanDigits = std::array<char, 16>;
  out.raw(R"({"traceId":)");
  put_id<TraceDigits>(out, span.trace);
  out.raw(R"(,"spanId":)");
  put_id<SpanDigits>(out, span.id);
  if (span.parent.is_set()) {
    out.raw(R"(,"parentSpanId":)");
    put_id<SpanDigits>(out, span.parent);
  }
  if (!span.tracestate.empty()) {
    out.raw(R"(,"traceState":)");
    out.string(span.tracestate);
  }
  out.raw(R"(,"flags":)");
  out.integer(otlp_flags(span));
  out.raw(R"(,"name":)");
  if (request != nullptr) {
    out.raw(request->name);
  } else {
    out.string(span.name);
  }
  out.raw(R"(,"kind":)");
  out.integer(static_cast<int>(span.kind));
  out.raw(R"(,"startTimeUnixNano":)");
  put_time(out, span, span.begin);
  out.raw(R"(,"endTimeUnixNano":)");
  put_time(out, span, span.end);
  out.raw(R"(,"attributes":[)");
  std::string_view before;
  if (request != nullptr) {
    out.raw(request->attributes);
    before = ",";
    span.request->for_each(attribute_writer(out, before));
  }
  span.attributes.for_each(attribute_writer(out, before));
  out.raw("]");
  put_dropped_attributes(out, span.dropped_attributes);
  if (!span.events.empty()) {
    out.raw(R"(,"events":)");
    out.array(span.events, [&](const SpanEvent& event) { put_event(out, event); });
  }
  if (span.dropped_events > 0) {
    out.raw(R"(,"droppedEventsCount":)");
    out.integer(span.dropped_events);
  }
  constexpr std::string_view kFailed = R"(,"status":{"code":2}})";
  out.raw(span.has_failed ? kFailed : R"(,"status":{}})");
}

}  // namespace

std::string otlp_json(std::string_view service_name, std::span<const SpanRecord> spans) {
  JsonWriter out;
  out.raw(R"({"resourceSpans":[{"resource":{"attributes":[)");
  put_attribute(out, "service.name", service_name);
  put_text(out, "telemetry.sdk.name", "fairway");
  put_text(out, "telemetry.sdk.language", "cpp");
  out.raw(",");
  put_attribute(out, "process.pid", std::int64_t{getpid()});
  out.raw(R"(]},"scopeSpans":[{"scope":{"name":"fairway"},"spans":[)");
  RequestEncodings requests;
  bool is_first = true;
  for (const SpanRecord& span : spans) {
    if (!std::exchange(is_first, false)) out.raw(",");
    put_span(out, span, requests);
  }
  out.raw("]}]}]}");
  return std::string(out.content());
}

}  // namespace fw::detail
