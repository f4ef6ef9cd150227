// From the bytes of a request body to a JSON value.
#pragma once

#include <fairway/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fw::detail {

/// Bytes that the parser may read past the end of a text; one without that spare capacity is
/// copied.
inline constexpr std::size_t kBodyPadding = 64;

/// Whether JSON text has more than `most` values: objects and arrays, their members and items. A
/// value that is written with two bytes takes a hundred in memory, so this is asked before parsing.
bool has_more_values_than(std::size_t most, std::string_view text);

/// Parses JSON text; nothing when it is none, has anything but whitespace after its end, or is
/// nested deeper than 512 levels. Integers keep the range of std::int64_t and std::uint64_t, the
/// last of repeated members counts.
std::optional<Json> parse_json_body(std::string& text);

/// The pairs of form text (WHATWG URL) as an object of texts; the last of repeated names counts.
Json parse_form_body(std::string_view text);

}  // namespace fw::detail
