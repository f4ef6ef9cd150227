// Route options as the conformance cases write them (in JSON names), as the front end
// would have resolved them from C++.
#pragma once

#include <nlohmann/json.hpp>

#include "model/value.hpp"

namespace fairway::testing {

/// A record of RouteOptions. Members are in the order of the JSON.
model::Value reference_options(const nlohmann::ordered_json& options);

}  // namespace fairway::testing
