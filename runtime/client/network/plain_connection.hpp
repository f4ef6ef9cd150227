// A connection to an http origin that sends and receives by itself.
#pragma once

#include <memory>
#include <mutex>

#include "client/network/connection_pool.hpp"
#include "client/network/curl_connection.hpp"
#include "client/transfer.hpp"
#include "client/url.hpp"
#include "http/socket.hpp"

namespace fw::outbound {

/// libcurl connects it, because it resolves names without blocking and tries several addresses at
/// the same time.
class PlainConnection : public Connection {
 public:
  PlainConnection(const Url& url, CurlSettings& settings);

  /// Makes progress in connecting. Returns whether the connection is established. Throws
  /// std::runtime_error if it fails.
  bool connect();
  /// The socket of an established connection.
  int fd() const { return socket_.get(); }
  /// Waits for input, for room to send if `sends`, for the next step of connecting, for `wake`, or
  /// for the deadline. Returns whether there is input.
  bool wait(Deadline deadline, bool sends);
  bool can_be_reused() override;
  void wake() override;

 private:
  http::FileDescriptor socket_;

  std::mutex mutex_;  // held while the following members change, and by `wake`
  std::unique_ptr<CurlConnection> connecting_;  ///< null when the connection is established
  bool is_woken_ = false;
};

}  // namespace fw::outbound
