// The entries of `fetch.proxy` in a JSON layer.
#pragma once

#include <fairway/fetch_options.hpp>
#include <fairway/json.hpp>

#include <vector>

namespace fw::detail {

/// False for what is not a list of targets: an unknown member, or one of a wrong type.
bool read_proxy_targets(std::vector<FetchProxyTarget>& targets, const Json& value);
/// Functions are left out.
Json write_proxy_targets(const std::vector<FetchProxyTarget>& targets);

}  // namespace fw::detail
