// [cache-on-unsafe-method]
#include <fmt/format.h>

#include <algorithm>

#include "base/methods.hpp"
#include "model/value_members.hpp"
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
using model::Value;

void lint_cache_on_unsafe_method(const LintedRoute& route, Reporter& reporter) {
  const std::string& method = route.route->method;
  if (fw::base::is_safe(method)) return;
  const model::Member* cache = route.active_cache();
  if (!cache) return;

  const Value* methods = member_value(cache->value, "methods");
  if (route.effective_cache()) {
    reporter.report(
        rules::cache_on_unsafe_method,
        fmt::format("a cached response is sent without running the handler of a {} request",
                    method),
        std::ranges::find(methods->items, method, &Value::text)->range,
        "remove the method, unless the handler only reads data");
    return;
  }
  reporter.report(
      rules::cache_on_unsafe_method,
      fmt::format("'cache' has no effect on a {} route{}", method,
                  methods && !methods->items.empty() ? ": 'cache.methods' does not name it"
                                                     : ": only GET and HEAD are cached"),
      cache->name_range, "remove it");
}

}  // namespace fairway::rules
