// Checks the options of a route at registration.
#pragma once

#include <fairway/router.hpp>

#include <string>
#include <vector>

namespace fw::detail {

/// One message per violated rule, without the name of the route.
std::vector<std::string> declaration_errors(const RouteOptions& options);

}  // namespace fw::detail
