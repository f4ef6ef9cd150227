// The CORS settings of a route, and the recognition of preflights.
#pragma once

#include <fairway/config.hpp>
#include <fairway/route_options.hpp>

#include <optional>
#include <string_view>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// The global configuration with the overrides of the route.
CorsConfig merge_cors(const CorsConfig& global, const CorsOverride& route);

/// The method that a preflight announces (Fetch standard: CORS-preflight request); empty for other
/// requests.
std::optional<std::string_view> announced_method(Exchange& exchange);

}  // namespace fw::detail
