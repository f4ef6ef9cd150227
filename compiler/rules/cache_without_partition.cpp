// [cache-without-partition]
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {

void lint_cache_without_partition(const LintedRoute& route, Reporter& reporter) {
  const model::Member* cache = route.effective_cache();
  if (!cache || !route.bypasses(*cache)) return;
  model::Diagnostic& diagnostic = reporter.report(
      rules::cache_without_partition,
      "nothing is cached: the route requires authentication, and its cache has no partition",
      cache->name_range,
      "add 'partition_key', or 'allow_authorization_cache' if the response is the same for all");
  if (const model::Member* auth = route.option("auth")) {
    diagnostic.notes.push_back({"authentication is required here", auth->name_range});
  }
}

}  // namespace fairway::rules
