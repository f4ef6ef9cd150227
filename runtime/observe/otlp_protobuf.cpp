#include <fairway/text_writer.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>
#include <variant>

#include "base/utf8.hpp"
#include "observe/otlp.hpp"
#include "observe/request_encodings.hpp"

namespace fw::detail {
namespace {

// The numbers of the fields, from opentelemetry-proto 1.x.
constexpr unsigned kFailedStatus = 2;

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, length = 2, fixed32 = 5 };

/// Writes a message. Fields with their default value may be absent.
class Message : private TextWriter {
 public:
  using TextWriter::content;

  void number(unsigned field, std::uint64_t value) {
    end_at(varint(key(room(2 * kMaxVarint), field, WireType::varint), value));
  }
  void fixed64(unsigned field, std::uint64_t value) { fixed(field, WireType::fixed64, value); }
  void fixed32(unsigned field, std::uint32_t value) { fixed(field, WireType::fixed32, value); }
  void bytes(unsigned field, std::string_view value) {
    end_at(varint(key(room(2 * kMaxVarint), field, WireType::length), value.size()));
    put(value);
  }
  /// Strings must be UTF-8: a collector rejects the whole batch otherwise.
  void text(unsigned field, std::string_view value) {
    if (base::count_code_points(value).well_formed) return bytes(field, value);
    bytes(field, base::valid_utf8(std::string(value)));
  }
  /// Fields that another message has written.
  void fields(std::string_view written) { put(written); }
  /// A message within this one, whose fields `write` writes. Most are so short that their length
  /// needs one byte.
  template <class Write>
  void message(unsigned field, Write write) {
    end_at(key(room(kMaxVarint), field, WireType::length));
    const std::size_t at = content().size();
    put('\0');
    write();
    const std::size_t size = content().size() - at - 1;
    std::array<char, kMaxVarint> length;
    const auto more = static_cast<std::size_t>(varint(length.data(), size) - length.data()) - 1;
    char* const end = room(more);
    char* const begin = end - size;
    if (more > 0) std::memmove(begin + more, begin, size);
    std::memcpy(begin - 1, length.data(), more + 1);
    end_at(end + more);
  }
  void reserve(std::size_t size) { room(size); }

 private:
  static constexpr std::size_t kMaxVarint = 10;

