// libcurl's handles for one origin, with the connection that they keep between transfers.
#pragma once

#include <array>
#include <chrono>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string>

#include "client/curl/trusted_certificates.hpp"
#include "client/transfer.hpp"
#include "client/url.hpp"

namespace fw::outbound {

/// Maximum idle time of a connection that is reused. Servers close idle connections after five
/// seconds or more.
constexpr std::chrono::seconds kLongestIdle{4};

/// What the connections of an application have in common.
struct CurlSettings {
  /// Reads the proxies from the environment.
  explicit CurlSettings(TransportOptions tls);

  const TransportOptions options;
  const std::string http_proxy;   ///< or empty
  const std::string https_proxy;  ///< or empty
  TrustedCertificates certificates;
};

/// Serves one transfer at a time. Used by one thread at a time, except `wake`.
class CurlConnection {
 public:
  /// Sets the options that all transfers share. `settings` must outlive this.
  CurlConnection(const Url& url, CurlSettings& settings);
  CurlConnection(const CurlConnection&) = delete;
  CurlConnection& operator=(const CurlConnection&) = delete;

  const std::string& origin() const { return origin_; }
  CURL* easy() const { return easy_.get(); }

  /// Begins the transfer that `easy` is set up for.
  void begin();
  /// Ends it, and closes the connection unless the transfer is complete.
  void end();
  /// Reads and writes what is possible at once. Returns the result if the transfer has ended.
  std::optional<CURLcode> perform();
  /// The description of an error, or empty.
  const char* error() const { return error_.data(); }
  void wait(Deadline deadline);
  /// Thread-safe.
  void wake() { curl_multi_wakeup(multi_.get()); }

 private:
  struct EasyDeleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  struct MultiDeleter {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
  };

  const std::string origin_;
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::unique_ptr<CURL, EasyDeleter> easy_;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

}  // namespace fw::outbound
