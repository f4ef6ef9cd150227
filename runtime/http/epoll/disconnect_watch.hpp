// Detects that the client has disconnected, and keeps a callback for it.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

#include "http/disconnect_callback.hpp"

namespace fw::http {

/// Thread-safe.
class DisconnectWatch {
 public:
  /// Whether the client has closed its side.
  bool peer_closed() const { return peer_closed_.load(std::memory_order_relaxed); }
  /// Whether the connection has failed in both directions.
  bool broken() const { return broken_.load(); }

  void note_broken() { broken_.store(true); }
  /// Records that the client has closed its side. Returns the callback, which the caller must run;
  /// empty if there is none.
  DisconnectCallback note_closed() {
    const std::lock_guard lock(mutex_);
    peer_closed_.store(true);
    callback_.mark_lost();
    return std::exchange(callback_, {});
  }

  /// Swaps the callback with the given one, which may be empty. Returns false without doing it if
  /// the client has already closed its side.
  bool set_callback(DisconnectCallback& callback) {
    const std::lock_guard lock(mutex_);
    if (peer_closed_.load()) return false;
    std::swap(callback_, callback);
    return true;
  }

 private:
  std::atomic<bool> peer_closed_{false};
  std::atomic<bool> broken_{false};
  std::mutex mutex_;  ///< guards the callback
  DisconnectCallback callback_;
};

}  // namespace fw::http
