// Which responses of a route are cached, decided in one place.
#pragma once

#include <fairway/config.hpp>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "exchange/route.hpp"

namespace fw::detail {

/// The time to live of the route's responses; not positive if they are not cached.
inline std::chrono::milliseconds cache_ttl(const Route& route, const CacheConfig& config) {
  const auto& options = route.options.cache.options();
  if (!config.enabled || !options) return std::chrono::milliseconds(0);
  const std::chrono::milliseconds ttl(options->ttl ? options->ttl->count() : 0);
  return ttl.count() != 0 ? ttl : std::chrono::milliseconds(config.default_ttl);
}

/// Whether the options cache responses to a method; HEAD belongs to the route for GET.
inline bool caches_method(const RouteCacheOptions& options, std::string_view method) {
  const auto& methods = options.methods;
  if (methods.empty()) return method == "GET" || method == "HEAD";
  return std::any_of(methods.begin(), methods.end(),
                     [&](const Text& each) { return each.str() == method; });
}

}  // namespace fw::detail
