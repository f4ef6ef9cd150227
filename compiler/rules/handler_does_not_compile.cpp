// [handler-does-not-compile]
#include <fmt/format.h>

#include "rules/lints.hpp"

namespace fairway::rules {

void lint_handler_does_not_compile(const LintedRoute& route, Reporter& reporter) {
  const auto& error = route.registration->handler.compile_error;
  if (!error) return;
  reporter.report(rules::handler_does_not_compile,
                  fmt::format("the handler does not compile: {}", error->message), error->range,
                  "until it compiles, the document and the clients may lack what it sends; move "
                  "code that only GCC compiles to a function of another file");
}

model::Diagnostics undocumented_handlers(const model::Application& application,
                                         const std::vector<model::ParsedFile>& files) {
  const model::AppSettings none;
  model::Diagnostics found;
  for (const LintedFile& file : linted_files(application, files, none)) {
    for (const LintedRoute& route : file.routes) {
      if (route.route->docs.hidden) continue;
      Reporter reporter(found, route.route->method, route.route->path);
      lint_handler_does_not_compile(route, reporter);
    }
  }
  return found;
}

}  // namespace fairway::rules
