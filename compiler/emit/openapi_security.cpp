#include "emit/openapi_parts.hpp"
#include "schema/operation_security.hpp"

namespace fairway::emit {
namespace {

using model::AuthKind;
using model::Json;

fw::schema::SecurityDeclaration declaration_of(const model::Route& route) {
  fw::schema::SecurityDeclaration declaration{
      .documented = route.docs.security,
      .auth_disabled = route.auth.kind == AuthKind::disabled,
      .guarded = is_guarded(route),
      .required = route.auth.required,
      .has_rules = route.auth.has_rules,
      .auth_security = route.auth.security,
      .middlewares = {}};
  for (const auto& reference : route.middlewares) {
    declaration.middlewares.emplace_back(reference.name);
  }
  return declaration;
}

}  // namespace

bool is_guarded(const model::Route& route) {
  return route.auth.kind == AuthKind::required || route.auth.kind == AuthKind::requirement;
}

Json operation_security(const model::Route& route,
                        const std::map<std::string, std::string>& guard_security) {
  return fw::schema::operation_security(declaration_of(route), guard_security);
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
