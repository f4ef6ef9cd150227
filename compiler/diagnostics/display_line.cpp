#include "diagnostics/display_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace fairway::diagnostics {
namespace {

constexpr std::size_t kTabStop = 8;

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  ///< 0 for bytes that are not UTF-8
};

CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t length = byte(0) >= 0xF0 && byte(0) < 0xF5   ? 4
                             : byte(0) >= 0xE0 && byte(0) < 0xF0 ? 3
                             : byte(0) >= 0xC2 && byte(0) < 0xE0 ? 2
                                                                 : 0;
  if (length == 0 || text.size() < length) return {};
  std::uint32_t value = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kMinCodePoint[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value < 0xE000;
  if (value < kMinCodePoint[length] || value > 0x10FFFF || is_surrogate) return {};
  return {value, length};
}

struct Interval {
  std::uint32_t first, last;
};

template <std::size_t N>
bool is_in(const Interval (&intervals)[N], std::uint32_t value) {
  const auto* found = std::ranges::lower_bound(intervals, value, {}, &Interval::last);
  return found != std::end(intervals) && found->first <= value;
}

// Combining marks and format characters of the scripts that occur in source files.
constexpr Interval kZeroWidth[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489},  {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x093A, 0x093A},   {0x093C, 0x093C},  {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E},  {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
    {0x2060, 0x2064},   {0x20D0, 0x20FF},  {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
    {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};

// East Asian Width W and F (Unicode Standard Annex 11), and emoji with pictorial presentation.
constexpr Interval kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},
    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A},
    {0x1F200, 0x1F320}, {0x1F32D, 0x1F3FA}, {0x1F400, 0x1F64F}, {0x1F680, 0x1F6FF},
    {0x1F7E0, 0x1F7EB}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

std::size_t width_of(std::uint32_t value) {
  if (value < 0x300) return 1;
  if (is_in(kZeroWidth, value)) return 0;
  return is_in(kWide, value) ? 2 : 1;
}

constexpr std::uint32_t kByteOrderMark = 0xFEFF;

// C0 and C1 control characters, line and paragraph separators, and direction marks. A terminal that
// interprets them would not show the text as it is.
bool is_control(std::uint32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || value == 0x2028 || value == 0x2029 ||
         (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

}  // namespace

DisplayLine::DisplayLine(std::string_view source) {
  std::size_t column = 0;
  while (!source.empty()) {
    const CodePoint point = decode(source);
    const std::size_t length = std::max<std::size_t>(point.length, 1);
    columns.insert(columns.end(), length, column);
    if (source.front() == '\t') {
      const std::size_t blanks = kTabStop - column % kTabStop;
      text.append(blanks, ' ');
      column += blanks;
    } else if (point.length == 0) {
      text += fmt::format("<{:02X}>", static_cast<unsigned char>(source.front()));
      column += 4;
    } else if (is_control(point.value)) {
      const std::string shown = fmt::format("<U+{:04X}>", point.value);
      text += shown;
      column += shown.size();
    } else if (point.value != kByteOrderMark) {
      text += source.substr(0, length);
      column += width_of(point.value);
    }
    source.remove_prefix(length);
  }
  columns.push_back(column);
}

std::size_t DisplayLine::column_of(unsigned byte_column) const {
  return columns[std::min<std::size_t>(byte_column == 0 ? 0 : byte_column - 1, columns.size() - 1)];
}

std::string display_text(std::string_view text) { return DisplayLine(text).text; }

std::string display_part(std::string_view text, std::size_t begin, std::size_t end) {
  const DisplayLine line(text);
  std::string part;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (line.columns[index] >= begin && line.columns[index] < end) part += text[index];
  }
  return part;
}

std::size_t display_width(std::string_view text) { return DisplayLine(text).columns.back(); }

}  // namespace fairway::diagnostics
