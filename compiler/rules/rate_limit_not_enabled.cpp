// [rate-limit-not-enabled]
#include "model/value_members.hpp"
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {

void lint_rate_limit_not_enabled(const LintedRoute& route, Reporter& reporter) {
  if (!route.settings->is_known || route.settings->config.rate_limit.enabled) return;
  const model::Member* overrides = route.option("override_");
  const model::Member* limit = overrides ? find_member(overrides->value, "rate_limit") : nullptr;
  // `false` declares that the route is not limited.
  if (!limit || limit->value.kind != model::Value::Kind::record) return;
  reporter.report(rules::rate_limit_not_enabled,
                  "the requests of the route are not limited: the configuration enables no rate "
                  "limiter",
                  limit->name_range, "set 'rateLimit.enabled' in the configuration");
}

}  // namespace fairway::rules
