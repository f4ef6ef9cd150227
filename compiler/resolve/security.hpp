// Who may call a route, as far as its declaration says.
#pragma once

#include "model/application.hpp"
#include "model/openapi_options.hpp"

namespace fairway::resolve {

/// Whether the guard can respond with 401 and 403.
bool is_guarded(const model::Route& route);

/// The `security` of an operation; `[]` if it is public.
model::Json operation_security(const model::Route& route, const model::OpenApiOptions& options);

/// Whether requests of the route need a CSRF token.
bool needs_csrf_token(const model::Route& route, const model::AppSettings& settings);

}  // namespace fairway::resolve
