// The files of an application, each written by a source file of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/application.hpp"

namespace fairway::emit {

// manifest.cpp: `routes.manifest.json`: the resolved model for other tools.

/// Version of the format. Members may be added under one version, never renamed.
inline constexpr int kManifestVersion = 1;

/// The manifest as text: indented, ended by a line end, the same for the same application.
std::string emit_manifest(const model::Application& application);

// app_table.cpp: `app_table.hpp` and `app_table.cpp`: the route table of an application.

/// Declares `fairway_app()`, or `<name>_app()` for one of several applications.
std::string emit_app_table_header(const model::Application& application);

/// Defines it. `openapi` is the document that it serves.
std::string emit_app_table(const model::Application& application, const model::Json& openapi);

/// The path of the header below the include directory: "fairway/app_table.hpp", or
/// "fairway/<name>/app_table.hpp".
std::string app_table_header_path(const model::Application& application);

// routes_header.cpp: `<file>.routes.hpp`: the typed structs of one route file.

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

/// The path of the header below the include directory: "fairway/routes/api/users.routes.hpp".
std::string routes_header_path(const model::RouteFile& file);

}  // namespace fairway::emit
