// Sets up the plugins of a table in the order of their dependencies.
#pragma once

#include <fairway/generated/route_table.hpp>

#include <span>
#include <string>
#include <vector>

#include "app/lifecycle.hpp"
#include "exchange/environment.hpp"

namespace fw::detail {

/// Runs `setup` of each plugin after its dependencies, otherwise in the given order, and adds its
/// callbacks to `lifecycle`. Appends an error for each file that does not export a plugin, missing
/// dependency, repeated name, cycle, and failed plugin. Skips plugins that depend on a failed one.
void set_up_plugins(std::span<const ComponentRow> plugins, const Environment& env,
                    Lifecycle& lifecycle, std::vector<std::string>& errors);

}  // namespace fw::detail