  /// These write to `at`, and return the end.
  /// @{
  static char* varint(char* at, std::uint64_t value) {
    constexpr std::uint64_t kMore = 0x80;
    for (; value >= kMore; value >>= 7U) *at++ = static_cast<char>(value | kMore);
    *at++ = static_cast<char>(value);
    return at;
  }
  static char* key(char* at, unsigned field, WireType type) {
    return varint(at, field << 3U | static_cast<unsigned>(type));
  }
  /// @}
  template <class Number>
  void fixed(unsigned field, WireType type, Number value) {
    static_assert(std::endian::native == std::endian::little);
    char* const at = key(room(kMaxVarint + sizeof value), field, type);
    std::memcpy(at, &value, sizeof value);
    end_at(at + sizeof value);
  }
};

void put_attribute(Message& out, unsigned field, std::string_view name, const SpanValue& value) {
  out.message(field, [&] {
    out.text(1, name);
    out.message(2, [&] {
      if (const auto* const text = std::get_if<std::string_view>(&value)) {
        out.text(1, *text);
      } else if (const auto* const is_set = std::get_if<bool>(&value)) {
        out.number(2, *is_set ? 1 : 0);
      } else if (const auto* const number = std::get_if<std::int64_t>(&value)) {
        out.number(3, static_cast<std::uint64_t>(*number));
      } else {
        out.fixed64(4, std::bit_cast<std::uint64_t>(std::get<double>(value)));
      }
    });
  });
}

/// A function that writes an attribute.
auto attribute_writer(Message& out, unsigned field) {
  return [&out, field](std::string_view name, const SpanValue& value) {
    put_attribute(out, field, name, value);
  };
}

template <class Id>
std::string_view bytes_of(const Id& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

std::uint64_t unix_time(SpanRecord::Clock::time_point time, std::chrono::nanoseconds to_unix_time) {
  return static_cast<std::uint64_t>((time.time_since_epoch() + to_unix_time).count());
}

void put_event(Message& out, const SpanEvent& event) {
  out.fixed64(1, static_cast<std::uint64_t>(event.time.count()));
  out.text(2, event.name);
  event.attributes.for_each(attribute_writer(out, 3));
  if (event.dropped_attributes > 0) out.number(4, event.dropped_attributes);
}

/// `name` is a field, too.
RequestEncoding protobuf_of(const RequestKind& kind) {
  Message name;
  name.text(5, kind.name());
  Message attributes;
  kind.for_each(attribute_writer(attributes, 9));
  return {.name = std::string(name.content()), .attributes = std::string(attributes.content())};
}

void put_ids(Message& out, const base::TraceId& trace, const base::SpanId& id) {
  out.bytes(1, bytes_of(trace));
  out.bytes(2, bytes_of(id));
}

void put_parent(Message& out, const base::SpanId& parent) {
  if (parent.is_set()) out.bytes(4, bytes_of(parent));
}

void put_times(Message& out, SpanKind kind, SpanRecord::Clock::time_point begin,
               SpanRecord::Clock::time_point end, std::chrono::nanoseconds to_unix_time) {
  out.number(6, static_cast<std::uint64_t>(kind));
  out.fixed64(7, unix_time(begin, to_unix_time));
  out.fixed64(8, unix_time(end, to_unix_time));
}

void put_end(Message& out, bool has_failed, std::uint32_t flags) {
  out.message(15, [&] {
    if (has_failed) out.number(3, kFailedStatus);
  });
  out.fixed32(16, flags);
}

void put_span(Message& out, const SpanRecord& span, RequestEncodings& requests) {
  const RequestEncoding* const request =
      span.request ? &requests.of(span.request->kind, protobuf_of) : nullptr;
  put_ids(out, span.trace, span.id);
  if (!span.tracestate.empty()) out.text(3, span.tracestate);
  put_parent(out, span.parent);
  if (request != nullptr) {
    out.fields(request->name);
  } else {
    out.text(5, span.name);
  }
  put_times(out, span.kind, span.begin, span.end, span.to_unix_time);
  if (request != nullptr) {
    out.fields(request->attributes);
    for_each_fact(span.request->path, span.request->client, attribute_writer(out, 9));
  }
  span.attributes.for_each(attribute_writer(out, 9));
  if (span.dropped_attributes > 0) out.number(10, span.dropped_attributes);
  for (const SpanEvent& event : span.events) out.message(11, [&] { put_event(out, event); });
  if (span.dropped_events > 0) out.number(12, span.dropped_events);
  put_end(out, span.has_failed, otlp_flags(span.parent, span.has_remote_parent));
}

void put_span(Message& out, const RequestSpan& span, std::chrono::nanoseconds to_unix_time,
              RequestEncodings& requests) {
  const RequestEncoding& request = requests.of(span.kind, protobuf_of);
  put_ids(out, span.trace, span.id);
  put_parent(out, span.parent);
  out.fields(request.name);
  put_times(out, SpanKind::server, span.begin, span.end, to_unix_time);
  out.fields(request.attributes);
  for_each_fact(span.path, span.client, attribute_writer(out, 9));
  put_end(out, false, otlp_flags(span.parent, span.parent.is_set()));
}

void put_span(Message& out, const PlainSpan& span, const base::TraceId& trace,
              std::chrono::nanoseconds to_unix_time) {
  put_ids(out, trace, span.id);
  put_parent(out, span.parent);
  out.bytes(5, span.name);  // a literal
  put_times(out, SpanKind::internal, span.begin, span.end, to_unix_time);
  put_end(out, span.has_failed, otlp_flags(span.parent, false));
}

/// Reads the fields of a message.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  struct Field {
    std::uint64_t number = 0;
    std::uint64_t value = 0;        ///< of a varint
    std::string_view content = {};  ///< of a message
  };
  /// Nothing at the end, and for bytes that are no field.
  std::optional<Field> next() {
    const auto key = varint();
    if (!key) return std::nullopt;
    Field field{.number = *key >> 3U};
    switch (static_cast<WireType>(*key & 7U)) {
      case WireType::varint: {
        const auto value = varint();
        if (!value) return std::nullopt;
        field.value = *value;
        return field;
      }
      case WireType::length: {
        const auto size = varint();
        if (!size || *size > rest_.size()) return std::nullopt;
        field.content = take(static_cast<std::size_t>(*size));
        return field;
      }
      case WireType::fixed64:
        return skip(field, 8);
      case WireType::fixed32:
        return skip(field, 4);
    }
    return std::nullopt;
  }

 private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::optional<Field> skip(const Field& field, std::size_t size) {
    if (rest_.size() < size) return std::nullopt;
    take(size);
    return field;
  }
  std::optional<std::uint64_t> varint() {
    constexpr unsigned kMaxBits = 64;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < kMaxBits && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

}  // namespace

std::string otlp_protobuf(std::string_view service_name, const SpanBatch& batch) {
  Message out;
  constexpr std::size_t kOfSpan = 300;
  out.reserve(batch.size() * kOfSpan);
  RequestEncodings requests;
  out.message(1, [&] {    // resource_spans
    out.message(1, [&] {  // resource
      put_attribute(out, 1, "service.name", service_name);
      put_attribute(out, 1, "telemetry.sdk.name", "fairway");
      put_attribute(out, 1, "telemetry.sdk.language", "cpp");
      put_attribute(out, 1, "process.pid", std::int64_t{getpid()});
    });
    out.message(2, [&] {                                // scope_spans
      out.message(1, [&] { out.text(1, "fairway"); });  // scope
      for (const SpanRecord& span : batch.records) {
        out.message(2, [&] { put_span(out, span, requests); });
      }
      for (const RequestSpans& part : batch.requests) {
        part.for_each(
            [&](const PlainSpan& span, const RequestSpan& request) {
              out.message(2, [&] { put_span(out, span, request.trace, batch.to_unix_time); });
            },
            [&](const RequestSpan& request) {
              out.message(2, [&] { put_span(out, request, batch.to_unix_time, requests); });
            });
      }
    });
  });
  return std::string(out.content());
}

OtlpRejection otlp_rejection(std::string_view response) {
  OtlpRejection rejection;
  std::int64_t rejected = 0;
  Fields fields(response);
  while (const auto field = fields.next()) {
    if (field->number != 1) continue;
    Fields partial_success(field->content);
    while (const auto member = partial_success.next()) {
      if (member->number == 1) rejected = static_cast<std::int64_t>(member->value);
      if (member->number == 2) rejection.message = base::valid_utf8(std::string(member->content));
    }
  }
  rejection.spans = static_cast<std::size_t>(std::max<std::int64_t>(rejected, 0));
  return rejection;
}

}  // namespace fw::detail
