// The functions that create the stages: each is implemented in the file of its stage, and returns
// nothing for a route that does not need it. The order is in pipeline/composition.cpp.
#pragma once

#include "chain/stage.hpp"

namespace fw::detail {

Stages request_id_stage(const StageContext& context);
Stages propagated_headers_stage(const StageContext& context);
Stages request_start_stage(const StageContext& context);
Stages security_headers_stage(const StageContext& context);
Stages cors_stage(const StageContext& context);
Stages preflight_stage(const StageContext& context);
Stages body_parser_stage(const StageContext& context);
Stages rate_limit_stage(const StageContext& context);
Stages multipart_stage(const StageContext& context);
Stages access_log_stage(const StageContext& context);
Stages compression_stage(const StageContext& context);
Stages response_required_stage(const StageContext& context);
Stages session_stage(const StageContext& context);
Stages middleware_reads_stage(const StageContext& context);
Stages global_middleware_stages(const StageContext& context);
/// Tells code that has no access to the request who makes it.
Stages caller_stage(const StageContext& context);
Stages csrf_stage(const StageContext& context);
Stages timeout_stage(const StageContext& context);
Stages route_middleware_stages(const StageContext& context);
Stages user_rate_limit_stage(const StageContext& context);
Stages route_caller_stage(const StageContext& context);
Stages guard_stage(const StageContext& context);
Stages validation_stage(const StageContext& context);
Stages conditional_stage(const StageContext& context);
Stages cache_stage(const StageContext& context);
/// A page that is rendered before its requests: `mode` of `frontend`. Runs the handler itself where
/// that is necessary.
Stages rendered_page_stage(const StageContext& context);
Stages static_page_stage(const StageContext& context);
Stages handler_stage(const StageContext& context);
Stages static_files_stage(const StageContext& context);
Stages not_found_stage(const StageContext& context);

}  // namespace fw::detail
