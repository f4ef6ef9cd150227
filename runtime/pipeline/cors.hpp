// Cross-origin requests: the settings of a route, and how a preflight is recognised.
#pragma once

#include <fairway/config.hpp>
#include <fairway/route_options.hpp>

#include <optional>
#include <string_view>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// The global configuration with what the route declares instead.
CorsConfig merge_cors(const CorsConfig& global, const CorsOverride& route);

/// The method that a preflight announces (Fetch standard: CORS-preflight request); nothing for
/// another request.
std::optional<std::string_view> announced_method(Exchange& exchange);

}  // namespace fw::detail
