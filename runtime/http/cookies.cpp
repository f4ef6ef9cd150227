#include "http/cookies.hpp"

#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/cookie_attribute.hpp"
#include "base/url_encoding.hpp"

namespace fw::http {
namespace {

// RFC 6265 cookie-octet, without letters, digits and the percent sign that marks our encoding.
constexpr std::string_view kCookieSafe = "!#$&'()*+-./:<=>?@[]^_`{|}~";

void require_attribute(std::string_view attribute, std::string_view value) {
  if (!base::is_cookie_attribute(value)) {
    throw std::invalid_argument("a cookie's " + std::string(attribute) + " cannot be '" +
                                std::string(value) + "'");
  }
}

bool has_prefix(std::string_view name, std::string_view prefix) {
  return base::equal_ignoring_case(name.substr(0, prefix.size()), prefix);
}

/// Browsers silently drop such cookies (RFC 6265bis, 4.1.3 and 5.7; CHIPS).
void require_what_browsers_keep(std::string_view name, const CookieOptions& options) {
  const auto require = [&](bool is_met, std::string_view what, std::string_view rule) {
    if (is_met) return;
    throw std::invalid_argument("the cookie '" + std::string(name) + "' " + std::string(what) +
                                ", and browsers drop it: " + std::string(rule));
  };
  const bool is_host = has_prefix(name, "__Host-");
  require(options.secure || options.same_site != SameSite::none, "has SameSite=None without Secure",
          "set secure");
  require(options.secure || !options.partitioned, "is Partitioned without Secure", "set secure");
  require(options.secure || !(is_host || has_prefix(name, "__Secure-")),
          "has a prefix that requires Secure", "set secure");
  require(!is_host || (options.path == "/" && options.domain.empty()),
          "has the prefix __Host- with a domain, or a path that is not \"/\"",
          "remove them, or the prefix");
}

std::string_view same_site_name(SameSite value) {
  switch (value) {
    case SameSite::strict:
      return "Strict";
    case SameSite::lax:
      return "Lax";
    default:
      return "None";
  }
}

/// Calls `visit` for the name and the encoded value of each cookie.
template <class Visit>
void for_each_cookie(std::string_view field, Visit visit) {
  base::for_each_token(field, ';', [&](std::string_view pair) {
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view name = base::trim_ows(pair.substr(0, equals));
    if (!name.empty()) visit(name, base::trim_ows(pair.substr(equals + 1)));
  });
}

/// What distinguishes a cookie from others of a client (RFC 6265, 5.3; CHIPS).
struct CookieIdentity {
  std::string_view name;
  std::string_view domain = {};
  std::string_view path = {};
  bool is_partitioned = false;
};

CookieIdentity identity_of(std::string_view line) {
  const std::string_view pair = line.substr(0, line.find(';'));
  CookieIdentity identity{.name = base::trim_ows(pair.substr(0, pair.find('=')))};
  base::for_each_token(line.substr(pair.size()), ';', [&](std::string_view attribute) {
    const auto equals = attribute.find('=');
    const std::string_view name = base::trim_ows(attribute.substr(0, equals));
    std::string_view value;
    if (equals != std::string_view::npos) value = base::trim_ows(attribute.substr(equals + 1));
    // Of repeated attributes, the last one counts.
    if (base::equal_ignoring_case(name, "domain")) {
      identity.domain = value.substr(value.starts_with('.') ? 1 : 0);
    } else if (base::equal_ignoring_case(name, "path")) {
      identity.path = value;
    } else if (base::equal_ignoring_case(name, "partitioned")) {
      identity.is_partitioned = true;
    }
  });
  return identity;
}

std::string decode_value(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  if (value.find('%') == std::string_view::npos) return std::string(value);
  auto decoded = base::decode_path(value);
  return decoded ? std::move(*decoded) : std::string(value);
}

}  // namespace

void parse_cookies(std::string_view field, TextMap& cookies) {
  for_each_cookie(field, [&](std::string_view name, std::string_view value) {
    cookies.insert(std::string(name), decode_value(value));
  });
}

std::optional<std::string> find_cookie(std::string_view field, std::string_view name) {
  std::optional<std::string_view> found;
  for_each_cookie(field, [&](std::string_view each, std::string_view value) {
    if (!found && each == name) found = value;
  });
  if (!found) return std::nullopt;
  return decode_value(*found);
}

std::string format_cookie(std::string_view name, std::string_view value,
                          const CookieOptions& options) {
  if (!base::is_token(name)) {
    throw std::invalid_argument("'" + std::string(name) + "' is not a valid cookie name");
  }
  require_what_browsers_keep(name, options);
  require_attribute("path", options.path);
  require_attribute("domain", options.domain);
  require_attribute("priority", options.priority);
  std::string text(name);
  text += '=';
  text += base::percent_encode(value, kCookieSafe);
  if (options.max_age) text += "; Max-Age=" + std::to_string(*options.max_age);
  if (!options.domain.empty()) text += "; Domain=" + options.domain;
  if (!options.path.empty()) text += "; Path=" + options.path;
  if (options.secure) text += "; Secure";
  if (options.http_only) text += "; HttpOnly";
  if (options.same_site != SameSite::unset) {
    text += "; SameSite=";
    text += same_site_name(options.same_site);
  }
  if (!options.priority.empty()) text += "; Priority=" + options.priority;
  if (options.partitioned) text += "; Partitioned";
  return text;
}

bool set_same_cookie(std::string_view a, std::string_view b) {
  const CookieIdentity first = identity_of(a);
  const CookieIdentity second = identity_of(b);
  return first.name == second.name && first.path == second.path &&
         base::equal_ignoring_case(first.domain, second.domain) &&
         first.is_partitioned == second.is_partitioned;
}

CookieOptions configured_cookie(std::string_view name, const CookieConfig& config, bool is_https,
                                std::optional<std::int64_t> standard_max_age) {
  const bool demands_secure = config.same_site == SameSite::none || config.partitioned ||
                              has_prefix(name, "__Host-") || has_prefix(name, "__Secure-");
  CookieOptions options{
      .path = config.path,
      .domain = config.domain,
      .max_age = config.max_age ? config.max_age : standard_max_age,
      .secure = config.secure == CookieSecure::always ||
                (config.secure == CookieSecure::automatic && (is_https || demands_secure)),
      .http_only = config.http_only,
      .same_site = config.same_site,
      .priority = config.priority,
      .partitioned = config.partitioned};
  if (options.max_age == 0) options.max_age.reset();
  return options;
}

}  // namespace fw::http
