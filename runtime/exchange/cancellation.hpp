// The link between a request and the client that may go away: `req.on_close` and `req.signal`.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <vector>

namespace fw::detail {

/// Shared between the exchange and what may end it early. Thread-safe.
class Cancellation {
 public:
  using Handler = std::function<void()>;

  /// Runs `handler` when the client goes away; at once when it already has.
  void on_close(Handler handler);
  std::stop_token token() const { return source_.get_token(); }

  /// The request has taken too long: the client is still there, so no handler runs.
  void request_stop() { source_.request_stop(); }
  /// The client has gone: requests the stop and runs the handlers, each once.
  void disconnect();
  /// The response is complete: the handlers will not run any more. Waits for those that are
  /// running, because they may refer to the request.
  void finish();

 private:
  enum class State { open, disconnected, finished };

  std::mutex mutex_;
  std::condition_variable handlers_done_;
  State state_ = State::open;
  bool running_ = false;
  std::vector<Handler> handlers_;
  std::stop_source source_;
};

}  // namespace fw::detail
