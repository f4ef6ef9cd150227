// The chains of stages, in processing order.
#pragma once

#include "chain/stage.hpp"

namespace fw::detail {

/// The stages before the route is looked up.
Stages compose_arrival(const StageContext& context);
/// The stages after the lookup that the route's declaration and the configuration enable.
Stages compose_route(const StageContext& context);
/// The stages of a preflight for the route; empty if CORS is disabled for it.
Stages compose_preflight(const StageContext& context);

}  // namespace fw::detail
