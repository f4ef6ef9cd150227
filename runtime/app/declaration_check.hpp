// Rules between the options of one route that hold at registration.
#pragma once

#include <fairway/router.hpp>

#include <string>
#include <vector>

namespace fw::detail {

/// One text a broken rule, without the route's name.
std::vector<std::string> declaration_errors(const RouteOptions& options);

}  // namespace fw::detail
