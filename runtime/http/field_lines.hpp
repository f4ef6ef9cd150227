// A strict parser for field lines (RFC 9112, 5) in request heads and in trailers of chunked bodies.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/adapter.hpp"

namespace fw::http {

/// Appends the fields of the received lines, each of which ends with CRLF, without the whitespace
/// around values. Rejects folded lines, invalid names and control characters (400), and more than
/// `max_count` fields (431).
std::optional<RequestError> parse_field_lines(std::string_view received, std::size_t max_count,
                                              Fields& fields);

/// Whether a string contains no control characters except tabs.
bool is_field_value(std::string_view value);
bool is_valid_field(std::string_view name, std::string_view value);

}  // namespace fw::http
