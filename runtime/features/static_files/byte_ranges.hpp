// Range requests (RFC 9110, 14).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fw::detail {

/// At least one byte of a representation.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};

struct WholeRepresentation {};
struct UnsatisfiableRange {};

/// The response to a Range field for a representation of `size` bytes. The field does not count,
/// so that all is sent, if it is malformed, has another unit, has more than 32 ranges, or if its
/// ranges have as many bytes as the whole. Ranges that overlap are joined.
std::variant<WholeRepresentation, UnsatisfiableRange, std::vector<ByteRange>> select_ranges(
    std::string_view field, std::uint64_t size);

/// A value of Content-Range: "bytes 0-99/1000".
std::string content_range(const ByteRange& range, std::uint64_t size);

}  // namespace fw::detail
