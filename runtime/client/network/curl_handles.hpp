// The handles of libcurl, and what they have in common.
#pragma once

#include <curl/curl.h>
#include <memory>
#include <new>
#include <string>

#include "client/network/curl_library.hpp"
#include "client/network/trusted_certificates.hpp"
#include "client/transfer.hpp"

namespace fw::client {

struct EasyDeleter {
  void operator()(CURL* handle) const { libcurl().easy_cleanup(handle); }
};
struct MultiDeleter {
  void operator()(CURLM* handle) const { libcurl().multi_cleanup(handle); }
};
struct ShareDeleter {
  void operator()(CURLSH* handle) const { libcurl().share_cleanup(handle); }
};
struct UrlDeleter {
  void operator()(CURLU* handle) const { libcurl().url_cleanup(handle); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { libcurl().slist_free_all(list); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;
using MultiHandle = std::unique_ptr<CURLM, MultiDeleter>;
using ShareHandle = std::unique_ptr<CURLSH, ShareDeleter>;
using UrlHandle = std::unique_ptr<CURLU, UrlDeleter>;
using ListHandle = std::unique_ptr<curl_slist, ListDeleter>;

/// Throws std::bad_alloc.
inline UrlHandle new_url() {
  UrlHandle url(libcurl().url());
  if (!url) throw std::bad_alloc();
  return url;
}

/// A part of a URL; empty if it has none.
inline std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (libcurl().url_get(url, part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owned(text, libcurl().free);
  return text;
}

/// What the transfers of an application have in common.
struct CurlSettings {
  /// Reads the proxies from the environment.
  explicit CurlSettings(TransportOptions with_options);

  const TransportOptions options;
  const std::string http_proxy;   ///< or empty
  const std::string https_proxy;  ///< or empty
  TrustedCertificates certificates;
};

}  // namespace fw::client
