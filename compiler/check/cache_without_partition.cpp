// [cache-without-partition]
#include "check/linted_route.hpp"
#include "check/lints.hpp"
#include "check/members.hpp"

namespace fairway::check {

void lint_cache_without_partition(const LintedRoute& route, Reporter& reporter) {
  const model::Member* cache = route.active_cache();
  if (!cache || !is_safe(route.route->method) || !route.route->auth.guards()) return;
  if (find_member(cache->value, "partition_key")) return;
  if (flag_member(cache->value, "allow_authorization_cache").value_or(false)) return;
  model::Diagnostic& diagnostic = reporter.report(
      rules::cache_without_partition,
      "nothing is cached: the route requires authentication, and its cache has no partition",
      cache->name_range,
      "add 'partition_key', or 'allow_authorization_cache' if the response is the same for all");
  if (const model::Member* auth = route.option("auth")) {
    diagnostic.notes.push_back({"authentication is required here", auth->name_range});
  }
}

}  // namespace fairway::check
