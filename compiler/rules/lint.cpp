#include "diagnostics/report.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {

model::Diagnostics lint(const model::Application& application,
                        const std::vector<model::ParsedFile>& files,
                        const model::AppSettings& settings) {
  const auto linted = linted_files(application, files, settings);
  model::Diagnostics diagnostics;
  for (const Lint& lint : kLints) {
    for (const LintedFile& file : linted) {
      if (lint.of_file) lint.of_file(file, diagnostics);
      if (!lint.of_route) continue;
      for (const LintedRoute& route : file.routes) {
        Reporter reporter(diagnostics, route.route->method, route.route->path);
        lint.of_route(route, reporter);
      }
    }
    if (lint.of_application) lint.of_application(application, diagnostics);
  }
  diagnostics::sort_diagnostics(diagnostics);
  return diagnostics;
}

}  // namespace fairway::rules
