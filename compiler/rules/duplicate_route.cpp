// [duplicate-route]
#include <fmt/format.h>

#include <map>

#include "base/ascii.hpp"
#include "rules/application_rules.hpp"
#include "rules/located_route.hpp"
#include "rules/reporter.hpp"

namespace fairway::rules {

void check_duplicate_routes(const model::Application& application,
                            model::Diagnostics& diagnostics) {
  std::map<std::string, LocatedRoute> known;
  for_each_route(application, [&](const LocatedRoute& located) {
    const model::Route& route = *located.route;
    std::string key = fw::base::lower_case(route.request_method() + ' ' + route.path);
    const auto [first, is_new] = known.emplace(std::move(key), located);
    if (is_new) return;
    const LocatedRoute& other = first->second;
    const bool is_same_method = other.route->method == route.method;
    Reporter(diagnostics, route.method, route.path)
        .report(
            rules::duplicate_route,
            is_same_method ? fmt::format("'{}' is registered twice", located.title())
                           : fmt::format("a socket and a GET route have the path '{}'", route.path),
            located.range(route.path_range),
            !is_same_method                   ? "give one of them another path"
            : other.route->path == route.path ? "remove one of the two"
                                              : "paths are case-insensitive; remove one of the two")
        .notes.push_back({"first registered here", other.range(other.route->path_range)});
  });
}

}  // namespace fairway::rules
