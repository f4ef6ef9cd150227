// Reads values of `cors` and `securityHeaders` that may have several JSON types, and checks their
// strings.
#pragma once

#include <fairway/json.hpp>
#include <fairway/protection_config.hpp>

#include <map>
#include <string>

#include "settings/value_checks.hpp"

namespace fw::settings {

// Each `read` function returns false without a change for an invalid value.
bool read_security_header(SecurityHeader& target, const Json& value);
Json write_security_header(const SecurityHeader& value);
bool read_hsts(Hsts& target, const Json& value);
Json write_hsts(const Hsts& value);
bool read_content_security_policy(ContentSecurityPolicy& target, const Json& value);
Json write_content_security_policy(const ContentSecurityPolicy& value);

ValueErrors cors_origin_errors(const Texts& origins);
ValueErrors cors_method_errors(const Texts& methods);
ValueErrors cors_header_errors(const Texts& names);
ValueErrors security_header_errors(const SecurityHeader& header);
ValueErrors content_security_policy_errors(const ContentSecurityPolicy& csp);
ValueErrors added_header_errors(const std::map<std::string, std::string>& headers);
ValueErrors hsts_errors(const Hsts& hsts);

}  // namespace fw::settings
