// [handler-does-not-compile]
#include <fmt/format.h>

#include "rules/lints.hpp"
#include "rules/nolint.hpp"

namespace fairway::rules {

void lint_handler_does_not_compile(const LintedRoute& route, Reporter& reporter) {
  const auto& error = route.registration->handler.compile_error;
  if (!error) return;
  if (!error->help.empty()) {
    reporter.report(rules::handler_does_not_compile,
                    fmt::format("the handler does not compile: {}", error->message), error->range,
                    error->help);
    return;
  }
  reporter.report(rules::handler_does_not_compile,
                  fmt::format("the handler does not compile: {}", error->message), error->range,
                  "until it compiles, the document and the clients may lack what it sends; move "
                  "code that only GCC compiles to a function of another file, or accept what they "
                  "lack with NOLINT(handler-does-not-compile) or in .fairway.json");
}

UndocumentedHandlers undocumented_handlers(const model::Application& application,
                                           const std::vector<model::ParsedFile>& files,
                                           const std::function<LintSettings()>& settings,
                                           diagnostics::SourceText& sources) {
  const model::AppSettings none;
  UndocumentedHandlers handlers;
  for (const LintedFile& file : linted_files(application, files, none)) {
    for (const LintedRoute& route : file.routes) {
      if (route.route->docs.hidden) continue;
      Reporter reporter(handlers.findings, route.route->method, route.route->path);
      lint_handler_does_not_compile(route, reporter);
    }
  }
  const std::size_t all = handlers.findings.size();
  if (all == 0) return handlers;
  if (settings().severity_of(rules::handler_does_not_compile.id)) {
    remove_suppressed(handlers.findings, sources);
  } else {
    handlers.findings.clear();
  }
  handlers.suppressed = all - handlers.findings.size();
  return handlers;
}

}  // namespace fairway::rules
