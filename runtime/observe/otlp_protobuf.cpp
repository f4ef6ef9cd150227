#include "observe/otlp_protobuf.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <unistd.h>
#include <utility>
#include <variant>

#include "base/strings.hpp"
#include "observe/otlp_flags.hpp"

namespace fw::detail {
namespace {

// The numbers of the fields, from opentelemetry-proto 1.x.
constexpr unsigned kFailedStatus = 2;

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, length = 2, fixed32 = 5 };

/// One message. Fields with their default value may be absent.
class Message {
 public:
  void number(unsigned field, std::uint64_t value) {
    key(field, WireType::varint);
    varint(value);
  }
  void fixed64(unsigned field, std::uint64_t value) {
    key(field, WireType::fixed64);
    little_endian(value, sizeof value);
  }
  void fixed32(unsigned field, std::uint32_t value) {
    key(field, WireType::fixed32);
    little_endian(value, sizeof value);
  }
  void bytes(unsigned field, std::string_view content) {
    key(field, WireType::length);
    varint(content.size());
    bytes_ += content;
  }
  /// Strings must be UTF-8: a collector rejects the whole batch otherwise.
  void text(unsigned field, std::string_view content) {
    bytes(field, base::valid_utf8(std::string(content)));
  }
  void message(unsigned field, const Message& content) { bytes(field, content.bytes_); }

  std::string take() { return std::move(bytes_); }

 private:
  void key(unsigned field, WireType type) { varint(field << 3U | static_cast<unsigned>(type)); }
  void varint(std::uint64_t value) {
    constexpr std::uint64_t kMore = 0x80;
    while (value >= kMore) {
      bytes_ += static_cast<char>(value | kMore);
      value >>= 7U;
    }
    bytes_ += static_cast<char>(value);
  }
  void little_endian(std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> 8 * i);
  }

  std::string bytes_;
};

Message value_message(const SpanValue& value) {
  Message message;
  if (const auto* const text = std::get_if<std::string>(&value)) {
    message.text(1, *text);
  } else if (const auto* const is_set = std::get_if<bool>(&value)) {
    message.number(2, *is_set ? 1 : 0);
  } else if (const auto* const number = std::get_if<std::int64_t>(&value)) {
    message.number(3, static_cast<std::uint64_t>(*number));
  } else {
    message.fixed64(4, std::bit_cast<std::uint64_t>(std::get<double>(value)));
  }
  return message;
}

Message attribute_message(std::string_view name, const SpanValue& value) {
  Message message;
  message.text(1, name);
  message.message(2, value_message(value));
  return message;
}

template <class Id>
std::string_view bytes_of(const Id& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

std::uint64_t unix_time(const SpanRecord& span, SpanRecord::Clock::time_point time) {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  const auto since_1970 = duration_cast<nanoseconds>(time.time_since_epoch()) + span.to_unix_time;
  return static_cast<std::uint64_t>(since_1970.count());
}

Message event_message(const SpanEvent& event) {
  Message message;
  message.fixed64(1, static_cast<std::uint64_t>(event.time.count()));
  message.text(2, event.name);
  for (const auto& [name, value] : event.attributes) {
    message.message(3, attribute_message(name, value));
  }
  if (event.dropped_attributes > 0) message.number(4, event.dropped_attributes);
  return message;
}

Message span_message(const SpanRecord& span) {
  Message message;
  message.bytes(1, bytes_of(span.trace));
  message.bytes(2, bytes_of(span.id));
  if (!span.tracestate.empty()) message.text(3, span.tracestate);
  if (span.parent.is_set()) message.bytes(4, bytes_of(span.parent));
  message.text(5, span.name);
  message.number(6, static_cast<std::uint64_t>(span.kind));
  message.fixed64(7, unix_time(span, span.begin));
  message.fixed64(8, unix_time(span, span.end));
  for (const auto& [name, value] : span.attributes) {
    message.message(9, attribute_message(name, value));
  }
  if (span.dropped_attributes > 0) message.number(10, span.dropped_attributes);
  for (const SpanEvent& event : span.events) message.message(11, event_message(event));
  if (span.dropped_events > 0) message.number(12, span.dropped_events);
  Message status;
  if (span.has_failed) status.number(3, kFailedStatus);
  message.message(15, status);
  message.fixed32(16, otlp_flags(span));
  return message;
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

std::string otlp_protobuf(std::string_view service_name, std::span<const SpanRecord> spans) {
  Message resource;
  resource.message(1, attribute_message("service.name", std::string(service_name)));
  resource.message(1, attribute_message("telemetry.sdk.name", std::string("fairway")));
  resource.message(1, attribute_message("telemetry.sdk.language", std::string("cpp")));
  resource.message(1, attribute_message("process.pid", std::int64_t{getpid()}));
  Message scope;
  scope.text(1, "fairway");
  Message scope_spans;
  scope_spans.message(1, scope);
  for (const SpanRecord& span : spans) scope_spans.message(2, span_message(span));
  Message resource_spans;
  resource_spans.message(1, resource);
  resource_spans.message(2, scope_spans);
  Message request;
  request.message(1, resource_spans);
  return request.take();
}

std::size_t otlp_rejected_spans(std::string_view response) {
  std::size_t rejected = 0;
  Fields fields(response);
  while (const auto field = fields.next()) {
    if (field->number != 1) continue;
    Fields partial_success(field->content);
    while (const auto member = partial_success.next()) {
      if (member->number == 1) rejected = static_cast<std::size_t>(member->value);
    }
  }
  return rejected;
}

}  // namespace fw::detail
