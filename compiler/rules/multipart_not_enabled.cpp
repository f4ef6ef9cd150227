// [multipart-not-enabled]
#include "base/methods.hpp"
#include "model/value_members.hpp"
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {

void lint_multipart_not_enabled(const LintedRoute& route, Reporter& reporter) {
  if (route.settings->config.multipart.enabled || fw::base::is_safe(route.route->method) ||
      route.route->files.empty()) {
    return;
  }
  const model::Member* multipart = route.option("multipart");
  if (!multipart || find_member(multipart->value, "enabled")) return;
  reporter.report(rules::multipart_not_enabled,
                  "these files are documented but not parsed: 'req.files()' is empty",
                  multipart->name_range,
                  "add '.enabled = true', or '.enabled = false' if a middleware parses the form");
}

}  // namespace fairway::rules
