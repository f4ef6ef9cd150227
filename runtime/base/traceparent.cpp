#include "base/traceparent.hpp"

namespace fw::base {
namespace {

constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kSpanAt = kTraceAt + 32 + 1;
constexpr std::size_t kFlagsAt = kSpanAt + 16 + 1;
constexpr std::size_t kSize = kFlagsAt + 2;
constexpr std::uint8_t kKnownFlags = TraceParent::kSampled | TraceParent::kRandom;

/// Only lower case is allowed.
std::optional<unsigned> lower_hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  return std::nullopt;
}

bool read_hex(std::string_view digits, std::span<unsigned char> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto high = lower_hex_digit(digits[2 * i]);
    const auto low = lower_hex_digit(digits[2 * i + 1]);
    if (!high || !low) return false;
    bytes[i] = static_cast<unsigned char>(*high << 4U | *low);
  }
  return true;
}

template <class Id>
Id make_id() {
  Id id;
  do {
    for (std::size_t i = 0; i < sizeof id.bytes; i += sizeof(std::uint64_t)) {
      const std::uint64_t number = random_number();
      std::memcpy(&id.bytes[i], &number, sizeof number);
    }
  } while (!id.is_set());
  return id;
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view text) {
  if (text.size() < kSize) return std::nullopt;
  std::array<unsigned char, 1> version{};
  std::array<unsigned char, 1> flags{};
  TraceParent parent;
  const bool is_read =
      text[2] == '-' && text[kSpanAt - 1] == '-' && text[kFlagsAt - 1] == '-' &&
      read_hex(text, version) && read_hex(text.substr(kTraceAt), parent.trace.bytes) &&
      read_hex(text.substr(kSpanAt), parent.span.bytes) && read_hex(text.substr(kFlagsAt), flags);
  if (!is_read || !parent.trace.is_set() || !parent.span.is_set()) return std::nullopt;
  constexpr unsigned char kInvalidVersion = 0xFF;
  if (version[0] == kInvalidVersion) return std::nullopt;
  if (text.size() > kSize && (version[0] == 0 || text[kSize] != '-')) return std::nullopt;
  parent.flags = flags[0] & kKnownFlags;
  return parent;
}

std::string to_string(const TraceParent& parent) {
  std::array<char, 32> trace;
  std::array<char, 16> span;
  write_hex(parent.trace, trace);
  write_hex(parent.span, span);
  std::string text = "00-";
  text.append(trace.data(), trace.size()).append("-").append(span.data(), span.size());
  text.append("-0").push_back(static_cast<char>('0' + (parent.flags & kKnownFlags)));
  return text;
}

TraceId make_trace_id() { return make_id<TraceId>(); }
SpanId make_span_id() { return make_id<SpanId>(); }

}  // namespace fw::base
