#include "emit/openapi_security.hpp"

namespace fairway::emit {
namespace {

using model::AuthKind;
using model::Json;

constexpr const char* kDefaultScheme = "bearerAuth";

Json one_scheme(const std::string& name) {
  Json requirement;
  requirement[name] = Json::array();
  return Json::array({requirement});
}

Json security_of_middlewares(const model::Route& route,
                             const std::map<std::string, std::string>& guard_security) {
  Json requirement = Json::object();
  for (const auto& reference : route.middlewares) {
    const auto scheme = guard_security.find(reference.name);
    if (scheme != guard_security.end()) requirement[scheme->second] = Json::array();
  }
  return requirement.empty() ? Json::array() : Json::array({requirement});
}

}  // namespace

bool is_guarded(const model::Route& route) {
  return route.auth.kind == AuthKind::required || route.auth.kind == AuthKind::requirement;
}

Json operation_security(const model::Route& route,
                        const std::map<std::string, std::string>& guard_security) {
  if (route.docs.security) return *route.docs.security;
  if (route.auth.kind == AuthKind::disabled) return Json::array();
  if (!is_guarded(route)) return security_of_middlewares(route, guard_security);
  if (!route.auth.required && !route.auth.has_rules) return Json::array();
  return route.auth.security ? *route.auth.security : one_scheme(kDefaultScheme);
}

void add_security_schemes(const Json& security, const Json& described, Json& schemes) {
  for (const Json& requirement : security) {
    for (const auto& [name, scopes] : requirement.items()) {
      if (schemes.contains(name)) continue;
      if (described.contains(name)) {
        schemes[name] = described[name];
        continue;
      }
      schemes[name]["type"] = "http";
      schemes[name]["scheme"] = "bearer";
    }
  }
}

}  // namespace fairway::emit
