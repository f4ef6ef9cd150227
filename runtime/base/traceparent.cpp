#include "base/traceparent.hpp"

#include <array>
#include <cstring>
#include <span>

#include "base/random.hpp"

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

using DigitVector [[gnu::vector_size(16)]] = unsigned char;

/// Each request with a trace writes 32 digits: sixteen at once.
template <std::size_t kBytes>
void write_digits(const TraceBytes<kBytes>& id, std::array<char, 2 * kBytes>& digits) {
  constexpr std::size_t kAtOnce = 8;
  for (std::size_t i = 0; i < kBytes; i += kAtOnce) {
    DigitVector bytes{};
    std::memcpy(&bytes, &id.bytes[i], kAtOnce);
    const DigitVector halves = __builtin_shufflevector(bytes >> 4, bytes & 0x0F, 0, 16, 1, 17, 2,
                                                       18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    constexpr unsigned char kToLetter = 'a' - '0' - 10;
    const auto letters = reinterpret_cast<DigitVector>(halves > 9);  // all bits are set
    const DigitVector text = halves + '0' + (letters & kToLetter);
    std::memcpy(&digits[2 * i], &text, sizeof text);
  }
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
  write_digits(parent.trace, trace);
  write_digits(parent.span, span);
  std::string text = "00-";
  text.append(trace.data(), trace.size()).append("-").append(span.data(), span.size());
  text.append("-0").push_back(static_cast<char>('0' + (parent.flags & kKnownFlags)));
  return text;
}

TraceId make_trace_id() { return make_id<TraceId>(); }
SpanId make_span_id() { return make_id<SpanId>(); }

TraceParent make_traceparent() {
  // Nobody else begins this trace, so that its first span needs no other random bits.
  const std::array numbers = random_numbers();
  TraceParent parent{{}, {}, TraceParent::kSampled | TraceParent::kRandom};
  if (numbers[0] == 0) return {make_trace_id(), make_span_id(), parent.flags};
  std::memcpy(parent.trace.bytes.data(), numbers.data(), sizeof parent.trace);
  std::memcpy(parent.span.bytes.data(), numbers.data(), sizeof parent.span);
  return parent;
}

SpanId nth_span_id(const SpanId& first, std::uint64_t n) {
  constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15U;  // 2^64 divided by the golden ratio
  std::uint64_t number = 0;
  std::memcpy(&number, first.bytes.data(), sizeof number);
  number ^= n * kOdd;
  if (number == 0) number = ~(n * kOdd);  // neither `first` nor the id of a small number
  SpanId id;
  std::memcpy(id.bytes.data(), &number, sizeof number);
  return id;
}

void write_hex(const TraceId& id, std::array<char, 32>& digits) { write_digits(id, digits); }
void write_hex(const SpanId& id, std::array<char, 16>& digits) { write_digits(id, digits); }

}  // namespace fw::base
