// The numbers of workers of a pool: of all, and of those that wait for an event.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

namespace fw::http {

/// Thread-safe.
class WorkerCount {
 public:
  std::size_t size() const { return size_.load(); }
  std::size_t idle() const { return idle_.load(); }
  /// Of workers that are handling an event.
  std::size_t busy() const {
    const auto idle = idle_.load();
    const auto size = size_.load();
    return size > idle ? size - idle : 0;
  }

  void add() { size_.fetch_add(1); }
  void remove() { size_.fetch_sub(1); }

  void begin_wait() { idle_.fetch_add(1); }
  /// For a worker that has got an event. Returns whether no other is idle.
  bool end_wait() { return idle_.fetch_sub(1) == 1; }
  /// Decides for a worker whose wait ended without an event: returns true, and removes it, if
  /// `least` workers remain idle without it. It counts as idle until then: if the waits of several
  /// end at the same moment, each counts for the others, and all but `least` leave.
  bool leave(std::size_t least) {
    const std::lock_guard lock(leaving_mutex_);
    const bool leaves = idle_.load() > least && size_.load() > least;
    if (leaves) size_.fetch_sub(1);
    idle_.fetch_sub(1);
    return leaves;
  }
  /// Decides for a worker that has no event: returns true, and removes it, if there are more than
  /// `most`.
  bool leave_above(std::size_t most) {
    if (size_.load(std::memory_order_relaxed) <= most) return false;
    const std::lock_guard lock(leaving_mutex_);
    if (size_.load() <= most) return false;
    size_.fetch_sub(1);
    return true;
  }

 private:
  std::atomic<std::size_t> size_{0};
  std::atomic<std::size_t> idle_{0};
  std::mutex leaving_mutex_;  ///< workers leave one after the other
};

/// The number of workers whose handlers wait for other requests: as many others may take their
/// places. Thread-safe.
class ReplacedWorkers {
 public:
  explicit ReplacedWorkers(std::size_t max) : max_(max) {}

  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  /// Returns false if there are too many, or if the `others` with the same reason are as many as
  /// there may still be: each reason gets a share, and leaves as much to those that come later.
  bool add(std::size_t others) {
    for (auto count = count_.load(); others < max_ - count;) {
      if (count_.compare_exchange_weak(count, count + 1)) return true;
    }
    return false;
  }
  void remove() { count_.fetch_sub(1); }

 private:
  const std::size_t max_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace fw::http
