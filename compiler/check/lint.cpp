#include "check/lint.hpp"

#include "check/lints.hpp"
#include "diagnostics/report.hpp"

namespace fairway::check {

model::Diagnostics lint(const model::Application& application,
                        const std::vector<model::ParsedFile>& files) {
  const auto linted = linted_files(application, files);
  model::Diagnostics diagnostics;
  for (const LintedFile& file : linted) {
    for (const LintedRoute& route : file.routes) {
      Reporter reporter(diagnostics, route.route->method, route.route->path);
      lint_missing_docs_summary(route, reporter);
      lint_auto_operation_id(route, reporter);
      lint_undeclared_input(route, reporter);
      lint_missing_response_schema(route, reporter);
      lint_undeclared_status(route, reporter);
      lint_body_on_get(route, reporter);
      lint_cache_on_unsafe_method(route, reporter);
    }
    lint_auth_differs_from_siblings(file, diagnostics);
  }
  lint_shadowed_routes(application, diagnostics);
  diagnostics::sort_diagnostics(diagnostics);
  return diagnostics;
}

}  // namespace fairway::check
