// Cookie and Set-Cookie fields (RFC 6265).
#pragma once

#include <fairway/config.hpp>
#include <fairway/cookie_options.hpp>
#include <fairway/fields.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fw::http {

/// Adds the pairs of a Cookie field: values are percent-decoded if possible, the first of repeated
/// names wins, and pairs without a name or `=` are skipped.
void parse_cookies(std::string_view field, TextMap& cookies);

/// The value that `parse_cookies` gives that name.
std::optional<std::string> find_cookie(std::string_view field, std::string_view name);

/// A Set-Cookie value; the value of the cookie is percent-encoded if necessary. Throws
/// std::invalid_argument for an invalid name, path or domain.
std::string format_cookie(std::string_view name, std::string_view value,
                          const CookieOptions& options);

/// Whether two Set-Cookie values set the same cookie: one of the same name, domain and path, and
/// both or none with the attribute Partitioned.
bool set_same_cookie(std::string_view a, std::string_view b);

/// The attributes of the framework's own cookies. `standard_max_age` is the value for "auto" in
/// seconds, or empty for a cookie that ends with the browser session. Secure "auto" follows the
/// protocol of the request, but is always set if browsers reject the cookie without it.
CookieOptions configured_cookie(std::string_view name, const CookieConfig& config, bool is_https,
                                std::optional<std::int64_t> standard_max_age);

}  // namespace fw::http
