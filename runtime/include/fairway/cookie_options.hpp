// What a response says of a cookie (docs/responses.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fw {

/// The attribute SameSite of a cookie; `unset` omits it.
enum class SameSite { unset, strict, lax, none };

/// Attributes of a cookie (RFC 6265).
struct CookieOptions {
  std::string path = "/";                    ///< requests below it send the cookie
  std::string domain = {};                   ///< empty: the host only, without subdomains
  std::optional<std::int64_t> max_age = {};  ///< seconds
  bool secure = false;                       ///< sent with HTTPS only
  bool http_only = true;                     ///< hides the cookie from scripts
  SameSite same_site = SameSite::lax;        ///< whether other sites' requests send it
  std::string priority = {};                 ///< Low, Medium or High; empty: omitted
  bool partitioned = false;                  ///< a separate cookie for each embedding site
};

}  // namespace fw
