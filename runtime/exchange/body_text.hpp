// From the bytes of a request body to a JSON value.
#pragma once

#include <fairway/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fw::detail {

/// So many bytes behind its end the parser reads: a text that has not this capacity to spare moves.
inline constexpr std::size_t kBodyPadding = 64;

/// Parses JSON text; nothing when it is none, or is nested deeper than 512 levels. Integers keep
/// their full range, the last of repeated members counts.
std::optional<Json> parse_json_body(std::string& text);

/// The pairs of form text (WHATWG URL) as an object of texts; the last of repeated names counts.
Json parse_form_body(std::string_view text);

}  // namespace fw::detail
