#include "schema/byte_size.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "schema/ascii.hpp"

namespace fw::schema {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kUnits[] = {{"", 1}, {"b", 1}, {"kb", 1024}, {"mb", 1048576}, {"gb", 1073741824}};
constexpr double kMost = 9007199254740992.0;  // 2^53: every whole number below is exact

}  // namespace

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  text = trim_blanks(text);
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view unit =
      trim_blanks(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const Unit& known : kUnits) {
    if (!equals_ignoring_case(unit, known.name)) continue;
    const double bytes = number * known.factor;
    if (bytes > kMost) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

}  // namespace fw::schema
