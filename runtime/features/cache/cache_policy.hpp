// Which responses of a route are cached, decided in one place.
#pragma once

#include <chrono>
#include <string_view>

#include "exchange/route.hpp"

namespace fw {
struct CacheConfig;
}

namespace fw::detail {

/// The time to live of the route's responses; not positive if they are not cached.
std::chrono::milliseconds cache_ttl(const Route& route, const CacheConfig& config);

/// Whether the options cache responses to a method; HEAD belongs to the route for GET.
bool caches_method(const RouteCacheOptions& options, std::string_view method);

}  // namespace fw::detail
