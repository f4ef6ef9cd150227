// Conversion of texts to the types that a schema declares.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace fw::schema {

enum class Conversion {
  done,
  not_a_number,
  not_whole,     ///< A number, but one with a fraction.
  out_of_range,  ///< A number that the type cannot hold.
};

/// Reads decimal text with sign, fraction and exponent, or hexadecimal text (`0x1F`, no sign),
/// blanks around it ignored. A whole number becomes a JSON integer as long as it fits, exactly;
/// another one the nearest double. `out` is only written when the result is `done`.
Conversion to_number(std::string_view text, nlohmann::json& out);

/// As `to_number`, for the whole numbers of std::int64_t only; exact, `1e3` and `2.0` included.
Conversion to_integer(std::string_view text, nlohmann::json& out);

/// The same for a JSON number that is written with a fraction or an exponent.
Conversion to_integer(double number, nlohmann::json& out);

/// Whether a value is a JSON integer that std::int64_t can hold.
bool is_integer(const nlohmann::json& value);

/// `true` and `false` in any case, blanks around them ignored.
std::optional<bool> to_boolean(std::string_view text);

}  // namespace fw::schema
