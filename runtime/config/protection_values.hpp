// The JSON forms of values of `cors` and `securityHeaders` that are more than one JSON type, and
// what the strings of these and of `multipart` must be.
#pragma once

#include <fairway/json.hpp>
#include <fairway/protection_config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fw::detail {

// Each `read` returns false, and sets nothing, for a value of another form.
bool read_security_header(SecurityHeader& target, const Json& value);
Json write_security_header(const SecurityHeader& value);
bool read_hsts(Hsts& target, const Json& value);
Json write_hsts(const Hsts& value);
bool read_content_security_policy(ContentSecurityPolicy& target, const Json& value);
Json write_content_security_policy(const ContentSecurityPolicy& value);

/// What is wrong with one member: "origins", "'a' is not an origin; …".
struct ValueError {
  std::string member;
  std::string message;
};

/// Of the configuration, or of a route's settings merged over it.
std::vector<ValueError> cors_errors(const CorsConfig& config);
std::vector<ValueError> security_header_errors(const SecurityHeadersConfig& config);

/// Whether uploads can be of this type: "image/png", "image/*".
bool is_media_type(std::string_view text);

}  // namespace fw::detail
