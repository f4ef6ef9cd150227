// `<file>.routes.hpp`: the typed structs of one route file.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/application.hpp"

namespace fairway::emit {

/// For each route with declared schemas a struct named after its operation id, with Param, Query,
/// Header, Cookie, Body and Response<selector>.
std::string emit_routes_header(const model::Application& application, const model::RouteFile& file);

/// The names that the header of a route file declares in its namespace.
struct HeaderTypes {
  std::vector<std::string> routes;  ///< one for each route of the file, in their order, whether or
                                    ///< not it has types
  std::set<std::string> shared;     ///< of types that several routes have in common
};
HeaderTypes header_types(const model::Application& application, const model::RouteFile& file);

/// Whether a route has types of its own in the header.
bool has_types(const model::Route& route);

/// Where the header stands below the include directory: "fairway/routes/api/users.routes.hpp".
std::string routes_header_path(const model::RouteFile& file);

}  // namespace fairway::emit
