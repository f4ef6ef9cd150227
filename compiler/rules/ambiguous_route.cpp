// [ambiguous-route]
#include <fmt/format.h>

#include <map>

#include "base/ascii.hpp"
#include "rules/application_rules.hpp"
#include "rules/located_route.hpp"
#include "rules/reporter.hpp"

namespace fairway::rules {

void check_ambiguous_routes(const model::Application& application,
                            model::Diagnostics& diagnostics) {
  std::map<std::string, LocatedRoute> known;
  for_each_route(application, [&](const LocatedRoute& located) {
    const auto [first, is_new] = known.emplace(located.shape(), located);
    const LocatedRoute& other = first->second;
    // Equal paths are [duplicate-route].
    if (is_new || fw::base::equal_ignoring_case(other.route->path, located.route->path)) return;
    Reporter(diagnostics, located.route->method, located.route->path)
        .report(
            rules::ambiguous_route,
            fmt::format("'{}' and '{}' match the same requests", located.title(), other.title()),
            located.range(located.route->path_range),
            "give one of them a static segment, or merge the handlers")
        .notes.push_back({"the other route is here", other.range(other.route->path_range)});
  });
}

}  // namespace fairway::rules
