// [duplicate-route]
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ascii.hpp"
#include "check/places.hpp"
#include "check/reporter.hpp"
#include "check/rules.hpp"

namespace fairway::check {

void check_duplicate_routes(const model::Application& application,
                            model::Diagnostics& diagnostics) {
  std::map<std::string, PlacedRoute> known;
  for_each_route(application, [&](const PlacedRoute& placed) {
    std::string key = fw::base::lower_case(placed.title());
    const auto [first, is_new] = known.emplace(std::move(key), placed);
    if (is_new) return;
    const PlacedRoute& other = first->second;
    Reporter(diagnostics, placed.route->method, placed.route->path)
        .error("duplicate-route", fmt::format("'{}' is registered twice", placed.title()),
               placed.place(placed.route->path_range),
               other.route->path == placed.route->path
                   ? "remove one of the two"
                   : "letter case makes no difference; remove one of the two")
        .notes.push_back({"first registered here", other.place(other.route->path_range)});
  });
}

}  // namespace fairway::check
