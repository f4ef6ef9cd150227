#include <algorithm>

#include "emit/openapi_parts.hpp"
#include "schema/operation_security.hpp"

namespace fairway::emit {

using model::Json;

void add_security_schemes(const Json& security, const model::OpenApiOptions& options,
                          Json& schemes) {
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
