// Builds the URL, headers and body of a proxied request from the request, the call and the target
// (docs/proxy.md).
#pragma once

#include <fairway/fetch.hpp>
#include <fairway/request.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fw::detail {

/// Whether a header is hop-by-hop (RFC 9110, 7.6.1).
bool is_hop_by_hop(std::string_view name);

/// The lower-case names of the fields that `Connection` declares as hop-by-hop.
std::vector<std::string> connection_options(std::string_view connection);

/// Where a request goes.
struct ProxyUrl {
  std::string text;
  std::string unix_socket;  ///< or empty
};

/// Throw OptionError for invalid options; `target` is null for a call with a URL.
ProxyUrl proxy_url(const FetchProxyTarget* target, Request& req, const FetchProxyOptions& options);
FetchHeaders proxy_headers(const FetchProxyTarget* target, Request& req,
                           const FetchProxyOptions& options);

/// Adds this gateway to the `Via` of the request (RFC 9110, 7.6.3). Throws HttpError 508 if it is
/// in there already.
void add_via(FetchHeaders& headers, std::string_view name, Request& req);

}  // namespace fw::detail
