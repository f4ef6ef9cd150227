// libcurl's handles for one origin, with the connection that they keep between transfers.
#pragma once

#include <array>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string>

#include "client/network/connection_pool.hpp"
#include "client/network/trusted_certificates.hpp"
#include "client/transfer.hpp"
#include "client/url.hpp"
#include "http/socket.hpp"

namespace fw::outbound {

/// What the connections of an application have in common.
struct CurlSettings {
  /// Reads the proxies from the environment.
  explicit CurlSettings(TransportOptions tls);

  const TransportOptions options;
  const std::string http_proxy;   ///< or empty
  const std::string https_proxy;  ///< or empty
  TrustedCertificates certificates;
};

class CurlConnection : public Connection {
 public:
  /// Sets the options that all transfers share. `settings` must outlive this.
  CurlConnection(const Url& url, CurlSettings& settings);

  CURL* easy() const { return easy_.get(); }

  /// Begins the transfer that `easy` is set up for.
  void begin();
  /// Ends it, and closes the connection unless the transfer is complete.
  void end();
  /// Reads and writes what is possible at once. Returns the result if the transfer has ended.
  std::optional<CURLcode> perform();
  /// The description of the error with that code.
  std::string describe(CURLcode code) const;
  void wait(Deadline deadline);
  /// libcurl checks it, and connects again.
  bool can_be_reused() override { return true; }
  void wake() override { curl_multi_wakeup(multi_.get()); }

  /// Begins to connect, without a transfer. `perform` returns the result.
  void begin_connecting(const Url& url);
  /// The socket after connecting.
  http::FileDescriptor take_socket();

 private:
  struct EasyDeleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  struct MultiDeleter {
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
  };

  std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::unique_ptr<CURL, EasyDeleter> easy_;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

}  // namespace fw::outbound
