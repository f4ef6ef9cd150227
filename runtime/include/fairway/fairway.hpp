// The umbrella header: everything that route files, middlewares, plugins and main need.
#pragma once

#include <fairway/app.hpp>
#include <fairway/auth.hpp>
#include <fairway/config.hpp>
#include <fairway/define_routes.hpp>
#include <fairway/docs.hpp>
#include <fairway/duration.hpp>
#include <fairway/errors.hpp>
#include <fairway/fields.hpp>
#include <fairway/hooks.hpp>
#include <fairway/json.hpp>
#include <fairway/location.hpp>
#include <fairway/logger.hpp>
#include <fairway/middleware.hpp>
#include <fairway/plugin.hpp>
#include <fairway/readable.hpp>
#include <fairway/request.hpp>
#include <fairway/response.hpp>
#include <fairway/responses.hpp>
#include <fairway/route_options.hpp>
#include <fairway/route_table.hpp>
#include <fairway/router.hpp>
#include <fairway/schema.hpp>
#include <fairway/services.hpp>
#include <fairway/text.hpp>
#include <fairway/validator.hpp>
