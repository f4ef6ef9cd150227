// [middleware-not-listed]
#include <fmt/format.h>

#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {

void lint_middleware_not_listed(const LintedRoute& route, Reporter& reporter) {
  const auto& listed = route.settings->listed_middlewares;
  if (!listed) return;
  for (const model::MiddlewareReference& reference : route.route->middlewares) {
    if (listed->contains(reference.name)) continue;
    reporter.report(
        rules::middleware_not_listed,
        fmt::format("the program does not start: no file of the configuration lists "
                    "the middleware '{}'",
                    reference.name),
        reference.range,
        fmt::format("add \"{}\" to 'middlewares' in config/default.json", reference.name));
  }
}

}  // namespace fairway::rules
