// The umbrella header: everything that route files, middlewares, plugins and main need.
#pragma once

#include <fairway/announced_service.hpp>
#include <fairway/app.hpp>
#include <fairway/auth.hpp>
#include <fairway/config.hpp>
#include <fairway/cookie_options.hpp>
#include <fairway/define_routes.hpp>
#include <fairway/docs.hpp>
#include <fairway/docs_access.hpp>
#include <fairway/errors.hpp>
#include <fairway/events.hpp>
#include <fairway/fetch.hpp>
#include <fairway/fetch_body.hpp>
#include <fairway/fetch_errors.hpp>
#include <fairway/fetch_options.hpp>
#include <fairway/fields.hpp>
#include <fairway/future.hpp>
#include <fairway/generated/route_table.hpp>
#include <fairway/handler.hpp>
#include <fairway/health.hpp>
#include <fairway/hooks.hpp>
#include <fairway/json.hpp>
#include <fairway/json_members.hpp>
#include <fairway/location.hpp>
#include <fairway/logger.hpp>
#include <fairway/metrics.hpp>
#include <fairway/middleware.hpp>
#include <fairway/multipart.hpp>
#include <fairway/plugin.hpp>
#include <fairway/readable.hpp>
#include <fairway/request.hpp>
#include <fairway/request_context.hpp>
#include <fairway/response.hpp>
#include <fairway/responses.hpp>
#include <fairway/route_options.hpp>
#include <fairway/router.hpp>
#include <fairway/schema.hpp>
#include <fairway/services.hpp>
#include <fairway/session.hpp>
#include <fairway/socket_messages.hpp>
#include <fairway/sockets.hpp>
#include <fairway/span.hpp>
#include <fairway/store.hpp>
#include <fairway/text.hpp>
#include <fairway/topics.hpp>
#include <fairway/types.hpp>
#include <fairway/units.hpp>
#include <fairway/url_path.hpp>
#include <fairway/validator.hpp>

/// @namespace fw
/// What applications use. `fw::detail` is for generated code and for the macros.
