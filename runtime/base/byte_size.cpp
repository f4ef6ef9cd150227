#include <fairway/units.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"

namespace fw::base {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kUnits[] = {{"", 1}, {"b", 1}, {"kb", 1024}, {"mb", 1048576}, {"gb", 1073741824}};
constexpr double kMax = 9007199254740992.0;  // 2^53: all integers below are exact

}  // namespace

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  text = trim_whitespace(text);
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view unit =
      trim_whitespace(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const Unit& known : kUnits) {
    if (!equal_ignoring_case(unit, known.name)) continue;
    const double bytes = number * known.factor;
    if (bytes > kMax) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

}  // namespace fw::base

namespace fw {

std::uint64_t ByteSize::bytes() const {
  if (const auto bytes = base::parse_byte_size(text_)) return *bytes;
  throw std::invalid_argument(fmt::format(
      "'{}' is not a size; write a number of bytes, or a number with b, kb, mb or gb", text_));
}

}  // namespace fw
