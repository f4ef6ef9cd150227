// Checks the `fetch` settings of the configuration, except the types of values.
#pragma once

#include <fairway/fetch_options.hpp>

#include <string>
#include <vector>

namespace fw::detail {

/// `has_http2`: see `outbound::has_http2`.
std::vector<std::string> fetch_config_errors(const FetchConfig& config, bool has_http2);

}  // namespace fw::detail
