// Builds the URL, headers and body of a proxied request from the request, the call and the target
// (reference: Outbound rules, 8 and 9).
#pragma once

#include <fairway/fetch.hpp>
#include <fairway/request.hpp>

#include <string>
#include <string_view>

namespace fw::detail {

/// Whether a header is hop-by-hop (RFC 9110, 7.6.1).
bool is_hop_by_hop(std::string_view name);

/// Throw OptionError for invalid options; `target` is null for a call with a URL.
std::string proxy_url(const FetchProxyTarget* target, Request& req,
                      const FetchProxyOptions& options);
FetchHeaders proxy_headers(const FetchProxyTarget* target, Request& req,
                           const FetchProxyOptions& options);

}  // namespace fw::detail
