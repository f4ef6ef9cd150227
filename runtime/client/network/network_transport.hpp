// The transport of an application that is not a test.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "client/network/curl_engine.hpp"
#include "client/network/curl_handles.hpp"
#include "client/transfer.hpp"

namespace fw::outbound {

class NetworkTransport : public Transport {
 public:
  /// Throws std::runtime_error if libcurl cannot be used.
  explicit NetworkTransport(TransportOptions options)
      : own_(std::move(options), Multiplexing::no) {}

  std::unique_ptr<Channel> open(std::shared_ptr<Transfer> transfer) override;
  void stop() override;

 private:
  struct Connections {
    Connections(TransportOptions options, Multiplexing multiplexing)
        : settings(std::move(options)), engine(settings, multiplexing) {}

    CurlSettings settings;
    CurlEngine engine;
  };

  CurlEngine& engine_for(const OutboundRequest& request);

  Connections own_;   ///< of one transfer at a time
  std::mutex mutex_;  // guards the following members
  bool is_stopped_ = false;
  std::unique_ptr<Connections> shared_;  ///< of several at a time; null before the first
};

}  // namespace fw::outbound
