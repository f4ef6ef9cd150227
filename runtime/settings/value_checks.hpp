// What is wrong with values of the right type. The table of keys assigns a check to a key whose
// kind says too little. What involves several keys is in config/config_errors.cpp.
#pragma once

#include <fairway/config.hpp>

#include <map>
#include <string>
#include <vector>

namespace fw::settings {

/// An error in a value, or in a part of it.
struct ValueError {
  std::string pointer;  ///< from the value to the part, such as "/0/name"; empty for the value
  std::string message;  ///< "'a' is not an origin; …"
};
using ValueErrors = std::vector<ValueError>;

using Texts = std::vector<std::string>;

ValueErrors header_size_errors(const ByteSize& size);
ValueErrors socket_path_errors(const std::string& path);
ValueErrors literal_path_errors(const std::string& path);
/// Of requests.
ValueErrors request_path_errors(const Texts& paths);

ValueErrors header_name_errors(const std::string& name);
ValueErrors header_names_errors(const Texts& names);
ValueErrors media_type_errors(const Texts& types);
ValueErrors coding_errors(const Texts& names);
ValueErrors via_errors(const std::string& name);

ValueErrors cookie_name_errors(const std::string& name);
ValueErrors cookie_path_errors(const std::string& path);
ValueErrors cookie_domain_errors(const std::string& domain);
ValueErrors cookie_priority_errors(const std::string& priority);

ValueErrors csrf_secret_errors(const std::string& secret);
ValueErrors csrf_method_errors(const Texts& methods);
/// Each must be the origin of a page.
ValueErrors page_origin_errors(const Texts& origins);
ValueErrors csrf_origin_errors(const CsrfOriginConfig& origin);
ValueErrors admin_token_errors(const std::string& token);

ValueErrors collector_url_errors(const std::string& url);
ValueErrors collector_header_errors(const std::map<std::string, std::string>& headers);

ValueErrors tls_host_errors(const std::map<std::string, TlsCertificateConfig>& hosts);
ValueErrors redis_url_errors(const std::string& url);
ValueErrors static_file_errors(const std::vector<StaticConfig>& entries);

/// Errors in names. Base URLs are checked by the client (client/outbound_client.cpp).
ValueErrors proxy_target_errors(const std::vector<FetchProxyTarget>& targets);

ValueErrors cors_origin_errors(const Texts& origins);
ValueErrors cors_method_errors(const Texts& methods);
ValueErrors cors_header_errors(const Texts& names);
ValueErrors security_header_errors(const SecurityHeader& header);
ValueErrors content_security_policy_errors(const ContentSecurityPolicy& csp);
ValueErrors added_header_errors(const std::map<std::string, std::string>& headers);
ValueErrors hsts_errors(const Hsts& hsts);

}  // namespace fw::settings
