// The transport of an application that is not a test: chooses how a request is sent.
#pragma once

#include <memory>

#include "client/network/connection_pool.hpp"
#include "client/network/curl_connection.hpp"
#include "client/transfer.hpp"

namespace fw::outbound {

/// Requests to http origins take little more time than their system calls, because they do not pass
/// through libcurl. It sends those with TLS or through a proxy.
class NetworkTransport : public Transport {
 public:
  /// Throws std::runtime_error if libcurl cannot be used.
  explicit NetworkTransport(TransportOptions options);

  std::unique_ptr<Channel> open(Transfer& transfer) override;
  void stop() override { pool_.stop(); }

 private:
  bool is_plain(const Url& url) const;

  CurlSettings settings_;
  ConnectionPool pool_;
};

}  // namespace fw::outbound
