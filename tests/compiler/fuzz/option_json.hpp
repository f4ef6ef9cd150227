// The options of a route as JSON, once as the program registered them and once as the route
// compiler resolved them: equal when the two agree. Members with their default values are left out.
#pragma once

#include <fairway/json.hpp>

#include <optional>

#include "model/value.hpp"

namespace fw {
struct RouteRecord;
}

namespace fairway::fuzz {

/// Callables are `{"$function": true}`: only whether there is one is known.
fw::Json registered_options(const fw::RouteRecord& record);
fw::Json resolved_options(const std::optional<model::Value>& options);

}  // namespace fairway::fuzz
