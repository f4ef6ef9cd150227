// [duplicate-operation-id]
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ascii.hpp"
#include "check/places.hpp"
#include "check/reporter.hpp"
#include "check/rules.hpp"

namespace fairway::check {
namespace {

std::string described(const PlacedRoute& placed) {
  return fmt::format("{} for '{}'", placed.route->operation_id_inferred ? "inferred" : "written",
                     placed.title());
}

bool is_same_route(const PlacedRoute& left, const PlacedRoute& right) {
  return left.route->method == right.route->method &&
         std::ranges::equal(left.route->path, right.route->path, {}, fw::base::to_lower,
                            fw::base::to_lower);
}

}  // namespace

void check_duplicate_operation_ids(const model::Application& application,
                                   model::Diagnostics& diagnostics) {
  std::map<std::string, PlacedRoute> known;
  for_each_route(application, [&](const PlacedRoute& placed) {
    const model::Route& route = *placed.route;
    if (route.operation_id.empty()) return;
    const auto [first, is_new] = known.emplace(route.operation_id, placed);
    const PlacedRoute& other = first->second;
    // A route that stands twice has the same inferred id; [duplicate-route] has said so.
    if (is_new || is_same_route(placed, other)) return;
    const bool both_written = !route.operation_id_inferred && !other.route->operation_id_inferred;
    Reporter(diagnostics, route.method, route.path)
        .error("duplicate-operation-id",
               fmt::format("the operation id '{}' is used twice", route.operation_id),
               placed.place(route.operation_id_range),
               both_written && placed.is_reexported()
                   ? "leave 'docs.operation_id' out: inferred ids differ with the path"
               : both_written ? "write another 'docs.operation_id' for one of the two"
                              : "write 'docs.operation_id' for one of the two")
        .notes.push_back({fmt::format("{}, the first time here", described(other)),
                          other.place(other.route->operation_id_range)});
  });
}

}  // namespace fairway::check
