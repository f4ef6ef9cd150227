#include "settings/value_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/content_codings.hpp"
#include "base/cookie_attribute.hpp"
#include "base/literal_path.hpp"
#include "base/loggable_url.hpp"
#include "base/media_type.hpp"
#include "base/methods.hpp"
#include "base/origin.hpp"
#include "base/redis_url.hpp"
#include "options/option_constraints.hpp"

namespace fw::settings {
namespace {

constexpr std::uint64_t kMinHeaderSize = 1'024;
constexpr std::uint64_t kMaxHeaderSize = 16U << 20U;
constexpr std::size_t kMaxSocketPathLength =
    107;  // the capacity of sockaddr_un without the final zero
constexpr std::size_t kMinSecret = 32;
constexpr std::int64_t kYear = 31'536'000;  // seconds

/// Properties of JavaScript functions. In the JavaScript implementation, targets are properties of
/// a function, and configuration files should work for both.
constexpr std::array<std::string_view, 14> kReservedNames = {
    "__proto__", "apply",       "arguments",      "bind",   "call",
    "caller",    "constructor", "length",         "name",   "hasOwnProperty",
    "prototype", "toString",    "toLocaleString", "valueOf"};

ValueErrors one_error(std::string message) { return {{"", std::move(message)}}; }

/// A message for each text that is not allowed.
template <class Allows, class Message>
ValueErrors errors_of_each(const Texts& texts, const Allows& allows, const Message& message_of) {
  ValueErrors errors;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!allows(texts[i])) errors.push_back({fmt::format("/{}", i), message_of(texts[i])});
  }
  return errors;
}

std::string invalid_header_name(std::string_view name) {
  return fmt::format("'{}' is not a valid header name", name);
}

/// A character of a token in the field Authorization (RFC 6750, 2.1).
bool is_bearer_character(char c) {
  return base::is_alphanumeric(c) || std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

ValueErrors cookie_attribute_errors(std::string_view attribute, const std::string& value) {
  if (base::is_cookie_attribute(value)) return {};
  return one_error(fmt::format("a cookie's {} cannot be '{}'", attribute, value));
}

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), base::is_control);
}

void add_field_value_error(std::string_view value, ValueErrors& errors) {
  if (is_field_value(value)) return;
  errors.push_back({"", "the value of a header must not contain control characters"});
}

void add_directive_errors(const ContentSecurityPolicy& csp, ValueErrors& errors) {
  const auto report = [&](std::string message) { errors.push_back({"", std::move(message)}); };
  if (!csp.policy.empty() && !csp.directives.empty()) {
    report("must have either a policy or directives, not both");
  }
  for (const auto& [name, sources] : csp.directives) {
    const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return base::is_alphanumeric(c) || c == '-';
    });
    if (!is_name) report(fmt::format("'{}' is not the name of a directive", name));
    for (const std::string& source : sources) {
      if (source.find_first_of(";,") == std::string::npos) continue;
      report(fmt::format("'{}' of {} must be one source, without ';' and ','", source, name));
    }
  }
}

/// By the constraints of routes, which may have such lists of their own.
ValueErrors cors_errors(const char* member, const Texts& texts) {
  ValueErrors errors;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const options::Violation& violation :
         options::cors_violations({{member, Texts{texts[i]}}})) {
      errors.push_back({fmt::format("/{}", i), violation.help.empty()
                                                   ? violation.message
                                                   : violation.message + "; " + violation.help});
    }
  }
  return errors;
}

}  // namespace

ValueErrors header_size_errors(const ByteSize& size) {
  const std::uint64_t bytes = size.bytes();
  if (bytes >= kMinHeaderSize && bytes <= kMaxHeaderSize) return {};
  return one_error(fmt::format("expected from 1kb to 16mb, not {} bytes", bytes));
}

ValueErrors socket_path_errors(const std::string& path) {
  if (path.size() <= kMaxSocketPathLength) return {};
  return one_error(fmt::format("'{}' is longer than the {} bytes that a socket's path may have",
                               path, kMaxSocketPathLength));
}

