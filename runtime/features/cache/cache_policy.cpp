#include "features/cache/cache_policy.hpp"

#include <fairway/config.hpp>

#include <algorithm>

namespace fw::detail {

using std::chrono::milliseconds;

milliseconds cache_ttl(const Route& route, const CacheConfig& config) {
  const auto& options = route.options.cache.options();
  if (!config.enabled || !options) return milliseconds(0);
  const milliseconds ttl(options->ttl ? options->ttl->count() : 0);
  return ttl.count() != 0 ? ttl : milliseconds(config.default_ttl);
}

bool caches_method(const RouteCacheOptions& options, std::string_view method) {
  const auto& methods = options.methods;
  if (methods.empty()) return method == "GET" || method == "HEAD";
  return std::any_of(methods.begin(), methods.end(),
                     [&](const Text& each) { return each.str() == method; });
}

}  // namespace fw::detail
