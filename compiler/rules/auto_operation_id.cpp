// [auto-operation-id]
#include <fmt/format.h>

#include "rules/lints.hpp"

namespace fairway::rules {

void lint_auto_operation_id(const LintedRoute& route, Reporter& reporter) {
  const model::Route& resolved = *route.route;
  if (resolved.docs.hidden || !resolved.operation_id_inferred) return;
  // An explicit id would be repeated by every file that re-exports the route.
  if (!route.is_served_once) return;
  reporter.report(
      rules::auto_operation_id,
      fmt::format("the operation id '{}' is inferred, and changes with the path",
                  resolved.operation_id),
      route.range_for("docs"),
      fmt::format("keep it with '.docs = {{.operation_id = \"{}\"}}', or choose another one",
                  resolved.operation_id));
}

}  // namespace fairway::rules
