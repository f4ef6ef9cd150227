#include "features/static_files/byte_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/ascii.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kUnit = "bytes=";
constexpr std::size_t kMaxRanges = 32;

/// Digits only; numbers that are too large are the largest one.
std::optional<std::uint64_t> parse_position(std::string_view text) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : text) {
    if (!base::is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    number = number > (kMax - digit) / 10 ? kMax : number * 10 + digit;
  }
  return number;
}

/// One range of the field; of no bytes if it cannot be satisfied, nothing if it is malformed.
std::optional<ByteRange> parse_range(std::string_view text, std::uint64_t size) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_position(text.substr(0, dash));
  const auto last = parse_position(text.substr(dash + 1));
  if (dash == 0) {
    if (!last) return std::nullopt;
    const std::uint64_t length = std::min(*last, size);
    return ByteRange{size - length, length};
  }
  const bool is_open = dash + 1 == text.size();
  if (!first || (!is_open && (!last || *last < *first))) return std::nullopt;
  if (*first >= size) return ByteRange{};
  const std::uint64_t end = is_open ? size - 1 : std::min(*last, size - 1);
  return ByteRange{*first, end - *first + 1};
}

bool overlap(const ByteRange& a, const ByteRange& b) {
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

/// In the order of the field, unless some overlap: then in the order of their bytes.
void join_overlapping(std::vector<ByteRange>& ranges) {
  bool any = false;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) any = any || overlap(ranges[i], ranges[j]);
  }
  if (!any) return;
  std::ranges::sort(ranges, {}, &ByteRange::first);
  std::vector<ByteRange> joined;
  for (const ByteRange& range : ranges) {
    if (joined.empty() || !overlap(joined.back(), range)) {
      joined.push_back(range);
      continue;
    }
    ByteRange& last = joined.back();
    last.size = std::max(last.first + last.size, range.first + range.size) - last.first;
  }
  ranges = std::move(joined);
}

}  // namespace

std::variant<WholeRepresentation, UnsatisfiableRange, std::vector<ByteRange>> select_ranges(
    std::string_view field, std::uint64_t size) {
  field = base::trim_ows(field);
  if (field.size() < kUnit.size() ||
      !base::equal_ignoring_case(field.substr(0, kUnit.size()), kUnit)) {
    return WholeRepresentation{};
  }
  std::vector<ByteRange> ranges;
  std::size_t count = 0;
  bool is_valid = true;
  base::for_each_token(field.substr(kUnit.size()), ',', [&](std::string_view text) {
    text = base::trim_ows(text);
    if (text.empty()) return;  // an empty member of a list is ignored
    const auto range = ++count <= kMaxRanges ? parse_range(text, size) : std::nullopt;
    is_valid = is_valid && range;
    if (range && range->size > 0) ranges.push_back(*range);
  });
  if (!is_valid || count == 0 || size == 0) return WholeRepresentation{};
  if (ranges.empty()) return UnsatisfiableRange{};
  join_overlapping(ranges);
  std::uint64_t total = 0;
  for (const ByteRange& range : ranges) total += range.size;
  if (total >= size && ranges.size() > 1) return WholeRepresentation{};
  return ranges;
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  return fmt::format("bytes {}-{}/{}", range.first, range.first + range.size - 1, size);
}

}  // namespace fw::detail
