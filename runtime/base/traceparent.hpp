// The header `traceparent` of W3C Trace Context, level 2: "00-<trace>-<span>-<flags>".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
/// The first span of a new, sampled trace.
TraceParent make_traceparent();
/// Another id for each `n` from 1 on, for the spans within `first`, whose id is random.
SpanId nth_span_id(const SpanId& first, std::uint64_t n);

/// Writes the digits of an id.
void write_hex(const TraceId& id, std::array<char, 32>& digits);
void write_hex(const SpanId& id, std::array<char, 16>& digits);

}  // namespace fw::base
