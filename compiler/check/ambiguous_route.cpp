// [ambiguous-route]
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ascii.hpp"
#include "check/places.hpp"
#include "check/reporter.hpp"
#include "check/rules.hpp"
#include "schema/route_path.hpp"

namespace fairway::check {
namespace {

// What tells two paths apart for a request.
std::string shape_of(const std::string& path) {
  const auto parsed = fw::schema::parse_route_path(path);
  const auto* route_path = std::get_if<fw::schema::RoutePath>(&parsed);
  return route_path ? route_path->shape() : path;
}

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, fw::base::to_lower, fw::base::to_lower);
}

}  // namespace

void check_ambiguous_routes(const model::Application& application,
                            model::Diagnostics& diagnostics) {
  std::map<std::string, PlacedRoute> known;
  for_each_route(application, [&](const PlacedRoute& placed) {
    const auto [first, is_new] =
        known.emplace(placed.route->method + " " + shape_of(placed.route->path), placed);
    const PlacedRoute& other = first->second;
    // Equal paths are [duplicate-route].
    if (is_new || equal_ignoring_case(other.route->path, placed.route->path)) return;
    Reporter(diagnostics, placed.route->method, placed.route->path)
        .error("ambiguous-route",
               fmt::format("'{}' and '{}' match the same requests", placed.title(), other.title()),
               placed.place(placed.route->path_range),
               "give one of them a static segment, or merge the handlers")
        .notes.push_back({"the other route is here", other.place(other.route->path_range)});
  });
}

}  // namespace fairway::check
