// The epoll set on which all workers wait, and their shared queue of events.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <sys/epoll.h>

#include "http/socket.hpp"

namespace fw::http {

/// Connections are watched edge-triggered: a connection is registered once and need not be re-armed
/// after each request. A listener is disarmed by its event, so that only one worker accepts at a
/// time. Thread-safe.
class Poller {
 public:
  /// The subject of an event. Ids of connections begin at `kFirstConnection`.
  static constexpr std::uint64_t kWake = 0;
  static constexpr std::uint64_t kListener = 1;
  static constexpr std::uint64_t kNudge = 2;
  static constexpr std::uint64_t kFirstConnection = 3;

  struct Event {
    std::uint64_t id = 0;
    bool peer_closed = false;  ///< the peer has closed its side
    bool broken = false;       ///< the connection has failed in both directions
  };

  Poller();

  void watch_listener(int fd);
  void rearm_listener(int fd);
  void forget(int fd);
  /// Returns false if the kernel rejects it.
  bool watch_connection(int fd, std::uint64_t id);
  /// Adds events for room to send.
  void watch_output(int fd, std::uint64_t id);

  /// Waits for events; empty after `timeout`. Returns the first event, queues the others and sets
  /// `queue_has_grown`.
  std::optional<Event> wait(std::chrono::milliseconds timeout, bool& queue_has_grown);
  /// Takes the first queued event.
  std::optional<Event> take_queued();
  /// Queues an event for a connection, independent of its socket.
  void post(std::uint64_t id) noexcept;
  std::size_t queued() const { return queued_.load(); }
  /// The total number of events taken from the queue.
  std::uint64_t dequeued() const { return dequeued_.load(); }

  /// Makes all current and future waits return `kWake`.
  void wake_all();
  /// Makes `count` waits return `kNudge`, so that waiting workers check the queue. `end_nudge` must
  /// be called for each.
  void nudge(std::size_t count) noexcept;
  void end_nudge();

 private:
  void enqueue(const Event& event) noexcept;

  FileDescriptor epoll_;
  FileDescriptor wake_;
  FileDescriptor nudge_;

  std::mutex mutex_;  ///< guards the queue
  std::deque<Event> queue_;
  std::atomic<std::size_t> queued_{0};
  std::atomic<std::uint64_t> dequeued_{0};
};

}  // namespace fw::http
