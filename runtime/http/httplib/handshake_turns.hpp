// The share of the processors that performs handshakes of TLS.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace fw::http {

/// A handshake computes a thousand times as long as a small request, and clients can ask for one at
/// almost no cost. So the threads of connections take turns with it. Thread-safe.
class HandshakeTurns {
 public:
  explicit HandshakeTurns(std::size_t at_a_time) : free_(at_a_time) {}

  /// Calls `compute` when there is a turn. Returns false if there is none within `timeout`.
  template <class Compute>
  bool run(std::chrono::milliseconds timeout, const Compute& compute) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, timeout, [this] { return free_ > 0; })) return false;
    --free_;
    lock.unlock();
    const Turn turn(*this);
    compute();
    return true;
  }

 private:
  class Turn {
   public:
    explicit Turn(HandshakeTurns& turns) : turns_(turns) {}
    ~Turn() {
      {
        const std::lock_guard lock(turns_.mutex_);
        ++turns_.free_;
      }
      turns_.changed_.notify_one();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    HandshakeTurns& turns_;
  };

  std::mutex mutex_;  ///< guards free_
  std::condition_variable changed_;
  std::size_t free_;
};

}  // namespace fw::http
