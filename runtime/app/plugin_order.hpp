// The order in which plugins are set up.
#pragma once

#include <fairway/plugin.hpp>

#include <string>
#include <vector>

namespace fw::detail {

/// The plugins, each behind those it depends on, else in the given order. Appends a text for each
/// missing dependency, repeated name and cycle; the result is empty then.
std::vector<const Plugin*> order_plugins(const std::vector<const Plugin*>& plugins,
                                         std::vector<std::string>& errors);

}  // namespace fw::detail
