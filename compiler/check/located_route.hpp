// Where a route is shown when it is compared with another one.
#pragma once

#include <string>
#include <variant>

#include "model/application.hpp"
#include "schema/route_path.hpp"

namespace fairway::check {

/// A route together with its file.
struct LocatedRoute {
  const model::RouteFile* file = nullptr;
  const model::Route* route = nullptr;

  bool is_reexported() const { return file->export_path != file->path; }
  /// The re-export for routes that another file brings, else `own`.
  const model::Range& range(const model::Range& own) const {
    return is_reexported() ? file->export_range : own;
  }
  /// What distinguishes routes for a request: "GET /files/:/*".
  std::string shape() const {
    const auto parsed = fw::schema::parse_route_path(route->path);
    const auto* path = std::get_if<fw::schema::RoutePath>(&parsed);
    return route->method + ' ' + (path ? path->shape() : route->path);
  }
  /// "GET /users"
  std::string title() const { return route->method + " " + route->path; }
};

/// Calls `visit` with each route, in order of files and registrations.
template <class Visitor>
void for_each_route(const model::Application& application, Visitor visit) {
  for (const model::RouteFile& file : application.files) {
    for (const model::Route& route : file.routes) visit(LocatedRoute{&file, &route});
  }
}

}  // namespace fairway::check
