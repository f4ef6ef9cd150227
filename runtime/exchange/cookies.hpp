// Cookie and Set-Cookie fields (RFC 6265).
#pragma once

#include <fairway/fields.hpp>
#include <fairway/response.hpp>

#include <string>
#include <string_view>

namespace fw::detail {

/// Adds the pairs of a Cookie field: values percent-decoded where they can be, the first of
/// repeated names counts, pairs without a name or `=` are skipped.
void parse_cookies(std::string_view field, TextMap& cookies);

/// A Set-Cookie value; the cookie's value is percent-encoded where it must be. Throws
/// std::invalid_argument for a name, path or domain that a cookie cannot have.
std::string format_cookie(std::string_view name, std::string_view value,
                          const CookieOptions& options);

}  // namespace fw::detail
