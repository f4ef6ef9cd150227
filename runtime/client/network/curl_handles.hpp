// The handles of libcurl, and what they have in common.
#pragma once

#include <curl/curl.h>
#include <memory>
#include <new>
#include <string>

#include "client/network/trusted_certificates.hpp"
#include "client/transfer.hpp"

namespace fw::client {

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiDeleter {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct ShareDeleter {
  void operator()(CURLSH* handle) const { curl_share_cleanup(handle); }
};
struct UrlDeleter {
  void operator()(CURLU* handle) const { curl_url_cleanup(handle); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;
using MultiHandle = std::unique_ptr<CURLM, MultiDeleter>;
using ShareHandle = std::unique_ptr<CURLSH, ShareDeleter>;
using UrlHandle = std::unique_ptr<CURLU, UrlDeleter>;

/// Throws std::bad_alloc.
inline UrlHandle new_url() {
  UrlHandle url(curl_url());
  if (!url) throw std::bad_alloc();
  return url;
}

/// A part of a URL; empty if it has none.
inline std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owned(text, curl_free);
  return text;
}

/// What the transfers of an application have in common.
struct CurlSettings {
  /// Reads the proxies from the environment. Throws std::runtime_error if libcurl cannot be used.
  explicit CurlSettings(TransportOptions with_options);

  const TransportOptions options;
  const std::string http_proxy;   ///< or empty
  const std::string https_proxy;  ///< or empty
  TrustedCertificates certificates;
};

}  // namespace fw::client
