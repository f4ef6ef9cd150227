// The lists of objects in JSON layers: `static` and `fetch.proxy`.
#pragma once

#include <fairway/fetch_options.hpp>
#include <fairway/json.hpp>
#include <fairway/static_files.hpp>

#include <vector>

#include "settings/value_checks.hpp"

namespace fw::settings {

/// Each returns false and sets nothing if `value` is not a list of valid entries, for example
/// because of an unknown member, a member of the wrong type, or an entry without a required one.
bool read_static_files(std::vector<StaticConfig>& target, const Json& value);
bool read_proxy_targets(std::vector<FetchProxyTarget>& target, const Json& value);

Json write_static_files(const std::vector<StaticConfig>& entries);
/// Functions and defaults are omitted.
Json write_proxy_targets(const std::vector<FetchProxyTarget>& targets);

/// Errors in names. Base URLs are checked by the client (client/outbound_client.cpp).
ValueErrors proxy_target_errors(const std::vector<FetchProxyTarget>& targets);

}  // namespace fw::settings
