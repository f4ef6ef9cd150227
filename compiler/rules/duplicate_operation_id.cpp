// [duplicate-operation-id]
#include <fmt/format.h>

#include <map>

#include "base/ascii.hpp"
#include "rules/application_rules.hpp"
#include "rules/located_route.hpp"
#include "rules/reporter.hpp"

namespace fairway::rules {
namespace {

std::string described(const LocatedRoute& located) {
  return fmt::format("{} id of '{}'",
                     located.route->operation_id_inferred ? "inferred" : "explicit",
                     located.title());
}

bool is_same_route(const LocatedRoute& left, const LocatedRoute& right) {
  return left.route->method == right.route->method &&
         fw::base::equal_ignoring_case(left.route->path, right.route->path);
}

}  // namespace

void check_duplicate_operation_ids(const model::Application& application,
                                   model::Diagnostics& diagnostics) {
  std::map<std::string, LocatedRoute> known;
  for_each_route(application, [&](const LocatedRoute& located) {
    const model::Route& route = *located.route;
    if (route.operation_id.empty()) return;
    const auto [first, is_new] = known.emplace(route.operation_id, located);
    const LocatedRoute& other = first->second;
    // A route that is registered twice has the same inferred id: [duplicate-route] reports it.
    if (is_new || is_same_route(located, other)) return;
    const bool both_written = !route.operation_id_inferred && !other.route->operation_id_inferred;
    Reporter(diagnostics, route.method, route.path)
        .report(rules::duplicate_operation_id,
                fmt::format("the operation id '{}' is used twice", route.operation_id),
                located.range(route.operation_id_range),
                both_written && located.is_reexported()
                    ? "remove 'docs.operation_id': inferred ids differ if the paths differ"
                : both_written ? "write another 'docs.operation_id' for one of the two"
                               : "write 'docs.operation_id' for one of the two")
        .notes.push_back({fmt::format("first use: {}", described(other)),
                          other.range(other.route->operation_id_range)});
  });
}

}  // namespace fairway::rules
