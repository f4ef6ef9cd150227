#include <algorithm>

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

Json operation_security(const model::Route& route, const OpenApiOptions& options) {
  return fw::schema::operation_security(declaration_of(route), options.guard_security,
                                        options.auth_schemes);
}

void add_security_schemes(const Json& security, const OpenApiOptions& options, Json& schemes) {
  const Json& described = options.security_schemes;
  for (const Json& requirement : security) {
    for (const auto& [name, scopes] : requirement.items()) {
      if (schemes.contains(name)) continue;
      schemes[name] = described.contains(name) ? described[name]
                                               : fw::schema::default_security_scheme(
                                                     name, options.settings.session_cookie);
    }
  }
}

bool needs_csrf_token(const model::Route& route, const model::AppSettings& settings) {
  const auto& methods = settings.csrf_methods;
  return settings.checks_csrf && std::ranges::find(methods, route.method) != methods.end() &&
         route.options.value("csrf", true);
}

}  // namespace fairway::emit
