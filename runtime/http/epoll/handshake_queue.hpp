// The share of the workers that performs handshakes of TLS, and the bound of unfinished ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace fw::http {

/// A handshake computes a thousand times as long as a small request, and clients can ask for one at
/// almost no cost. So connections in a handshake wait here with their lease, and are let in as many
/// at a time as may occupy a worker. Those that are let in go through the poller
/// (`Poller::yield`), where events of established connections come first. Thread-safe.
class HandshakeQueue {
 public:
  struct Limits {
    std::size_t at_a_time;   ///< handshakes that may occupy a worker
    std::size_t unfinished;  ///< connections in a handshake, including silent clients
  };

  explicit HandshakeQueue(Limits limits) : limits_(limits) {}

  /// Counts a new connection. Returns the oldest one that is unfinished if it must be closed
  /// because there are too many, so that clients that stall lock nobody out.
  std::optional<std::uint64_t> add(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    unfinished_.insert(id);
    if (unfinished_.size() <= limits_.unfinished) return std::nullopt;
    const std::uint64_t oldest = *unfinished_.begin();
    unfinished_.erase(unfinished_.begin());
    return oldest;
  }
  /// The handshake of a connection is complete, or the connection is closed.
  void remove(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    unfinished_.erase(id);
  }

  /// Called by the owner of a connection before it continues the handshake. If it returns false,
  /// the connection waits here with its lease. `at_once`: it only has to be closed.
  bool enter(std::uint64_t id, bool at_once) {
    const std::lock_guard lock(mutex_);
    if (std::erase(admitted_, id) == 0 && !at_once) {
      waiting_.push_back(id);
      return false;
    }
    ++running_;
    return true;
  }
  /// After `enter` has returned true, when the handshake waits for the client or has ended.
  void leave() {
    const std::lock_guard lock(mutex_);
    --running_;
  }
  /// The next connection that may `enter`, if any; the caller must have its event handled. It is
  /// the one that came last: with more clients than can be served, serving them in order would
  /// serve each when it is about to cancel.
  std::optional<std::uint64_t> admit_next() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || running_ + admitted_.size() >= limits_.at_a_time) return std::nullopt;
    admitted_.push_back(waiting_.back());
    waiting_.pop_back();
    return admitted_.back();
  }
  /// Takes a connection out of the queue. Returns whether it was waiting; the caller then has its
  /// lease.
  bool take(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(waiting_.begin(), waiting_.end(), id);
    if (found == waiting_.end()) return false;
    waiting_.erase(found);
    return true;
  }

 private:
  const Limits limits_;
  std::mutex mutex_;                    ///< guards the following members
  std::set<std::uint64_t> unfinished_;  ///< ids grow, so the first one is the oldest
  std::vector<std::uint64_t> waiting_;
  std::vector<std::uint64_t> admitted_;  ///< and have not entered yet
  std::size_t running_ = 0;
};

}  // namespace fw::http
