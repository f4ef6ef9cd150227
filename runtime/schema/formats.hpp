// The string formats of the DSL. Each function checks the whole string; surrounding spaces are not
// ignored. They follow the RFC of each format, like the JSON Schema test suite.
#pragma once

#include <string_view>

namespace fw::schema {

/// A mailbox of RFC 5321 with a dotted domain; no address literals, ASCII only.
bool is_email(std::string_view text);

/// An absolute `http` or `https` URL by the syntax of RFC 3986, with a host.
bool is_url(std::string_view text);

/// A calendar date `YYYY-MM-DD`.
bool is_date(std::string_view text);

/// A date-time of RFC 3339; the offset is required, a space may replace the `T`.
bool is_datetime(std::string_view text);

/// A time of RFC 3339, `10:20:30` with an optional fraction; the offset is optional.
bool is_time(std::string_view text);

/// A UUID of any version, either case, with hyphens and nothing around it.
bool is_uuid(std::string_view text);

/// Four decimal octets without leading zeros (they read as octal elsewhere).
bool is_ipv4(std::string_view text);

/// An address of RFC 4291, with an optional IPv4 tail; no zone, no brackets.
bool is_ipv6(std::string_view text);

/// A host name of RFC 1123: labels of letters, digits and hyphens, at most 253 characters.
bool is_hostname(std::string_view text);

}  // namespace fw::schema