ValueErrors literal_path_errors(const std::string& path) {
  if (base::is_literal_path(path)) return {};
  return one_error(fmt::format("'{}' {}", path, base::kLiteralPathRule));
}

// Other paths have no effect.
ValueErrors request_path_errors(const Texts& paths) {
  return errors_of_each(
      paths, [](const std::string& path) { return path.starts_with('/') || path == "*"; },
      [](const std::string& path) { return fmt::format("'{}' must begin with /", path); });
}

ValueErrors header_name_errors(const std::string& name) {
  if (base::is_token(name)) return {};
  return one_error(invalid_header_name(name));
}

ValueErrors header_names_errors(const Texts& names) {
  return errors_of_each(names, base::is_token, invalid_header_name);
}

ValueErrors media_type_errors(const Texts& types) {
  return errors_of_each(types, base::is_media_range, [](const std::string& type) {
    return fmt::format("'{}' is not a media type", type);
  });
}

ValueErrors coding_errors(const Texts& names) {
  return errors_of_each(
      names,
      [](const std::string& name) {
        return std::ranges::find(base::kContentCodings, name) != base::kContentCodings.end();
      },
      [](const std::string& name) {
        return fmt::format("'{}' is not one of gzip, br and zstd", name);
      });
}

ValueErrors via_errors(const std::string& name) {
  if (name.empty() || base::is_token(name)) return {};
  return one_error(fmt::format("'{}' is not a name of letters, digits, '-', '.' and '_'", name));
}

ValueErrors cookie_name_errors(const std::string& name) {
  if (base::is_token(name)) return {};
  return one_error(fmt::format("'{}' is not a valid cookie name", name));
}

ValueErrors cookie_path_errors(const std::string& path) {
  return cookie_attribute_errors("path", path);
}

ValueErrors cookie_domain_errors(const std::string& domain) {
  return cookie_attribute_errors("domain", domain);
}

ValueErrors cookie_priority_errors(const std::string& priority) {
  return cookie_attribute_errors("priority", priority);
}

ValueErrors csrf_secret_errors(const std::string& secret) {
  if (secret.empty() || secret.size() >= kMinSecret) return {};
  return one_error(fmt::format("it must have {} bytes or more", kMinSecret));
}

ValueErrors csrf_method_errors(const Texts& methods) {
  return errors_of_each(
      methods,
      [](const std::string& method) {
        return !method.empty() && base::find_method(method) == method;
      },
      [](const std::string& method) {
        const std::string_view known = base::find_method(method);
        return known.empty()
                   ? fmt::format("'{}' is not one of {}", method, fmt::join(base::kMethods, ", "))
                   : fmt::format(
                         "'{}' never matches, because methods are case-sensitive: "
                         "write \"{}\"",
                         method, known);
      });
}

ValueErrors page_origin_errors(const Texts& origins) {
  return errors_of_each(origins, base::parse_origin, [](const std::string& text) {
    return fmt::format(
        "'{}' is not an origin: write a scheme and a host, for example "
        "\"https://shop.example.com\"",
        text);
  });
}

ValueErrors csrf_origin_errors(const CsrfOriginConfig& origin) {
  ValueErrors errors = page_origin_errors(origin.trusted_origins);
  for (ValueError& error : errors) error.pointer = "/trustedOrigins" + error.pointer;
  return errors;
}

ValueErrors admin_token_errors(const std::string& token) {
  ValueErrors errors;
  if (!token.empty() && token.size() < kMinSecret) {
    errors.push_back({"", fmt::format("it must have {} characters or more", kMinSecret)});
  }
  if (!std::all_of(token.begin(), token.end(), is_bearer_character)) {
    errors.push_back({"", "it must have letters, digits and the characters -._~+/= only"});
  }
  return errors;
}

ValueErrors collector_url_errors(const std::string& url) {
  const bool has_scheme = url.starts_with("http://") || url.starts_with("https://");
  if (url.empty() || (has_scheme && url.find_first_of("?#") == std::string::npos)) return {};
  return one_error(
      fmt::format("'{}' must be the URL of a collector, such as http://127.0.0.1:4318, without a "
                  "query",
                  base::loggable_url(url)));
}

