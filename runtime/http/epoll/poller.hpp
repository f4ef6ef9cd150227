// The one epoll set that all workers wait on, and the queue of events they share.
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

/// Connections are watched edge-triggered: one registration for a connection's whole life, and no
/// call to arm it again after each request. A listener is disarmed by its event, so that one worker
/// accepts at a time. Thread-safe.
class Poller {
 public:
  /// What an event is about; connections have the numbers from `kFirstConnection` on.
  static constexpr std::uint64_t kWake = 0;
  static constexpr std::uint64_t kListener = 1;
  static constexpr std::uint64_t kNudge = 2;
  static constexpr std::uint64_t kFirstConnection = 3;

  struct Event {
    std::uint64_t id = 0;
    bool peer_closed = false;  ///< the peer sends no more
    bool broken = false;       ///< neither direction works any longer
  };

  Poller();

  void watch_listener(int fd);
  void rearm_listener(int fd);
  void forget(int fd);
  /// False if the kernel has no room for another one.
  bool watch_connection(int fd, std::uint64_t id);
  /// From now on the connection has events for room to send, too.
  void watch_output(int fd, std::uint64_t id);

  /// Waits for events; nothing when `timeout` is over. Returns the first event; the others go to
  /// the queue, and `queue_has_grown` is set.
  std::optional<Event> wait(std::chrono::milliseconds timeout, bool& queue_has_grown);
  /// The first of the events that are queued for whichever worker comes first.
  std::optional<Event> take_queued();
  /// Makes an event about a connection, whatever the state of its socket.
  void post(std::uint64_t id) noexcept;
  std::size_t queued() const { return queued_.load(); }
  /// How many events were ever taken from the queue.
  std::uint64_t dequeued() const { return dequeued_.load(); }

  /// Makes every wait, now and later, return `kWake`.
  void wake_all();
  /// Makes `count` waits return `kNudge`, for each of which `end_nudge` is to be called, to have
  /// waiting workers look at the queue.
  void nudge(std::size_t count) noexcept;
  void end_nudge();

 private:
  void enqueue(const Event& event) noexcept;

  FileDescriptor epoll_;
  FileDescriptor wake_;
  FileDescriptor nudge_;

  std::mutex mutex_;  ///< of the queue
  std::deque<Event> queue_;
  std::atomic<std::size_t> queued_{0};
  std::atomic<std::uint64_t> dequeued_{0};
};

}  // namespace fw::http
