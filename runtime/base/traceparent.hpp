// The header `traceparent` of W3C Trace Context, level 2: "00-<trace>-<span>-<flags>".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.hpp"

namespace fw::base {

/// An id of a trace or a span. Without a digit other than 0, it is none.
template <std::size_t kBytes>
struct TraceBytes {
  std::array<unsigned char, kBytes> bytes{};

  bool operator==(const TraceBytes&) const = default;
  bool is_set() const { return *this != TraceBytes(); }
};
using TraceId = TraceBytes<16>;
using SpanId = TraceBytes<8>;

/// A span, as its traceparent names it.
struct TraceParent {
  static constexpr std::uint8_t kSampled = 1;
  static constexpr std::uint8_t kRandom = 2;  ///< the right half of the trace's id is random

  TraceId trace;
  SpanId span;
  std::uint8_t flags = 0;

  bool is_sampled() const { return (flags & kSampled) != 0; }
};

/// Nothing for a malformed header. Of a version after 00, the parts that version 00 has are read,
/// and unknown flags are dropped.
std::optional<TraceParent> parse_traceparent(std::string_view text);
/// In version 00.
std::string to_string(const TraceParent& parent);

/// Random ids, which are set. Throw std::system_error.
TraceId make_trace_id();
SpanId make_span_id();

// These are inlined, because each request with a trace needs them.

/// The first span of a new, sampled trace. Throws std::system_error.
inline TraceParent make_traceparent() {
  // Nobody else begins this trace, so that its first span needs no other random bits.
  const std::array numbers = random_numbers();
  TraceParent parent{{}, {}, TraceParent::kSampled | TraceParent::kRandom};
  if (numbers[0] == 0) [[unlikely]] {
    return {make_trace_id(), make_span_id(), parent.flags};
  }
  std::memcpy(parent.trace.bytes.data(), numbers.data(), sizeof parent.trace);
  std::memcpy(parent.span.bytes.data(), numbers.data(), sizeof parent.span);
  return parent;
}

/// Another id for each `n` from 1 on, for the spans within `first`, whose id is random.
inline SpanId nth_span_id(const SpanId& first, std::uint64_t n) {
  constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15U;  // 2^64 divided by the golden ratio
  std::uint64_t number = 0;
  std::memcpy(&number, first.bytes.data(), sizeof number);
  number ^= n * kOdd;
  if (number == 0) number = ~(n * kOdd);  // neither `first` nor the id of a small number
  SpanId id;
  std::memcpy(id.bytes.data(), &number, sizeof number);
  return id;
}

/// Writes the digits of an id, sixteen at once.
template <std::size_t kBytes>
void write_hex(const TraceBytes<kBytes>& id, std::array<char, 2 * kBytes>& digits) {
  using DigitVector [[gnu::vector_size(16)]] = unsigned char;
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

}  // namespace fw::base
