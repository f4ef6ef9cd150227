#include "client/redirect.hpp"

namespace fw::detail {

void remove_body_headers(FetchHeaders& headers) {
  for (const std::string_view name :
       {"content-type", "content-encoding", "content-language", "content-location"}) {
    headers.erase(name);
  }
}

void remove_credentials(FetchHeaders& headers) {
  for (const std::string_view name : {"authorization", "proxy-authorization", "cookie", "host"}) {
    headers.erase(name);
  }
}

}  // namespace fw::detail
