// The CORS settings of a route, and the recognition of preflights.
#pragma once

#include <optional>
#include <string_view>

#include "chain/stage.hpp"
#include "exchange/exchange.hpp"

namespace fw::detail {

bool allows_any(const CorsConfig& config);

/// What all responses of a route have in Vary, because caches must know that responses to requests
/// without Origin lack the CORS fields; empty if CORS is disabled for it.
std::string_view vary_of_cors(const StageContext& context);

/// The method that a preflight announces (Fetch standard: CORS-preflight request); empty for other
/// requests.
std::optional<std::string_view> announced_method(Exchange& exchange);

}  // namespace fw::detail
