// What route files need most, without the header of fw::Json, which takes longer to compile than
// all others. JSON can be written inline: `res.json({{"id", 7}})`. What else needs fw::Json, and
// what has members of that type, such as `req.auth()`, is in <fairway/fairway.hpp>;
// <fairway/json.hpp> then includes that header, too.
#pragma once

#if defined(INCLUDE_NLOHMANN_JSON_HPP_) || defined(FAIRWAY_ROUTE_COMPILER)
#include <fairway/fairway.hpp>
#else

#define FAIRWAY_WITH_JSON "fairway/fairway.hpp"  // included by <fairway/json.hpp>
#define FAIRWAY_WITHOUT_JSON
#include <fairway/client_certificate.hpp>
#include <fairway/cookie_options.hpp>
#include <fairway/define_routes.hpp>
#include <fairway/fields.hpp>
#include <fairway/handler.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/json_members.hpp>
#include <fairway/location.hpp>
#include <fairway/logger.hpp>
#include <fairway/middleware.hpp>
#include <fairway/multipart.hpp>
#include <fairway/plugin.hpp>
#include <fairway/raise.hpp>
#include <fairway/readable.hpp>
#include <fairway/request.hpp>
#include <fairway/request_context.hpp>
#include <fairway/response.hpp>
#include <fairway/response_cache.hpp>
#include <fairway/responses.hpp>
#include <fairway/router.hpp>
#include <fairway/schema.hpp>
#include <fairway/services.hpp>
#include <fairway/socket_messages.hpp>
#include <fairway/sockets.hpp>
#include <fairway/span.hpp>
#include <fairway/text.hpp>
#include <fairway/types.hpp>
#include <fairway/units.hpp>
#include <fairway/url_path.hpp>
#undef FAIRWAY_WITHOUT_JSON

#endif
