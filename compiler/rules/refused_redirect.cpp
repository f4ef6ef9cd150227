// [refused-redirect]
#include <fmt/format.h>

#include "rules/lints.hpp"

namespace fairway::rules {

void lint_refused_redirect(const LintedRoute& route, Reporter& reporter) {
  for (const model::RefusedRedirect& each : route.registration->handler.refused_redirects) {
    reporter.report(rules::refused_redirect,
                    fmt::format("'res.redirect' throws for status {}", each.status), each.range,
                    "use 301, 302, 307 or 308, or leave the status out for 302");
  }
}

}  // namespace fairway::rules
