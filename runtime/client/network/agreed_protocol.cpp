#include "client/network/agreed_protocol.hpp"

#include <openssl/ssl.h>
#include <string_view>

#include "client/network/trusted_certificates.hpp"

namespace fw::outbound {

bool has_agreed_on_http2(CURL* curl) {
  curl_tlssessioninfo* info = nullptr;
  if (curl_easy_getinfo(curl, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == nullptr) {
    return false;
  }
  if (info->backend != CURLSSLBACKEND_OPENSSL || info->internals == nullptr) return false;
  if (!is_libcurl_with_openssl_of_this_program()) return false;
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(static_cast<const SSL*>(info->internals), &name, &size);
  return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
}

}  // namespace fw::outbound
