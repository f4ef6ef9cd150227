// [csrf-on-safe-method]
#include <fmt/format.h>

#include <algorithm>

#include "base/methods.hpp"
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {

void lint_csrf_on_safe_method(const LintedRoute& route, Reporter& reporter) {
  const std::string& method = route.route->method;
  const auto& checked = route.settings->config.csrf.methods;
  if (!fw::base::is_safe(method) || std::ranges::find(checked, method) != checked.end()) return;
  const model::Member* csrf = route.option("csrf");
  if (!csrf || csrf->value.kind != model::Value::Kind::boolean) return;
  reporter.report(
      rules::csrf_on_safe_method,
      fmt::format("'csrf = false' has no effect on a {} route: its requests need no token", method),
      csrf->name_range, "remove it, or register the route with 'post' if it changes something");
}

}  // namespace fairway::rules