ValueErrors collector_header_errors(const std::map<std::string, std::string>& headers) {
  ValueErrors errors;
  for (const auto& [name, value] : headers) {
    if (!base::is_token(name)) {
      errors.push_back({"", fmt::format("'{}' is not a valid header name", name)});
    } else if (base::equal_ignoring_case(name, "content-type")) {
      errors.push_back({"", fmt::format("'{}' must not be set: it is application/json", name)});
    } else if (std::any_of(value.begin(), value.end(), base::is_control)) {
      errors.push_back({"", fmt::format("the value of '{}' contains control characters", name)});
    }
  }
  return errors;
}

ValueErrors tls_host_errors(const std::map<std::string, TlsCertificateConfig>& hosts) {
  ValueErrors errors;
  for (const auto& [name, files] : hosts) {
    const std::string_view host = name.starts_with("*.") ? std::string_view(name).substr(2) : name;
    if (!host.empty() && host.find_first_of("*:/ ") == std::string_view::npos) continue;
    errors.push_back({"", fmt::format("'{}' is not a host name such as \"shop.example.com\" or "
                                      "\"*.example.com\"",
                                      name)});
  }
  return errors;
}

ValueErrors redis_url_errors(const std::string& url) {
  try {
    base::parse_redis_url(url);
    return {};
  } catch (const base::RedisUrlError& error) {
    return one_error(error.what());
  }
}

ValueErrors static_file_errors(const std::vector<StaticConfig>& entries) {
  ValueErrors errors;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (base::is_literal_prefix(entries[i].prefix)) continue;
    errors.push_back({fmt::format("/{}/prefix", i),
                      fmt::format("'{}' {}", entries[i].prefix, base::kLiteralPrefixRule)});
  }
  return errors;
}

ValueErrors proxy_target_errors(const std::vector<FetchProxyTarget>& targets) {
  ValueErrors errors;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const FetchProxyTarget& target = targets[i];
    const auto add = [&](std::string_view member, std::string message) {
      errors.push_back({fmt::format("/{}/{}", i, member), std::move(message)});
    };
    if (std::ranges::find(kReservedNames, target.name) != kReservedNames.end()) {
      add("name", fmt::format("'{}' is reserved: choose another name", target.name));
    }
    for (const auto& [name, value] : target.headers) {
      if (!base::is_token(name))
        add("headers", fmt::format("'{}' is not a valid header name", name));
    }
    if (!names.insert(target.name).second) {
      add("name", fmt::format("there is another target '{}'", target.name));
    }
  }
  return errors;
}

ValueErrors cors_origin_errors(const Texts& origins) { return cors_errors("origins", origins); }

ValueErrors cors_method_errors(const Texts& methods) { return cors_errors("methods", methods); }

ValueErrors cors_header_errors(const Texts& names) { return cors_errors("headers", names); }

ValueErrors security_header_errors(const SecurityHeader& header) {
  ValueErrors errors;
  add_field_value_error(header.value(), errors);
  return errors;
}

ValueErrors content_security_policy_errors(const ContentSecurityPolicy& csp) {
  ValueErrors errors;
  add_field_value_error(csp.policy, errors);
  for (const auto& [name, sources] : csp.directives) {
    for (const std::string& source : sources) add_field_value_error(source, errors);
  }
  add_directive_errors(csp, errors);
  return errors;
}

ValueErrors added_header_errors(const std::map<std::string, std::string>& headers) {
  ValueErrors errors;
  for (const auto& [name, value] : headers) {
    if (!base::is_token(name)) {
      errors.push_back({"", fmt::format("'{}' is not the name of a header", name)});
    }
    add_field_value_error(value, errors);
  }
  return errors;
}

ValueErrors hsts_errors(const Hsts& hsts) {
  const HstsOptions& options = hsts.options();
  if (!options.preload || (options.include_subdomains && options.max_age >= kYear)) return {};
  return {
      {"", fmt::format("preload requires includeSubDomains, and a maxAge of at least {}", kYear)}};
}

}  // namespace fw::settings
