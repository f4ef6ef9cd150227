// Converts strings to the declared types.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace fw::schema {

enum class Conversion {
  done,
  not_a_number,
  not_whole,     ///< A number, but one with a fraction.
  out_of_range,  ///< A number that the type cannot represent.
};

/// Reads a decimal number with sign, fraction and exponent, or a hexadecimal one without a sign
/// (`0x1F`), ignoring surrounding spaces. An integer that fits becomes an exact JSON integer, other
/// numbers the nearest double. `out` is only set if the result is `done`.
Conversion to_number(std::string_view text, nlohmann::json& out);

/// The largest integer of std::int64_t, or of std::uint64_t.
enum class Largest : std::uint64_t {
  of_signed = std::numeric_limits<std::int64_t>::max(),
  of_unsigned = std::numeric_limits<std::uint64_t>::max(),
};

/// Like `to_number`, but only for integers from the lowest std::int64_t on, read exactly, including
/// `1e3` and `2.0`.
Conversion to_integer(std::string_view text, nlohmann::json& out,
                      Largest largest = Largest::of_signed);

/// The same for a JSON number with a fraction or an exponent.
Conversion to_integer(double number, nlohmann::json& out, Largest largest = Largest::of_signed);

/// Whether a value is a JSON integer up to the largest.
bool is_integer(const nlohmann::json& value, Largest largest = Largest::of_signed);

/// `true` and `false`, case-insensitive, ignoring surrounding spaces.
std::optional<bool> to_boolean(std::string_view text);

}  // namespace fw::schema
