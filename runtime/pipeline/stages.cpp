#include "pipeline/stages.hpp"

#include <iterator>
#include <span>

namespace fw::detail {
namespace {

using MakeStages = Stages (*)(const Composition&);

constexpr MakeStages kArrival[] = {
    request_id_stage,
    propagated_headers_stage,
    request_start_stage,
};

// The stages of a route in processing order (docs/middlewares.md).
constexpr MakeStages kRoute[] = {
    security_headers_stage,
    cors_stage,
    body_parser_stage,
    rate_limit_stage,
    multipart_stage,
    access_log_stage,
    compression_stage,
    response_required_stage,
    session_stage,
    middleware_reads_stage,
    global_middleware_stages,
    caller_stage,
    csrf_stage,
    timeout_stage,
    route_middleware_stages,
    user_rate_limit_stage,
    route_caller_stage,
    guard_stage,
    validation_stage,
    conditional_stage,
    cache_stage,
    rendered_page_stage,
    handler_stage,
    static_files_stage,
    not_found_stage,
};

Stages compose(std::span<const MakeStages> list, const Composition& composition) {
  Stages chain;
  for (const MakeStages make : list) {
    Stages stages = make(composition);
    std::move(stages.begin(), stages.end(), std::back_inserter(chain));
  }
  return chain;
}

}  // namespace

Stages compose_arrival(const Composition& composition) { return compose(kArrival, composition); }
Stages compose_route(const Composition& composition) { return compose(kRoute, composition); }

Stages compose_preflight(const Composition& composition) {
  Stages response = preflight_stage(composition);
  if (response.empty()) return {};
  Stages chain = security_headers_stage(composition);
  std::move(response.begin(), response.end(), std::back_inserter(chain));
  return chain;
}

}  // namespace fw::detail
