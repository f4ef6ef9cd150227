// What a file writes that includes only <fairway/routes.hpp>.
#pragma once

#include <fairway/routes.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace light_routes {

void routes(fw::Router& app);

/// The forms of support/call_forms.inc, each a route: "/0", "/1" and so on.
void calls(fw::Router& app, const fw::Logger& log);

/// Options with inline JSON in every member that has JSON.
fw::detail::InlineRouteOptions options();

/// The forms of support/option_forms.inc.
std::vector<std::pair<std::string_view, fw::detail::InlineRouteOptions>> all_options();

/// The forms of support/json_forms.inc.
std::vector<std::pair<std::string_view, fw::detail::JsonLiteral>> literals();

}  // namespace light_routes
