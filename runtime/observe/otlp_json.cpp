#include <fairway/json_writer.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <variant>

#include "observe/otlp.hpp"
#include "observe/request_encodings.hpp"

namespace fw::detail {
namespace {

/// Has memory for a batch from the beginning.
class BatchWriter : public JsonWriter {
 public:
  explicit BatchWriter(const SpanBatch& batch) {
    constexpr std::size_t kOfSpan = 600;
    room(batch.size() * kOfSpan);
  }
};

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

/// Writes times, most of which are in the same second as the one before.
class UnixTimes {
 public:
  void put(JsonWriter& out, std::chrono::nanoseconds since_1970) {
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    const std::int64_t time = since_1970.count();
    if (time < kFirst) return put_number_text(out, time);
    const std::int64_t second = time / kNanoseconds;
    if (second != second_) {
      second_ = second;
      put_digits(second_digits_.data(), second_digits_.size(), second);
    }
    constexpr std::size_t kSize = 2 + kSecondDigits + kFractionDigits;
    out.put_bytes<kSize>([&](char* at) {
      at[0] = '"';
      std::memcpy(at + 1, second_digits_.data(), kSecondDigits);
      put_digits(at + 1 + kSecondDigits, kFractionDigits, time % kNanoseconds);
      at[kSize - 1] = '"';
    });
  }

 private:
  static constexpr std::size_t kSecondDigits = 10;
  static constexpr std::size_t kFractionDigits = 9;
  /// Earlier times, of 2001, have fewer digits. There are no later times.
  static constexpr std::int64_t kFirst = 1'000'000'000'000'000'000;

  static void put_digits(char* at, std::size_t count, std::int64_t number) {
    auto rest = static_cast<std::uint64_t>(number);
    for (std::size_t i = count; i > 0; --i) {
      at[i - 1] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    }
  }

  std::int64_t second_ = 0;
  std::array<char, kSecondDigits> second_digits_{};
};

/// Writes a member whose name is `before` with a comma and a colon, and whose value is an id.
template <std::size_t kBefore, std::size_t kBytes>
void put_id(JsonWriter& out, const char (&before)[kBefore], const base::TraceBytes<kBytes>& id) {
  constexpr std::size_t kName = kBefore - 1;
  constexpr std::size_t kDigits = 2 * kBytes;
  out.put_bytes<kName + kDigits + 2>([&](char* at) {
    std::memcpy(at, before, kName);
    at[kName] = '"';
    base::write_hex(id, std::span<char, kDigits>(at + kName + 1, kDigits));
    at[kName + kDigits + 1] = '"';
  });
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

/// Writes the spans of a batch.
class Spans {
 public:
  explicit Spans(JsonWriter& out) : out_(out) {}

  void put(const SpanRecord& span) {
    const RequestEncoding* const request =
        span.request ? &requests_.of(span.request->kind, json_of) : nullptr;
    put_ids(span.trace, span.id, span.parent);
    if (!span.tracestate.empty()) {
      out_.raw(R"(,"traceState":)");
      out_.string(span.tracestate);
    }
    put_flags(otlp_flags(span.parent, span.has_remote_parent));
    if (request != nullptr) {
      out_.raw(request->name);
    } else {
      out_.string(span.name);
    }
    put_kind(span.kind);
    put_times(span.begin, span.end, span.to_unix_time);
    std::string_view before;
    if (request != nullptr) {
      before = ",";
      out_.raw(request->attributes);
      for_each_fact(span.request->path, span.request->client, attribute_writer(out_, before));
    }
    span.attributes.for_each(attribute_writer(out_, before));
    out_.raw("]");
    put_dropped_attributes(out_, span.dropped_attributes);
    if (!span.events.empty()) {
      out_.raw(R"(,"events":)");
      out_.array(span.events, [&](const SpanEvent& event) { put_event(out_, event); });
    }
    if (span.dropped_events > 0) {
      out_.raw(R"(,"droppedEventsCount":)");
      out_.integer(span.dropped_events);
    }
    put_status(span.has_failed);
  }

  void put(const RequestSpan& span, std::chrono::nanoseconds to_unix_time) {
    const RequestEncoding& request = requests_.of(span.kind, json_of);
    put_ids(span.trace, span.id, span.parent);
    put_flags(otlp_flags(span.parent, span.parent.is_set()));
    out_.raw(request.name);
    put_kind(SpanKind::server);
    put_times(span.begin, span.end, to_unix_time);
    out_.raw(request.attributes);
    std::string_view before = ",";
    for_each_fact(span.path, span.client, attribute_writer(out_, before));
    out_.raw("]");
    put_status(false);
  }

  void put(const PlainSpan& span, const base::TraceId& trace,
           std::chrono::nanoseconds to_unix_time) {
    put_ids(trace, span.id, span.parent);
    put_flags(otlp_flags(span.parent, false));
    out_.string(span.name);
    put_kind(SpanKind::internal);
    put_times(span.begin, span.end, to_unix_time);
    out_.raw("]");
    put_status(span.has_failed);
  }

 private:
  void put_ids(const base::TraceId& trace, const base::SpanId& id, const base::SpanId& parent) {
    if (!std::exchange(is_first_, false)) out_.put(',');
    put_id(out_, R"({"traceId":)", trace);
    put_id(out_, R"(,"spanId":)", id);
    if (parent.is_set()) put_id(out_, R"(,"parentSpanId":)", parent);
  }
  /// Up to the name.
  void put_flags(std::uint32_t flags) {
    out_.raw(R"(,"flags":)");
    out_.integer(flags);
    out_.raw(R"(,"name":)");
  }
  void put_kind(SpanKind kind) {
    out_.raw(R"(,"kind":)");
    out_.put(static_cast<char>('0' + static_cast<int>(kind)));
  }
  /// Up to the first attribute.
  void put_times(SpanRecord::Clock::time_point begin, SpanRecord::Clock::time_point end,
                 std::chrono::nanoseconds to_unix_time) {
    out_.raw(R"(,"startTimeUnixNano":)");
    times_.put(out_, begin.time_since_epoch() + to_unix_time);
    out_.raw(R"(,"endTimeUnixNano":)");
    times_.put(out_, end.time_since_epoch() + to_unix_time);
    out_.raw(R"(,"attributes":[)");
  }
  void put_status(bool has_failed) {
    if (has_failed) {
      out_.raw(R"(,"status":{"code":2}})");
    } else {
      out_.raw(R"(,"status":{}})");
    }
  }

  JsonWriter& out_;
  RequestEncodings requests_;
  UnixTimes times_;
  bool is_first_ = true;
};

}  // namespace

std::string otlp_json(std::string_view service_name, const SpanBatch& batch) {
  BatchWriter out(batch);
  out.raw(R"({"resourceSpans":[{"resource":{"attributes":[)");
  put_attribute(out, "service.name", service_name);
  put_text(out, "telemetry.sdk.name", "fairway");
  put_text(out, "telemetry.sdk.language", "cpp");
  out.raw(",");
  put_attribute(out, "process.pid", std::int64_t{getpid()});
  out.raw(R"(]},"scopeSpans":[{"scope":{"name":"fairway"},"spans":[)");
  Spans spans(out);
  for (const SpanRecord& span : batch.records) spans.put(span);
  for (const RequestSpans& part : batch.requests) {
    part.for_each(
        [&](const PlainSpan& span, const RequestSpan& request) {
          spans.put(span, request.trace, batch.to_unix_time);
        },
        [&](const RequestSpan& request) { spans.put(request, batch.to_unix_time); });
  }
  out.raw("]}]}]}");
  return std::string(out.content());
}

}  // namespace fw::detail
