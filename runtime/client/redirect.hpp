// The rules for redirects (WHATWG Fetch, HTTP-redirect fetch).
#pragma once

#include <fairway/fetch.hpp>

#include <string>
#include <string_view>

namespace fw::detail {

inline constexpr int kMaxRedirects = 20;

constexpr bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Whether the request that follows is a GET without a body.
constexpr bool becomes_get(int status, std::string_view method) {
  if (status == 303) return method != "GET" && method != "HEAD";
  return (status == 301 || status == 302) && method == "POST";
}

/// Removes the headers that describe a body.
void remove_body_headers(FetchHeaders& headers);
/// Removes the headers that must only be sent to the original origin.
void remove_credentials(FetchHeaders& headers);

}  // namespace fw::detail
