#include "resolve/security.hpp"

#include <algorithm>

#include "schema/operation_security.hpp"

namespace fairway::resolve {
namespace {

using model::AuthKind;
using model::Json;

fw::schema::SecurityDeclaration declaration_of(const model::Route& route) {
  fw::schema::SecurityDeclaration declaration{
      .documented = route.docs.security,
      .auth_disabled = route.auth.kind == AuthKind::disabled,
      .guarded = is_guarded(route),
      .needs = route.auth.needs,
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

Json operation_security(const model::Route& route, const model::OpenApiOptions& options) {
  return fw::schema::operation_security(declaration_of(route), options.guard_security,
                                        options.auth_schemes);
}

bool needs_csrf_token(const model::Route& route, const model::AppSettings& settings) {
  const auto& methods = settings.config.csrf.methods;
  return settings.config.csrf.enabled &&
         std::ranges::find(methods, route.method) != methods.end() &&
         route.options.value("csrf", true);
}

}  // namespace fairway::resolve
