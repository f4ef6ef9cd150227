// The plugins of a table: in which order they are set up, and setting them up.
#pragma once

#include <fairway/route_table.hpp>

#include <span>
#include <string>
#include <vector>

#include "app/lifecycle.hpp"
#include "exchange/environment.hpp"

namespace fw::detail {

/// Runs `setup` of each plugin after those it depends on, else in the given order, and adds its
/// callbacks to `lifecycle`. Appends an error for each file that exports no plugin, missing
/// dependency, repeated name and cycle, and for each plugin that fails; plugins that depend on one
/// that failed are left out.
void set_up_plugins(std::span<const UnitRow> plugins, const Environment& env, Lifecycle& lifecycle,
                    std::vector<std::string>& errors);

}  // namespace fw::detail
