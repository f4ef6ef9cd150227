// Holds what a route file's factory registered against the compiled table.
#pragma once

#include <fairway/route_table.hpp>
#include <fairway/router.hpp>

#include <string>
#include <vector>

namespace fw::detail {

/// The row of each record, null where there is none. Appends a text for each route that was added,
/// removed or changed since the table was built.
std::vector<const RouteRow*> rows_of(const RouteFileRow& file,
                                     const std::vector<RouteRecord>& records,
                                     std::vector<std::string>& errors);

}  // namespace fw::detail
