// [shadowed-route] In each segment, literals take precedence over parameters, and parameters over
// wildcards. So a wildcard is never reached if one route matches the path without the wildcard and
// another route matches all longer paths, with parameters and a final wildcard.
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "rules/lints.hpp"
#include "rules/located_route.hpp"

namespace fairway::rules {
namespace {

/// By method and shape: "GET /files/:/*".
using RoutesByShape = std::map<std::string, LocatedRoute>;

/// The routes that together match all paths of a wildcard below `parent`; empty if a path remains
/// for the wildcard. `parent` is a method and a shape without a final slash.
std::vector<LocatedRoute> covering_routes(const RoutesByShape& routes, std::string parent) {
  std::vector<LocatedRoute> covering;
  while (true) {
    // The shape of the root path is a slash; other shapes have none at the end.
    const auto itself = routes.find(parent.ends_with(' ') ? parent + '/' : parent);
    if (itself == routes.end()) return {};
    covering.push_back(itself->second);
    parent += "/:";
    const auto rest = routes.find(parent + "/*");
    if (rest == routes.end()) continue;
    covering.push_back(rest->second);
    return covering;
  }
}

}  // namespace

void lint_shadowed_routes(const model::Application& application, model::Diagnostics& diagnostics) {
  RoutesByShape routes;
  for_each_route(application,
                 [&](const LocatedRoute& located) { routes.emplace(located.shape(), located); });
  for (const auto& [shape, located] : routes) {
    if (!shape.ends_with("/*")) continue;
    const auto covering = covering_routes(routes, shape.substr(0, shape.size() - 2));
    if (covering.empty()) continue;
    auto& diagnostic =
        Reporter(diagnostics, located.route->method, located.route->path)
            .report(rules::shadowed_route, fmt::format("no request reaches '{}'", located.title()),
                    located.range(located.route->path_range),
                    "remove it, or one of the routes that take precedence over it");
    for (const LocatedRoute& other : covering) {
      diagnostic.notes.push_back({fmt::format("'{}' takes precedence over it", other.title()),
                                  other.range(other.route->path_range)});
    }
  }
}

}  // namespace fairway::rules
