// The functions that create the stages, by the file that implements them. They return nothing for a
// route that does not need the stage. The order of the stages is in pipeline/composition.cpp.
#pragma once

#include "chain/stage.hpp"

namespace fw::detail {

// pipeline/<name>.cpp
Stages request_id_stage(const StageContext& context);
Stages propagated_headers_stage(const StageContext& context);
Stages request_start_stage(const StageContext& context);
Stages body_turn_stage(const StageContext& context);
Stages body_parser_stage(const StageContext& context);
Stages access_log_stage(const StageContext& context);
Stages response_required_stage(const StageContext& context);
Stages validation_stage(const StageContext& context);
Stages handler_stage(const StageContext& context);
Stages not_found_stage(const StageContext& context);

// pipeline/timeout.cpp

/// Responds with 504 at the deadline of the route.
Stages timeout_stage(const StageContext& context);
/// Responds with 504 if the deadline has passed before the request was handled.
Stages spent_time_stage(const StageContext& context);
/// Ends a request whose deadline has passed before the next stage begins.
Stages time_left_stage(const StageContext& context);

// pipeline/middleware.cpp
Stages global_middleware_stages(const StageContext& context);
Stages route_middleware_stages(const StageContext& context);

// features/auth/guard_stage.cpp
Stages guard_stage(const StageContext& context);
/// Tells code that has no access to the request who makes it.
Stages caller_stage(const StageContext& context);
Stages route_caller_stage(const StageContext& context);

// features/cache/conditional_stage.cpp
Stages conditional_stage(const StageContext& context);

// features/compression/compression_stage.cpp
Stages compression_stage(const StageContext& context);

// features/cors/cors_stage.cpp
Stages cors_stage(const StageContext& context);
Stages preflight_stage(const StageContext& context);

// features/csrf/csrf_stage.cpp
Stages csrf_stage(const StageContext& context);

// features/pages/static_page_stage.cpp

/// The part of PageRoutes::rendered_page_stage for the mode "static".
Stages static_page_stage(const StageContext& context);

// features/rate_limit/rate_limit_stage.cpp
Stages rate_limit_stage(const StageContext& context);
Stages user_rate_limit_stage(const StageContext& context);

// features/security_headers/security_headers_stage.cpp
Stages security_headers_stage(const StageContext& context);

// features/session/session_stage.cpp
Stages session_stage(const StageContext& context);

// features/sockets/socket_opening_stage.cpp
Stages socket_opening_stage(const StageContext& context);

// features/static_files/static_files_stage.cpp
Stages static_files_stage(const StageContext& context);

// features/uploads/multipart_stage.cpp
Stages multipart_stage(const StageContext& context);

}  // namespace fw::detail
