#include "schema/convert.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <utility>

#include "base/ascii.hpp"

namespace fw::schema {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxUnsigned = std::numeric_limits<std::uint64_t>::max();

// The parts of a decimal number: an optional sign, digits with an optional point, and an exponent.
struct Decimal {
  bool negative = false;
  std::string_view magnitude;  // without the sign
  std::string_view mantissa;   // digits, at most one point
  long long exponent = 0;      // for the mantissa without its point
};

// Multiplies by `base` and adds the digit; returns false if the result does not fit
bool append_digit(std::uint64_t& value, unsigned base, unsigned digit) {
  if (value > (kMaxUnsigned - digit) / base) return false;
  value = value * base + digit;
  return true;
}

long long read_exponent(std::string_view digits) {
  // Beyond the exponent of every finite double, but small enough to add lengths of strings.
  constexpr long long kHuge = 1'000'000'000'000;
  long long value = 0;
  for (const char digit : digits) value = std::min(value * 10 + (digit - '0'), kHuge);
  return value;
}

std::optional<Decimal> scan_decimal(std::string_view text) {
  Decimal number;
  if (text.starts_with('+') || text.starts_with('-')) {
    number.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  number.magnitude = text;

  std::size_t end = 0;
  std::size_t digits = 0;
  bool after_point = false;
  for (; end < text.size(); ++end) {
    if (base::is_digit(text[end])) {
      ++digits;
      if (after_point) --number.exponent;
    } else if (text[end] == '.' && !after_point) {
      after_point = true;
    } else {
      break;
    }
  }
  if (digits == 0) return std::nullopt;
  number.mantissa = text.substr(0, end);
  text.remove_prefix(end);
  if (text.empty()) return number;

  if (base::to_lower(text.front()) != 'e') return std::nullopt;
  text.remove_prefix(1);
  const bool negative_exponent = text.starts_with('-');
  if (negative_exponent || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !std::ranges::all_of(text, base::is_digit)) return std::nullopt;
  number.exponent += negative_exponent ? -read_exponent(text) : read_exponent(text);
  return number;
}

Conversion store_integer(bool negative, std::uint64_t magnitude, json& out) {
  if (!negative || magnitude == 0) {
    out = magnitude;
    return Conversion::done;
  }
  constexpr std::uint64_t kMaxMagnitude = std::uint64_t{1} << 63;
  if (magnitude > kMaxMagnitude) return Conversion::out_of_range;
  // -(m - 1) - 1 avoids the overflow of the lowest value.
  out = -static_cast<std::int64_t>(magnitude - 1) - 1;
  return Conversion::done;
}

Conversion decimal_to_integer(const Decimal& number, json& out) {
  std::string_view digits = number.mantissa;
  long long exponent = number.exponent;
  if (digits.find_first_not_of(".0") == std::string_view::npos) {
    return store_integer(number.negative, 0, out);
  }
  while (exponent < 0 && (digits.back() == '0' || digits.back() == '.')) {
    if (digits.back() == '0') ++exponent;
    digits.remove_suffix(1);
  }
  if (exponent < 0) return Conversion::not_whole;

  std::uint64_t magnitude = 0;
  for (const char digit : digits) {
    if (digit == '.') continue;
    if (!append_digit(magnitude, 10, static_cast<unsigned>(digit - '0'))) {
      return Conversion::out_of_range;
    }
  }
  for (; exponent > 0; --exponent) {
    if (!append_digit(magnitude, 10, 0)) return Conversion::out_of_range;
  }
  return store_integer(number.negative, magnitude, out);
}

// Whether the number is below 1, so that a range error means underflow instead of overflow.
bool is_below_one(const Decimal& number) {
  long long exponent = number.exponent;  // exponent of the first significant digit
  bool significant = false;
  for (const char digit : number.mantissa) {
    if (digit == '.') continue;
    significant = significant || digit != '0';
    if (significant) ++exponent;
  }
  return exponent <= 0;
}

Conversion decimal_to_double(const Decimal& number, json& out) {
  double value = 0;
  const char* const begin = number.magnitude.data();
  const auto result = std::from_chars(begin, begin + number.magnitude.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    if (!is_below_one(number)) return Conversion::out_of_range;
    value = 0;
  }
  out = number.negative && value != 0 ? -value : value;
  return Conversion::done;
}

std::optional<std::string_view> hexadecimal_digits(std::string_view text) {
  if (text.size() < 3 || text[0] != '0' || base::to_lower(text[1]) != 'x') return std::nullopt;
  text.remove_prefix(2);
  if (!std::ranges::all_of(text, base::is_hex_digit)) return std::nullopt;
  return text;
}

Conversion hexadecimal_to_integer(std::string_view digits, json& out) {
  std::uint64_t value = 0;
  for (const char digit : digits) {
    if (!append_digit(value, 16, base::hex_value(digit))) return Conversion::out_of_range;
  }
  return store_integer(false, value, out);
}

Conversion hexadecimal_to_double(std::string_view digits, json& out) {
  double value = 0;
  for (const char digit : digits) value = value * 16 + base::hex_value(digit);
  if (!std::isfinite(value)) return Conversion::out_of_range;
  out = value;
  return Conversion::done;
}

}  // namespace

Conversion to_number(std::string_view text, json& out) {
  text = base::trim_whitespace(text);
  if (const auto digits = hexadecimal_digits(text)) {
    const Conversion whole = hexadecimal_to_integer(*digits, out);
    return whole == Conversion::done ? whole : hexadecimal_to_double(*digits, out);
  }
  const auto decimal = scan_decimal(text);
  if (!decimal) return Conversion::not_a_number;
  const Conversion whole = decimal_to_integer(*decimal, out);
  return whole == Conversion::done ? whole : decimal_to_double(*decimal, out);
}

Conversion to_integer(std::string_view text, json& out, Largest largest) {
  text = base::trim_whitespace(text);
  json integer;
  Conversion result = Conversion::not_a_number;
  if (const auto digits = hexadecimal_digits(text)) {
    result = hexadecimal_to_integer(*digits, integer);
  } else if (const auto decimal = scan_decimal(text)) {
    result = decimal_to_integer(*decimal, integer);
  }
  if (result != Conversion::done) return result;
  if (!is_integer(integer, largest)) return Conversion::out_of_range;
  out = std::move(integer);
  return Conversion::done;
}

bool is_integer(const json& value, Largest largest) {
  if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(largest);
  }
  return value.is_number_integer();
}

Conversion to_integer(double number, json& out, Largest largest) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  const double too_large = largest == Largest::of_signed ? kTwoTo63 : 2 * kTwoTo63;
  if (!std::isfinite(number)) return Conversion::out_of_range;
  if (number != std::trunc(number)) return Conversion::not_whole;
  if (number < -kTwoTo63 || number >= too_large) return Conversion::out_of_range;
  return store_integer(number < 0, static_cast<std::uint64_t>(std::fabs(number)), out);
}

std::optional<bool> to_boolean(std::string_view text) {
  text = base::trim_whitespace(text);
  if (base::equal_ignoring_case(text, "true")) return true;
  if (base::equal_ignoring_case(text, "false")) return false;
  return std::nullopt;
}

}  // namespace fw::schema
