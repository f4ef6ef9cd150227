// [duplicate-route]
#include <fmt/format.h>

#include <algorithm>
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
    std::string key = fw::base::lower_case(located.title());
    const auto [first, is_new] = known.emplace(std::move(key), located);
    if (is_new) return;
    const LocatedRoute& other = first->second;
    Reporter(diagnostics, located.route->method, located.route->path)
        .report(rules::duplicate_route, fmt::format("'{}' is registered twice", located.title()),
                located.range(located.route->path_range),
                other.route->path == located.route->path
                    ? "remove one of the two"
                    : "paths are case-insensitive; remove one of the two")
        .notes.push_back({"first registered here", other.range(other.route->path_range)});
  });
}

}  // namespace fairway::rules
