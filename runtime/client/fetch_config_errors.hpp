// Checks the `fetch` settings of the configuration, except the types of values.
#pragma once

#include <fairway/fetch_options.hpp>

#include <string>
#include <vector>

namespace fw::detail {

std::vector<std::string> fetch_config_errors(const FetchConfig& config);

}  // namespace fw::detail
