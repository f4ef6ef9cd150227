// [missing-docs-summary]
#include "rules/lints.hpp"

namespace fairway::rules {

void lint_missing_docs_summary(const LintedRoute& route, Reporter& reporter) {
  const model::Documentation& docs = route.route->docs;
  if (docs.hidden || !docs.summary.empty()) return;
  reporter.report(rules::missing_docs_summary, "the route has no 'docs.summary'",
                  route.range_for("docs"),
                  "write '.docs = {.summary = \"…\"}', or '.docs = {.hidden = true}' for a route "
                  "that is not documented");
}

}  // namespace fairway::rules
