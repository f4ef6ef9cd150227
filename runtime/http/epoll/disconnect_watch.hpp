// Whether the client of a connection is gone, and the callback for that.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

namespace fw::http {

/// Thread-safe.
class DisconnectWatch {
 public:
  /// The client sends no more.
  bool peer_closed() const { return peer_closed_.load(std::memory_order_relaxed); }
  /// Neither direction works any longer.
  bool broken() const { return broken_.load(); }

  void note_broken() { broken_.store(true); }
  /// Notes that the client has closed its side, and calls the callback.
  void note_closed() {
    std::function<void()> callback;
    {
      const std::lock_guard lock(mutex_);
      peer_closed_.store(true);
      callback.swap(callback_);
    }
    if (callback) callback();
  }

  /// Takes what is to be called; null removes it. False, and nothing taken, if the client has
  /// closed its side already.
  bool set_callback(std::function<void()>& callback) {
    const std::lock_guard lock(mutex_);
    if (peer_closed_.load()) return false;
    callback_ = std::move(callback);
    return true;
  }

 private:
  std::atomic<bool> peer_closed_{false};
  std::atomic<bool> broken_{false};
  std::mutex mutex_;  ///< of the callback
  std::function<void()> callback_;
};

}  // namespace fw::http
