// Cookie and Set-Cookie fields (RFC 6265).
#pragma once

#include <fairway/config.hpp>
#include <fairway/fields.hpp>
#include <fairway/response.hpp>

#include <cstdint>
#include <optional>
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

/// The attributes of the framework's own cookies. `standard_max_age` is what "auto" means: seconds,
/// or nothing for a cookie that ends with the browser. "auto" for Secure is what the protocol says,
/// but always Secure where browsers drop the cookie without it.
CookieOptions configured_cookie(std::string_view name, const CookieConfig& config, bool is_https,
                                std::optional<std::int64_t> standard_max_age);

}  // namespace fw::detail
