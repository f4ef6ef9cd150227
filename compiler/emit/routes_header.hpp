// `<file>.routes.hpp`: the typed structs of one route file.
#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// For each route with declared schemas a struct named after its operation id, with Param, Query,
/// Header, Cookie, Body and Response<selector>.
std::string emit_routes_header(const model::Application& application, const model::RouteFile& file);

/// Where the header stands below the include directory: "fairway/routes/api/users.routes.hpp".
std::string routes_header_path(const model::RouteFile& file);

}  // namespace fairway::emit
