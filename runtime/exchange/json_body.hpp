// Parses request bodies to JSON values.
#pragma once

#include <fairway/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw::detail {

/// Number of bytes that the parser may read past the end of a string. A string without this spare
/// capacity is copied.
inline constexpr std::size_t kBodyPadding = 64;

/// Whether JSON text has more than `most` values: objects and arrays, their members and items.
/// Checked before parsing, because a value of two bytes may take a hundred bytes in memory.
bool has_more_values_than(std::size_t most, std::string_view text);

/// Parses JSON text. Empty if it is not valid JSON or nested more than 512 levels deep. Integers
/// keep the range of std::int64_t and std::uint64_t; the last of repeated members wins.
std::optional<Json> parse_json_body(std::string& text);

using JsonMembers = std::vector<std::pair<std::string, Json>>;
/// The members of the object that the text is, in its order; none if it is something else.
/// Otherwise like `parse_json_body`, but cheaper for an object that is taken apart.
std::optional<JsonMembers> parse_json_members(std::string& text);

}  // namespace fw::detail
