// The single lints. Each has a file of its own, named after its id.
#pragma once

#include <string>
#include <vector>

#include "check/linted_route.hpp"
#include "check/reporter.hpp"
#include "model/application.hpp"
#include "model/diagnostic.hpp"

namespace fairway::check {

/// [missing-docs-summary] A documented route has a summary.
void lint_missing_docs_summary(const LintedRoute& route, Reporter& reporter);

/// [auto-operation-id] The operation id of a documented route is written.
void lint_auto_operation_id(const LintedRoute& route, Reporter& reporter);

/// [undeclared-input] What a handler asks for by name is declared.
void lint_undeclared_input(const LintedRoute& route, Reporter& reporter);

/// [missing-response-schema] A route that answers JSON declares what.
void lint_missing_response_schema(const LintedRoute& route, Reporter& reporter);

/// [undeclared-status] A route that declares responses declares every status that it sends.
void lint_undeclared_status(const LintedRoute& route, Reporter& reporter);

/// [body-on-get] A method whose bodies are not parsed declares none.
void lint_body_on_get(const LintedRoute& route, Reporter& reporter);

/// [cache-on-unsafe-method] Only routes that change nothing are cached.
void lint_cache_on_unsafe_method(const LintedRoute& route, Reporter& reporter);

/// [auth-differs-from-siblings] Among guarded routes, an unguarded one says so.
void lint_auth_differs_from_siblings(const LintedFile& file, model::Diagnostics& diagnostics);

/// [ignored-route-file] C++ files below routes/ are route files; `files` are those with an ending
/// that is not '.cpp'.
void lint_ignored_route_files(const std::vector<std::string>& files,
                              model::Diagnostics& diagnostics);

/// [shadowed-route] Some request reaches each route.
void lint_shadowed_routes(const model::Application& application, model::Diagnostics& diagnostics);

}  // namespace fairway::check
