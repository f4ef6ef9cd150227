// Reads values of `cors` and `securityHeaders` that may have several JSON types, and checks their
// strings.
#pragma once

#include <fairway/json.hpp>
#include <fairway/protection_config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fw::config {

// Each `read` function returns false without a change for an invalid value.
bool read_security_header(SecurityHeader& target, const Json& value);
Json write_security_header(const SecurityHeader& value);
bool read_hsts(Hsts& target, const Json& value);
Json write_hsts(const Hsts& value);
bool read_content_security_policy(ContentSecurityPolicy& target, const Json& value);
Json write_content_security_policy(const ContentSecurityPolicy& value);

/// An error in a member: "origins", "'a' is not an origin; …".
struct ValueError {
  std::string member;
  std::string message;
};

std::vector<ValueError> cors_errors(const CorsConfig& config);
std::vector<ValueError> security_header_errors(const SecurityHeadersConfig& config);

}  // namespace fw::config
