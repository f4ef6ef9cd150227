// Web origins (RFC 6454): the scheme, host and port that a page comes from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fw::base {

/// "https://app.example:8443" as browsers write it: in lower case, without the default port of the
/// scheme. Nothing for a string with a path, without a scheme, or with characters that no host has.
std::optional<std::string> parse_origin(std::string_view text);

}  // namespace fw::base
