// The stages in processing order. The function that creates a stage is in the file of the stage.
#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/stage.hpp"

namespace fw::detail {

/// The stages before the route is looked up.
Stages compose_arrival(const Composition& composition);
/// The stages after the lookup that the route's declaration and the configuration enable.
Stages compose_route(const Composition& composition);
/// The stages of a preflight for the route; empty if CORS is disabled for it.
Stages compose_preflight(const Composition& composition);

Stages request_id_stage(const Composition& composition);
Stages propagated_headers_stage(const Composition& composition);
Stages request_start_stage(const Composition& composition);
Stages security_headers_stage(const Composition& composition);
Stages cors_stage(const Composition& composition);
Stages preflight_stage(const Composition& composition);
Stages body_parser_stage(const Composition& composition);
Stages rate_limit_stage(const Composition& composition);
Stages multipart_stage(const Composition& composition);
Stages access_log_stage(const Composition& composition);
Stages compression_stage(const Composition& composition);
Stages response_required_stage(const Composition& composition);
Stages session_stage(const Composition& composition);
Stages middleware_reads_stage(const Composition& composition);
Stages global_middleware_stages(const Composition& composition);
/// Tells code that has no access to the request who makes it.
Stages caller_stage(const Composition& composition);
Stages csrf_stage(const Composition& composition);
Stages timeout_stage(const Composition& composition);
Stages route_middleware_stages(const Composition& composition);
Stages user_rate_limit_stage(const Composition& composition);
Stages route_caller_stage(const Composition& composition);
Stages guard_stage(const Composition& composition);
Stages validation_stage(const Composition& composition);
Stages conditional_stage(const Composition& composition);
Stages cache_stage(const Composition& composition);
/// A page that is rendered before its requests: `mode` of `frontend`. Runs the handler itself where
/// that is necessary.
Stages rendered_page_stage(const Composition& composition);
Stages static_page_stage(const Composition& composition);
Stages handler_stage(const Composition& composition);
Stages static_files_stage(const Composition& composition);
Stages not_found_stage(const Composition& composition);

/// Whether there is a middleware or hook before the guard that could set `req.auth()`.
bool may_authenticate(const Composition& composition);

/// Responds with 304, without a body, or throws a 412, if the request is a GET or HEAD whose
/// preconditions demand it of the given response. `size` is the size of its body; it is not needed
/// for one that cannot be compressed.
bool respond_to_preconditions(Exchange& exchange, std::optional<std::uint64_t> size);

/// Adds an entity tag to a JSON response, if entity tags are configured and it has none.
void add_entity_tag(Exchange& exchange);

}  // namespace fw::detail
