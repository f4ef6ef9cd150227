// A route with its source locations, for rules that compare routes.
#pragma once

#include <string>
#include <variant>

#include "model/application.hpp"
#include "schema/route_path.hpp"

namespace fairway::rules {

/// A route together with its file.
struct LocatedRoute {
  const model::RouteFile* file = nullptr;
  const model::Route* route = nullptr;

  bool is_reexported() const { return file->export_path != file->path; }
  /// The range of the re-export if the route is re-exported, otherwise `own`.
  const model::Range& range(const model::Range& own) const {
    return is_reexported() ? file->export_range : own;
  }
  /// The method of requests and the path without names: "GET /files/:/*". Routes with equal shapes
  /// match the same requests.
  std::string shape() const {
    const auto parsed = fw::schema::parse_route_path(route->path);
    const auto* path = std::get_if<fw::schema::RoutePath>(&parsed);
    return route->request_method() + ' ' + (path ? path->shape() : route->path);
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

}  // namespace fairway::rules
