// The transport of an application that is not a test.
#pragma once

#include <memory>

#include "client/network/curl_engine.hpp"
#include "client/network/curl_handles.hpp"
#include "client/transfer.hpp"

namespace fw::client {

class NetworkTransport : public OutboundTransport {
 public:
  /// Throws std::runtime_error if libcurl cannot be used.
  explicit NetworkTransport(TransportOptions options)
      : settings_(std::move(options)), engine_(settings_) {}

  std::unique_ptr<Channel> open(std::shared_ptr<Transfer> transfer) override;
  void stop() override { engine_.stop(); }

 private:
  CurlSettings settings_;
  CurlEngine engine_;
};

}  // namespace fw::client
