// Dates in header fields (RFC 9110, 5.6.7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fw::http {

/// "Sun, 06 Nov 1994 08:49:37 GMT", of seconds since 1970.
std::string format_http_date(std::int64_t seconds);

/// Seconds since 1970 of a date in one of the three formats; nothing for anything else.
std::optional<std::int64_t> parse_http_date(std::string_view text);

}  // namespace fw::http
