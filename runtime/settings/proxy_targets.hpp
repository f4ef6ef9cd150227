// Reads and writes `fetch.proxy` in JSON layers.
#pragma once

#include <fairway/fetch_options.hpp>
#include <fairway/json.hpp>

#include <vector>

#include "settings/value_checks.hpp"

namespace fw::settings {

/// Returns false for an invalid list, such as one with an unknown member.
bool read_proxy_targets(std::vector<FetchProxyTarget>& targets, const Json& value);
/// Functions are omitted.
Json write_proxy_targets(const std::vector<FetchProxyTarget>& targets);
/// Errors in names. Base URLs are checked by the client (client/outbound_client.cpp).
ValueErrors proxy_target_errors(const std::vector<FetchProxyTarget>& targets);

}  // namespace fw::settings
