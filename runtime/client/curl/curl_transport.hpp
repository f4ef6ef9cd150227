// The transport based on libcurl: the connections of an application.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "client/curl/curl_connection.hpp"
#include "client/transfer.hpp"

namespace fw::outbound {

class CurlTransport : public Transport {
 public:
  /// Throws std::runtime_error if libcurl cannot be used.
  explicit CurlTransport(TransportOptions options);

  std::unique_ptr<Channel> open(Transfer& transfer) override;
  void stop() override;

  // For the channels:

  bool is_stopped() const { return is_stopped_; }
  /// Returns an idle connection to the origin, or a new one.
  std::unique_ptr<CurlConnection> take(const Url& url);
  /// Keeps the connection for later transfers.
  void put(std::unique_ptr<CurlConnection> connection);

 private:
  struct Idle {
    std::unique_ptr<CurlConnection> connection;
    Clock::time_point since;
  };

  std::unique_ptr<CurlConnection> take_idle(const Url& url);

  CurlSettings settings_;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;        // guards the following members
  std::vector<Idle> idle_;  ///< the longest idle first
  std::unordered_set<CurlConnection*> in_use_;
};

}  // namespace fw::outbound
