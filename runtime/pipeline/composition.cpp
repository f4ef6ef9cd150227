#include <iterator>
#include <span>

#include "chain/features.hpp"
#include "chain/stages.hpp"
#include "pipeline/pipeline.hpp"

namespace fw::detail {
namespace {

using MakeStages = Stages (*)(const StageContext&);

/// A stage of a feature that only some programs contain. `Pipeline::add` reports routes that need
/// another one.
template <auto kFeature, auto kStage>
Stages feature_stage(const StageContext& context) {
  const auto* const feature = context.env.features.*kFeature;
  return feature != nullptr ? (feature->*kStage)(context) : Stages();
}

constexpr MakeStages kMiddlewareReads =
    feature_stage<&Features::cached_routes, &CachedRoutes::middleware_reads_stage>;
constexpr MakeStages kCache = feature_stage<&Features::cached_routes, &CachedRoutes::cache_stage>;
constexpr MakeStages kRenderedPage =
    feature_stage<&Features::page_routes, &PageRoutes::rendered_page_stage>;

constexpr MakeStages kArrival[] = {
    request_id_stage,
    propagated_headers_stage,
    request_start_stage,
};

// The stages of a route in processing order: step 5 of the way of a request
// (docs/internals/architecture.md). Users know the part with middlewares (docs/middlewares.md).
constexpr MakeStages kRoute[] = {
    security_headers_stage,
    cors_stage,
    body_turn_stage,
    body_parser_stage,
    rate_limit_stage,
    multipart_stage,
    access_log_stage,
    compression_stage,
    response_required_stage,
    socket_opening_stage,
    spent_time_stage,
    session_stage,
    kMiddlewareReads,
    global_middleware_stages,
    caller_stage,
    csrf_stage,
    timeout_stage,
};

// The stages after these. If the route has a deadline, none begins after it.
constexpr MakeStages kWithinDeadline[] = {
    route_middleware_stages,
    user_rate_limit_stage,
    route_caller_stage,
    guard_stage,
    validation_stage,
    conditional_stage,
    kCache,
    kRenderedPage,
    handler_stage,
    static_files_stage,
    not_found_stage,
};

void append(Stages& chain, Stages stages) {
  std::move(stages.begin(), stages.end(), std::back_inserter(chain));
}

Stages compose(std::span<const MakeStages> list, const StageContext& context) {
  Stages chain;
  for (const MakeStages make : list) append(chain, make(context));
  return chain;
}

}  // namespace

Stages compose_arrival(const StageContext& context) { return compose(kArrival, context); }

Stages compose_route(const StageContext& context) {
  Stages chain = compose(kRoute, context);
  for (auto& stage : compose(kWithinDeadline, context)) {
    append(chain, time_left_stage(context));
    chain.push_back(std::move(stage));
  }
  return chain;
}

Stages compose_preflight(const StageContext& context) {
  Stages response = preflight_stage(context);
  if (response.empty()) return {};
  Stages chain = security_headers_stage(context);
  append(chain, std::move(response));
  return chain;
}

}  // namespace fw::detail
