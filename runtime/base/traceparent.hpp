// The headers of W3C Trace Context, level 2: `traceparent` is "00-<trace>-<span>-<flags>", and
// `tracestate` has what vendors add to a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
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

/// Makes `parent` the first span of a new, sampled trace, of `random_numbers`.
inline void begin_traceparent(TraceParent& parent, const NumberGenerator::Pair& numbers) {
  parent.flags = TraceParent::kSampled | TraceParent::kRandom;
  // Nobody else begins this trace, so that its first span needs no other random bits.
  const auto [first, second] = numbers;
  std::memcpy(parent.trace.bytes.data(), &first, sizeof first);
  std::memcpy(&parent.trace.bytes[sizeof first], &second, sizeof second);
  std::memcpy(parent.span.bytes.data(), &first, sizeof first);
}
/// Throws std::system_error.
inline TraceParent make_traceparent() {
  TraceParent parent;
  begin_traceparent(parent, random_numbers());
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

namespace internal {

using ByteVector [[gnu::vector_size(16)]] = unsigned char;
using DigitVector [[gnu::vector_size(16)]] = signed char;

/// Of the numbers from 0 to 15.
inline DigitVector hex_digits(ByteVector numbers) {
  const auto digits = reinterpret_cast<DigitVector>(numbers);
  constexpr signed char kToLetter = 'a' - '0' - 10;
  return digits + '0' + ((digits > 9) & kToLetter);  // the comparison sets all bits or none
}

}  // namespace internal

/// Writes the digits of an id, sixteen at once.
template <std::size_t kBytes>
void write_hex(const TraceBytes<kBytes>& id, std::span<char, 2 * kBytes> digits) {
  static_assert(kBytes == 8 || kBytes == 16);
  internal::ByteVector bytes{};
  std::memcpy(&bytes, id.bytes.data(), kBytes);
  const internal::ByteVector high = bytes >> 4;
  const internal::ByteVector low = bytes & 0x0F;
  const internal::DigitVector first = internal::hex_digits(
      __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
  std::memcpy(digits.data(), &first, sizeof first);
  if constexpr (kBytes > 8) {
    const internal::DigitVector second = internal::hex_digits(__builtin_shufflevector(
        high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
    std::memcpy(&digits[sizeof first], &second, sizeof second);
  }
}

/// What is passed on of a `tracestate`, whose lines were joined: its members up to 512 characters.
/// If it is longer, members of more than 128 characters are dropped first, then the last ones.
/// Empty for a malformed header.
std::string passed_tracestate(std::string_view text);

}  // namespace fw::base
