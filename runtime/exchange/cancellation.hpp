// Notifies a request that its client has disconnected: `req.on_close` and `req.signal`.
#pragma once

#include <fairway/errors.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "errors/messages.hpp"
#include "http/disconnect_callback.hpp"

namespace fw::detail {

/// Thrown by waits that end because the client has disconnected, or because the time of the request
/// is over. Its response is not sent.
class RequestCancelled : public HttpError {
 public:
  RequestCancelled() : HttpError(status_error(499)) {}
};

/// Shared between the exchange and the code that may end it early. Thread-safe.
class Cancellation {
 public:
  using Handler = std::function<void()>;

  Cancellation() = default;
  ~Cancellation() { finish(); }
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  /// Runs `handler` when the client disconnects; at once if it already has.
  void on_close(Handler handler);
  std::stop_token token() const { return source_.get_token(); }

  /// Requests the stop after a timeout. Runs no handler, because the client is still connected. The
  /// callbacks of the token may be the application's and take long, so they run on a thread of
  /// their own, and the caller, the thread of all deadlines, does not wait for them.
  void request_stop();
  /// Requests the stop and runs each handler once, because the client has disconnected.
  void disconnect();
  /// Whether the client of `cancellation` is known to have disconnected, which is before
  /// `disconnect` is called.
  static std::shared_ptr<const std::atomic<bool>> loss_of(
      const std::shared_ptr<Cancellation>& cancellation) {
    return {cancellation, &cancellation->is_lost_};
  }
  /// Of a request that another one sends to the application: the client of both is lost when this
  /// says so. May be null. Must be called before others use the object.
  void share_loss(std::shared_ptr<const std::atomic<bool>> outer) { outer_is_lost_ = outer; }
  /// Disconnects `cancellation` when it is called.
  static http::DisconnectCallback callback(const std::shared_ptr<Cancellation>& cancellation);
  /// After the response, its stream or its socket has ended. If the client has disconnected before,
  /// but no thread was free for its callback, disconnects first. Removes the handlers, and waits
  /// for running ones, and for callbacks of the token, because they may refer to the request.
  void finish();

 private:
  enum class State { open, disconnected, finished };

  std::atomic<bool> is_lost_{false};  ///< known before the callback runs
  std::shared_ptr<const std::atomic<bool>> outer_is_lost_;
  std::mutex mutex_;
  std::condition_variable handlers_done_;
  State state_ = State::open;
  bool running_ = false;
  std::vector<Handler> handlers_;
  std::thread stopper_;  ///< runs the callbacks of the token
  std::stop_source source_;
};

}  // namespace fw::detail
