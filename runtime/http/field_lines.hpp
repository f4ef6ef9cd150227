// The field lines of a message, strictly (RFC 9112, 5): of a request head and of a chunked body's
// trailer.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/adapter.hpp"

namespace fw::http {

/// Appends the fields of `lines`, each ended by CRLF, as sent, without the blanks around values.
/// Refuses folded lines, bad names and control characters (400) and more than `max_count` (431).
std::optional<RequestError> parse_field_lines(std::string_view lines, std::size_t max_count,
                                              Fields& fields);

/// Free of control characters other than the tab.
bool is_field_value(std::string_view value);

}  // namespace fw::http
