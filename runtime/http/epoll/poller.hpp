// The epoll set on which all workers wait, and the events that they have received from it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <sys/epoll.h>

#include "http/epoll/event_batch.hpp"
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
  static constexpr std::uint64_t kWakeOne = 2;
  static constexpr std::uint64_t kFirstConnection = 3;

  using Event = PollEvent;

  /// Gives a worker a batch of its own while it exists. If there are more workers than batches, the
  /// others receive one event at a time.
  class BatchSlot {
   public:
    explicit BatchSlot(Poller& poller) : batch_(poller.find_batch()) {}
    ~BatchSlot() {
      if (batch_ != nullptr) batch_->release();
    }
    BatchSlot(const BatchSlot&) = delete;
    BatchSlot& operator=(const BatchSlot&) = delete;

   private:
    friend class Poller;
    EventBatch* batch_;
    int posts_in_a_row_ = 0;     ///< taken since the worker last looked for events of sockets
    int posts_before_slow_ = 0;  ///< taken since the last one of `yield_slow`
  };

  /// Posted events are late after `longest_wait`; 0: never.
  explicit Poller(std::chrono::milliseconds longest_wait);

  void watch_listener(int fd);
  void rearm_listener(int fd);
  void forget(int fd);
  /// Returns false if the kernel rejects it.
  bool watch_connection(int fd, std::uint64_t id);
  /// Adds events for room to send.
  void watch_output(int fd, std::uint64_t id);

  /// Waits for events; empty after `timeout`. Returns the first event, leaves the others in the
  /// batch of the slot, which must be empty, and sets `has_more`.
  std::optional<Event> wait(BatchSlot& slot, std::chrono::milliseconds timeout, bool& has_more);
  /// Takes an event that has been received: of the slot's batch, posted, or of another batch. Looks
  /// for events of sockets between posted ones, so that neither delay the others; `has_more` as in
  /// `wait`.
  std::optional<Event> take_received(BatchSlot& slot, bool& has_more);
  /// Posts an event for a connection, independent of its socket.
  void post(std::uint64_t id) noexcept;
  /// The same for a connection whose turn is over: events of sockets come first. The event has the
  /// lease of the connection.
  void yield(std::uint64_t id) noexcept;
  /// The same for one that will use its turn for computing. Other posts come first, as far as there
  /// are not too many.
  void yield_slow(std::uint64_t id) noexcept;
  /// The same for tasks of a connection with HTTP/2. Nobody needs its lease for them.
  void post_task(std::uint64_t id) noexcept;
  void post_slow_task(std::uint64_t id) noexcept;
  /// Posts all events that no worker has taken, so that it is known how long they wait; to be
  /// called at `gather_interval` while no worker is free. Clients that have closed their side are
  /// passed to `note` as well, which must not throw: busy workers may wait for that. Returns
  /// whether a listener has clients, which the caller must then accept.
  bool gather(const std::function<void(const Event&)>& note) noexcept;
  std::chrono::milliseconds gather_interval() const;
  /// Takes the first posted event if it is late.
  std::optional<Event> take_late();
  /// The number of received events that no worker handles yet.
  std::size_t received() const;
  /// How often workers have received several events at once.
  std::uint64_t batch_count() const;
  /// A number that changes whenever a worker takes a received event.
  std::uint64_t progress() const;

  /// Makes all current and future waits return `kWake`.
  void wake_all();
  /// Makes `count` waits return `kWakeOne`, so that waiting workers look for received events.
  /// `consume_wake` must be called for each.
  void nudge(std::size_t count) noexcept;
  void consume_wake();

 private:
  struct Post {
    Event event;
    std::int64_t since = coarse_now();
  };

  static constexpr std::size_t kBatches = 32;
  /// Number of posted events that a worker takes before it looks for events of sockets, and before
  /// it takes a slow one.
  static constexpr int kMaxPostsInARow = 16;
  /// Number of posts from which on nothing is gathered: if they are never late, clients could
  /// otherwise cause any number.
  static constexpr std::size_t kMaxGathered = 100'000;

  /// Null if all are in use.
  EventBatch* find_batch();
  /// Those that are in use or were.
  std::span<const EventBatch> known_batches() const {
    return {batches_.data(), known_batches_.load()};
  }
  bool is_late(const Post& post) const;
  void add_post(const Post& post) noexcept;
  void add_post(std::deque<Post>& queue, const Post& post) noexcept;
  void count_posts();
  std::optional<Event> take_posted(BatchSlot& slot);
  std::optional<Event> take_of_others();
  void nudge_for_posts() noexcept;

  const std::chrono::milliseconds longest_wait_;
  FileDescriptor epoll_;
  FileDescriptor wake_;
  FileDescriptor nudge_;

  std::array<EventBatch, kBatches> batches_;
  std::atomic<std::size_t> known_batches_{0};  ///< the first ones; the others were never owned

  std::mutex mutex_;  ///< guards the posted events
  std::deque<Post> posted_;
  std::deque<Post> slow_;  ///< of `yield_slow`
  std::atomic<std::size_t> posted_count_{0};
  std::atomic<bool> post_has_nudged_{false};  ///< and no worker has seen it yet
  std::atomic<std::uint64_t> taken_posts_{0};
};

}  // namespace fw::http
